"""Screw joint: refused, for loops and products of directions are blind to the turns that its travel counts.

travel = pitch angle            no polynomial in cosines, [J84] (3) and (6), says this
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import Tie
from particlemech.errors import ModelError
from particlemech.model.space.joints import Screw

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Screw


def tie(spec: Screw, mechanism: Mechanism) -> Tie:
    """Refuse it."""
    raise ModelError(
        f"a screw of pitch {spec.pitch:g} cannot be written in loops and products of vectors; "
        "use a cylindrical joint and drive its angle and its travel, or simulate the mechanism"
    )
