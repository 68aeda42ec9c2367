"""Revolute joint: place and axis are common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.spatial.joints import Revolute
from particlemech.spatial.loops.ties import Tie, tied

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism

SPEC = Revolute


def tie(spec: Revolute, mechanism: Mechanism) -> Tie:
    """Return what it is to vectors."""
    return tied(spec, mechanism)._replace(common=(spec.direction,))
