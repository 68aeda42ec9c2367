"""Coordinate driver: the angle about the axis of a joint is known, or the length of the vector of its slide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import Drive
from particlemech.errors import ModelError
from particlemech.model.space.drivers import Coordinate

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Coordinate


def drive(spec: Coordinate, mechanism: Mechanism) -> Drive:
    """Return which parameter is known."""
    joint, coordinate = spec.freedom(mechanism)
    if coordinate not in ("angle", "travel"):
        raise ModelError(
            f'{coordinate} of joint "{joint}" cannot be driven in loops of vectors; split the joint into revolutes, or '
            "simulate the mechanism"
        )
    return Drive(joint, spec.motion, along=None if coordinate == "angle" else 0)
