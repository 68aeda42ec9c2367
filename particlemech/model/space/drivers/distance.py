"""Distance: the distance of two points is prescribed, as a hydraulic cylinder does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.model.acting import OfDistance
from particlemech.model.primitives import Looks, Part, held
from particlemech.model.space.drivers.base import DriverSpec
from particlemech.model.spec import Vector3, key, place3, two

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Distance(OfDistance, DriverSpec):
    """The distance of two points; the effort is a force along their line, positive where it pushes them apart."""

    points: tuple[str | Vector3, str | Vector3] = key(
        two(place3, "places"),
        "two places, in the drawing: each the name of a point, or three numbers",
        dimension="length",
    )

    def freedom(self, mechanism: Mechanism) -> tuple[str, str]:
        """The two points."""
        return " to ".join(sorted(str(p) for p in self.points)), "distance"

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the cylinder or rod, and what the ground holds it by."""
        return (*super().look(part, mechanism, r), *held(part, *self.ends(mechanism)))
