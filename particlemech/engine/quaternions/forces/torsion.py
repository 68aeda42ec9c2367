"""Torsion: an effort -k (x - free) - c x' on a coordinate of a joint; or a couple, alike about all axes of a ball.

The couple is -k phi - c w_rel on the second body, with the rotation vector phi, at most half a turn long.
"""

from __future__ import annotations

import math

import numpy as np

from particlemech.engine.quaternions.instant import Instant, Wrench, pushed
from particlemech.engine.system import Array
from particlemech.model.space.forces import Torsion
from particlemech.rotations import quaternion

SPEC = Torsion


def wrenches(spec: Torsion, at: Instant) -> list[Wrench]:
    """Return one wrench on each body."""
    if not spec.all_round(at.mechanism):
        name = at.mechanism.coordinate(spec.joint, spec.coordinate)
        x, rate = at.coordinate(spec.joint, name), at.rate(spec.joint, name)
        return pushed(at.along(spec.joint, name), -spec.stiffness * (x - spec.free) - spec.damping * rate)
    (first, second), (one, other) = at.mechanism.joints[spec.joint].bodies, at.pair(spec.joint)
    couple, nowhere = -spec.stiffness * _turned(spec, at) - spec.damping * (other.omega - one.omega), np.zeros(3)
    return [Wrench(second, nowhere, nowhere, couple), Wrench(first, nowhere, nowhere, -couple)]


def stored(spec: Torsion, at: Instant) -> float:
    """Return its potential energy k (x - free)^2/2, or k |phi|^2/2."""
    if spec.all_round(at.mechanism):
        return 0.5 * spec.stiffness * float(np.sum(_turned(spec, at) ** 2))
    x = at.coordinate(spec.joint, at.mechanism.coordinate(spec.joint, spec.coordinate))
    return 0.5 * spec.stiffness * (x - spec.free) ** 2


def _turned(spec: Torsion, at: Instant) -> Array:
    """Return phi, (3,), global axes."""
    one, other = at.pair(spec.joint)
    p = quaternion((one.R.T @ other.R)[None])[0]
    p = -p if p[0] < 0.0 else p
    sine = math.hypot(*p[1:])
    angle = 2.0 * math.atan2(sine, p[0])
    return one.direction(p[1:] * (angle / sine if sine > 0.0 else 0.0))
