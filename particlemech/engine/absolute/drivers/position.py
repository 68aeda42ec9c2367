"""Position driver: a coordinate of a point.

    e.(Q - P) - s(t) = 0     e along x or y, P the drawn place of the point, in the ground        (1)

The multiplier is the force along e on the point's body.
"""

from __future__ import annotations

from particlemech.engine.absolute.measures import AXES, AXIS, Measure
from particlemech.model.description import GROUND
from particlemech.model.drivers import Position
from particlemech.model.mechanism import Mechanism

SPEC = Position


def rows(spec: Position, mechanism: Mechanism) -> list[Measure]:
    """Return one row."""
    body = spec.between(mechanism)[1]
    P, Q = mechanism.drawn(spec.point), mechanism.place(spec.point, body)
    return [Measure(AXIS, GROUND, body, P, Q, AXES["xy".index(spec.axis)], signal=spec.motion)]  # (1)
