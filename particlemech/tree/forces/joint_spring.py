"""Joint spring: spring and damper on a coordinate of a joint, or on the turning of a ball joint in any direction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from particlemech._spec import key, name, not_negative, number
from particlemech.applied import TRAVEL, TURN, Array, Quantities, vectors
from particlemech.errors import ModelError
from particlemech.primitives import Looks, Part, TorsionSpring, coiled
from particlemech.tree.forces.base import ForceSpec

if TYPE_CHECKING:
    from particlemech.tree.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class JointSpring(ForceSpec):
    """A spring and damper in a joint."""

    joint: str = key(name, "the joint")
    coordinate: str | None = key(
        name, "which coordinate; may be left out where there is one, and for a ball: alike about all axes", None
    )
    stiffness: float = key(not_negative, "force per length, or moment per rad", 0.0)
    damping: float = key(not_negative, "force per speed, or moment per rad/s", 0.0)
    rest: float = key(number, "value of the coordinate that is free of force", 0.0)

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate."""
        mechanism.known_joint(self.joint)
        joint = mechanism.joints[self.joint]
        if self.coordinate is not None or not (joint.spherical and joint.dof == 3):
            mechanism.acted_on(self.joint, self.coordinate, 'leave "coordinate" out for a spring about all axes')
        elif self.rest != 0.0:
            raise ModelError(
                f'key "rest": a spring about all axes of joint "{self.joint}" is free of moment as drawn, not at '
                f'{self.rest:g}; take it out, or name a "coordinate"'
            )

    def _all_round(self, mechanism: Mechanism) -> bool:
        """Return whether it is a spring in a ball, alike about all axes."""
        return self.coordinate is None and mechanism.joints[self.joint].dof != 1

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return moment or force with its coordinate and rate; of a spring about all axes its moment."""
        if self._all_round(mechanism):
            return vectors(3, moment="m")
        stage = mechanism.joints[self.joint].stages[mechanism.coordinate(self.joint, self.coordinate)]
        return TURN if stage.turn else TRAVEL

    def exerted(self, seen: Any) -> tuple[Array, ...]:
        """Return moment or force, positive where it pulls back, coordinate and rate; or the moment on the child."""
        if self._all_round(seen.mechanism):
            way, spin = seen.turning(self.joint)
            return (-self.stiffness * way - self.damping * spin,)
        x, rate = seen.coordinate(self.joint, self.coordinate), seen.rate(self.joint, self.coordinate)
        return self.stiffness * (x - self.rest) + self.damping * rate, x, rate

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a spiral about the axis, or a coil along it; a vane or a dashpot of a damper alone."""
        joint = mechanism.joints[self.joint]
        _, at = joint.seat(joint.child, mechanism)
        damper = self.damping > 0.0 and self.stiffness == 0.0
        spring = TorsionSpring(part, (joint.parent, joint.child), at, damper=damper)
        if self.coordinate is None and joint.dof != 1:
            return (spring,)
        stage = joint.stages[mechanism.coordinate(self.joint, self.coordinate)]
        if stage.turn:
            return (replace(spring, axis=stage.axis),)
        return coiled(part, (joint.parent, at), (joint.child, at), damper)
