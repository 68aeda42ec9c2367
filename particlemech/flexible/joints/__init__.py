"""The joints of a flexible manipulator, one file each."""

from particlemech._spec import kind_name
from particlemech.flexible.joints.base import JointSpec
from particlemech.flexible.joints.prismatic import Prismatic
from particlemech.flexible.joints.revolute import Revolute

__all__ = ["KINDS", "NAMES", "JointSpec", "Prismatic", "Revolute"]

KINDS: tuple[type[JointSpec], ...] = (Revolute, Prismatic)
NAMES = {kind_name(kind): kind for kind in KINDS}
