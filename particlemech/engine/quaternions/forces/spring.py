"""Spring: a tension k (l - l0) + c l' between two places; none where they coincide, for there is no direction."""

from __future__ import annotations

import math

import numpy as np

from particlemech.engine.quaternions.instant import Instant, Wrench
from particlemech.model.space.forces import Spring

SPEC = Spring


def wrenches(spec: Spring, at: Instant) -> list[Wrench]:
    """Return one wrench on each body."""
    (one, P1), (other, P2) = (
        (at.bodies[b], at.bodies[b].place(at.mechanism.place(p, b)))
        for p, b in zip(spec.points, spec.bodies, strict=True)
    )
    length = math.sqrt((P2 - P1) @ (P2 - P1))
    if length == 0.0:
        return []
    n = (P2 - P1) / length
    tension = spec.stiffness * (length - spec.free(at.mechanism)) + spec.damping * (
        n @ (other.velocity(P2) - one.velocity(P1))
    )
    return [
        Wrench(spec.bodies[0], P1, tension * n, np.zeros(3)),
        Wrench(spec.bodies[1], P2, -tension * n, np.zeros(3)),
    ]


def stored(spec: Spring, at: Instant) -> float:
    """Return its potential energy k (l - l0)^2/2."""
    P1, P2 = (at.bodies[b].place(at.mechanism.place(p, b)) for p, b in zip(spec.points, spec.bodies, strict=True))
    return 0.5 * spec.stiffness * (math.dist(P1, P2) - spec.free(at.mechanism)) ** 2
