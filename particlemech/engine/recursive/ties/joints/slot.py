"""Slot that closes a loop.

m1, n1.(P2 - P1) = 0        across the line, which is fixed in the first                                         (1)
"""

from __future__ import annotations

from typing import Any

from particlemech.engine.recursive.forms import GAP
from particlemech.engine.recursive.ties.base import Ends, Tie
from particlemech.model.space.joints import Slot
from particlemech.rotations import beside

SPEC = Slot
COST = 20.0  # as an edge of the tree it has four stages


def closing(joint: Slot, ends: Ends, where: Any) -> list[Tie]:
    """Return (1)."""
    i, k, at1, at2 = ends
    return [Tie(GAP, i, k, of=i, at1=at1, at2=at2, a=tuple(a.tolist())) for a in beside(joint.direction)]
