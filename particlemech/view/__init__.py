"""Pictures of mechanisms and motions; they need matplotlib, which the extra `view` brings."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from particlemech.view import page, plot
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
        ("compare", "display", "energy", "hodograph", "mechanism", "motion", "reactions", "series", "stills"), "plot"
    ),
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
