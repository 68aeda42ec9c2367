"""Drivers: which measure follows a signal s(t). One function per kind gives its row; ROWS lists them.

P is fixed in body 1, Q in body 2.
"""

from __future__ import annotations

from typing import Any

from particlemech.engine.absolute import measures
from particlemech.engine.absolute.measures import ANGLE, AXES, AXIS, SPAN, Measure
from particlemech.model import drivers
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Mechanism


def coordinate(spec: drivers.Coordinate, mechanism: Mechanism) -> list[Measure]:
    """Return the row of a coordinate of a joint.

        theta2 - theta1 - s(t) = 0                                                            (1)
        u.(Q - P) - s(t) = 0     u along the joint's line, in body 1; P the drawn place of the point          (2)

    The multiplier is the torque, or the force along u at the present place of the point, on body 2.
    """
    of = mechanism.coordinate(spec.joint, spec.coordinate)
    return [measures.coordinate(of, mechanism, signal=spec.motion)]  # (1), (2)


def rotation(spec: drivers.Rotation, mechanism: Mechanism) -> list[Measure]:
    """Return the row of an angle.

        theta2 - theta1 - s(t) = 0                                                            (1)

    The multiplier is the torque on body 2, counter-clockwise.
    """
    first, second = spec.bodies
    return [Measure(ANGLE, first, second, signal=spec.motion)]  # (1)


def distance(spec: drivers.Distance, mechanism: Mechanism) -> list[Measure]:
    """Return the row of the distance of two points.

        |Q - P| - drawn - s(t) = 0                                                            (1)

    The multiplier is the force along the line on body 2: positive where it pushes the points apart.
    """
    (first, P), (second, Q) = spec.ends(mechanism)
    return [Measure(SPAN, first, second, P, Q, offset=spec.drawn(mechanism), signal=spec.motion)]  # (1)


def position(spec: drivers.Position, mechanism: Mechanism) -> list[Measure]:
    """Return the row of a coordinate of a point.

        e.(Q - P) - s(t) = 0     e along x or y, P the drawn place of the point, in the ground        (1)

    The multiplier is the force along e on the point's body.
    """
    ((body, Q),), P = spec.ends(mechanism), mechanism.drawn(spec.point)
    return [Measure(AXIS, GROUND, body, P, Q, AXES["xy".index(spec.axis)], signal=spec.motion)]  # (1)


ROWS: dict[type, Any] = {
    drivers.Coordinate: coordinate,
    drivers.Rotation: rotation,
    drivers.Distance: distance,
    drivers.Position: position,
}
