"""Torque: a couple s(t) on body 2, reacted by body 1."""

from __future__ import annotations

from particlemech.engine.absolute.measures import ANGLE, Measure
from particlemech.model.forces import Torque
from particlemech.model.mechanism import Mechanism

SPEC = Torque


def laws(spec: Torque, mechanism: Mechanism) -> list[Measure]:
    """Return one law."""
    first, second = spec.bodies
    return [Measure(ANGLE, first, second, signal=spec.torque)]
