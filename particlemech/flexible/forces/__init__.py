"""The forces of a flexible manipulator, one file each."""

from particlemech._spec import kind_name
from particlemech.flexible.forces.base import ForceSpec
from particlemech.flexible.forces.controller import Controller
from particlemech.flexible.forces.distributed import Distributed
from particlemech.flexible.forces.load import Load
from particlemech.flexible.forces.motor import Motor

__all__ = ["KINDS", "NAMES", "Controller", "Distributed", "ForceSpec", "Load", "Motor"]

KINDS: tuple[type[ForceSpec], ...] = (Load, Distributed, Motor, Controller)
NAMES = {kind_name(kind): kind for kind in KINDS}
