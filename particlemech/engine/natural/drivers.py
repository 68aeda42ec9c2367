"""The rows of drivers in space: for each kind its edge, its rows, and their slope; BY_SPEC lists them.

A slope is that of the row by what is driven: the multiplier times it is the effort.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech.engine.natural import readings
from particlemech.engine.natural.frames import At, Edge, RowPoly, joint_edge
from particlemech.engine.polynomials import Poly, dot3
from particlemech.engine.system import Array
from particlemech.model.description import GROUND
from particlemech.model.space import drivers

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


def coordinate(at: At) -> list[RowPoly]:
    """Return the row of a coordinate x of a joint that follows s(t); readings.py says how it is read.

        travel         x - s(t) = 0                                                                             (1)
        angle          sin(x) cos(s) - cos(x) sin(s) = 0         the sine of the error of the angle             (2)
        MIDDLE         sin(x) - sin(s) = 0                       of spherical joints, between -90 and 90 deg    (3)

    (2) is zero and of slope 1 on the wanted motion, a polynomial, and blind to full turns. In spherical joints sine and
    cosine have a common factor; (2) and (3) have it as their slope. The multiplier times this slope is the effort on
    the second body. Not used: the difference of unwrapped angles; cos(s) - m1.m2, whose slope vanishes at the start.
    """
    x = at.measure(*at.driver.freedom(at.mechanism))
    if x.slides:
        return [RowPoly(x.sine - at.signal("value"))]  # (1)
    if x.cosine is None:
        return [RowPoly(x.sine - at.signal("sin"), angle=True)]  # (3)
    return [RowPoly(x.sine * at.signal("cos") - x.cosine * at.signal("sin"), angle=True)]  # (2)


def driven_joint(driver: drivers.Coordinate, mechanism: Mechanism) -> Edge:
    """Return the edge of the joint it drives."""
    return joint_edge(mechanism.joints[driver.joint], mechanism)


def common_factor(driver: drivers.Coordinate, seen: Any) -> Array:
    """Return the common factor of sine and cosine at K samples, (K,); 1 but for spherical joints."""
    return readings.slope(seen._compiled.measures[driver.freedom(seen.mechanism)], seen._level(0))


def distance(at: At) -> list[RowPoly]:
    """Return the row of the distance of P2 of the second body from P1 of the first: L(t), l as drawn plus s(t).

        d = P2 - P1,   (d.d - L^2)/(2 l) = (d.d - l^2)/(2 l) - s - s^2/(2 l) = 0                                (1)

    Its slope by the distance is L/l; the multiplier times this slope is the force that pushes the points apart.
    Not used: division by 2 L, which is no polynomial in the signal and its square; |d| - L, none in the coordinates.
    """
    (_, one), (_, other) = at.driver.ends(at.mechanism)
    l = at.driver.drawn(at.mechanism)
    d = at.second.point(at.drawn(other)) - at.first.point(at.drawn(one))
    gone = at.signal("value") + at.signal("square") * (0.5 / l)
    return [RowPoly((dot3(d, d) - Poly.constant(l * l)) * (0.5 / l) - gone)]  # (1)


def between(driver: drivers.Distance, mechanism: Mechanism) -> Edge:
    """Return the two bodies, and the point on the second."""
    (one, _), (other, place) = driver.ends(mechanism)
    return Edge(one, other, place, driver)


def stretch(driver: drivers.Distance, seen: Any) -> Array:
    """Return L/l at K samples, (K,)."""
    one, other = (seen._placed(*end, 0) for end in driver.ends(seen.mechanism))
    return np.asarray(np.linalg.norm(other - one, axis=1) / driver.drawn(seen.mechanism))


def position(at: At) -> list[RowPoly]:
    """Return the row of a coordinate of a point that follows s(t) from its drawing.

        C.x - C.x0 - s(t) = 0    or the same with y or z; C0 as drawn                                           (1)

    Its multiplier is the force on the body along that axis.
    """
    return [RowPoly(getattr(at.gap(), at.spec.axis) - at.signal("value"))]  # (1)


def from_ground(driver: drivers.Position, mechanism: Mechanism) -> Edge:
    """Return the point's body against the ground."""
    return Edge(GROUND, *driver.ends(mechanism)[0], driver)


def one(driver: Any, seen: Any) -> Array:
    """Return 1 at K samples, (K,)."""
    return np.ones(len(seen.t))


class Leading(NamedTuple):
    """What there is to a kind of driver."""

    edge: Callable[[Any, Any], Edge]
    rows: Callable[[At], list[RowPoly]]
    slope: Callable[[Any, Any], Array]


BY_SPEC: dict[type, Leading] = {
    drivers.Coordinate: Leading(driven_joint, coordinate, common_factor),
    drivers.Distance: Leading(between, distance, stretch),
    drivers.Position: Leading(from_ground, position, one),
}
