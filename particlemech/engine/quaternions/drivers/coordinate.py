"""Coordinate: a coordinate of a joint; its multiplier is the effort on it."""

from __future__ import annotations

import math
from dataclasses import replace

from particlemech.engine.quaternions.instant import Instant, Row
from particlemech.model.signals import values
from particlemech.model.space.drivers import Coordinate

SPEC = Coordinate


def rows(spec: Coordinate, at: Instant) -> list[Row]:
    """Return one row."""
    joint, coordinate = spec.freedom(at.mechanism)
    motion, row = values(spec.motion, at.t), at.along(joint, coordinate)
    if coordinate.startswith("angle"):  # a pose does not tell full turns
        row = replace(row, value=row.value + math.tau * round((motion[0] - row.value) / math.tau))
    return [row.moved(motion)]
