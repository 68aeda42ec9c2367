"""What several joints have in common. Index 1: fixed in the first body, 2: in the second; m, n, u a triad as drawn.

    P2 - P1 = 0                    a common place, a loop of two vectors                     [J84] (6)       (1)
    u1.m2 = 0,  u1.n2 = 0          a common direction                                        [J84] (3)       (2)
    m1.(P2 - P1) = n1.(P2 - P1) = 0        P2 stays on the line through P1 along u                           (3)
    m1.n2 = 0                      no turning about u, where (2) holds                       [J84] (3)       (4)

To first order (2) are the angles by which the second body is turned about -n and m, and (4) that about -u.
Not used: u1 x u2 = 0 for (2) and u1 x (P2 - P1) = 0 for (3), three rows each of which one is redundant; [J84] uses the
cross product (4) to define a vector, which needs no row where directions are linear. u1.u2 = 1 for (2) is one row whose
derivative vanishes where it holds.
"""

from __future__ import annotations

from particlemech.engine.natural.frames import At, RowPoly, triad
from particlemech.engine.polynomials import dot3
from particlemech.model.spec import Vector3


def pin(at: At) -> list[RowPoly]:
    """Return (1)."""
    gap = at.gap()
    return [RowPoly(gap.x), RowPoly(gap.y), RowPoly(gap.z)]


def aligned(at: At, u: Vector3) -> list[RowPoly]:
    """Return (2) for a unit vector as drawn."""
    m, n, _ = triad(u)
    u1 = at.first.direction(u)
    return [RowPoly(dot3(u1, at.second.direction(across)), angle=True) for across in (m, n)]


def on_line(at: At, u: Vector3) -> list[RowPoly]:
    """Return (3) for a unit vector as drawn."""
    m, n, _ = triad(u)
    return [RowPoly(dot3(at.first.direction(across), at.gap())) for across in (m, n)]


def unturned(at: At, u: Vector3) -> list[RowPoly]:
    """Return (4) for a unit vector as drawn."""
    m, n, _ = triad(u)
    return [RowPoly(dot3(at.first.direction(m), at.second.direction(n)), angle=True)]
