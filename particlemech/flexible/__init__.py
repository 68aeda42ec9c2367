"""Serial manipulators with flexible links and joints, after Graves and Tesar [G88]."""

from typing import TYPE_CHECKING

from particlemech._lazily import members

if TYPE_CHECKING:
    from particlemech.flexible import forces, joints
    from particlemech.flexible.chains import chain
    from particlemech.flexible.forms import ModeTable, Samples
    from particlemech.flexible.lagrange import Influence
    from particlemech.flexible.local_inertia import Integrals, integrals, local
    from particlemech.flexible.matrices import influences
    from particlemech.flexible.mechanism import Mechanism
    from particlemech.flexible.parts import Base, Driver, Initial, Link, Lump, Mode, Point
    from particlemech.flexible.result import Result
    from particlemech.flexible.vibration import Modes, modes, response, static
    from particlemech.units import Units

__all__ = [
    "Base",
    "Driver",
    "Influence",
    "Initial",
    "Integrals",
    "Link",
    "Lump",
    "Mechanism",
    "Mode",
    "ModeTable",
    "Modes",
    "Point",
    "Result",
    "Samples",
    "Units",
    "chain",
    "forces",
    "influences",
    "integrals",
    "joints",
    "local",
    "modes",
    "response",
    "static",
]

# where each name lives: it is imported when first asked for, so that a script pays only for what it uses
_HOMES = {
    **dict.fromkeys(("Base", "Driver", "Initial", "Link", "Lump", "Mode", "Point"), "parts"),
    **dict.fromkeys(("Integrals", "integrals", "local"), "local_inertia"),
    **dict.fromkeys(("Mechanism", "Units"), "mechanism"),
    **dict.fromkeys(("ModeTable", "Samples"), "forms"),
    **dict.fromkeys(("Modes", "modes", "response", "static"), "vibration"),
    "Influence": "lagrange",
    "Result": "result",
    "chain": "chains",
    "influences": "matrices",
}

__getattr__, __dir__ = members(__name__, __all__, _HOMES)
