"""Spherical joint: two bodies share a point and turn in any way about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.model.friction import Friction, friction_key
from particlemech.model.primitives import Ball, Looks, Part, held, moving
from particlemech.model.space.joints.base import ANGLES, BODIES, INTEGRATED, POINT, Limited, Stage
from particlemech.model.space.joints.surfaces import Surface
from particlemech.model.spec import Vector3, key, names, place3

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Spherical(Limited):
    """A ball: the second body turns in any way about the point; dextral 1-2-3 angles."""

    dof = 3
    tree = 2.0
    spherical = True
    coordinate_names = ("angle1", "angle2", "angle3")
    sizes = ("radius",)
    surfaces = (Surface(coordinate_names, "ball", "angle1"),)
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT, dimension="length")
    friction: Friction | None = friction_key("from its own load: { mu, radius }")
    coordinates: str = key(INTEGRATED, "what is integrated", "quaternion")

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Three rotations."""
        return ANGLES

    @property
    def quaternion(self) -> bool:
        """Whether a quaternion is integrated."""
        return self.coordinates == "quaternion"

    def keeps(self, place: Vector3, mechanism: Mechanism) -> bool:
        """Whether the place is the point."""
        return place == self.place(mechanism)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the ball, and what the ground holds it by."""
        at = self.place(mechanism)
        return (Ball(part, moving(self.bodies), at), *held(part, *((b, at) for b in self.bodies)))
