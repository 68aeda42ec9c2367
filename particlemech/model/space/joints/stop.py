"""Stop: bounds of a coordinate of a joint, which strikes them, rests there and leaves again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech import rotations
from particlemech.errors import ModelError
from particlemech.model.applied import Array
from particlemech.model.primitives import GROUND, End, Looks, Lug, Part
from particlemech.model.shapes import lugs
from particlemech.model.space.forces import ForceSpec
from particlemech.model.space.forces.torsion import spring
from particlemech.model.space.joints.base import SAME, JointSpec
from particlemech.model.spec import Vector3
from particlemech.model.stopping import Stopping

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Stop(Stopping, JointSpec):
    """A coordinate of a joint between two bounds, or beyond one: it strikes them, rests there and leaves.

    The equations are those of `Stopping`. The coordinate is any by which joints are named: an angle counts its turns,
    and may not be driven, for nothing would give way.
    """

    dof = 6
    tree = None
    bodies = ()  # those of its joint

    @property
    def joints(self) -> tuple[str, ...]:
        """The joint on whose coordinate it acts."""
        return (self.joint,)

    def ends(self, mechanism: Mechanism) -> tuple[tuple[str, str], ...]:
        """Return the joint and its coordinate."""
        return ((self.joint, mechanism.coordinate(self.joint, self.coordinate)),)

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate, and that something can give way."""
        mechanism.acted_on(self.joint, self.coordinate, "stop another coordinate")
        ((joint, of),) = self.ends(mechanism)
        if (joint, of) in mechanism.driven:
            driver = mechanism.driven[joint, of]
            raise ModelError(
                f'"{of}" of joint "{joint}" is driven by driver "{driver}", which a bound ({self._bounds}) cannot hold '
                "back; take one of them out, or drive it by a motor with a controller"
            )

    @property
    def _bounds(self) -> str:
        return ", ".join(f"{side} = {value:g}" for side, value in self.marks.items())

    def read(self, seen: Any) -> tuple[Array, Array]:
        """Return its coordinate and the rate of that, (K,) each."""
        ((joint, of),) = self.ends(seen.mechanism)
        return seen.coordinate(joint, of), seen.rate(joint, of)

    def pressed(self, side: str, mechanism: Mechanism) -> ForceSpec:
        """Return the force of a bound that gives way, while it is pressed."""
        law = self.stiffness or 0.0, self.damping, self.marks[side]
        return spring(self.joint, self.coordinate, *law, self.turns(mechanism))

    def place(self, mechanism: Mechanism) -> Vector3:
        """Return the place of its joint."""
        return mechanism.joints[self.joint].place(mechanism)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return lugs beside an axis, which its second body strikes, or blocks at the ends of a path."""
        if self.locks:
            return ()
        ((joint, name),) = self.ends(mechanism)
        spec, at = mechanism.joints[joint], self.place(mechanism)
        k, stage = next((k, stage) for k, stage in enumerate(spec.stages or ()) if stage.name == name)
        fixed = spec.fixed(k)
        if fixed is None:  # between two rotations
            return ()
        frame, axis = fixed
        if not stage.turn:
            return self.buffers(part, frame, at, axis, spec.look(part, mechanism, r))
        lower, upper = self.lower, self.upper
        if spec.second == GROUND and len(spec.stages or ()) == 1:  # the lugs are there all the same
            frame = GROUND
        if frame != spec.first:
            lower, upper = (None if b is None else -b for b in (upper, lower))
        out = self._out(mechanism, np.array(at), np.array(axis))
        one = out / np.linalg.norm(out)
        across = np.array([one, np.cross(axis, one)])
        found = lugs((0.0, 0.0), lower, upper, r)
        return tuple(Lug(part, frame, at, tuple(map(tuple, (at + np.array(o) @ across).tolist()))) for o in found)

    def _out(self, mechanism: Mechanism, at: Array, axis: Array) -> Array:
        """Return the way from an axis through a place to the body that turns, or one across where that is on it."""
        spec = mechanism.joints[self.joint]
        way = np.array(mechanism.centre(spec.second if spec.second in mechanism.bodies else spec.first)) - at
        out = way - (way @ axis) * axis
        return out if np.linalg.norm(out) > SAME * np.linalg.norm(way) else rotations.beside(axis)[0]

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return the place of its joint, on its second body."""
        joint = mechanism.joints[self.joint]
        return joint.seat(joint.second, mechanism)
