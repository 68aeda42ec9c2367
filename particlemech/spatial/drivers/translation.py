"""Translation: the travel of a joint is prescribed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from particlemech._spec import key, name
from particlemech.primitives import Looks, Part, Push
from particlemech.signals import SignalSpec, motion
from particlemech.spatial.drivers.base import DriverSpec

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Translation(DriverSpec):
    """Travel of a joint; the effort is a force along its axis, on its second body."""

    joint: str = key(name, "a prismatic or cylindrical joint")
    motion: SignalSpec = key(motion, "length along the axis since t = 0")

    @property
    def freedom(self) -> tuple[str, str]:
        """The travel of the joint."""
        return self.joint, "travel"

    def check(self, mechanism: Mechanism) -> None:
        """Check that the joint slides along an axis."""
        mechanism.coordinate(*self.freedom)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow along the axis of the joint."""
        joint: Any = mechanism.joints[self.joint]
        return (Push(part, joint.second, joint.place(mechanism), None, joint.direction, joint.first),)
