"""Spherical joint: the place is common."""

from __future__ import annotations

from particlemech.engine.quaternions.instant import Instant, Row
from particlemech.model.space.joints import Spherical

SPEC = Spherical


def rows(spec: Spherical, at: Instant) -> list[Row]:
    """Return three rows."""
    P = spec.place(at.mechanism)
    return [*at.pinned(spec.bodies, P)]
