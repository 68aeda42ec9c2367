"""The row of a driver: one function per kind, None where it needs none; ROW lists them."""

from __future__ import annotations

from typing import Any

from particlemech.engine.recursive.forms import GAP, SPAN, TIED
from particlemech.engine.recursive.ties.base import Tie, X, Y, Z
from particlemech.model.space import drivers


def coordinate(driver: drivers.Coordinate, where: Any) -> Tie | None:
    """Return the row of a coordinate of a joint; None where its stage is prescribed, unless starts are looked for.

    x = motion                                                                                                   (1)
    """
    joint, of = driver.freedom(where.mechanism)
    if where.prescribes or joint not in where.stages_of:
        return None
    e, turns = where.stages(joint, of)[0], driver.turns(where.mechanism)
    return Tie(TIED, signal=where.signal(driver.motion), stage1=e, stage2=e, angle=turns)


def distance(driver: drivers.Distance, where: Any) -> Tie:
    """Return the row of the distance of two points.

    |P2 - P1| = drawn length + motion                                                                            (1)
    """
    (i, at1), (k, at2) = (where.spot(place, body) for body, place in driver.ends(where.mechanism))
    drawn, s = driver.drawn(where.mechanism), where.signal(driver.motion)
    return Tie(SPAN, i, k, signal=s, at1=at1, at2=at2, c=drawn)


def position(driver: drivers.Position, where: Any) -> Tie:
    """Return the row of a coordinate of a point.

    x, y or z.(P2 - drawn place) = motion                                                                        (1)
    """
    ((body, at),) = driver.ends(where.mechanism)
    axis = {"x": X, "y": Y, "z": Z}[driver.axis]
    k, place = where.spot(driver.point, body)
    return Tie(GAP, 0, k, signal=where.signal(driver.motion), at1=at, at2=place, a=axis)


ROW: dict[type, Any] = {drivers.Coordinate: coordinate, drivers.Distance: distance, drivers.Position: position}
