"""Distance: a massless rod between P1 of the first and P2 of the second body.

    d = P2 - P1,   (d.d - l^2)/(2 l) = 0                                                                    (1)

Divided by 2 l the row is a length to first order, so its multiplier is the force in the rod (a push is positive), and
it stays a polynomial. Not used: |d| - l, no polynomial; d.d - l^2, badly scaled beside true lengths.
"""

from __future__ import annotations

from particlemech.engine.natural.frames import At, Handed, RowPoly
from particlemech.engine.natural.readings import Reading
from particlemech.engine.polynomials import Poly, dot3
from particlemech.model.space import joints

spec = joints.Distance
hands = Handed()


def readings(joint: joints.Distance) -> tuple[Reading, ...]:
    """Return nothing."""
    return ()


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    ends = zip(at.spec.points, at.spec.bodies, strict=True)
    one, other = (at.drawn(at.mechanism.place(point, body)) for point, body in ends)
    length = at.spec.rod(at.mechanism)
    d = at.second.point(other) - at.first.point(one)
    return [RowPoly((dot3(d, d) - Poly.constant(length**2)) * (0.5 / length))]  # (1)


def kept(at: At) -> list[RowPoly]:
    """Return (1): nothing is handed over."""
    return rows(at)
