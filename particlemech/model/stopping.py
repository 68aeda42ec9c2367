"""What stops of both worlds have in common: bounds of a coordinate, and what they exert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from particlemech.errors import ModelError
from particlemech.model.acting import COORDINATE
from particlemech.model.applied import Array, Quantities
from particlemech.model.one_sided import Holding, OneSided
from particlemech.model.primitives import Buffer, Looks, Part, Pin, Place, Slider
from particlemech.model.spec import Spec, key, name, not_negative, number, positive, share

LOWER, UPPER = "lower", "upper"


@dataclass(frozen=True, kw_only=True)
class Stopping(Holding, Spec):
    """A coordinate of a joint between two bounds, or beyond one: it strikes them, rests there and leaves.

        c - lower >= 0,  effort >= 0,  one of them 0        and upper - c >= 0, effort <= 0 likewise          (1)
        c'+ = -restitution c'-                              where it strikes                                  (2)

    The effort, a result, works on the coordinate as a motor's does. With a `stiffness` the bounds give way:

        effort = max(0, k d - b c')                         d > 0 how far below lower; above upper likewise   (3)
    """

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

    @classmethod
    def lock(cls, joint: str, coordinate: str, value: float | None) -> Self:
        """Return what holds a coordinate at a value; None: nothing yet."""
        made = cls(joint=joint, coordinate=coordinate, lower=0.0 if value is None else value)
        object.__setattr__(made, "locks", True)
        object.__setattr__(made, "mode", () if value is None else (LOWER,))
        return made

    def buffers(self, part: Part, frame: str, at: Place, along: Place, rides: Looks) -> Looks:
        """Return blocks at the ends of a path, along a unit vector from a place of a frame; `rides` shows its joint."""
        block = any(isinstance(p, Slider) or (isinstance(p, Pin) and p.axis is not None) for p in rides)
        path, found = Part(part.section, self.joint), []
        for side, value in self.marks.items():
            there = tuple(x + value * u for x, u in zip(at, along, strict=True))
            out = tuple(-u for u in along) if side == LOWER else along
            found.append(Buffer(part, frame, there, out, path, not block))
        return tuple(found)

    def turns(self, mechanism: Any) -> bool:
        """Whether its effort is a moment."""
        return bool(mechanism.is_angle(self.joint, self.coordinate))

    def read(self, seen: Any) -> tuple[Array, Array]:
        """Return its coordinate and the rate of that at the samples of a motion, (K,) each."""
        raise TypeError(f"{type(self).__name__} does not say what it bounds")

    @property
    def marks(self) -> dict[str, float]:
        """Its bounds, by side."""
        both = {LOWER: self.lower, UPPER: self.upper}
        return {side: value for side, value in both.items() if value is not None}

    @property
    def held(self) -> tuple[float, ...]:
        """The bounds at which it holds its coordinate now."""
        return tuple(self.marks[side] for side in self.mode)

    def sides(self, mechanism: Any) -> tuple[OneSided, ...]:
        """Return its bounds; none of a lock."""
        if self.locks:
            return ()
        law = None if self.stiffness is None else (self.stiffness, self.damping)
        signs = {LOWER: 1.0, UPPER: -1.0}
        return tuple(OneSided(side, signs[side], self.restitution, law) for side in self.marks)

    def said(self, side: str, gap: float, mechanism: Any) -> str:
        """Return how far it is beyond a bound, and what to do, in words."""
        unit = "rad" if self.turns(mechanism) else mechanism.unit.length
        value = self.marks[side] + (gap if side == LOWER else -gap)
        return (
            f'joint "{self.joint}" starts at {value:.6g}, {-gap:.3g} {unit} beyond {side} = {self.marks[side]:g}; '
            f"move the start by [initial] position, or set {side} to {value:.6g}"
        )

    def pushes(self, mechanism: Any) -> int:
        """Return one: its effort."""
        return 1

    def quantities(self, mechanism: Any) -> Quantities:
        """Return its effort, and how far the coordinate is from the nearest bound."""
        return {"effort": ("effort",)} if self.locks else {"effort": ("effort",), "gap": ("gap",)}

    def measure(self, column: str, mechanism: Any) -> str:
        """Return what a column shows."""
        names = ("moment", "angle") if self.turns(mechanism) else ("force", "position")
        return names[column == "gap"]

    def exerted(self, seen: Any, efforts: Array) -> list[Array]:
        """Return (1) of its rows, or (3), and the gap, (K,) each."""
        if self.locks:
            return [np.zeros(len(seen.t)) + np.sum(efforts, axis=1)]
        (at, speed), total, gaps = self.read(seen), np.zeros(len(seen.t)) + np.sum(efforts, axis=1), []
        for side in self.sides(seen.mechanism):
            gaps.append(side.sign * (at - self.marks[side.name]))
            if side.law is not None:
                (k, b), rate = side.law, side.sign * speed
                total += side.sign * np.where(gaps[-1] < 0.0, np.maximum(-k * gaps[-1] - b * rate, 0.0), 0.0)
        return [total, np.min(gaps, axis=0)]
