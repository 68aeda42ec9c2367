"""Free joint: the second body floats; there is nothing to hold, but six coordinates to read."""

from __future__ import annotations

from particlemech.engine.natural.frames import At, Handed, RowPoly
from particlemech.engine.natural.readings import Reading, X, Y, Z, ball, travel
from particlemech.model.space import joints

spec = joints.Free
hands = Handed()


def readings(joint: joints.Free) -> tuple[Reading, ...]:
    """Return three travels along the axes of the first body, and three angles."""
    return travel(X), travel(Y), travel(Z), *ball()


def rows(at: At) -> list[RowPoly]:
    """Return nothing."""
    return []


def kept(at: At) -> list[RowPoly]:
    """Return nothing."""
    return []
