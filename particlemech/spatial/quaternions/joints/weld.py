"""Weld: the place is common and nothing turns."""

from __future__ import annotations

from particlemech.spatial.joints import Weld
from particlemech.spatial.quaternions.instant import Instant, Row

SPEC = Weld


def rows(spec: Weld, at: Instant) -> list[Row]:
    """Return six rows."""
    P = spec.place(at.mechanism)
    return [*at.pinned(spec.bodies, P), *at.locked(spec.bodies, P)]
