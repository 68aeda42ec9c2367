"""Pictures of mechanisms and motions; they need matplotlib, which the extra `view` brings."""

from typing import TYPE_CHECKING

from particlemech._lazily import members

if TYPE_CHECKING:
    from particlemech.view import page, plot
    from particlemech.view.candidates import candidates
    from particlemech.view.designs import front, history, locus
    from particlemech.view.film import animate
    from particlemech.view.frequencies import spectrum
    from particlemech.view.panels import poses, roots, shapes
    from particlemech.view.plot import (
        bode,
        carried,
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
    from particlemech.view.trade import bearings, centrodes, shaking, transmission, turning_moment, workspace

# where each name lives: it is imported when first asked for, so that whoever wants a unit does not pay for pictures
_ROOMS = {
    "plot": (
        *("bode", "carried", "compare", "diagram", "display", "energy", "hodograph", "mechanism", "motion"),
        *("reactions", "series", "stills"),
    ),
    "trade": ("bearings", "centrodes", "shaking", "transmission", "turning_moment", "workspace"),
    "panels": ("poses", "roots", "shapes"),
    "scene": ("Scene",),
    "frequencies": ("spectrum",),
    "film": ("animate",),
    "candidates": ("candidates",),
    "designs": ("front", "history", "locus"),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names} | {"page": __name__, "plot": __name__}
__all__ = [
    "Scene",
    "animate",
    "bearings",
    "bode",
    "candidates",
    "carried",
    "centrodes",
    "compare",
    "diagram",
    "display",
    "energy",
    "front",
    "history",
    "hodograph",
    "locus",
    "mechanism",
    "motion",
    "page",
    "plot",
    "poses",
    "reactions",
    "roots",
    "series",
    "shaking",
    "shapes",
    "spectrum",
    "stills",
    "transmission",
    "turning_moment",
    "workspace",
]

__getattr__, __dir__ = members(__name__, __all__, _HOMES)
