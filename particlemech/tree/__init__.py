"""Trees of rigid bodies in space, after Passerello and Huston [P72]."""

from typing import TYPE_CHECKING

from particlemech._lazily import members

if TYPE_CHECKING:
    from particlemech.tree import forces, joints, ways
    from particlemech.tree.blows import Blow, blow
    from particlemech.tree.inverse_dynamics import in_angles, inverse
    from particlemech.tree.mechanism import Mechanism
    from particlemech.tree.parts import Body, Driver, Impulse, Initial
    from particlemech.tree.result import Result
    from particlemech.tree.study import Study
    from particlemech.tree.urdf import from_urdf, read_urdf
    from particlemech.tree.vibration import modes
    from particlemech.units import Units

__all__ = [
    "Blow",
    "Body",
    "Driver",
    "Impulse",
    "Initial",
    "Mechanism",
    "Result",
    "Study",
    "Units",
    "blow",
    "forces",
    "from_urdf",
    "in_angles",
    "inverse",
    "joints",
    "modes",
    "read_urdf",
    "ways",
]

# where each name lives: it is imported when first asked for, so that a script pays only for what it uses
_HOMES = {
    **dict.fromkeys(("Body", "Driver", "Impulse", "Initial"), "parts"),
    **dict.fromkeys(("from_urdf", "read_urdf"), "urdf"),
    **dict.fromkeys(("Blow", "blow"), "blows"),
    **dict.fromkeys(("in_angles", "inverse"), "inverse_dynamics"),
    **dict.fromkeys(("Mechanism", "Units"), "mechanism"),
    "Result": "result",
    "Study": "study",
    "modes": "vibration",
}

__getattr__, __dir__ = members(__name__, __all__, _HOMES)
