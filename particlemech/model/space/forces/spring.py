"""Spring: spring and damper along the line between a point of each of two bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from particlemech.errors import ModelError
from particlemech.model.applied import LINE, Array, along_line
from particlemech.model.primitives import Looks, Part, coiled
from particlemech.model.space.forces.base import ForceSpec
from particlemech.model.spec import Vector3, key, names, not_negative, place3, two

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Spring(ForceSpec):
    """A spring and damper along the line between two points."""

    elastic = True
    reported = LINE
    bodies: tuple[str, ...] = key(names(2, 2), "two bodies; one may be the ground")
    points: tuple[str | Vector3, str | Vector3] = key(
        two(place3, "places"), "one on each: each a point of the body, or three numbers, in the drawing, fixed on it"
    )
    stiffness: float = key(not_negative, "force per length", 0.0)
    damping: float = key(not_negative, "force per speed", 0.0)
    length: float | None = key(not_negative, "at which it is free of force; default: that of the drawing", None)

    def check(self, mechanism: Mechanism) -> None:
        """Check bodies and points, and that a spring with a length has a direction."""
        one, other = (mechanism.place_on(p, b) for p, b in zip(self.points, self.bodies, strict=True))
        if one == other and self.free(mechanism) > 0.0:
            raise ModelError(f"its ends are drawn at one place, {list(one)}, so it has no direction; move one")

    def ends(self, mechanism: Mechanism) -> tuple[tuple[str, Vector3], tuple[str, Vector3]]:
        """Return the bodies and the places on them, in the drawing."""
        one, other = ((b, mechanism.place(p, b)) for b, p in zip(self.bodies, self.points, strict=True))
        return one, other

    def free(self, mechanism: Mechanism) -> float:
        """Return the length at which it is free of force."""
        return self.length if self.length is not None else math.dist(*(at for _, at in self.ends(mechanism)))

    def exerted(self, seen: Any) -> tuple[Array, Array, Array]:
        """Return force, positive where it pulls its ends together; length; rate of the length."""
        return along_line(seen, *self.ends(seen.mechanism), self.stiffness, self.damping, self.free(seen.mechanism))

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a coil, and what the ground holds it by."""
        return coiled(part, *self.ends(mechanism), damper=self.damping > 0.0 and self.stiffness == 0.0)
