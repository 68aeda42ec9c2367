"""Position: a coordinate of a point is prescribed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.primitives import Looks, Part, Push
from particlemech.model.signals import SignalSpec, motion
from particlemech.model.space.drivers.base import DriverSpec
from particlemech.model.spec import choice, key, name

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Position(DriverSpec):
    """A coordinate of a point; the effort is a force on its body."""

    point: str = key(name, "a point of a moving body")
    axis: str = key(choice("x", "y", "z"), "which coordinate")
    motion: SignalSpec = key(motion, "displacement from the drawing, length")
    body: str | None = key(name, "where the point is on several; default: the first that lists it", None)

    def freedom(self, mechanism: Mechanism) -> tuple[str, str]:
        """The coordinate of the point."""
        return self.point, self.axis

    def carrier(self, mechanism: Mechanism) -> str:
        """Return the body on which the force acts."""
        return mechanism.carrier(self.point) if self.body is None else self.body

    def between(self, mechanism: Mechanism) -> tuple[str, str]:
        """Return the ground and that body."""
        return GROUND, self.carrier(mechanism)

    def check(self, mechanism: Mechanism) -> None:
        """Check that the point is on a body that moves."""
        mechanism.known_point(self.point)
        body = self.carrier(mechanism)
        if body == GROUND:
            raise ModelError(f'point "{self.point}" of the ground cannot be driven; name a body that lists it')
        mechanism.place_on(self.point, body)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow along the coordinate."""
        axis = tuple(float(self.axis == name) for name in "xyz")
        return (Push(part, self.carrier(mechanism), mechanism.points[self.point], None, axis),)
