"""The drivers in space as users write them, one file each: prescribed motions whose moment or force is a result."""

from particlemech._spec import kind_name
from particlemech.spatial.drivers.base import DriverSpec
from particlemech.spatial.drivers.position import Position
from particlemech.spatial.drivers.rotation import Rotation
from particlemech.spatial.drivers.translation import Translation

__all__ = ["KINDS", "NAMES", "DriverSpec", "Position", "Rotation", "Translation"]

KINDS: tuple[type[DriverSpec], ...] = (Rotation, Translation, Position)
NAMES = {kind_name(kind): kind for kind in KINDS}
