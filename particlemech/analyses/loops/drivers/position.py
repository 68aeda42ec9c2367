"""Position driver: a point hangs on three vectors along the global axes from where it is drawn; one length is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import RAILS, Drive, Tie
from particlemech.model.description import GROUND
from particlemech.model.space.drivers import Position

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Position


def drive(spec: Position, mechanism: Mechanism) -> Drive:
    """Return which parameter is known; drivers of one point of one body share their rails."""
    body, place = spec.carrier(mechanism), mechanism.points[spec.point]
    rails = Tie(GROUND, body, place, place, slides=RAILS)
    return Drive(f"{spec.point} of {body}", spec.motion, along="xyz".index(spec.axis), adds=rails)
