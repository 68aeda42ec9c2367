"""Drivers as users write them: prescribed motions whose torque or force is a result.

A motion is the value of the coordinate, counted from the drawing; what it is at t = 0 is where the mechanism starts.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from particlemech import _tape
from particlemech.errors import ModelError
from particlemech.model.freedom import Bond, Freedom
from particlemech.model.primitives import GROUND, Looks, Part, Push, Rod, Turn
from particlemech.model.signals import SignalSpec, motion, values
from particlemech.model.spec import Spec, Vector, choice, key, kind_name, name, names, place, two

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism


class DriverSpec(Spec):
    """Base of the drivers."""

    motion: SignalSpec
    joint: str | None = None  # whose coordinate it drives, of kinds that drive one
    coordinate: str | None = None

    def check(self, mechanism: Any) -> None:
        """Check the names it mentions, and that what they name can be driven so."""
        raise TypeError(f"{type(self).__name__} does not check itself")

    def between(self, mechanism: Any) -> tuple[str, str]:
        """Return the two bodies it acts between: that which reacts, and that on which its effort acts."""
        raise TypeError(f"{type(self).__name__} does not say between which bodies it acts")

    def turns(self, mechanism: Any) -> bool:
        """Whether its effort is a moment."""
        return False

    def bond(self, mechanism: Any, value: float) -> Bond | None:
        """Return what it holds where its motion is at a value; None if that is no bond of two bodies."""
        return None

    def look(self, part: Part, mechanism: Any, r: float) -> Looks:
        """Return what it looks like; r is half the width of a rod, m."""
        raise TypeError(f"{type(self).__name__} does not say what it looks like")

    def verify(self) -> None:
        """Check that the motion is smooth enough to follow."""
        if not self.motion.smooth:
            kind = kind_name(type(self.motion))
            raise ModelError(f'key "motion": a {kind} jumps and cannot be followed; use "cycloid" or "table"')


@dataclass(frozen=True, kw_only=True)
class Coordinate(DriverSpec):
    """A coordinate of a joint; the effort is a torque or a force on its second body. Needs no type."""

    joint: str = key(name, "a joint that leaves a coordinate free")
    coordinate: str | None = key(name, "which coordinate; may be left out where there is one", None)
    motion: SignalSpec = key(motion, "value of the coordinate since the drawing, rad or length")

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

    def turns(self, mechanism: Mechanism) -> bool:
        """Whether its effort is a moment: on an angle."""
        return mechanism.coordinate(self.joint, self.coordinate).turn

    def bond(self, mechanism: Mechanism, value: float) -> Bond:
        """Return the angle, or the line across that of the travel."""
        of = mechanism.coordinate(self.joint, self.coordinate)
        if of.turn:
            return Bond("turn", of.first, of.second, u=cmath.rect(1.0, value))
        return Bond.on_line(of, mechanism, value)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow about the pin, or along the line of the joint."""
        return mechanism.joints[self.joint].acted(part, mechanism, mechanism.coordinate(self.joint, self.coordinate))


