"""Screw: a thread ties the two stages of a sleeve, wherever it is.

travel = pitch angle                                                                                             (1)
"""

from __future__ import annotations

from typing import Any

from particlemech.engine.recursive.forms import TIED
from particlemech.engine.recursive.ties.base import Tie
from particlemech.model.space.joints import Screw

SPEC = Screw


def always(joint: Screw, name: str, where: Any) -> list[Tie]:
    """Return (1)."""
    travel, angle = (where.stages(name, x)[0] for x in ("travel", "angle"))
    return [Tie(TIED, stage1=angle, stage2=travel, c=joint.pitch)]
