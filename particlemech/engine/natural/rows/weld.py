"""Weld: the second body is fixed to the first.

    P2 - P1 = 0                        where reactions are reported, pieces.py (1)                          (1)
    u1.m2 = u1.n2 = m1.n2 = 0          no turning, pieces.py (2) and (4), u along z as drawn                (2)

Any u will do; along a global axis every direction is one of the bodies' own. Not used: equal axes of both bodies, nine
rows of which six are redundant.
"""

from __future__ import annotations

from particlemech.engine.natural.frames import At, Handed, RowPoly
from particlemech.engine.natural.readings import Reading
from particlemech.engine.natural.rows.pieces import aligned, pin, unturned
from particlemech.model.space import joints

spec = joints.Weld
hands = Handed(place=True, axes=True)

AXIS = (0.0, 0.0, 1.0)


def readings(joint: joints.Weld) -> tuple[Reading, ...]:
    """Return nothing."""
    return ()


def rows(at: At) -> list[RowPoly]:
    """Return (1) and (2)."""
    return [*pin(at), *aligned(at, AXIS), *unturned(at, AXIS)]


def kept(at: At) -> list[RowPoly]:
    """Return nothing: all is handed over."""
    return []
