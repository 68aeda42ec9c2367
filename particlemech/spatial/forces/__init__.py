"""The forces in space as users write them, one file each."""

from particlemech._spec import kind_name
from particlemech.spatial.forces.base import ForceSpec
from particlemech.spatial.forces.custom import Custom
from particlemech.spatial.forces.distributed import Distributed
from particlemech.spatial.forces.load import Load
from particlemech.spatial.forces.motor import Motor
from particlemech.spatial.forces.spring import Spring
from particlemech.spatial.forces.torque import Torque
from particlemech.spatial.forces.torsion import Torsion

__all__ = ["KINDS", "NAMES", "Custom", "Distributed", "ForceSpec", "Load", "Motor", "Spring", "Torque", "Torsion"]

KINDS: tuple[type[ForceSpec], ...] = (Load, Torque, Spring, Torsion, Motor, Distributed, Custom)
NAMES = {kind_name(kind): kind for kind in KINDS}
