"""Revolute joint: the places of one point on all its bodies coincide.

    Q_k - P = 0      P on the hub, Q_k on every other body                                (1)

The hub is the ground or else the first body. The multipliers are the force of the pin on body k.
"""

from __future__ import annotations

from particlemech.engine.absolute.measures import AXES, AXIS, Measure, star
from particlemech.model.joints import Revolute
from particlemech.model.mechanism import Mechanism

SPEC = Revolute


def rows(spec: Revolute, mechanism: Mechanism) -> list[Measure]:
    """Return two rows for each body but the hub."""
    hub, others = star(spec.bodies)
    P = mechanism.place(spec.point, hub)
    return [Measure(AXIS, hub, b, P, mechanism.place(spec.point, b), e) for b in others for e in AXES]  # (1)
