"""Distance: a rod of constant length from a place of the first body to one of the second: a vector in a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import Tie
from particlemech.model.space.joints import Distance

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Distance


def tie(spec: Distance, mechanism: Mechanism) -> Tie:
    """Return what it is to vectors."""
    starts, ends = (mechanism.place(p, b) for p, b in zip(spec.points, spec.bodies, strict=True))
    return Tie(spec.first, spec.second, starts, ends, rod=spec.rod(mechanism))
