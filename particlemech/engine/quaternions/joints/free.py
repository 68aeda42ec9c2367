"""Free joint: nothing is held."""

from __future__ import annotations

from particlemech.engine.quaternions.instant import Instant, Row
from particlemech.model.space.joints import Free

SPEC = Free


def rows(spec: Free, at: Instant) -> list[Row]:
    """Return no rows."""
    return []
