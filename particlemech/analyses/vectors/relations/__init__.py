"""Kinds of relations between vectors; a new one is one file here and one name in KINDS."""

from __future__ import annotations

from particlemech.analyses.vectors.relations.base import At, RelationSpec
from particlemech.analyses.vectors.relations.cross import Cross
from particlemech.analyses.vectors.relations.dot import Dot
from particlemech.analyses.vectors.relations.loop import Loop
from particlemech.analyses.vectors.relations.turn import Turn
from particlemech.model.spec import kind_name

__all__ = ["KINDS", "NAMES", "At", "Cross", "Dot", "Loop", "RelationSpec", "Turn"]

KINDS: tuple[type[RelationSpec], ...] = (Loop, Dot, Cross, Turn)
NAMES = {kind_name(kind): kind for kind in KINDS}
