"""Coordinate: a coordinate of a joint is prescribed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.model.primitives import Looks, Part
from particlemech.model.signals import SignalSpec, motion
from particlemech.model.space.drivers.base import DriverSpec
from particlemech.model.spec import key, name

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Coordinate(DriverSpec):
    """A coordinate of a joint; the effort is a moment or force that works on it, on the second body."""

    joint: str = key(name, "the joint")
    coordinate: str | None = key(name, "which coordinate; may be left out where there is one", None)
    motion: SignalSpec = key(motion, "value of the coordinate, rad or length, from the drawing")

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

    def turns(self, mechanism: Mechanism) -> bool:
        """Whether its effort is a moment."""
        return mechanism.coordinate(self.joint, self.coordinate).startswith("angle")

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow about or along the axis of the coordinate."""
        joint, coordinate = self.freedom(mechanism)
        return mechanism.joints[joint].acted(part, mechanism, coordinate, None)
