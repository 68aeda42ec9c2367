"""Motor: an effort on the coordinate of a joint, as a signal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from particlemech._spec import key, name
from particlemech.applied import EFFORT, Array
from particlemech.flexible.forces.base import ForceSpec, OnJoint
from particlemech.primitives import Looks, Part
from particlemech.signals import SignalSpec, course, signal

if TYPE_CHECKING:
    from particlemech.flexible.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Motor(ForceSpec):
    """A torque or force in a joint, on the link that it carries and reacted by the one before."""

    told = EFFORT
    joint: str = key(name, "the joint")
    effort: SignalSpec = key(signal, "moment of a revolute, force of a prismatic joint")

    def check(self, mechanism: Mechanism) -> None:
        """Check that the joint can move."""
        mechanism.moved_joint(self.joint)

    def on_joint(self) -> OnJoint:
        """Return its effort."""
        return OnJoint(self.joint, self.effort, None)

    def exerted(self, seen: Any) -> tuple[Array]:
        """Return the effort on the coordinate."""
        return (course((self.effort,), seen.t)[:, 0],)

    def turns(self, mechanism: Mechanism) -> bool:
        """Return whether its effort is a moment."""
        return mechanism.joints[self.joint].coordinate == "angle"

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow about or along the axis of the joint."""
        return mechanism.joints[self.joint].acted(part, partial(course, (self.effort,)))
