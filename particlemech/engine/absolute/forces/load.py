"""Load: a force on a place of a body.

    F = s_x(t) e_x + s_y(t) e_y      e fixed in the plane, or turning with the body              (1)

In the plane each component is an effort along the measure e.Q; with the body it has the same wrench but no
such function.
"""

from __future__ import annotations

from particlemech.engine.absolute.measures import AXES, AXIS, FOLLOW, Measure
from particlemech.model.description import GROUND
from particlemech.model.forces import Load
from particlemech.model.mechanism import Mechanism

SPEC = Load
FRAMES = {"global": AXIS, "body": FOLLOW}


def laws(spec: Load, mechanism: Mechanism) -> list[Measure]:
    """Return one law for each component."""
    Q = mechanism.place(spec.point, spec.body)
    kind = FRAMES[spec.frame]
    return [Measure(kind, GROUND, spec.body, Q=Q, e=e, signal=s) for e, s in zip(AXES, spec.force, strict=True)]  # (1)
