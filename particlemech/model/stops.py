"""Stops: what bounds a coordinate of a joint from one side or from both, and lets it go again."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech import _tape
from particlemech.errors import ModelError
from particlemech.model.acting import COORDINATE
from particlemech.model.applied import Array, Quantities
from particlemech.model.forces import ForceSpec, Law
from particlemech.model.freedom import Freedom
from particlemech.model.joint import JointSpec, OneSided
from particlemech.model.primitives import End, Looks, Part, Strap, moving
from particlemech.model.spec import key, name, not_negative, number, positive, share

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism

LOWER, UPPER = "lower", "upper"


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
class Stop(JointSpec):
    """A coordinate of a joint between two bounds, or beyond one: it strikes them, rests there and leaves.

        c - lower >= 0,  effort >= 0,  one of them 0        and upper - c >= 0, effort <= 0 likewise          (1)
        c'+ = -restitution c'-                              where it strikes                                  (2)

    The effort, a result, works on the coordinate as a motor's does. With a `stiffness` the bounds give way:

        effort = max(0, k d - b c')                         d > 0 how far below lower; above upper likewise   (3)
    """

    in_space = 'in space take "limits" of the joint, which are checked after a run'
    dof = 3
    tree = None
    moment = True
    bodies = ()  # those of its joint
    ratio = 0.0  # it ties its coordinate to no other
    locks = False  # it holds its coordinate from both sides, as an event has said
    joint: str = key(name, "the joint")
    coordinate: str | None = key(name, COORDINATE, None)
    lower: float | None = key(number, "least value of the coordinate, since the drawing", None, dimension="freedom")
    upper: float | None = key(number, "largest value of the coordinate", None, dimension="freedom")
    restitution: float = key(share, "part of the speed with which it leaves a bound again", 0.0, dimension="number")
    stiffness: float | None = key(
        positive, "of bounds that give way; default: they are rigid", None, dimension="effort/freedom"
    )
    damping: float = key(not_negative, "of bounds that give way", 0.0, dimension="effort time/freedom")

    def verify(self) -> None:
        """Check that there is something to strike, and one law for it."""
        if self.lower is None and self.upper is None:
            raise ModelError('it needs "lower", "upper" or both')
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise ModelError(f'key "upper": must be above lower = {self.lower:g}, got {self.upper:g}')
        if self.stiffness is None and self.damping != 0.0:
            raise ModelError('key "damping" belongs to a "stiffness"; a rigid stop has a "restitution"')
        if self.stiffness is not None and self.restitution != 0.0:
            raise ModelError('key "restitution" is for a rigid stop; one with a "stiffness" has a "damping"')

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate."""
        self.of(mechanism)

    def of(self, mechanism: Mechanism) -> Freedom:
        """Return its coordinate."""
        return mechanism.coordinate(self.joint, self.coordinate)

    def tied(self, mechanism: Mechanism) -> tuple[Freedom, ...]:
        """Return its coordinate, twice: as the first and as the second of a coupling of ratio 0."""
        return (self.of(mechanism),) * 2

    def takes(self, mechanism: Mechanism) -> int:
        """Return none: where it holds it does so for a while."""
        return 0

    def turns(self, mechanism: Mechanism) -> bool:
        """Whether its effort is a moment."""
        return self.of(mechanism).turn

    @property
    def marks(self) -> dict[str, float]:
        """Its bounds, by side."""
        both = {LOWER: self.lower, UPPER: self.upper}
        return {side: value for side, value in both.items() if value is not None}

    @property
    def held(self) -> tuple[float, ...]:
        """The bounds at which it holds its coordinate now."""
        return tuple(self.marks[side] for side in self.mode)

    def sides(self, mechanism: Mechanism) -> tuple[OneSided, ...]:
        """Return its bounds; none of a lock."""
        if self.locks:
            return ()
        law = None if self.stiffness is None else (self.stiffness, self.damping)
        signs = {LOWER: 1.0, UPPER: -1.0}
        return tuple(OneSided(side, signs[side], self.restitution, law) for side in self.marks)

    def pressed(self, side: str, mechanism: Mechanism) -> Pressed:
        """Return the force of a bound that gives way, while it is pressed."""
        return Pressed(of=self.of(mechanism), acting=Law(None, self.stiffness or 0.0, self.damping, self.marks[side]))

    def said(self, side: str, gap: float, mechanism: Mechanism) -> str:
        """Return how far it is beyond a bound, and what to do, in words."""
        unit = "rad" if self.turns(mechanism) else mechanism.unit.length
        value = self.marks[side] + (gap if side == LOWER else -gap)
        return (
            f'joint "{self.joint}" starts at {value:.6g}, {-gap:.3g} {unit} beyond {side} = {self.marks[side]:g}; '
            f"move the start by [initial] position, or set {side} to {value:.6g}"
        )

    def counted(self, drawn: Any) -> Stop:
        """Return the same stop, its bounds counted from the points as they are drawn."""
        of = self.of(drawn.mechanism)
        from_points = float(drawn.counted(of)[0])
        moved: Any = {side: value + from_points for side, value in self.marks.items()}
        return replace(self, **moved)

    def pushes(self, mechanism: Mechanism) -> int:
        """Return one: its effort."""
        return 1

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return its effort, and how far the coordinate is from the nearest bound."""
        return {"effort": ("effort",)} if self.locks else {"effort": ("effort",), "gap": ("gap",)}

    def measure(self, column: str, mechanism: Mechanism) -> str:
        """Return what a column shows."""
        names = ("moment", "angle") if self.turns(mechanism) else ("force", "position")
        return names[column == "gap"]

    def exerted(self, seen: Any, efforts: Array) -> list[Array]:
        """Return (1) of its rows, or (3), and the gap, (K,) each."""
        if self.locks:
            return [np.zeros(len(seen.t)) + np.sum(efforts, axis=1)]
        of = self.of(seen.mechanism)
        at, total, gaps = seen.counted(of), np.zeros(len(seen.t)) + np.sum(efforts, axis=1), []
        for side in self.sides(seen.mechanism):
            gaps.append(side.sign * (at - self.marks[side.name]))
            if side.law is not None:
                k, b = side.law
                rate = side.sign * seen.rate(of)
                total += side.sign * np.where(gaps[-1] < 0.0, np.maximum(-k * gaps[-1] - b * rate, 0.0), 0.0)
        return [total, np.min(gaps, axis=0)]

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


def locked(joint: str, coordinate: str, value: float | None) -> Stop:
    """Return what holds a coordinate at a value; None: nothing yet."""
    lock = Stop(joint=joint, coordinate=coordinate, lower=0.0 if value is None else value)
    object.__setattr__(lock, "locks", True)
    object.__setattr__(lock, "mode", () if value is None else (LOWER,))
    return lock
