"""Motor: an effort on a coordinate of a joint, or a moment in a joint that turns in any direction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from particlemech._spec import key, name
from particlemech.applied import EFFORT, Array, Quantities, vectors
from particlemech.errors import ModelError
from particlemech.primitives import Looks, Part, Turn
from particlemech.signals import SignalSpec, course, signal, signal_vector3
from particlemech.tree.forces.base import ForceSpec

if TYPE_CHECKING:
    from particlemech.tree.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Motor(ForceSpec):
    """A force or moment in a joint, on the child and reacted by the parent."""

    joint: str = key(name, "the joint")
    coordinate: str | None = key(name, "which coordinate; may be left out where there is one", None)
    effort: SignalSpec | None = key(signal, "force or moment that works on the coordinate", None)
    moment: tuple[SignalSpec, SignalSpec, SignalSpec] | None = key(
        signal_vector3, "or, for a ball or free joint without coordinate, the moment in parent axes", None
    )

    def verify(self) -> None:
        """Check that the effort is given once."""
        if (self.effort is None) == (self.moment is None):
            which = "none is given" if self.effort is None else "both are given"
            raise ModelError(f'exactly one of "effort" and "moment" is needed; {which}')
        if self.moment is not None and self.coordinate is not None:
            raise ModelError('key "moment" has three components and takes no "coordinate"; give "effort" along with it')

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate."""
        mechanism.known_joint(self.joint)
        if self.moment is None:
            mechanism.acted_on(self.joint, self.coordinate, 'give "moment" in place of "effort" and "coordinate"')
        elif not mechanism.joints[self.joint].spherical:
            raise ModelError(f'key "moment": joint "{self.joint}" does not turn about all axes; give "effort"')

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return the effort on its coordinate, or the moment in parent axes."""
        return EFFORT if self.moment is None else vectors(3, moment="m")

    def exerted(self, seen: Any) -> tuple[Array]:
        """Return effort (K,), or moment in parent axes (K, 3)."""
        if self.moment is not None:
            return (course(self.moment, seen.t),)
        return (course(() if self.effort is None else (self.effort,), seen.t)[:, 0],)

    def turns(self, mechanism: Mechanism) -> bool:
        """Return whether its effort is a moment."""
        joint = mechanism.joints[self.joint]
        return joint.stages[mechanism.coordinate(self.joint, self.coordinate)].turn

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow about or along the axis of the coordinate, or about that of the moment."""
        joint = mechanism.joints[self.joint]
        if self.moment is not None:
            frame, at = joint.seat(joint.child, mechanism)
            return (Turn(part, frame, at, partial(course, self.moment), axes=joint.parent),)
        efforts = () if self.effort is None else (self.effort,)
        stage = mechanism.coordinate(self.joint, self.coordinate)
        return joint.acted(part, mechanism, stage, partial(course, efforts))
