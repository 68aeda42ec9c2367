"""Slot: a place of the second body stays on a line of the first."""

from __future__ import annotations

from particlemech.engine.quaternions.instant import Instant, Row, beside
from particlemech.model.space.joints import Slot

SPEC = Slot


def rows(spec: Slot, at: Instant) -> list[Row]:
    """Return two rows."""
    P = spec.place(at.mechanism)
    return [at.held(spec.bodies, P, e) for e in beside(spec.direction)]
