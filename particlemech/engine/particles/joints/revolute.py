"""Revolute joint: point P of the second body stays on point P of the first.

    P2 - P1 = 0                      both components                                      (1)

In the tree the two bodies share the particle at the pin: (1) has no row and no multiplier [A00] 2.1, and the
moment of everything outboard about the pin vanishes [A00] 2.4.
"""

from __future__ import annotations

from particlemech.engine.particles.frames import At, Free, Place, RowPoly
from particlemech.model import joints

spec = joints.Revolute
shares = 1  # particles that an outboard body shares with its parent


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    gap = at.second.point(at.seat()) - at.first.point(at.place(at.spec.point, False))
    return [RowPoly(gap.x), RowPoly(gap.y)]  # (1)


def free(at: At) -> list[Free]:
    """Return the rotation about the pin."""
    return [Free(True, at.second.at(at.seat()))]


def seat(at: At) -> Place:
    """Return where reactions are reported, on the second body."""
    return at.seat()
