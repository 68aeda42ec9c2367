"""Coordinate: a coordinate of a joint is prescribed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.model.acting import OfCoordinate
from particlemech.model.space.drivers.base import DriverSpec

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Coordinate(OfCoordinate, DriverSpec):
    """A coordinate of a joint; the effort is a moment or force that works on it, on the second body."""

    def freedom(self, mechanism: Mechanism) -> tuple[str, str]:
        """The joint and its coordinate."""
        return self.joint, mechanism.coordinate(self.joint, self.coordinate)

    def between(self, mechanism: Mechanism) -> tuple[str, str]:
        """Return the bodies of the joint."""
        joint = mechanism.joints[self.joint]
        return joint.first, joint.second

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate."""
        self.freedom(mechanism)
