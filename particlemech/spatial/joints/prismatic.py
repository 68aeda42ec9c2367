"""Prismatic joint: one body slides along a line that is fixed in the other and does not turn against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech._spec import Vector3, direction3, key, names, place3, unit
from particlemech.primitives import Looks, Part, Rail, Slider, held, track
from particlemech.spatial.joints.base import BODIES, JointSpec

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Prismatic(JointSpec):
    """A slide: the second body moves along a line fixed in the first, without turning against it."""

    dof = 1
    tree = 0.5
    coordinate_names = ("travel",)
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(
        place3, "a place on the second body, global at t = 0: the name of a point, or three numbers; the line passes it"
    )
    axis: Vector3 = key(direction3, "along which the second moves, global at t = 0")

    @property
    def direction(self) -> Vector3:
        """The axis as a unit vector."""
        return unit(self.axis)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the block and its rail."""
        rider = self.seat(self.second, mechanism)
        rail = Rail(part, self.first, *track(rider[1], self.direction, -4.0 * r, 4.0 * r), rider)
        return (rail, Slider(part, *rider, self.direction), *held(part, rider))
