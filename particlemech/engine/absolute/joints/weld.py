"""Weld: bodies that move as one.

    Q_k - P = 0                  the place where reactions are reported, on the hub and on body k         (1)
    theta_k - theta_hub = 0                                                                               (2)

The hub is the ground or else the first body. The place is the joint's point, by default the centre of mass of
the second body (of the first, where the second is the ground).
"""

from __future__ import annotations

from particlemech.engine.absolute.measures import ANGLE, AXES, AXIS, Measure, Place, star
from particlemech.model.description import GROUND
from particlemech.model.joints import Weld
from particlemech.model.mechanism import Mechanism

SPEC = Weld


def rows(spec: Weld, mechanism: Mechanism) -> list[Measure]:
    """Return three rows for each body but the hub."""
    hub, others = star(spec.bodies)
    centre = next(b for b in (spec.bodies[1], spec.bodies[0]) if b != GROUND)

    def place(body: str) -> Place:
        return mechanism.place(spec.point, body if spec.point is not None else centre)

    result = []
    for b in others:
        result += [Measure(AXIS, hub, b, place(hub), place(b), e) for e in AXES]  # (1)
        result.append(Measure(ANGLE, hub, b))  # (2)
    return result
