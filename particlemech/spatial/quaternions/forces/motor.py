"""Motor: a couple about the axis of a joint, or a force along it at its place on the second body; the first reacts."""

from __future__ import annotations

import numpy as np

from particlemech.signals import values
from particlemech.spatial.forces import Motor
from particlemech.spatial.quaternions.instant import Instant, Wrench

SPEC = Motor


def wrenches(spec: Motor, at: Instant) -> list[Wrench]:
    """Return one wrench on each body."""
    joint = at.mechanism.joints[spec.joint]
    one, other = at.pair(spec.joint)
    effort = values(spec.effort, at.t)[0] * one.direction(at.axis(spec.joint))
    P, none = other.place(joint.place(at.mechanism)), np.zeros(3)
    slides = at.mechanism.coordinate(spec.joint, spec.coordinate) == "travel"
    force, couple = (effort, none) if slides else (none, effort)
    return [Wrench(joint.second, P, force, couple), Wrench(joint.first, P, -force, -couple)]


def stored(spec: Motor, at: Instant) -> float:
    """Return its potential energy: none is kept."""
    return 0.0
