"""Universal joint: the place is common, and an axis of each body keeps its angle with that of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import Tie, tied
from particlemech.model.space.joints import Universal

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Universal


def tie(spec: Universal, mechanism: Mechanism) -> Tie:
    """Return what it is to vectors."""
    return tied(spec, mechanism)._replace(angle=spec.directions)
