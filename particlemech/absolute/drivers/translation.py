"""Translation driver: travel along a prismatic or slot joint.

    u.(Q - P) - s(t) = 0     u along the joint's line, in body 1; P the drawn place of the point          (1)

The multiplier is the force along u on body 2, at the present place of the point.
"""

from __future__ import annotations

from typing import Any

from particlemech.absolute.measures import LINE, Measure, unit
from particlemech.drivers import Translation
from particlemech.mechanism import Mechanism

SPEC = Translation


def rows(spec: Translation, mechanism: Mechanism) -> list[Measure]:
    """Return one row."""
    joint: Any = mechanism.joints[spec.joint]
    first, second = joint.bodies
    P, Q = mechanism.drawn(joint.point), mechanism.place(joint.point, second)
    return [Measure(LINE, first, second, P, Q, unit(joint.axis), signal=spec.motion)]  # (1)
