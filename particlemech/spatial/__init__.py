"""Mechanisms in space, with loops or without, after Johnson [J84]."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(f"{__name__}.{_HOMES.get(name, name)}")
    value = getattr(home, name) if name in _HOMES else home
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
