"""Rotation: the angle of a joint; its multiplier is the moment about the axis."""

from __future__ import annotations

import math

from particlemech.signals import values
from particlemech.spatial.drivers import Rotation
from particlemech.spatial.quaternions.instant import Instant, Row, turned

SPEC = Rotation


def rows(spec: Rotation, at: Instant) -> list[Row]:
    """Return one row."""
    joint, motion, u = at.mechanism.joints[spec.joint], values(spec.motion, at.t), at.axis(spec.joint)
    angle = turned(*at.pair(spec.joint), u)
    angle += math.tau * round((motion[0] - angle) / math.tau)  # a pose does not tell full turns
    return [at.unturned(joint.bodies, joint.place(at.mechanism), u, angle).moved(motion)]
