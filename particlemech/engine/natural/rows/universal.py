"""Universal joint: two bodies share a point; an axis a of the first keeps its angle with an axis b of the second.

    P2 - P1 = 0                    the point of the joint, pieces.py (1)                                    (1)
    (a1.b2 - cos)/sin = 0          cosine and sine of the angle as drawn                   [J84] (3)        (2)

Divided by the sine, (2) has slope -1 in the angle between the axes and is scaled as the other angles are; for the usual
cross the sine is 1. Not used: a cross as a body of its own with two revolutes, ten rows for five.
"""

from __future__ import annotations

import math

from particlemech.engine.natural.frames import At, Handed, RowPoly
from particlemech.engine.natural.readings import Reading, crossed
from particlemech.engine.natural.rows.pieces import pin
from particlemech.engine.polynomials import Poly, dot3
from particlemech.model.space import joints

spec = joints.Universal
hands = Handed(place=True)


def readings(joint: joints.Universal) -> tuple[Reading, ...]:
    """Return the angles about both axes."""
    return crossed(*joint.directions)


def rows(at: At) -> list[RowPoly]:
    """Return (1) and (2)."""
    return [*pin(at), *kept(at)]


def kept(at: At) -> list[RowPoly]:
    """Return (2): the place is handed over."""
    a, b = at.spec.directions
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    sine = math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    angle = dot3(at.first.direction(a), at.second.direction(b)) - Poly.constant(cosine)
    return [RowPoly(angle * (1.0 / sine), angle=True)]  # (2)
