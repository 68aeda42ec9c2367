"""Load: a force at a place of a body."""

from __future__ import annotations

import numpy as np

from particlemech.engine.quaternions.instant import Instant, Wrench
from particlemech.model.signals import values
from particlemech.model.space.forces import Load

SPEC = Load


def wrenches(spec: Load, at: Instant) -> list[Wrench]:
    """Return one wrench."""
    body = at.bodies[spec.body]
    force = np.array([values(s, at.t)[0] for s in spec.force])
    if spec.frame == "body":
        force = body.direction(force)
    return [Wrench(spec.body, body.place(at.mechanism.place(spec.point, spec.body)), force, np.zeros(3))]


def stored(spec: Load, at: Instant) -> float:
    """Return its potential energy: none is kept."""
    return 0.0
