"""Spherical joint: the second body turns in any way about a point of the first.

P2 - P1 = 0                    the point of the joint, pieces.py (1)                                    (1)

Not used: the same along the axes of the first body, quadratic where (1) is linear.
"""

from __future__ import annotations

from particlemech.engine.natural.frames import At, Handed, RowPoly
from particlemech.engine.natural.readings import Reading, ball
from particlemech.engine.natural.rows.pieces import pin
from particlemech.model.space import joints

spec = joints.Spherical
hands = Handed(place=True)


def readings(joint: joints.Spherical) -> tuple[Reading, ...]:
    """Return dextral 1-2-3 angles."""
    return ball()


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    return pin(at)


def kept(at: At) -> list[RowPoly]:
    """Return nothing: the place is handed over."""
    return []
