"""The forces in space as users write them, one file each."""

from particlemech.model.space.forces.base import ForceSpec
from particlemech.model.space.forces.control import CurveMotor, DcMotor, Pid
from particlemech.model.space.forces.custom import Custom
from particlemech.model.space.forces.cylinder import Cylinder
from particlemech.model.space.forces.distributed import Distributed
from particlemech.model.space.forces.load import Load
from particlemech.model.space.forces.motor import Motor
from particlemech.model.space.forces.spring import Spring
from particlemech.model.space.forces.torque import Torque
from particlemech.model.space.forces.torsion import Torsion
from particlemech.model.spec import kind_name

__all__ = [
    "KINDS",
    "NAMES",
    "CurveMotor",
    "Custom",
    "Cylinder",
    "DcMotor",
    "Distributed",
    "ForceSpec",
    "Load",
    "Motor",
    "Pid",
    "Spring",
    "Torque",
    "Torsion",
]

KINDS: tuple[type[ForceSpec], ...] = (
    Load,
    Torque,
    Spring,
    Cylinder,
    Torsion,
    Motor,
    DcMotor,
    CurveMotor,
    Pid,
    Distributed,
    Custom,
)
NAMES = {kind_name(kind): kind for kind in KINDS}
