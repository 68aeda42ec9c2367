"""Rod without mass between two points: it never carries a body.

|P2 - P1| = length                                                                                               (1)
"""

from __future__ import annotations

from typing import Any

from particlemech.engine.recursive.forms import SPAN
from particlemech.engine.recursive.ties.base import Ends, Tie
from particlemech.model.space.joints import Distance

SPEC = Distance


def closing(joint: Distance, ends: Ends, where: Any) -> list[Tie]:
    """Return (1)."""
    one, other = (where.spot(p, b)[1] for p, b in zip(joint.points, joint.bodies, strict=True))
    return [Tie(SPAN, ends.first, ends.second, at1=one, at2=other, c=joint.rod(where.mechanism))]
