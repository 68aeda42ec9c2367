"""Cylinder: pressures on a piston between a point of each of two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.errors import ModelError
from particlemech.model.cylinders import Pressed
from particlemech.model.space.forces.base import ForceSpec, ends, together
from particlemech.model.spec import Vector3

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Cylinder(Pressed, ForceSpec):
    """A cylinder that pushes two points apart by the pressures in it."""

    points: tuple[str | Vector3, str | Vector3] = ends()

    def check(self, mechanism: Mechanism) -> None:
        """Check bodies and points, and that it has a direction."""
        if (at := together(self, mechanism)) is not None:
            raise ModelError(f"its ends are drawn at one place, {at}, so it has no direction; move one")
