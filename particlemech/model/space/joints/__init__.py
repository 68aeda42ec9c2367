"""The joints in space as users write them, one file each."""

from particlemech.model.space.joints.base import Drive, JointSpec, Stage
from particlemech.model.space.joints.coupling import Coupling
from particlemech.model.space.joints.cylindrical import Cylindrical
from particlemech.model.space.joints.distance import Distance
from particlemech.model.space.joints.free import Free
from particlemech.model.space.joints.prismatic import Prismatic
from particlemech.model.space.joints.revolute import Revolute
from particlemech.model.space.joints.screw import Screw
from particlemech.model.space.joints.slot import Slot
from particlemech.model.space.joints.spherical import Spherical
from particlemech.model.space.joints.stop import Stop
from particlemech.model.space.joints.universal import Universal
from particlemech.model.space.joints.weld import Weld
from particlemech.model.spec import kind_name

__all__ = [
    "KINDS",
    "NAMES",
    "Coupling",
    "Cylindrical",
    "Distance",
    "Drive",
    "Free",
    "JointSpec",
    "Prismatic",
    "Revolute",
    "Screw",
    "Slot",
    "Spherical",
    "Stage",
    "Stop",
    "Universal",
    "Weld",
]

KINDS: tuple[type[JointSpec], ...] = (
    Revolute,
    Prismatic,
    Cylindrical,
    Spherical,
    Universal,
    Screw,
    Slot,
    Free,
    Weld,
    Distance,
    Coupling,
    Stop,
)
NAMES = {kind_name(kind): kind for kind in KINDS}