@dataclass(frozen=True, kw_only=True)
class Rotation(DriverSpec):
    """Angle of the second body against the first; the effort is a torque on the second."""

    bodies: tuple[str, ...] = key(names(2, 2), "reacted by the first, acting on the second")
    motion: SignalSpec = key(motion, "rad since the drawing")

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
class Distance(DriverSpec):
    """Distance of two points, as of a hydraulic cylinder; the effort is a force that pushes them apart."""

    points: tuple[str | Vector, str | Vector] = key(two(place, "places"), "the two points, names or numbers")
    motion: SignalSpec = key(motion, "change of their distance since the drawing")
    bodies: tuple[str, ...] | None = key(
        names(2, 2), "where the points are on several bodies; default: the first that lists each", None
    )

    def check(self, mechanism: Mechanism) -> None:
        """Check that two bodies carry its points, and that these are apart."""
        for point in self.points:
            mechanism.drawn(point)
            if self.bodies is None and not isinstance(point, str):
                raise ModelError('key "bodies" is missing; name the bodies on which the two places are fixed')
        first, second = self.between(mechanism)
        if first == second:
            raise ModelError(
                f'both points are on body "{first}", so their distance cannot change; '
                'name points of two bodies, or say which by "bodies"'
            )
        for point, body in zip(self.points, (first, second), strict=True):
            mechanism.carried(point, body)
        drawn, start = self.drawn(mechanism), values(self.motion, 0.0)[0]
        if drawn == 0.0:
            one, other = map(_called, self.points)
            raise ModelError(f"{one} and {other} are drawn at one place, so their line has no direction; move one")
        if drawn + start <= 0.0:
            raise ModelError(
                f'key "motion": starts at {start:g}, which leaves nothing of the drawn distance of {drawn:g}; '
                "a distance stays above zero"
            )

    def between(self, mechanism: Mechanism) -> tuple[str, str]:
        """Return the bodies that carry its points."""
        if self.bodies is not None:
            return self.bodies[0], self.bodies[1]
        return mechanism.carrier(self.points[0]), mechanism.carrier(self.points[1])

    def drawn(self, mechanism: Mechanism) -> float:
        """Return the distance as drawn."""
        one, other = (mechanism.drawn(point) for point in self.points)
        return _tape.dist(one, other)

    def bond(self, mechanism: Mechanism, value: float) -> Bond | None:
        """Return a bar of the present length, where that is above zero."""
        first, second = self.between(mechanism)
        length = self.drawn(mechanism) + value
        p, q = (complex(*mechanism.place(point, b)) for point, b in zip(self.points, (first, second), strict=True))
        return Bond("bar", first, second, p, q, length=length) if length > 0.0 else None

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the rod of a cylinder between its points."""
        ends = zip(self.between(mechanism), self.points, strict=True)
        first, second = ((body, mechanism.place(point, body)) for body, point in ends)
        return (Rod(part, (first, second)),)


@dataclass(frozen=True, kw_only=True)
class Position(DriverSpec):
    """A coordinate of a point; the effort is a force on its body."""

    point: str | tuple[float, float] = key(place, "a place of a moving body: name or two numbers")
    axis: str = key(choice("x", "y"), "which coordinate")
    motion: SignalSpec = key(motion, "length since the drawing")
    body: str | None = key(name, "where the point is on several; default: the first that lists it", None)

    def check(self, mechanism: Mechanism) -> None:
        """Check that a moving body carries its point."""
        mechanism.drawn(self.point)
        if self.body is None and not isinstance(self.point, str):
            raise ModelError('key "body" is missing; name the body on which the place is fixed')
        body = self.between(mechanism)[1]
        if body == GROUND:
            raise ModelError(f"{_called(self.point)} of the ground cannot be driven; name a body that carries it")
        mechanism.carried(self.point, body)

    def between(self, mechanism: Mechanism) -> tuple[str, str]:
        """Return the ground, and the body on which the point is fixed."""
        return GROUND, mechanism.carrier(self.point) if self.body is None else self.body

    def bond(self, mechanism: Mechanism, value: float) -> Bond:
        """Return the line across the axis."""
        ground, body = self.between(mechanism)
        axis = (1.0, 0.0) if self.axis == "x" else (0.0, 1.0)
        return Bond.on_line(Freedom("travel", False, ground, body, self.point, axis), mechanism, value)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow along the axis."""
        body = self.between(mechanism)[1]
        axis = (1.0, 0.0) if self.axis == "x" else (0.0, 1.0)
        return (Push(part, body, mechanism.place(self.point, body), axis=axis),)


def _called(point: str | tuple[float, float]) -> str:
    return f'point "{point}"' if isinstance(point, str) else f"the place {list(point)}"


KINDS: tuple[type[DriverSpec], ...] = (Coordinate, Rotation, Distance, Position)
NAMES = {kind_name(kind): kind for kind in KINDS}
PLAIN = Coordinate  # what a driver without a type is


def holding(joint: str, coordinate: str, value: float) -> DriverSpec:
    """Return a driver that holds a coordinate of a joint at a value counted from the points as they are drawn."""
    return Coordinate(joint=joint, coordinate=coordinate, motion=motion(value))
