"""Driver of a coordinate of a point.

x, y or z.(P2 - drawn place) = motion                                                                            (1)
"""

from __future__ import annotations

from typing import Any

from particlemech.engine.recursive.forms import GAP
from particlemech.engine.recursive.ties.base import Tie, X, Y, Z
from particlemech.model.space.drivers import Position

SPEC = Position


def row(driver: Position, where: Any) -> Tie:
    """Return (1)."""
    ((body, at),) = driver.ends(where.mechanism)
    axis = {"x": X, "y": Y, "z": Z}[driver.axis]
    k, place = where.spot(driver.point, body)
    return Tie(GAP, 0, k, signal=where.signal(driver.motion), at1=at, at2=place, a=axis)
