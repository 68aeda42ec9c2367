"""Kinds of relations between vectors; a new one is one file here and one name in KINDS."""

from __future__ import annotations

from particlemech._spec import kind_name
from particlemech.spatial.vectors.relations.base import At, RelationSpec
from particlemech.spatial.vectors.relations.cross import Cross
from particlemech.spatial.vectors.relations.dot import Dot
from particlemech.spatial.vectors.relations.loop import Loop
from particlemech.spatial.vectors.relations.turn import Turn

__all__ = ["KINDS", "NAMES", "At", "Cross", "Dot", "Loop", "RelationSpec", "Turn"]

KINDS: tuple[type[RelationSpec], ...] = (Loop, Dot, Cross, Turn)
NAMES = {kind_name(kind): kind for kind in KINDS}
