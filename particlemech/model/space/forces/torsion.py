"""Torsion: spring and damper on a coordinate of a joint, or on turning in any direction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from particlemech.errors import ModelError
from particlemech.model.applied import TRAVEL, TURN, Array, Quantities, vectors
from particlemech.model.primitives import Looks, Part, TorsionSpring, coiled
from particlemech.model.space.forces.base import ForceSpec
from particlemech.model.spec import key, name, not_negative, number

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Torsion(ForceSpec):
    """A spring and damper in a joint, on one of its coordinates; counts full turns."""

    elastic = True
    joint: str = key(name, "the joint")
    coordinate: str | None = key(
        name, "which coordinate; may be left out where there is one, and for a spherical: alike about all axes", None
    )
    stiffness: float = key(not_negative, "moment per rad, or force per length", 0.0, dimension="effort/freedom")
    damping: float = key(not_negative, "moment per rad/s, or force per speed", 0.0, dimension="effort time/freedom")
    angle: float | None = key(
        number, "value of an angle that is free of moment, from the drawing; default: 0", None, dimension="angle"
    )
    length: float | None = key(
        number, "value of a travel that is free of force, from the drawing; default: 0", None, dimension="length"
    )

    @property
    def free(self) -> float:
        """The value of the coordinate that is free of effort."""
        return self.angle if self.angle is not None else self.length if self.length is not None else 0.0

    def all_round(self, mechanism: Mechanism) -> bool:
        """Return whether it is a spring in a spherical joint, alike about all axes."""
        joint = mechanism.joints[self.joint]
        return self.coordinate is None and joint.spherical and joint.dof == 3

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate, and that the free value is one of its kind."""
        mechanism.known_joint(self.joint)
        if self.all_round(mechanism):
            if self.angle is not None or self.length is not None:
                raise ModelError(
                    f'a spring about all axes of joint "{self.joint}" is free of moment as drawn; take "angle" and '
                    '"length" out, or name a "coordinate"'
                )
            return
        mechanism.acted_on(self.joint, self.coordinate, 'leave "coordinate" out for a spring about all axes')
        turns = self.turns(mechanism)
        if (self.length if turns else self.angle) is not None:
            wrong, right, kind = ("length", "angle", "an angle") if turns else ("angle", "length", "a travel")
            raise ModelError(f'key "{wrong}": the coordinate is {kind}; say its free value by "{right}"')

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return moment or force with its coordinate and rate; of a spring about all axes its moment."""
        if self.all_round(mechanism):
            return vectors(3, moment="m")
        return TURN if self.turns(mechanism) else TRAVEL

    def exerted(self, seen: Any) -> tuple[Array, ...]:
        """Return moment or force, positive where it pulls back, coordinate and rate; or the moment on the second."""
        if self.all_round(seen.mechanism):
            way, spin = seen.turning(self.joint)
            return (-self.stiffness * way - self.damping * spin,)
        x, rate = seen.coordinate(self.joint, self.coordinate), seen.rate(self.joint, self.coordinate)
        return self.stiffness * (x - self.free) + self.damping * rate, x, rate

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a spiral about the axis, or a coil along it; a vane or a dashpot of a damper alone."""
        joint = mechanism.joints[self.joint]
        at = joint.place(mechanism)
        damper = self.damping > 0.0 and self.stiffness == 0.0
        spring = TorsionSpring(part, (joint.first, joint.second), at, damper=damper)
        if self.all_round(mechanism):
            return (spring,)
        if not self.turns(mechanism):
            return coiled(part, (joint.first, at), (joint.second, at), damper)
        coordinate = mechanism.coordinate(self.joint, self.coordinate)
        axes = [stage.axis for stage in joint.stages or () if stage.name == coordinate]
        return (replace(spring, axis=axes[0]) if axes else spring,)


def spring(joint: str, coordinate: str | None, stiffness: float, damping: float, free: float, turns: bool) -> ForceSpec:
    """Return a spring and damper on a coordinate of a joint, which is free of effort at a value."""
    at: Any = {"angle" if turns else "length": free}
    return Torsion(joint=joint, coordinate=coordinate, stiffness=stiffness, damping=damping, **at)


def damper(joint: str, coordinate: str | None, damping: float) -> ForceSpec:
    """Return a damper on a coordinate of a joint, or alike about all axes of a spherical one."""
    return Torsion(joint=joint, coordinate=coordinate, damping=damping)
