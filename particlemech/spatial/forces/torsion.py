"""Torsion: spring and damper about the axis of a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from particlemech._spec import key, name, not_negative, number
from particlemech.applied import TURN, Array
from particlemech.primitives import Looks, Part, TorsionSpring
from particlemech.spatial.forces.base import ForceSpec

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Torsion(ForceSpec):
    """A torsion spring and damper about the axis of a joint; counts full turns."""

    told = TURN
    joint: str = key(name, "a revolute, cylindrical or screw joint")
    stiffness: float = key(not_negative, "moment per rad", 0.0)
    damping: float = key(not_negative, "moment per rad/s", 0.0)
    angle: float = key(number, "rad, free of moment, of the second body against the first since t = 0", 0.0)

    def check(self, mechanism: Mechanism) -> None:
        """Check that the joint turns about an axis."""
        mechanism.coordinate(self.joint, "angle")

    def exerted(self, seen: Any) -> tuple[Array, Array, Array]:
        """Return moment, positive where it turns the second body back; angle since t = 0; its rate."""
        angle, rate = seen.turning(self)
        return self.stiffness * (angle - self.angle) + self.damping * rate, angle, rate

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a spiral about the axis of the joint, or the vane of a damper alone."""
        joint: Any = mechanism.joints[self.joint]
        damper = self.damping > 0.0 and self.stiffness == 0.0
        return (TorsionSpring(part, joint.bodies, joint.place(mechanism), joint.direction, damper),)
