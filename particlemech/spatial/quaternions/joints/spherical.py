"""Spherical joint: the place is common."""

from __future__ import annotations

from particlemech.spatial.joints import Spherical
from particlemech.spatial.quaternions.instant import Instant, Row

SPEC = Spherical


def rows(spec: Spherical, at: Instant) -> list[Row]:
    """Return three rows."""
    P = spec.place(at.mechanism)
    return [*at.pinned(spec.bodies, P)]
