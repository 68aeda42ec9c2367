"""Prismatic joint: the bodies turn as one, and the place slides along a direction of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import Tie, tied
from particlemech.model.space.joints import Prismatic

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Prismatic


def tie(spec: Prismatic, mechanism: Mechanism) -> Tie:
    """Return what it is to vectors."""
    return tied(spec, mechanism)._replace(locked=True, slides=(spec.direction,))
