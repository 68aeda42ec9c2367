"""Drivers as users write them: prescribed motions whose torque or force is a result.

A motion is the value of the coordinate, counted from the drawing; what it is at t = 0 is where the mechanism starts.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from particlemech.errors import ModelError
from particlemech.model.acting import Driver, OfCoordinate, OfDistance, OfPosition
from particlemech.model.freedom import Bond, Freedom
from particlemech.model.primitives import Looks, Part, Turn
from particlemech.model.signals import SignalSpec, motion
from particlemech.model.spec import Vector, choice, key, kind_name, names, place, two

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism


class DriverSpec(Driver):
    """Base of the drivers in the plane."""

    def bond(self, mechanism: Any, value: float) -> Bond | None:
        """Return what it holds where its motion is at a value; None if that is no bond of two bodies."""
        return None


@dataclass(frozen=True, kw_only=True)
class Coordinate(OfCoordinate, DriverSpec):
    """A coordinate of a joint; the effort is a torque or a force on its second body. Needs no type."""

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate, and that no other driver has it."""
        of = mechanism.coordinate(self.joint, self.coordinate)
        for other, driver in mechanism.drivers.items():
            if driver is self:
                break
            if driver.joint == self.joint and mechanism.coordinate(self.joint, driver.coordinate) == of:
                raise ModelError(
                    f'coordinate "{of.name}" of joint "{self.joint}" is already driven by driver "{other}"; '
                    "take one out"
                )

    def between(self, mechanism: Mechanism) -> tuple[str, str]:
        """Return the two sides of the coordinate."""
        of = mechanism.coordinate(self.joint, self.coordinate)
        return of.first, of.second

    def bond(self, mechanism: Mechanism, value: float) -> Bond:
        """Return the angle, or the line across that of the travel."""
        of = mechanism.coordinate(self.joint, self.coordinate)
        if of.turn:
            return Bond("turn", of.first, of.second, u=cmath.rect(1.0, value))
        return Bond.on_line(of, mechanism, value)


@dataclass(frozen=True, kw_only=True)
class Rotation(DriverSpec):
    """Angle of the second body against the first; the effort is a torque on the second."""

    bodies: tuple[str, ...] = key(names(2, 2), "reacted by the first, acting on the second")
    motion: SignalSpec = key(motion, "rad since the drawing", dimension="angle")

    def check(self, mechanism: Mechanism) -> None:
        """Check its bodies."""
        for body in self.bodies:
            mechanism.known_body(body)

    def between(self, mechanism: Mechanism) -> tuple[str, str]:
        """Return its two bodies."""
        return self.bodies[0], self.bodies[1]

    def turns(self, mechanism: Mechanism) -> bool:
        """Whether its effort is a moment: it is."""
        return True

    def bond(self, mechanism: Mechanism, value: float) -> Bond:
        """Return the angle."""
        return Bond("turn", self.bodies[0], self.bodies[1], u=cmath.rect(1.0, value))

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a turning arrow where the two bodies are joined."""
        return (Turn(part, *mechanism.between(self.bodies)),)


@dataclass(frozen=True, kw_only=True)
class Distance(OfDistance, DriverSpec):
    """Distance of two points, as of a hydraulic cylinder; the effort is a force that pushes them apart."""

    points: tuple[str | Vector, str | Vector] = key(
        two(place, "places"), "the two points, names or numbers", dimension="length"
    )

    def bond(self, mechanism: Mechanism, value: float) -> Bond | None:
        """Return a bar of the present length, where that is above zero."""
        (first, p), (second, q) = ((b, complex(*at)) for b, at in self.ends(mechanism))
        length = self.drawn(mechanism) + value
        return Bond("bar", first, second, p, q, length=length) if length > 0.0 else None


@dataclass(frozen=True, kw_only=True)
class Position(OfPosition, DriverSpec):
    """A coordinate of a point; the effort is a force on its body."""

    point: str | tuple[float, float] = key(place, "a place of a moving body: name or two numbers", dimension="length")
    axis: str = key(choice("x", "y"), "which coordinate")

    def bond(self, mechanism: Mechanism, value: float) -> Bond:
        """Return the line across the axis."""
        ground, body = self.between(mechanism)
        along = Freedom("travel", False, ground, body, self.point, self.along(mechanism))
        return Bond.on_line(along, mechanism, value)


KINDS: tuple[type[DriverSpec], ...] = (Coordinate, Rotation, Distance, Position)
NAMES = {kind_name(kind): kind for kind in KINDS}
PLAIN = Coordinate  # what a driver without a type is


def holding(joint: str, coordinate: str, value: float) -> DriverSpec:
    """Return a driver that holds a coordinate of a joint at a value counted from the points as they are drawn."""
    return Coordinate(joint=joint, coordinate=coordinate, motion=motion(value))
