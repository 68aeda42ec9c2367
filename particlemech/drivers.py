"""Drivers as users write them: prescribed motions whose torque or force is a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from particlemech._spec import Spec, choice, key, kind_name, name, names, place
from particlemech.errors import ModelError
from particlemech.primitives import GROUND, Looks, Part, Push, Turn
from particlemech.signals import SignalSpec, motion, values

if TYPE_CHECKING:
    from particlemech.mechanism import Mechanism


class DriverSpec(Spec):
    """Base of the drivers."""

    motion: SignalSpec
    joint: str | None = None  # whose coordinate it drives, of kinds that drive one

    def check(self, mechanism: Any) -> None:
        """Check the names it mentions, and that what they name can be driven so."""
        raise TypeError(f"{type(self).__name__} does not check itself")

    def between(self, mechanism: Any) -> tuple[str, str]:
        """Return the two bodies it acts between: that which reacts, and that on which its effort acts."""
        raise TypeError(f"{type(self).__name__} does not say between which bodies it acts")

    def turns(self, mechanism: Any) -> bool:
        """Whether its effort is a moment."""
        return False

    def look(self, part: Part, mechanism: Any, r: float) -> Looks:
        """Return what it looks like; r is half the width of a rod, m."""
        raise TypeError(f"{type(self).__name__} does not say what it looks like")

    def verify(self) -> None:
        """Check that the motion starts from 0 and is smooth enough to follow."""
        kind = kind_name(type(self.motion))
        if not self.motion.smooth:
            raise ModelError(f'key "motion": a {kind} jumps and cannot be followed; use "cycloid" or "table"')
        start = values(self.motion, 0.0)[0]
        if abs(start) > 1e-12:
            raise ModelError(
                f'key "motion": is {start:g} at t = 0 but counts from the drawing, so it must be 0 there; '
                f"shift its offset, start or values by {-start:g}"
            )


@dataclass(frozen=True, kw_only=True)
class Rotation(DriverSpec):
    """Angle of the second body against the first; the effort is a torque on the second."""

    bodies: tuple[str, ...] = key(names(2, 2), "reacted by the first, acting on the second")
    motion: SignalSpec = key(motion, "rad since t = 0")

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

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a turning arrow where the two bodies are joined."""
        return (Turn(part, *mechanism.between(self.bodies)),)


@dataclass(frozen=True, kw_only=True)
class Translation(DriverSpec):
    """Travel along a prismatic or slot joint; the effort is a force on its second body."""

    joint: str = key(name, "a prismatic or slot joint")
    motion: SignalSpec = key(motion, "length along the joint's axis since t = 0")

    def check(self, mechanism: Mechanism) -> None:
        """Check that its joint has an axis."""
        mechanism.known_joint(self.joint)
        joint = mechanism.joints[self.joint]
        if joint.axis is None:
            kind = kind_name(type(joint))
            raise ModelError(f'joint "{self.joint}" is a {kind}, which has no axis; name a prismatic or slot joint')

    def between(self, mechanism: Mechanism) -> tuple[str, str]:
        """Return the bodies of its joint."""
        first, second = mechanism.joints[self.joint].bodies
        return first, second

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow along the line of the joint."""
        joint = mechanism.joints[self.joint]
        body, at = joint.seat(joint.bodies[1], mechanism)
        return (Push(part, body, at, axis=joint.axis, axes=joint.bodies[0]),)


@dataclass(frozen=True, kw_only=True)
class Position(DriverSpec):
    """A coordinate of a point; the effort is a force on its body."""

    point: str | tuple[float, float] = key(place, "a place of a moving body: name or two numbers")
    axis: str = key(choice("x", "y"), "which coordinate")
    motion: SignalSpec = key(motion, "length since t = 0")
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

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow along the axis."""
        body = self.between(mechanism)[1]
        axis = (1.0, 0.0) if self.axis == "x" else (0.0, 1.0)
        return (Push(part, body, mechanism.place(self.point, body), axis=axis),)


def _called(point: str | tuple[float, float]) -> str:
    return f'point "{point}"' if isinstance(point, str) else f"the place {list(point)}"


KINDS: tuple[type[DriverSpec], ...] = (Rotation, Translation, Position)
NAMES = {kind_name(kind): kind for kind in KINDS}
