"""The joints in space as users write them, one file each."""

from particlemech._spec import kind_name
from particlemech.spatial.joints.base import Drive, JointSpec, Stage
from particlemech.spatial.joints.coupling import Coupling
from particlemech.spatial.joints.cylindrical import Cylindrical
from particlemech.spatial.joints.distance import Distance
from particlemech.spatial.joints.free import Free
from particlemech.spatial.joints.prismatic import Prismatic
from particlemech.spatial.joints.revolute import Revolute
from particlemech.spatial.joints.screw import Screw
from particlemech.spatial.joints.spherical import Spherical
from particlemech.spatial.joints.universal import Universal
from particlemech.spatial.joints.weld import Weld

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
    "Spherical",
    "Stage",
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
    Free,
    Weld,
    Distance,
    Coupling,
)
NAMES = {kind_name(kind): kind for kind in KINDS}
