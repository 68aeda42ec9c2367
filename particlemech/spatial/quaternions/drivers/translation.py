"""Translation: the travel of a joint; its multiplier is the force along the axis."""

from __future__ import annotations

from particlemech.signals import values
from particlemech.spatial.drivers import Translation
from particlemech.spatial.quaternions.instant import Instant, Row

SPEC = Translation


def rows(spec: Translation, at: Instant) -> list[Row]:
    """Return one row."""
    joint = at.mechanism.joints[spec.joint]
    row = at.held(joint.bodies, joint.place(at.mechanism), at.axis(spec.joint))
    return [row.moved(values(spec.motion, at.t))]
