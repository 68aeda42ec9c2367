"""Coupling: refused, for products of directions are blind to the turns that it counts, as with screws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import Tie
from particlemech.errors import ModelError
from particlemech.model.space.joints import Coupling

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Coupling


def tie(spec: Coupling, mechanism: Mechanism) -> Tie:
    """Refuse it."""
    raise ModelError(
        f"a coupling of ratio {spec.ratio:g} cannot be written in loops and products of vectors; drive both joints, or "
        "simulate the mechanism"
    )
