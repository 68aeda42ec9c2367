"""Prismatic joint: the second body slides along a line fixed in the first, without turning against it.

    u1.m2 = u1.n2 = 0                      no turning across the line, pieces.py (2)                        (1)
    m1.(P2 - P1) = n1.(P2 - P1) = 0        P2 stays on it, pieces.py (3)                                    (2)
    m1.n2 = 0                              no turning about it, pieces.py (4)                               (3)

The forces of (2) act at the present place of P2, on both bodies.
"""

from __future__ import annotations

from particlemech.engine.natural.frames import At, Handed, RowPoly
from particlemech.engine.natural.readings import Reading, travel
from particlemech.engine.natural.rows.pieces import aligned, on_line, unturned
from particlemech.model.space import joints

spec = joints.Prismatic
hands = Handed(axes=True)


def readings(joint: joints.Prismatic) -> tuple[Reading, ...]:
    """Return the travel."""
    return (travel(joint.direction),)


def rows(at: At) -> list[RowPoly]:
    """Return (1), (2) and (3)."""
    u = at.spec.direction
    return [*aligned(at, u), *on_line(at, u), *unturned(at, u)]


def kept(at: At) -> list[RowPoly]:
    """Return (2)."""
    return on_line(at, at.spec.direction)
