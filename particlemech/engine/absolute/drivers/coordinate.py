"""Coordinate driver: a coordinate of a joint.

    theta2 - theta1 - s(t) = 0                                                            (1)
    u.(Q - P) - s(t) = 0     u along the joint's line, in body 1; P the drawn place of the point          (2)

The multiplier is the torque, or the force along u at the present place of the point, on body 2.
"""

from __future__ import annotations

from particlemech.engine.absolute.measures import Measure, coordinate
from particlemech.model.drivers import Coordinate
from particlemech.model.mechanism import Mechanism

SPEC = Coordinate


def rows(spec: Coordinate, mechanism: Mechanism) -> list[Measure]:
    """Return one row."""
    return [coordinate(mechanism.coordinate(spec.joint, spec.coordinate), mechanism, signal=spec.motion)]  # (1), (2)
