"""Cylindrical joint: the axis is common."""

from __future__ import annotations

from particlemech.engine.quaternions.instant import Instant, Row, beside
from particlemech.model.space.joints import Cylindrical

SPEC = Cylindrical


def rows(spec: Cylindrical, at: Instant) -> list[Row]:
    """Return four rows."""
    P = spec.place(at.mechanism)
    return [
        *(at.held(spec.bodies, P, e) for e in beside(spec.direction)),
        *at.aligned(spec.bodies, P, spec.direction),
    ]
