"""The drivers in space as users write them, one file each: prescribed motions whose moment or force is a result."""

from particlemech._spec import kind_name
from particlemech.spatial.drivers.base import DriverSpec
from particlemech.spatial.drivers.coordinate import Coordinate
from particlemech.spatial.drivers.distance import Distance
from particlemech.spatial.drivers.position import Position

__all__ = ["KINDS", "NAMES", "Coordinate", "Distance", "DriverSpec", "Position"]

KINDS: tuple[type[DriverSpec], ...] = (Coordinate, Distance, Position)
NAMES = {kind_name(kind): kind for kind in KINDS}
