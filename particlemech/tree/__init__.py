"""Trees of rigid bodies in space, after Passerello and Huston [P72]."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from particlemech.tree import forces, joints
    from particlemech.tree.mechanism import Mechanism
    from particlemech.tree.parts import Body, Driver, Impulse, Initial
    from particlemech.tree.units import Units
    from particlemech.tree.urdf import from_urdf, read_urdf

__all__ = ["Body", "Driver", "Impulse", "Initial", "Mechanism", "Units", "forces", "from_urdf", "joints", "read_urdf"]

# where each name lives: it is imported when first asked for, so that a script pays only for what it uses
_HOMES = {
    **dict.fromkeys(("Body", "Driver", "Impulse", "Initial"), "parts"),
    **dict.fromkeys(("from_urdf", "read_urdf"), "urdf"),
    "Mechanism": "mechanism",
    "Units": "units",
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
