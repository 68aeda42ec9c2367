"""Screw joint: one body turns about an axis that is fixed in both, and moves along it in proportion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.errors import ModelError
from particlemech.model.friction import Friction, friction_key
from particlemech.model.primitives import Course, Looks, Part, Turn
from particlemech.model.space.joints.base import Sleeve
from particlemech.model.space.joints.surfaces import Surface
from particlemech.model.spec import key, number

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Screw(Sleeve):
    """A thread: the second body turns about an axis through the point and travels pitch times the angle along it."""

    dof = 1
    coordinate_names = ("angle",)
    sizes = ("radius",)
    surfaces = (Surface(("travel", "angle"), "thread", "travel"),)
    friction: Friction | None = friction_key("of its thread, from what it carries: { mu, radius }, the pitch radius")
    pitch: float = key(number, "length per rad; negative: a left-hand thread", dimension="length/angle")

    def verify(self) -> None:
        """Check that it travels at all."""
        super().verify()
        if self.pitch == 0.0:
            raise ModelError('key "pitch": a screw that does not travel is a revolute; give a pitch, or use that')

    def acted(self, part: Part, mechanism: Mechanism, coordinate: str, value: Course | None = None) -> Looks:
        """Return the arrow of an effort about the axis."""
        return (Turn(part, *self.seat(self.second, mechanism), value, self.direction, self.second),)
