"""Drivers as users write them: prescribed motions whose torque or force is a result."""

from __future__ import annotations

from dataclasses import dataclass

from particlemech._spec import Spec, choice, key, kind_name, name, names
from particlemech.errors import ModelError
from particlemech.signals import SignalSpec, signal, values


class DriverSpec(Spec):
    """Base of the drivers."""

    motion: SignalSpec

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
    motion: SignalSpec = key(signal, "rad since t = 0")


@dataclass(frozen=True, kw_only=True)
class Translation(DriverSpec):
    """Travel along a prismatic or slot joint; the effort is a force on its second body."""

    joint: str = key(name, "a prismatic or slot joint")
    motion: SignalSpec = key(signal, "m along the joint's direction since t = 0")


@dataclass(frozen=True, kw_only=True)
class Position(DriverSpec):
    """A coordinate of a point; the effort is a force on its body."""

    point: str = key(name, "a point of a moving body")
    axis: str = key(choice("x", "y"), "which coordinate")
    motion: SignalSpec = key(signal, "m since t = 0")
    body: str | None = key(name, "where the point is on several; default: the first that lists it", None)


KINDS: tuple[type[DriverSpec], ...] = (Rotation, Translation, Position)
NAMES = {kind_name(kind): kind for kind in KINDS}
