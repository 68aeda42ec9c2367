"""Weld: the place is common and the bodies turn as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import Tie, tied
from particlemech.model.space.joints import Weld

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Weld


def tie(spec: Weld, mechanism: Mechanism) -> Tie:
    """Return what it is to vectors."""
    return tied(spec, mechanism)._replace(locked=True)
