"""Spring: spring and damper along the line between a point of each of two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech._spec import Vector3, key, names, not_negative, place3, two
from particlemech.primitives import Looks, Part, coiled
from particlemech.tree.forces.base import ForceSpec

if TYPE_CHECKING:
    from particlemech.tree.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Spring(ForceSpec):
    """A spring and damper along the line between two points."""

    bodies: tuple[str, ...] = key(names(2, 2), "two bodies; one may be the ground")
    points: tuple[str | Vector3, str | Vector3] = key(
        two(place3, "places"), "a place fixed on each, in the drawing: each a name or three numbers"
    )
    stiffness: float = key(not_negative, "force per length", 0.0)
    damping: float = key(not_negative, "force per speed", 0.0)
    length: float = key(not_negative, "length at which it is free of force")

    def check(self, mechanism: Mechanism) -> None:
        """Check bodies and points."""
        for body, point in zip(self.bodies, self.points, strict=True):
            mechanism.known_body(body)
            mechanism.place(point, body)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a coil, and what the ground holds it by."""
        one, other = ((b, mechanism.place(p, b)) for b, p in zip(self.bodies, self.points, strict=True))
        return coiled(part, one, other)
