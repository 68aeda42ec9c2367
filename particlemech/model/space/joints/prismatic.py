"""Prismatic joint: one body slides along a line that is fixed in the other and does not turn against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.model.friction import Friction, friction_key
from particlemech.model.primitives import Looks, Part, Slider, held
from particlemech.model.space.joints.base import BODIES, Drive, Lined, Stage
from particlemech.model.space.joints.surfaces import Surface
from particlemech.model.spec import Vector3, direction3, key, names, place3
from particlemech.model.table_forms import spec_of

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Prismatic(Lined):
    """A slide: the second body moves along a line fixed in the first, without turning against it."""

    dof = 1
    tree = 0.5
    coordinate_names = ("travel",)
    sizes = ("length",)
    surfaces = (Surface(("travel",), "axle", "travel"),)
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(
        place3,
        "a place on the second body, in the drawing: the name of a point, or three numbers; the line passes it",
        dimension="length",
    )
    axis: Vector3 = key(direction3, "along which the second moves, in the drawing", dimension="any")
    friction: Friction | None = friction_key("from its own load: { mu }, with length of the guide")
    drive: Drive | None = key(spec_of(Drive), "a motor that moves it through a spring; default: none", None)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """One translation."""
        return (Stage(False, self.direction, "travel"),)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the block and its rail."""
        rider, rail = self.on_rail(part, mechanism, r)
        return (rail, Slider(part, *rider, self.direction), *held(part, rider))
