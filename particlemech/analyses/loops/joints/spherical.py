"""Spherical joint: the place is common, which loops say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import Tie, tied
from particlemech.model.space.joints import Spherical

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Spherical


def tie(spec: Spherical, mechanism: Mechanism) -> Tie:
    """Return what it is to vectors."""
    return tied(spec, mechanism)
