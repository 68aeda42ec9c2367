"""Weld: the place is common and nothing turns."""

from __future__ import annotations

from particlemech.engine.quaternions.instant import Instant, Row
from particlemech.model.space.joints import Weld

SPEC = Weld


def rows(spec: Weld, at: Instant) -> list[Row]:
    """Return six rows."""
    P = spec.place(at.mechanism)
    return [*at.pinned(spec.bodies, P), *at.locked(spec.bodies, P)]
