"""Torsion: a couple -k (angle - free) - c angle' about the axis of a joint, on its second body; full turns count."""

from __future__ import annotations

import numpy as np

from particlemech.spatial.forces import Torsion
from particlemech.spatial.quaternions.instant import Instant, Wrench

SPEC = Torsion


def wrenches(spec: Torsion, at: Instant) -> list[Wrench]:
    """Return one wrench on each body."""
    first, second = at.mechanism.joints[spec.joint].bodies
    moment = -spec.stiffness * (at.angle(spec.joint) - spec.angle) - spec.damping * at.angle_rate(spec.joint)
    couple, nowhere = moment * at.bodies[first].direction(at.axis(spec.joint)), np.zeros(3)
    return [Wrench(second, nowhere, nowhere, couple), Wrench(first, nowhere, nowhere, -couple)]


def stored(spec: Torsion, at: Instant) -> float:
    """Return its potential energy k (angle - free)^2/2."""
    return 0.5 * spec.stiffness * (at.angle(spec.joint) - spec.angle) ** 2
