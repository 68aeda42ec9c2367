"""Pictures of mechanisms and motions; they need matplotlib, which the extra `view` brings."""

from particlemech.view.film import animate
from particlemech.view.plot import (
    compare,
    display,
    energy,
    hodograph,
    mechanism,
    motion,
    reactions,
    series,
    stills,
)
from particlemech.view.scene import Scene

__all__ = [
    "Scene",
    "animate",
    "compare",
    "display",
    "energy",
    "hodograph",
    "mechanism",
    "motion",
    "reactions",
    "series",
    "stills",
]
