"""Stops: what bounds a coordinate of a joint from one side or from both, and lets it go again."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from particlemech import _tape
from particlemech.model.applied import Array
from particlemech.model.forces import ForceSpec, Law
from particlemech.model.freedom import Freedom
from particlemech.model.joint import JointSpec
from particlemech.model.primitives import End, Looks, Part, Strap, moving
from particlemech.model.spec import key
from particlemech.model.stopping import Stopping

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism


def anything(value: Any) -> Any:
    """Whatever it is."""
    return value


@dataclass(frozen=True, kw_only=True)
class Pressed(ForceSpec):
    """A bound that gives way, while it is pressed."""

    of: Freedom = key(anything, "the coordinate")
    acting: Law = key(anything, "the law")

    def on(self, mechanism: Mechanism) -> Freedom:
        """Return the coordinate."""
        return self.of

    def law(self, mechanism: Mechanism) -> Law:
        """Return its law."""
        return self.acting


@dataclass(frozen=True, kw_only=True)
class Stop(Stopping, JointSpec):
    """A coordinate of a joint between two bounds, or beyond one: it strikes them, rests there and leaves.

    The equations are those of `Stopping`: a bound and its effort are never both away from zero, and what strikes
    leaves with its restitution, or the bound gives way by `stiffness` and `damping`.
    """

    dof = 3
    tree = None
    moment = True
    bodies = ()  # those of its joint
    ratio = 0.0  # it ties its coordinate to no other

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate."""
        self.of(mechanism)

    def of(self, mechanism: Mechanism) -> Freedom:
        """Return its coordinate."""
        return mechanism.coordinate(self.joint, self.coordinate)

    def read(self, seen: Any) -> tuple[Array, Array]:
        """Return its coordinate and the rate of that, (K,) each."""
        of = self.of(seen.mechanism)
        return seen.counted(of), seen.rate(of)

    def tied(self, mechanism: Mechanism) -> tuple[Freedom, ...]:
        """Return its coordinate, twice: as the first and as the second of a coupling of ratio 0."""
        return (self.of(mechanism),) * 2

    def takes(self, mechanism: Mechanism) -> int:
        """Return none: where it holds it does so for a while."""
        return 0

    def pressed(self, side: str, mechanism: Mechanism) -> Pressed:
        """Return the force of a bound that gives way, while it is pressed."""
        return Pressed(of=self.of(mechanism), acting=Law(None, self.stiffness or 0.0, self.damping, self.marks[side]))

    def counted(self, drawn: Any) -> Stop:
        """Return the same stop, its bounds counted from the points as they are drawn."""
        of = self.of(drawn.mechanism)
        from_points = float(drawn.counted(of)[0])
        moved: Any = {side: value + from_points for side, value in self.marks.items()}
        return replace(self, **moved)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a bar at each bound: across the line of a travel, or along the second body of a pin where it stops."""
        of, bars = self.of(mechanism), []
        if self.locks:
            return ()
        if of.turn:
            _, at = self.seat(of.first, mechanism)
            reach = mechanism.centre(of.second) if of.second in mechanism.bodies else mechanism.centre(of.first)
            angle, far = _tape.atan2(reach[1] - at[1], reach[0] - at[0]), _tape.dist(reach, at)
            ends = [(angle + b, max(0.5 * far, 3.0 * r), max(far, 6.0 * r)) for b in self.marks.values()]
            bars = [tuple((at[0] + s * math.cos(a), at[1] + s * math.sin(a)) for s in both) for a, *both in ends]
        else:
            (x, y), (u, v) = mechanism.drawn(of.point), of.axis
            size = math.hypot(u, v)
            for b in self.marks.values():
                px, py = x + b * u / size, y + b * v / size
                bars.append(tuple((px - s * v / size, py + s * u / size) for s in (-3.0 * r, 3.0 * r)))
        return tuple(Strap(part, ((of.first, one), (of.first, two))) for one, two in bars)

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return the place of its joint."""
        of = self.of(mechanism)
        return mechanism.joints[self.joint].seat(moving((of.second, of.first)), mechanism)
