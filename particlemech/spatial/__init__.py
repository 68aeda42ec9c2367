"""Mechanisms in space, with loops or without, after Johnson [J84]."""

from typing import TYPE_CHECKING

from particlemech._lazily import members

if TYPE_CHECKING:
    from particlemech.spatial import drivers, forces, joints, loops, vectors
    from particlemech.spatial.loops import Cycle, assemblies, cycle, vector_model
    from particlemech.spatial.mechanism import Mechanism
    from particlemech.spatial.parts import Body, Initial
    from particlemech.spatial.result import Result
    from particlemech.spatial.vectors import VectorModel

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
    "Result": "result",
    "VectorModel": "vectors",
    **dict.fromkeys(("Cycle", "assemblies", "cycle", "vector_model"), "loops"),
}

__getattr__, __dir__ = members(__name__, __all__, _HOMES)
