"""Free joint: nothing is held."""

from __future__ import annotations

from particlemech.spatial.joints import Free
from particlemech.spatial.quaternions.instant import Instant, Row

SPEC = Free


def rows(spec: Free, at: Instant) -> list[Row]:
    """Return no rows."""
    return []
