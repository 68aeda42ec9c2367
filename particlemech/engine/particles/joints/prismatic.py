"""Prismatic joint: body 2 slides along a line fixed in body 1, without turning against it.

    u                    unit direction fixed in body 1
    w                    the same direction as drawn, fixed in body 2
    cross(u, w) = 0      no relative rotation                                             (1)
    cross(u, Q - P) = 0  point Q of body 2 stays on the line through P of body 1          (2)

Free direction for the balance: the force along u. The reaction is a force K u at the present place of Q, on both
bodies, and a couple (errata). Source: [A00] 2.4. Not used: a dot product of normals, the same rows up to sign.
"""

from __future__ import annotations

from particlemech.engine.particles.frames import At, Free, Place, RowPoly
from particlemech.engine.polynomials import cross
from particlemech.model import joints

spec = joints.Prismatic
shares = 0


def rows(at: At) -> list[RowPoly]:
    """Return (1) and (2)."""
    u, w = at.first.direction(at.along()), at.second.direction(at.along())
    return [RowPoly(cross(u, w), angle=True), RowPoly(cross(u, at.gap()))]  # (1), (2)


def free(at: At) -> list[Free]:
    """Return the slide along u."""
    return [Free(False, at.first.along(at.along()))]


def seat(at: At) -> Place:
    """Return where reactions are reported, on the second body."""
    return at.seat()
