"""Slot: a point of one body moves along a line fixed in the other, and the bodies turn in any way about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.model.primitives import Ball, Course, Looks, Part, Push, held, track
from particlemech.model.primitives import Slot as Slit
from particlemech.model.space.joints.base import ANGLES, Lined, Stage
from particlemech.model.spec import Vector3, direction3, key, names, place3

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Slot(Lined):
    """A pin in a slot: a point of the second body moves along a line fixed in the first."""

    dof = 4
    tree = None
    coordinate_names = ("travel",)
    bodies: tuple[str, ...] = key(names(2, 2), "the line is fixed in the first, the point in the second")
    point: str | Vector3 = key(
        place3, "a place of the second body in the drawing, name or numbers; the line meets it", dimension="length"
    )
    axis: Vector3 = key(direction3, "of the line, and of the travel of the second, in the drawing", dimension="any")

    @property
    def stages(self) -> tuple[Stage, ...]:
        """A translation along the line, then three rotations, which are no coordinates."""
        return (Stage(False, self.direction, "travel"), *ANGLES)

    @property
    def quaternion(self) -> bool:
        """Turning in all directions is integrated as a quaternion."""
        return True

    def check(self, mechanism: Mechanism) -> None:
        """Check that the point is on the second body."""
        super().check(mechanism)
        mechanism.place_on(self.point, self.second)

    def acted(self, part: Part, mechanism: Mechanism, coordinate: str, value: Course | None = None) -> Looks:
        """Return the arrow of an effort along the line."""
        return (Push(part, *self.seat(self.second, mechanism), value, self.direction, self.first),)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the slit and the ball in it."""
        rider = self.seat(self.second, mechanism)
        slit = Slit(part, self.first, *track(rider[1], self.direction, -4.0 * r, 4.0 * r), rider)
        return (slit, Ball(part, *rider), *held(part, rider))
