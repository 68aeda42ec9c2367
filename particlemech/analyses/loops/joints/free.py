"""Free joint: the place of the second body travels along three directions of the first, and it turns as it likes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import RAILS, Tie, tied
from particlemech.model.space.joints import Free

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Free


def tie(spec: Free, mechanism: Mechanism) -> Tie:
    """Return what it is to vectors."""
    return tied(spec, mechanism)._replace(slides=RAILS)
