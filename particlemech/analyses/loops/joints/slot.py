"""Slot: the place slides along a direction of the first body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import Tie, tied
from particlemech.model.space.joints import Slot

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Slot


def tie(spec: Slot, mechanism: Mechanism) -> Tie:
    """Return what it is to vectors."""
    return tied(spec, mechanism)._replace(slides=(spec.direction,))
