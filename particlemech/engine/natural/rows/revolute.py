"""Revolute joint: the second body turns about an axis that is fixed in both.

    P2 - P1 = 0                    the point of the joint, pieces.py (1)                                    (1)
    u1.m2 = u1.n2 = 0              the axis, pieces.py (2)                                                  (2)

Not used: a second common point on the axis, six rows of which one is redundant.
"""

from __future__ import annotations

from particlemech.engine.natural.frames import At, Handed, RowPoly
from particlemech.engine.natural.readings import Reading, angle
from particlemech.engine.natural.rows.pieces import aligned, pin
from particlemech.model.space import joints

spec = joints.Revolute
hands = Handed(place=True, axis=True)


def readings(joint: joints.Revolute) -> tuple[Reading, ...]:
    """Return the angle."""
    return (angle(joint.direction),)


def rows(at: At) -> list[RowPoly]:
    """Return (1) and (2)."""
    return [*pin(at), *aligned(at, at.spec.direction)]


def kept(at: At) -> list[RowPoly]:
    """Return nothing: place and axis are handed over."""
    return []
