"""Cylindrical joint: one body turns about an axis that is fixed in both, and slides along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.model.primitives import Looks, Part, Pin, Rail, held, track
from particlemech.model.space.joints.base import BODIES, POINT, Limited, Stage
from particlemech.model.spec import Vector3, direction3, key, names, place3, unit

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Cylindrical(Limited):
    """A sleeve: the second body turns about an axis through the point and slides along it."""

    dof = 2
    tree = 3.0
    coordinate_names = ("travel", "angle")
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT)
    axis: Vector3 = key(direction3, "of rotation, by the right hand, and travel of the second, in the drawing")

    @property
    def direction(self) -> Vector3:
        """The axis as a unit vector."""
        return unit(self.axis)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """A translation, then a rotation."""
        return Stage(False, self.direction, "travel"), Stage(True, self.direction, "angle")

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the sleeve and its rail."""
        rider = self.seat(self.second, mechanism)
        rail = Rail(part, self.first, *track(rider[1], self.direction, -4.0 * r, 4.0 * r), rider)
        return (rail, Pin(part, *rider, self.direction), *held(part, rider))
