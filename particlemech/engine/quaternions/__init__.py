"""Second opinion on mechanisms in space: centre of mass and unit quaternion of every body, wrenches of every joint.

Nothing here is shared with the formulation by centre and axes but the description of the mechanism: rows are the
wrenches that joints pass on, their rates come from relative motion, and the equations are Newton's and Euler's.
"""

from particlemech.engine.quaternions.equations import Accelerations, Pose, Velocities, accelerations, drawn, energies
from particlemech.engine.quaternions.motion import Motion, projected, simulated

__all__ = [
    "Accelerations",
    "Motion",
    "Pose",
    "Velocities",
    "accelerations",
    "drawn",
    "energies",
    "projected",
    "simulated",
]
