"""Distance: the distance of two points is prescribed, as a hydraulic cylinder does it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.errors import ModelError
from particlemech.model.primitives import Looks, Part, Rod, held
from particlemech.model.signals import SignalSpec, motion
from particlemech.model.space.drivers.base import DriverSpec
from particlemech.model.spec import Vector3, key, names, place3, two

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Distance(DriverSpec):
    """The distance of two points; the effort is a force along their line, positive where it pushes them apart."""

    points: tuple[str | Vector3, str | Vector3] = key(
        two(place3, "places"), "two places, in the drawing: each the name of a point, or three numbers"
    )
    bodies: tuple[str, ...] | None = key(
        names(2, 2), "that carry them; default: for each named point the first body that lists it", None
    )
    motion: SignalSpec = key(motion, "length beyond that of the drawing")

    def carriers(self, mechanism: Mechanism) -> tuple[str, str]:
        """Return the bodies that carry the points."""
        if self.bodies is not None:
            return self.bodies[0], self.bodies[1]
        if not all(isinstance(p, str) for p in self.points):
            raise ModelError('places given by numbers need "bodies", which say what carries them')
        for p in self.points:
            mechanism.known_point(str(p))
        one, other = (mechanism.carrier(str(p)) for p in self.points)
        return one, other

    def between(self, mechanism: Mechanism) -> tuple[str, str]:
        """Return the bodies that carry the points."""
        return self.carriers(mechanism)

    def ends(self, mechanism: Mechanism) -> tuple[tuple[str, Vector3], tuple[str, Vector3]]:
        """Return the bodies and the places on them, in the drawing."""
        one, other = ((b, mechanism.place(p, b)) for b, p in zip(self.carriers(mechanism), self.points, strict=True))
        return one, other

    def drawn(self, mechanism: Mechanism) -> float:
        """Return the distance in the drawing."""
        return math.dist(*(at for _, at in self.ends(mechanism)))

    def freedom(self, mechanism: Mechanism) -> tuple[str, str]:
        """The two points."""
        return " to ".join(sorted(str(p) for p in self.points)), "distance"

    def check(self, mechanism: Mechanism) -> None:
        """Check that the points are on two bodies, and apart."""
        one, other = self.carriers(mechanism)
        if one == other:
            raise ModelError(f'both points are on "{one}", so their distance cannot change; name points of two bodies')
        for body, point in zip((one, other), self.points, strict=True):
            mechanism.place_on(point, body)
        if self.drawn(mechanism) == 0.0:
            raise ModelError("its points are drawn at one place, so it has no direction; draw them apart")

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the rod of the cylinder, and what the ground holds it by."""
        ends = self.ends(mechanism)
        return (Rod(part, ends), *held(part, *ends))
