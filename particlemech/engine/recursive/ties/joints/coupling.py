"""Coupling of the coordinates of two joints.

y = ratio x                                                                                                      (1)
"""

from __future__ import annotations

from typing import Any

from particlemech.engine.recursive.forms import TIED
from particlemech.engine.recursive.ties.base import Tie
from particlemech.model.space.joints import Coupling

SPEC = Coupling


def always(joint: Coupling, name: str, where: Any) -> list[Tie]:
    """Return (1)."""
    one, other = (where.stages(*end)[0] for end in joint.ends(where.mechanism))
    return [Tie(TIED, stage1=one, stage2=other, c=joint.ratio, angle=joint.turns(where.mechanism))]
