"""Torque: a couple on a body, reacted by another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from particlemech.model.applied import Array, vectors
from particlemech.model.primitives import GROUND, Looks, Part, Turn
from particlemech.model.signals import SignalSpec, course, signal_vector3
from particlemech.model.space.forces.base import Couple, ForceSpec
from particlemech.model.spec import Vector3, choice, key, names, place3

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Torque(ForceSpec):
    """A couple between two bodies."""

    reported = vectors(3, moment="m")
    bodies: tuple[str, ...] = key(names(2, 2), "reacted by the first, which may be the ground; acting on the second")
    torque: tuple[SignalSpec, SignalSpec, SignalSpec] = key(signal_vector3, "moment on the second", dimension="moment")
    point: str | Vector3 | None = key(
        place3,
        "where it acts on the second, in the drawing; matters where that bends; default: centre of mass",
        None,
        dimension="length",
    )
    frame: str = key(choice("global", "body"), "axes of the torque: global, or turning with the second", "global")

    def check(self, mechanism: Mechanism) -> None:
        """Check the bodies."""
        mechanism.known_body(self.bodies[0])
        mechanism.moving_body(self.bodies[1])
        mechanism.place_on(self.point, self.bodies[1])

    def couple(self, mechanism: Mechanism) -> Couple:
        """Return itself."""
        return Couple(self.bodies, self.bodies[1] if self.frame == "body" else GROUND, self.torque)

    def exerted(self, seen: Any) -> tuple[Array]:
        """Return the moment on the second body, global axes."""
        moment = course(self.torque, seen.t)
        at = seen.mechanism.place(self.point, self.bodies[1])
        return (seen.turned(self.bodies[1], moment, at) if self.frame == "body" else moment,)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a turning arrow where it acts."""
        body = self.bodies[1]
        axes = body if self.frame == "body" else GROUND
        return (Turn(part, body, mechanism.place(self.point, body), partial(course, self.torque), axes=axes),)
