"""Rotation driver.

    theta2 - theta1 - s(t) = 0                                                            (1)

The multiplier is the torque on body 2, counter-clockwise.
"""

from __future__ import annotations

from particlemech.engine.absolute.measures import ANGLE, Measure
from particlemech.model.drivers import Rotation
from particlemech.model.mechanism import Mechanism

SPEC = Rotation


def rows(spec: Rotation, mechanism: Mechanism) -> list[Measure]:
    """Return one row."""
    first, second = spec.bodies
    return [Measure(ANGLE, first, second, signal=spec.motion)]  # (1)
