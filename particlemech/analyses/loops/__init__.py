"""Bodies and joints in the hands of the vector method [J84]: loops, assemblies and driven cycles of a mechanism.

vector_model(mechanism)     its vectors, loops and products, for all that `vectors` offers
assemblies(mechanism)       all ways in which its bodies fit together at one time
cycle(mechanism)            positions, velocities and accelerations of a driven mechanism on one assembly, with the
efforts of its drivers and the reactions of its joints
"""

from typing import TYPE_CHECKING

from particlemech._lazily import members

if TYPE_CHECKING:
    from particlemech.analyses.loops.draft import vector_model
    from particlemech.analyses.loops.driven import Cycle, assemblies, cycle

_HOMES = {**dict.fromkeys(("Cycle", "assemblies", "cycle"), "driven"), "vector_model": "draft"}

__all__ = ["Cycle", "assemblies", "cycle", "vector_model"]

__getattr__, __dir__ = members(__name__, __all__, _HOMES)
