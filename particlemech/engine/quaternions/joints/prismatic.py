"""Prismatic joint: the place keeps to a line of the first body and nothing turns."""

from __future__ import annotations

from particlemech.engine.quaternions.instant import Instant, Row, beside
from particlemech.model.space.joints import Prismatic

SPEC = Prismatic


def rows(spec: Prismatic, at: Instant) -> list[Row]:
    """Return five rows."""
    P = spec.place(at.mechanism)
    return [*(at.held(spec.bodies, P, e) for e in beside(spec.direction)), *at.locked(spec.bodies, P)]
