"""What every driver in space offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech import drivers

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism


class DriverSpec(drivers.DriverSpec):
    """Base of the drivers in space: smooth motions that start from 0, as in the plane."""

    @property
    def freedom(self) -> tuple[str, str]:
        """What is driven: the name of a joint or point, and that of its coordinate."""
        raise TypeError(f"{type(self).__name__} does not say what it drives")

    def check(self, mechanism: Mechanism) -> None:
        """Check the names it mentions, and that what it drives is there."""
        raise TypeError(f"{type(self).__name__} does not check its names")
