"""Spherical joint: two bodies share a point and turn in any way about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech._spec import Vector3, key, names, place3
from particlemech.primitives import Ball, Looks, Part, held, moving
from particlemech.spatial.joints.base import BODIES, POINT, JointSpec

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Spherical(JointSpec):
    """A ball: the second body turns in any way about the point."""

    dof = 3
    tree = 2.0
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT)

    def keeps(self, place: Vector3, mechanism: Mechanism) -> bool:
        """Whether the place is the point."""
        return place == self.place(mechanism)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the ball, and what the ground holds it by."""
        at = self.place(mechanism)
        return (Ball(part, moving(self.bodies), at), *held(part, *((b, at) for b in self.bodies)))
