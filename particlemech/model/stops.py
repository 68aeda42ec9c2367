"""Stops: what bounds a coordinate of a joint from one side or from both, and lets it go again."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from particlemech.model.applied import Array
from particlemech.model.forces import ForceSpec, Law
from particlemech.model.freedom import Freedom
from particlemech.model.joint import JointSpec
from particlemech.model.primitives import GROUND, End, Looks, Lug, Part, moving
from particlemech.model.shapes import lugs, sector
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
        """Return lugs beside a pin, which its second body strikes, or blocks at the ends of a path."""
        if self.locks:
            return ()
        of = self.of(mechanism)
        if not of.turn:
            size, rides = math.hypot(*of.axis), mechanism.joints[self.joint].look(part, mechanism, r)
            return self.buffers(
                part, of.first, mechanism.drawn(of.point), (of.axis[0] / size, of.axis[1] / size), rides
            )
        frame, turns, lower, upper = of.first, of.second, self.lower, self.upper
        if turns == GROUND:  # the lugs are there all the same
            frame, turns, lower, upper = turns, frame, *(None if b is None else -b for b in (upper, lower))
        _, (x, y) = at = self.seat(frame, mechanism)
        arms = [(px - x, py - y) for px, py in mechanism.outline(turns)]
        edges = sector([arm for arm in arms if math.hypot(*arm) > r] or [(1.0, 0.0)])
        found = lugs(edges, lower, upper, r)
        return tuple(Lug(part, frame, at[1], tuple((x + u, y + v) for u, v in outline)) for outline in found)

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return the place of its joint."""
        of = self.of(mechanism)
        return mechanism.joints[self.joint].seat(moving((of.second, of.first)), mechanism)
