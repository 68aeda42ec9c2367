"""Pictures of mechanisms and motions; they need matplotlib, which the extra `view` brings."""

from typing import TYPE_CHECKING

from particlemech._lazily import members

if TYPE_CHECKING:
    from particlemech.view import page, plot
    from particlemech.view.film import animate
    from particlemech.view.plot import (
        bode,
        compare,
        diagram,
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
    "bode",
    "compare",
    "diagram",
    "display",
    "energy",
    "hodograph",
    "mechanism",
    "motion",
    "page",
    "plot",
    "reactions",
    "series",
    "stills",
]

# where each name lives: it is imported when first asked for, so that whoever wants a unit does not pay for pictures
_HOMES = {
    "Scene": "scene",
    "animate": "film",
    **dict.fromkeys(
        (
            "bode",
            "compare",
            "diagram",
            "display",
            "energy",
            "hodograph",
            "mechanism",
            "motion",
            "reactions",
            "series",
            "stills",
        ),
        "plot",
    ),
}

__getattr__, __dir__ = members(__name__, __all__, _HOMES)
