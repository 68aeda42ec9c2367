"""Driver of the distance of two points.

|P2 - P1| = drawn length + motion                                                                                (1)
"""

from __future__ import annotations

from typing import Any

from particlemech.engine.recursive.forms import SPAN
from particlemech.engine.recursive.ties.base import Tie
from particlemech.model.space.drivers import Distance

SPEC = Distance


def row(driver: Distance, where: Any) -> Tie:
    """Return (1)."""
    (i, at1), (k, at2) = (where.spot(place, body) for body, place in driver.ends(where.mechanism))
    drawn, s = driver.drawn(where.mechanism), where.signal(driver.motion)
    return Tie(SPAN, i, k, signal=s, at1=at1, at2=at2, c=drawn)
