"""Chains of bending bodies, rigid ones among them, on joints with or without drives, after Graves and Tesar [G88]."""

from typing import TYPE_CHECKING

from particlemech._lazily import members

if TYPE_CHECKING:
    from particlemech.analyses.influence.lagrange import Influence
    from particlemech.analyses.influence.matrices import influences
    from particlemech.analyses.vibration.bending import Modes, modes, response, static
    from particlemech.engine.bending.chains import chain
    from particlemech.engine.bending.forms import ModeTable, Samples
    from particlemech.engine.bending.local_inertia import Integrals, integrals, local
    from particlemech.engine.bending.members import Member
    from particlemech.result.bending import BendingResult

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
    **dict.fromkeys(("Modes", "modes", "response", "static"), "particlemech.analyses.vibration.bending"),
    "Influence": "particlemech.analyses.influence.lagrange",
    "Member": "members",
    "Result": "particlemech.result.bending",
    "chain": "chains",
    "influences": "particlemech.analyses.influence.matrices",
}

__getattr__, __dir__ = members(__name__, __all__, _HOMES)
