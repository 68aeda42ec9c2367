"""Prismatic joint: body 2 slides along a line fixed in body 1.

    n.(Q - P) = 0            n normal to the line, in body 1; P the drawn place of the point      (1)
    theta2 - theta1 = 0      no relative rotation                                                 (2)

The multipliers are the normal force on body 2 at the present place of the point, and the moment about it.
"""

from __future__ import annotations

from particlemech.engine.absolute.measures import ANGLE, LINE, Measure, unit
from particlemech.model.joints import Prismatic
from particlemech.model.mechanism import Mechanism

SPEC = Prismatic


def rows(spec: Prismatic, mechanism: Mechanism) -> list[Measure]:
    """Return the row of the normal and the row of the angle."""
    first, second = spec.bodies
    ux, uy = unit(spec.axis)
    P, Q = mechanism.drawn(spec.point), mechanism.place(spec.point, second)
    return [Measure(LINE, first, second, P, Q, (-uy, ux)), Measure(ANGLE, first, second)]  # (1), (2)
