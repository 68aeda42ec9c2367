"""The drivers in space as users write them, one file each: prescribed motions whose moment or force is a result."""

from particlemech.model.space.drivers.base import DriverSpec
from particlemech.model.space.drivers.coordinate import Coordinate
from particlemech.model.space.drivers.distance import Distance
from particlemech.model.space.drivers.position import Position
from particlemech.model.spec import kind_name

__all__ = ["KINDS", "NAMES", "Coordinate", "Distance", "DriverSpec", "Position"]

KINDS: tuple[type[DriverSpec], ...] = (Coordinate, Distance, Position)
NAMES = {kind_name(kind): kind for kind in KINDS}
