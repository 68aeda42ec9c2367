"""Chains of bending bodies, rigid ones among them, on joints with or without drives, after Graves and Tesar [G88]."""

from typing import TYPE_CHECKING

from particlemech._lazily import members

if TYPE_CHECKING:
    from particlemech.flexible.chains import chain
    from particlemech.flexible.forms import ModeTable, Samples
    from particlemech.flexible.lagrange import Influence
    from particlemech.flexible.local_inertia import Integrals, integrals, local
    from particlemech.flexible.matrices import influences
    from particlemech.flexible.members import Member
    from particlemech.flexible.result import Result
    from particlemech.flexible.vibration import Modes, modes, response, static

__all__ = [
    "Influence",
    "Integrals",
    "Member",
    "ModeTable",
    "Modes",
    "Result",
    "Samples",
    "chain",
    "influences",
    "integrals",
    "local",
    "modes",
    "response",
    "static",
]

# where each name lives: it is imported when first asked for, so that a script pays only for what it uses
_HOMES = {
    **dict.fromkeys(("Integrals", "integrals", "local"), "local_inertia"),
    **dict.fromkeys(("ModeTable", "Samples"), "forms"),
    **dict.fromkeys(("Modes", "modes", "response", "static"), "vibration"),
    "Influence": "lagrange",
    "Member": "members",
    "Result": "result",
    "chain": "chains",
    "influences": "matrices",
}

__getattr__, __dir__ = members(__name__, __all__, _HOMES)
