"""Coordinate driver: a coordinate x of a joint follows s(t); readings.py says how it is read.

    travel         x - s(t) = 0                                                                             (1)
    angle          sin(x) cos(s) - cos(x) sin(s) = 0         the sine of the error of the angle             (2)
    MIDDLE         sin(x) - sin(s) = 0                       of spherical joints, between -90 and 90 deg    (3)

(2) is zero and of slope 1 on the wanted motion, a polynomial, and blind to full turns. In spherical joints sine and
cosine have a common factor; (2) and (3) have it as their slope. The multiplier times this slope is the effort on the
second body. Not used: the difference of unwrapped angles; cos(s) - m1.m2, whose slope vanishes at the start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from particlemech.engine.natural import readings
from particlemech.engine.natural.frames import At, Edge, RowPoly, joint_edge
from particlemech.engine.system import Array
from particlemech.model.space import drivers

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

spec = drivers.Coordinate


def edge(driver: drivers.Coordinate, mechanism: Mechanism) -> Edge:
    """Return the edge of the joint it drives."""
    return joint_edge(mechanism.joints[driver.joint], mechanism)


def rows(at: At) -> list[RowPoly]:
    """Return (1), (2) or (3)."""
    x = at.measure(*at.driver.freedom(at.mechanism))
    if x.slides:
        return [RowPoly(x.sine - at.signal("value"))]  # (1)
    if x.cosine is None:
        return [RowPoly(x.sine - at.signal("sin"), angle=True)]  # (3)
    return [RowPoly(x.sine * at.signal("cos") - x.cosine * at.signal("sin"), angle=True)]  # (2)


def slope(driver: drivers.Coordinate, seen: Any) -> Array:
    """Return the common factor of sine and cosine at K samples, (K,); 1 but for spherical joints."""
    return readings.slope(seen._compiled.measures[driver.freedom(seen.mechanism)], seen._level(0))
