"""Cylinder: pressures on a piston between a point of each of two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.errors import ModelError
from particlemech.model.cylinders import Pressed
from particlemech.model.space.forces.base import ForceSpec
from particlemech.model.spec import Vector3, key, place3, two

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Cylinder(Pressed, ForceSpec):
    """A cylinder that pushes two points apart by the pressures in it."""

    points: tuple[str | Vector3, str | Vector3] = key(
        two(place3, "places"),
        "one on each: each a point of the body, or three numbers, in the drawing, fixed on it",
        dimension="length",
    )

    def check(self, mechanism: Mechanism) -> None:
        """Check bodies and points, and that it has a direction."""
        one, other = (mechanism.place_on(p, b) for p, b in zip(self.points, self.bodies, strict=True))
        if one == other:
            raise ModelError(f"its ends are drawn at one place, {list(one)}, so it has no direction; move one")
