"""Motor: a moment about the axis of a joint, or a force along it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from particlemech._spec import key, name
from particlemech.applied import EFFORT, Array
from particlemech.primitives import Looks, Part, Push, Turn
from particlemech.signals import SignalSpec, course, signal
from particlemech.spatial.forces.base import ForceSpec

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Motor(ForceSpec):
    """A moment or force in a joint, on the second body and reacted by the first."""

    told = EFFORT
    joint: str = key(name, "a revolute, prismatic, cylindrical or screw joint")
    coordinate: str | None = key(name, '"angle" or "travel"; may be left out where there is one', None)
    effort: SignalSpec = key(signal, "moment or force that works on the coordinate")

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate."""
        mechanism.coordinate(self.joint, self.coordinate)

    def exerted(self, seen: Any) -> tuple[Array]:
        """Return the effort on the coordinate."""
        return (course((self.effort,), seen.t)[:, 0],)

    def turns(self, mechanism: Mechanism) -> bool:
        """Return whether its effort is a moment."""
        return mechanism.coordinate(self.joint, self.coordinate) == "angle"

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow about or along the axis of the joint."""
        joint: Any = mechanism.joints[self.joint]
        shown = Turn if self.turns(mechanism) else Push
        value = partial(course, (self.effort,))
        return (shown(part, joint.second, joint.place(mechanism), value, joint.direction, joint.first),)
