"""Distance: a point of one body keeps its distance from a point of the other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.errors import ModelError
from particlemech.model.primitives import Ball, End, Looks, Part, Rod, held
from particlemech.model.space.joints.base import BODIES, JointSpec
from particlemech.model.spec import Vector3, key, names, place3, positive, two

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Distance(JointSpec):
    """A massless rod between a point of each body, with a ball at either end."""

    dof = 5
    tree = None
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    points: tuple[str | Vector3, str | Vector3] = key(
        two(place3, "places"),
        "one on each body, in the drawing: each the name of a point, or three numbers",
        dimension="length",
    )
    length: float | None = key(positive, "length; default: the distance as drawn", None, dimension="length")

    def check(self, mechanism: Mechanism) -> None:
        """Check that the points are on their bodies and not at one place."""
        one, other = (mechanism.place_on(p, b) for p, b in zip(self.points, self.bodies, strict=True))
        if one == other:
            raise ModelError(
                f"both its points are drawn at {list(one)}, so the rod has no direction; move one, or use a spherical"
            )

    def place(self, mechanism: Mechanism) -> Vector3:
        """Return the point on the second body, in the drawing."""
        return mechanism.place(self.points[1], self.second)

    def rod(self, mechanism: Mechanism) -> float:
        """Return the distance that is kept."""
        if self.length is not None:
            return self.length
        return math.dist(*(mechanism.place(p, b) for p, b in zip(self.points, self.bodies, strict=True)))

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the rod with a ball at either end."""
        one, other = (self.seat(body, mechanism) for body in self.bodies)
        return (Rod(part, (one, other)), Ball(part, *one), Ball(part, *other), *held(part, one, other))

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return the end of the rod on that body."""
        return on, mechanism.place(self.points[self.bodies.index(on)], on)
