"""Slot: a point of the second body moves along a line fixed in the first, and the second turns in any way about it.

m1.(P2 - P1) = n1.(P2 - P1) = 0        P2 stays on the line, pieces.py (3)                              (1)

The forces of (1) act at the present place of P2, on both bodies.
"""

from __future__ import annotations

from particlemech.engine.natural.frames import At, Handed, RowPoly
from particlemech.engine.natural.readings import Reading, travel
from particlemech.engine.natural.rows.pieces import on_line
from particlemech.model.space import joints

spec = joints.Slot
hands = Handed()


def readings(joint: joints.Slot) -> tuple[Reading, ...]:
    """Return the travel."""
    return (travel(joint.direction),)


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    return on_line(at, at.spec.direction)


def kept(at: At) -> list[RowPoly]:
    """Return (1): nothing is handed over."""
    return rows(at)
