"""Torque: a couple on the second body and its opposite on the first."""

from __future__ import annotations

import numpy as np

from particlemech.engine.quaternions.instant import Instant, Wrench
from particlemech.model.signals import values
from particlemech.model.space.forces import Torque

SPEC = Torque


def wrenches(spec: Torque, at: Instant) -> list[Wrench]:
    """Return one wrench on each body."""
    first, second = spec.bodies
    couple = np.array([values(s, at.t)[0] for s in spec.torque])
    if spec.frame == "body":
        couple = at.bodies[second].direction(couple)
    nowhere = np.zeros(3)
    return [Wrench(second, nowhere, nowhere, couple), Wrench(first, nowhere, nowhere, -couple)]


def stored(spec: Torque, at: Instant) -> float:
    """Return its potential energy: none is kept."""
    return 0.0
