"""Vector models of spatial mechanisms: the method of [J84], a tool of its own that needs no bodies and joints.

A mechanism is drawn with vectors, tied by loops, dot products and cross products; see `VectorModel`. Then

    judged(model)                     counts equations and unknowns, and names rows and vectors that are to blame
    assembled(model), assemblies      the geometry from its starting guess, and all geometries there are
    velocities, accelerations         linear equations in angular velocities and rates of lengths
    dynamics                          accelerations first and forces after them, or both at once
    driven                            all of it over a driven cycle, on one assembly
"""

from typing import TYPE_CHECKING

from particlemech._lazily import members

if TYPE_CHECKING:
    from particlemech.analyses.vectors.assembly import assembled, assemblies
    from particlemech.analyses.vectors.cycle import Cycle, driven
    from particlemech.analyses.vectors.kinetics import Dynamics, dynamics
    from particlemech.analyses.vectors.model import VectorModel
    from particlemech.analyses.vectors.parameters import Circular, Given, Unknown, turned
    from particlemech.analyses.vectors.parts import Connection, Element, Vector
    from particlemech.analyses.vectors.pose import Pose, Signature
    from particlemech.analyses.vectors.rank import Verdict, judged
    from particlemech.analyses.vectors.rates import Accelerations, Velocities, accelerations, velocities
    from particlemech.analyses.vectors.ready import piston_crank, rssr
    from particlemech.analyses.vectors.relations import Cross, Dot, Loop, Turn

_HOMES = {
    **dict.fromkeys(("assembled", "assemblies"), "assembly"),
    **dict.fromkeys(("Verdict", "judged"), "rank"),
    **dict.fromkeys(("Cycle", "driven"), "cycle"),
    **dict.fromkeys(("Dynamics", "dynamics"), "kinetics"),
    **dict.fromkeys(("VectorModel",), "model"),
    **dict.fromkeys(("Circular", "Given", "Unknown", "turned"), "parameters"),
    **dict.fromkeys(("Connection", "Element", "Vector"), "parts"),
    **dict.fromkeys(("Pose", "Signature"), "pose"),
    **dict.fromkeys(("Accelerations", "Velocities", "accelerations", "velocities"), "rates"),
    **dict.fromkeys(("piston_crank", "rssr"), "ready"),
    **dict.fromkeys(("Cross", "Dot", "Loop", "Turn"), "relations"),
}

__all__ = [
    "Accelerations",
    "Circular",
    "Connection",
    "Cross",
    "Cycle",
    "Dot",
    "Dynamics",
    "Element",
    "Given",
    "Loop",
    "Pose",
    "Signature",
    "Turn",
    "Unknown",
    "Vector",
    "VectorModel",
    "Velocities",
    "Verdict",
    "accelerations",
    "assembled",
    "assemblies",
    "driven",
    "dynamics",
    "judged",
    "piston_crank",
    "rssr",
    "turned",
    "velocities",
]

__getattr__, __dir__ = members(__name__, __all__, _HOMES)
