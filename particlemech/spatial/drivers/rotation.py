"""Rotation: the angle of a joint is prescribed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from particlemech._spec import key, name
from particlemech.primitives import Looks, Part, Turn
from particlemech.signals import SignalSpec, motion
from particlemech.spatial.drivers.base import DriverSpec

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Rotation(DriverSpec):
    """Angle of a joint; the effort is a moment about its axis, on its second body."""

    joint: str = key(name, "a revolute, cylindrical or screw joint")
    motion: SignalSpec = key(motion, "rad since t = 0, by the right hand about the axis")

    @property
    def freedom(self) -> tuple[str, str]:
        """The angle of the joint."""
        return self.joint, "angle"

    def check(self, mechanism: Mechanism) -> None:
        """Check that the joint turns about an axis."""
        mechanism.coordinate(*self.freedom)

    def turns(self, mechanism: Mechanism) -> bool:
        """Whether its effort is a moment: it is."""
        return True

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a turning arrow about the axis of the joint."""
        joint: Any = mechanism.joints[self.joint]
        return (Turn(part, joint.second, joint.place(mechanism), None, joint.direction, joint.first),)
