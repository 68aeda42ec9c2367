"""Slot: point Q of body 2 stays on a line fixed in body 1.

    u                    unit direction fixed in body 1
    cross(u, Q - P) = 0  point Q of body 2 stays on the line through P of body 1          (1)

Free directions for the balance: the force along u and the moment about Q. The reaction is a force K u at the
present place of Q.
"""

from __future__ import annotations

from particlemech.engine.particles.frames import At, Free, Place, RowPoly
from particlemech.engine.polynomials import cross
from particlemech.model import joints

spec = joints.Slot
shares = 0


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    return [RowPoly(cross(at.first.direction(at.along()), at.gap()))]  # (1)


def free(at: At) -> list[Free]:
    """Return the slide along u and the rotation about Q."""
    return [Free(False, at.first.along(at.along())), Free(True, at.second.at(at.seat()))]


def seat(at: At) -> Place:
    """Return where reactions are reported, on the second body."""
    return at.seat()
