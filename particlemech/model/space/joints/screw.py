"""Screw joint: one body turns about an axis that is fixed in both, and moves along it in proportion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.errors import ModelError
from particlemech.model.primitives import Course, Looks, Part, Pin, Rail, Turn, held, track
from particlemech.model.space.joints.base import BODIES, POINT, Limited, Stage
from particlemech.model.spec import Vector3, direction3, key, names, number, place3, unit

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Screw(Limited):
    """A thread: the second body turns about an axis through the point and travels pitch times the angle along it."""

    dof = 1
    tree = 3.0
    coordinate_names = ("angle",)
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT)
    axis: Vector3 = key(direction3, "of rotation, by the right hand, and travel of the second, in the drawing")
    pitch: float = key(number, "length per rad; negative: a left-hand thread")

    def verify(self) -> None:
        """Check that it travels at all."""
        super().verify()
        if self.pitch == 0.0:
            raise ModelError('key "pitch": a screw that does not travel is a revolute; give a pitch, or use that')

    @property
    def direction(self) -> Vector3:
        """The axis as a unit vector."""
        return unit(self.axis)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """A sleeve, whose travel is tied to its angle."""
        return Stage(False, self.direction, "travel"), Stage(True, self.direction, "angle")

    def acted(self, part: Part, mechanism: Mechanism, coordinate: str, value: Course | None) -> Looks:
        """Return the arrow of an effort about the axis."""
        return (Turn(part, *self.seat(self.second, mechanism), value, self.direction, self.second),)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the sleeve and its rail."""
        rider = self.seat(self.second, mechanism)
        rail = Rail(part, self.first, *track(rider[1], self.direction, -4.0 * r, 4.0 * r), rider)
        return (rail, Pin(part, *rider, self.direction), *held(part, rider))
