"""Revolute joint: place and axis are common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import Tie, tied
from particlemech.model.space.joints import Revolute

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Revolute


def tie(spec: Revolute, mechanism: Mechanism) -> Tie:
    """Return what it is to vectors."""
    return tied(spec, mechanism)._replace(common=(spec.direction,))
