"""Motor: an effort on a coordinate of a joint, or a couple in axes of its first body; the first reacts."""

from __future__ import annotations

import numpy as np

from particlemech.engine.quaternions.instant import Instant, Wrench, pushed
from particlemech.model.signals import values
from particlemech.model.space.forces import Motor

SPEC = Motor


def wrenches(spec: Motor, at: Instant) -> list[Wrench]:
    """Return one wrench on each body."""
    if spec.effort is not None:
        coordinate = at.mechanism.coordinate(spec.joint, spec.coordinate)
        return pushed(at.along(spec.joint, coordinate), values(spec.effort, at.t)[0])
    first, second = at.mechanism.joints[spec.joint].bodies
    couple, nowhere = np.array([values(s, at.t)[0] for s in spec.moment or ()]), np.zeros(3)
    couple = at.bodies[first].direction(couple)
    return [Wrench(second, nowhere, nowhere, couple), Wrench(first, nowhere, nowhere, -couple)]


def stored(spec: Motor, at: Instant) -> float:
    """Return its potential energy: none is kept."""
    return 0.0
