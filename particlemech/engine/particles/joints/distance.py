"""Distance joint: a massless rod between P1 of the first and P2 of the second body.

    d = P2 - P1,   (d.d - l^2)/(2 l) = 0                                                  (1)

Divided by 2 l the row is a length to first order, so its multiplier is the force in the rod (a push is positive),
and it stays a polynomial. Not used: d.d - l^2 (badly scaled beside true lengths), |d| - l (no polynomial). It is
never a tree joint.
"""

from __future__ import annotations

from particlemech import _tape
from particlemech.engine.particles.frames import At, Free, Place, RowPoly
from particlemech.engine.polynomials import Poly, dot
from particlemech.model import joints

spec = joints.Distance
shares = 0


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    first, second = at.spec.points
    length = at.spec.length or _tape.dist(at.drawn(first), at.drawn(second))
    d = at.second.point(at.place(second, True)) - at.first.point(at.place(first, False))
    return [RowPoly((dot(d, d) - Poly.constant(length**2)) * (0.5 / length))]  # (1)


def free(at: At) -> list[Free]:
    """Return nothing: it is never a tree joint."""
    return []


def seat(at: At) -> Place:
    """Return the end of the rod on the second body."""
    return at.place(at.spec.points[1], True)
