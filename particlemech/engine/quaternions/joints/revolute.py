"""Revolute joint: place and axis are common."""

from __future__ import annotations

from particlemech.engine.quaternions.instant import Instant, Row
from particlemech.model.space.joints import Revolute

SPEC = Revolute


def rows(spec: Revolute, at: Instant) -> list[Row]:
    """Return five rows."""
    P = spec.place(at.mechanism)
    return [*at.pinned(spec.bodies, P), *at.aligned(spec.bodies, P, spec.direction)]
