"""Ball joint: the child turns in any way about a point of the parent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech import primitives
from particlemech._spec import Vector3, choice, key, names, place3
from particlemech.primitives import Looks, Part
from particlemech.tree.joints.base import ANGLES, BODIES, POINT, JointSpec, Stage

if TYPE_CHECKING:
    from particlemech.tree.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Ball(JointSpec):
    """The child turns about the point; coordinates "angle1", "angle2", "angle3", dextral 1-2-3 angles."""

    spherical = True
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT)
    coordinates: str = key(choice("quaternion", "angles"), "what is integrated", "quaternion")

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Three rotations."""
        return ANGLES

    @property
    def quaternion(self) -> bool:
        """Whether a quaternion is integrated."""
        return self.coordinates == "quaternion"

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the ball, and what the ground holds it by."""
        return (primitives.Ball(part, *self.seat(self.child, mechanism)), *self.held(part, mechanism))
