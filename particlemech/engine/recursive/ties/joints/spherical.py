"""Spherical joint that closes a loop: three rows; it is cut before all others, for no other takes so few."""

from __future__ import annotations

from typing import Any

from particlemech.engine.recursive.ties.base import Ends, Tie, pinned
from particlemech.model.space.joints import Spherical

SPEC = Spherical
COST = 10.0


def closing(joint: Spherical, ends: Ends, where: Any) -> list[Tie]:
    """Return base.py (1)."""
    return pinned(ends)
