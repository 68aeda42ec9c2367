"""Distance: two places, as far apart as prescribed; the force acts along their line, see joints/distance.py (1)."""

from __future__ import annotations

from particlemech.engine.quaternions.instant import Instant, Row
from particlemech.engine.quaternions.joints.distance import rod
from particlemech.model.signals import values
from particlemech.model.space.drivers import Distance

SPEC = Distance


def rows(spec: Distance, at: Instant) -> list[Row]:
    """Return one row."""
    row = rod(at, *spec.ends(at.mechanism), spec.drawn(at.mechanism))
    return [row.moved(values(spec.motion, at.t))]
