"""Mechanisms in space, with loops or without, after Johnson [J84]."""

from typing import TYPE_CHECKING

from particlemech._lazily import members

if TYPE_CHECKING:
    from particlemech.analyses import loops, vectors
    from particlemech.analyses.loops import Cycle, assemblies, cycle, vector_model
    from particlemech.analyses.vectors import VectorModel
    from particlemech.model.spatial import drivers, forces, joints
    from particlemech.model.spatial.mechanism import Mechanism
    from particlemech.model.spatial.parts import Body, Initial
    from particlemech.result.natural import LoopResult

__all__ = [
    "Body",
    "Cycle",
    "Initial",
    "Mechanism",
    "Result",
    "VectorModel",
    "assemblies",
    "cycle",
    "drivers",
    "forces",
    "joints",
    "loops",
    "vector_model",
    "vectors",
]

# where each name lives: it is imported when first asked for, so that a script pays only for what it uses
_HOMES = {
    **dict.fromkeys(("Body", "Initial"), "parts"),
    "Mechanism": "mechanism",
    "Result": "particlemech.result.natural",
    "VectorModel": "particlemech.analyses.vectors",
    **dict.fromkeys(("Cycle", "assemblies", "cycle", "vector_model"), "particlemech.analyses.loops"),
    **dict.fromkeys(("loops", "vectors"), "particlemech.analyses"),
}

__getattr__, __dir__ = members(__name__, __all__, _HOMES)
