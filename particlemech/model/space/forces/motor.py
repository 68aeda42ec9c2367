"""Motor: an effort on a coordinate of a joint, or a moment in a joint that turns in any direction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from particlemech.errors import ModelError
from particlemech.model.applied import EFFORT, Array, Quantities, vectors
from particlemech.model.primitives import Looks, Part, Turn
from particlemech.model.signals import SignalSpec, course, signal, signal_vector3
from particlemech.model.space.forces.base import Couple, ForceSpec
from particlemech.model.spec import key, name

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Motor(ForceSpec):
    """A moment or force in a joint, on the second body and reacted by the first."""

    joint: str = key(name, "the joint")
    coordinate: str | None = key(name, "which coordinate; may be left out where there is one", None)
    effort: SignalSpec | None = key(signal, "moment or force that works on the coordinate", None, dimension="effort")
    moment: tuple[SignalSpec, SignalSpec, SignalSpec] | None = key(
        signal_vector3,
        "or, for a spherical or free joint, the moment in axes of the first body",
        None,
        dimension="moment",
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

    def couple(self, mechanism: Mechanism) -> Couple | None:
        """Return the moment in axes of the first body, where it has one."""
        bodies = mechanism.joints[self.joint].bodies
        return None if self.moment is None else Couple(bodies, bodies[0], self.moment)

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return the effort on its coordinate, or the moment in axes of the first body."""
        return EFFORT if self.moment is None else vectors(3, moment="m")

    def exerted(self, seen: Any) -> tuple[Array]:
        """Return effort (K,), or moment in axes of the first body (K, 3)."""
        if self.moment is not None:
            return (course(self.moment, seen.t),)
        return (course(() if self.effort is None else (self.effort,), seen.t)[:, 0],)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow about or along the axis of the coordinate, or about that of the moment."""
        joint = mechanism.joints[self.joint]
        if self.moment is not None:
            return (Turn(part, *joint.seat(joint.second, mechanism), partial(course, self.moment), axes=joint.first),)
        efforts = () if self.effort is None else (self.effort,)
        coordinate = mechanism.coordinate(self.joint, self.coordinate)
        return joint.acted(part, mechanism, coordinate, partial(course, efforts))


def motor(joint: str, coordinate: str, effort: SignalSpec | float) -> ForceSpec:
    """Return an effort on a coordinate of a joint."""
    return Motor(joint=joint, coordinate=coordinate, effort=effort)  # type: ignore[arg-type]
