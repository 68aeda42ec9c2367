"""The forces of a tree, one file each."""

from particlemech._spec import kind_name
from particlemech.tree.forces.base import ForceSpec
from particlemech.tree.forces.joint_spring import JointSpring
from particlemech.tree.forces.load import Load
from particlemech.tree.forces.motor import Motor
from particlemech.tree.forces.spring import Spring
from particlemech.tree.forces.torque import Torque

__all__ = ["KINDS", "NAMES", "ForceSpec", "JointSpring", "Load", "Motor", "Spring", "Torque"]

KINDS: tuple[type[ForceSpec], ...] = (Load, Torque, Spring, JointSpring, Motor)
NAMES = {kind_name(kind): kind for kind in KINDS}
