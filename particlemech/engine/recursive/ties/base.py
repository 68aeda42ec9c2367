"""One row that ties frames or stages together, and rows that several kinds are made of; rows.py says what forms are.

    pinned    x, y, z.(P2 - P1) = 0                         along the ground's axes                              (1)
    welded    (1),   x1.y2 = y1.z2 = z1.x2 = 0              axes as drawn                                        (2)

A multiplier is the force or moment that the row exerts on the second frame along its a, on the coordinate that follows,
or the effort of the driver.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from particlemech.engine.recursive.forms import ACROSS, GAP
from particlemech.model.spec import Vector3

NONE: Vector3 = (0.0, 0.0, 0.0)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class Tie(NamedTuple):
    """One row: fields as those of its table."""

    form: int
    first: int = 0
    second: int = 0
    of: int = 0
    signal: int = -1
    angle: bool = False
    stage1: int = -1
    stage2: int = -1
    at1: Any = NONE
    at2: Any = NONE
    a: Vector3 = NONE
    b: Vector3 = NONE
    c: float = 0.0


class Ends(NamedTuple):
    """Where a joint closes a loop: two frames, and its place from the O of each."""

    first: int
    second: int
    at1: Any
    at2: Any


def pinned(ends: Ends) -> list[Tie]:
    """Return (1)."""
    return [Tie(GAP, ends.first, ends.second, at1=ends.at1, at2=ends.at2, a=axis) for axis in (X, Y, Z)]


def welded(ends: Ends) -> list[Tie]:
    """Return (2)."""
    turns = [Tie(ACROSS, ends.first, ends.second, angle=True, a=a, b=b) for a, b in ((X, Y), (Y, Z), (Z, X))]
    return [*pinned(ends), *turns]
