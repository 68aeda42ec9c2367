"""Cylindrical joint: the axis is common, and the place slides along it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import Tie, tied
from particlemech.model.space.joints import Cylindrical

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Cylindrical


def tie(spec: Cylindrical, mechanism: Mechanism) -> Tie:
    """Return what it is to vectors."""
    return tied(spec, mechanism)._replace(common=(spec.direction,), slides=(spec.direction,))
