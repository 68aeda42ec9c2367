"""Coupling: a coordinate of one joint follows a coordinate of another in a fixed ratio, as geared joints do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.errors import ModelError
from particlemech.model.primitives import End, Looks, Part, Tie
from particlemech.model.space.joints.base import JointSpec
from particlemech.model.spec import Vector3, key, name, names, number, two

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Coupling(JointSpec):
    """A fixed ratio of two joint coordinates: that of the second joint is `ratio` times that of the first.

    Both count from the drawing, angles with their turns.
    """

    dof = 5
    tree = None
    joints: tuple[str, ...] = key(names(2, 2), "the joint that leads, and the one that follows")
    coordinates: tuple[str, str] | None = key(
        two(name, "names"), "one of each joint; may be left out where each has one", None
    )
    ratio: float = key(
        number,
        "of the second coordinate to the first: rad/rad, length/rad, rad/length or length/length",
        dimension="any",
    )

    def verify(self) -> None:
        """Check that the ratio couples."""
        if self.ratio == 0.0:
            raise ModelError('key "ratio": a ratio of 0 holds the second joint still; use a weld, or drive it')

    @property
    def bodies(self) -> tuple[str, ...]:  # type: ignore[override]
        """No body is joined to another by it."""
        return ()

    def ends(self, mechanism: Mechanism) -> tuple[tuple[str, str], tuple[str, str]]:
        """Return joint and coordinate of both sides, after a check that they are there."""
        one, other = self.coordinates or (None, None)
        first, second = self.joints
        return (first, mechanism.coordinate(first, one)), (second, mechanism.coordinate(second, other))

    def check(self, mechanism: Mechanism) -> None:
        """Check joints and coordinates, and that these count turns."""
        for joint, coordinate in self.ends(mechanism):
            if mechanism.joints[joint].spherical and coordinate.startswith("angle"):
                raise ModelError(
                    f'"{coordinate}" of joint "{joint}" is an angle of a spherical joint, which counts no turns; '
                    "couple an angle of a revolute, cylindrical, screw or universal, or a travel"
                )

    def turns(self, mechanism: Mechanism) -> bool:
        """Whether its effort, on the coordinate that follows, is a moment."""
        return self.ends(mechanism)[1][1].startswith("angle")

    def place(self, mechanism: Mechanism) -> Vector3:
        """Return the place of the joint that follows."""
        return mechanism.joints[self.joints[1]].place(mechanism)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a dashed line between both joints."""
        one, other = (mechanism.joints[j] for j in self.joints)
        return (Tie(part, (one.seat(one.second, mechanism), other.seat(other.second, mechanism))),)

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return the place of the joint that follows, on its second body."""
        joint = mechanism.joints[self.joints[1]]
        return joint.seat(joint.second, mechanism)
