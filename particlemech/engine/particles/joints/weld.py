"""Weld: the second body is fixed to the first.

    P2 - P1 = 0          at the place where reactions are reported                        (1)
    cross(u1, u2) = 0    no relative rotation, u1 and u2 parallel as drawn                (2)

In the tree the outboard body has no coordinates of its own: both its particles are those of its parent.
"""

from __future__ import annotations

from particlemech.engine.particles.frames import At, Free, Place, RowPoly
from particlemech.engine.polynomials import cross
from particlemech.model import joints

spec = joints.Weld
shares = 2

AXIS = (1.0, 0.0)


def rows(at: At) -> list[RowPoly]:
    """Return (1) and (2)."""
    gap = at.second.point(seat(at)) - at.first.point(seat(at))
    turn = cross(at.first.direction(AXIS), at.second.direction(AXIS))
    return [RowPoly(gap.x), RowPoly(gap.y), RowPoly(turn, angle=True)]  # (1), (2)


def free(at: At) -> list[Free]:
    """Return nothing: a weld leaves no freedom."""
    return []


def seat(at: At) -> Place:
    """Return where reactions are reported: the optional point, or the centre of mass of the second body."""
    point = at.spec.point
    return at.middle if point is None else at.place(point, True)
