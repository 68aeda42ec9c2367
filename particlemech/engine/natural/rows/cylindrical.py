"""Cylindrical joint: the second body turns about an axis that is fixed in both, and slides along it.

u1.m2 = u1.n2 = 0                      the axis, pieces.py (2)                                          (1)
m1.(P2 - P1) = n1.(P2 - P1) = 0        P2 stays on it, pieces.py (3)                                    (2)

The forces of (2) act at the present place of P2, on both bodies. Not used: two points of the second on the line, the
same four rows with a lever arm to choose.
"""

from __future__ import annotations

from particlemech.engine.natural.frames import At, Handed, RowPoly
from particlemech.engine.natural.readings import Reading, angle, travel
from particlemech.engine.natural.rows.pieces import aligned, on_line
from particlemech.model.space import joints

spec = joints.Cylindrical
hands = Handed(axis=True)


def readings(joint: joints.Cylindrical) -> tuple[Reading, ...]:
    """Return travel and angle."""
    return travel(joint.direction), angle(joint.direction)


def rows(at: At) -> list[RowPoly]:
    """Return (1) and (2)."""
    return [*aligned(at, at.spec.direction), *on_line(at, at.spec.direction)]


def kept(at: At) -> list[RowPoly]:
    """Return (2)."""
    return on_line(at, at.spec.direction)
