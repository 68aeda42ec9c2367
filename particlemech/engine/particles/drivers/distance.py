"""Distance driver: the distance of P2 on the second body from P1 on the first follows L(t) = drawn + s(t).

    d = P2 - P1,   d.d/(2 L) - L/2 = 0                                                    (1)

Its gradient on the wanted motion is the unit vector along d and its rate by time is -L', so its multiplier is the force
along the line, positive where it pushes the points apart, and lam L' is its power. A polynomial with signals 1/L and L.
Not used: (d.d - L^2)/(2 drawn), whose multiplier is that force times L/drawn.
"""

from __future__ import annotations

from particlemech import _tape
from particlemech.engine.particles.frames import At, RowPoly
from particlemech.engine.polynomials import dot
from particlemech.model import drivers

spec = drivers.Distance


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    first, second = at.spec.points
    drawn = _tape.dist(at.drawn(first), at.drawn(second))
    d = at.second.point(at.place(second, True)) - at.first.point(at.place(first, False))
    return [RowPoly((at.signal("reciprocal", drawn) * dot(d, d) - at.signal("value", drawn)) * 0.5)]  # (1)
