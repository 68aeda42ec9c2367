"""Position: a coordinate of a point, held by the ground; its multiplier is the force on the point's body."""

from __future__ import annotations

from particlemech.engine.quaternions.instant import AXES, Instant, Row
from particlemech.model.description import GROUND
from particlemech.model.signals import values
from particlemech.model.space.drivers import Position

SPEC = Position


def rows(spec: Position, at: Instant) -> list[Row]:
    """Return one row."""
    row = at.held((GROUND, spec.carrier(at.mechanism)), at.mechanism.points[spec.point], AXES["xyz".index(spec.axis)])
    return [row.moved(values(spec.motion, at.t))]
