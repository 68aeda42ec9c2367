"""Revolute joint: one body turns against the other about an axis that is fixed in both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.model.friction import Friction, friction_key
from particlemech.model.primitives import Looks, Part, Pin, held, moving
from particlemech.model.space.joints.base import BODIES, POINT, Drive, Lined, Stage, on_line
from particlemech.model.space.joints.surfaces import Surface
from particlemech.model.spec import Vector3, direction3, key, names, place3
from particlemech.model.table_forms import spec_of

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Revolute(Lined):
    """A hinge: the second body turns about an axis through the point."""

    dof = 1
    tree = 1.0
    coordinate_names = ("angle",)
    sizes = ("radius", "length", "collar")
    surfaces = (Surface(("angle",), "axle", "angle"),)
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT, dimension="length")
    axis: Vector3 = key(direction3, "of the rotation of the second, by the right hand, in the drawing", dimension="any")
    friction: Friction | None = friction_key(
        "from its own load: { mu, radius }, with length of the bearing, collar of its thrust face"
    )
    drive: Drive | None = key(spec_of(Drive), "a motor that moves it through a spring; default: none", None)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """One rotation."""
        return (Stage(True, self.direction, "angle"),)

    def keeps(self, place: Vector3, mechanism: Mechanism) -> bool:
        """Whether the place lies on the axis."""
        return on_line(place, self.place(mechanism), self.direction)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the pin, and what the ground holds it by."""
        at = self.place(mechanism)
        return (Pin(part, moving(self.bodies), at, self.direction), *held(part, *((b, at) for b in self.bodies)))
