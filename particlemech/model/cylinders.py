"""Cylinders as forces: pressures on a piston, in the plane and in space.

    F = p A - p_r (A - A_r) - c l'          pushes its two points apart                                              (1)
    Q = A l'                                                                                                         (2)

p works on the piston A, p_r on the other side of it, past the rod A_r; c is the friction of seals, Q what flows in on
the side of p. Where the length follows a motion instead and the pressure is what that takes, see `distance` of drivers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from particlemech.errors import ModelError
from particlemech.model.acting import Line, OnLine
from particlemech.model.applied import Array, Quantities
from particlemech.model.primitives import Looks, Part, Ram, held
from particlemech.model.signals import SignalSpec, added, largest, multiple, signal
from particlemech.model.spec import key, not_negative, positive

PUSH: Quantities = {"effort": ("effort",), "length": ("length",), "rate": ("rate",), "flow": ("flow",)}


@dataclass(frozen=True, kw_only=True)
class Pressed(OnLine):
    """A cylinder that pushes two points apart by the pressures in it, (1)."""

    reported = PUSH
    area: float = key(positive, "of the piston", dimension="area")
    pressure: SignalSpec = key(signal, "on the piston, over the surroundings", dimension="pressure")
    rod_area: float = key(not_negative, "of the rod, that the other side of the piston lacks", 0.0, dimension="area")
    rod_pressure: SignalSpec | None = key(signal, "on the other side of the piston", None, dimension="pressure")
    damping: float = key(not_negative, "of its seals, force per speed", 0.0, dimension="damping")

    def verify(self) -> None:
        """Check that its rod leaves something of the piston."""
        if self.rod_area >= self.area:
            raise ModelError(
                f'key "rod_area": {self.rod_area:g} leaves nothing of the piston of {self.area:g}; give that of the rod'
            )

    @property
    def alone(self) -> Any:
        """The same with nothing but its first pressure."""
        return replace(self, rod_pressure=None, damping=0.0)

    @property
    def push(self) -> SignalSpec:
        """What its pressures exert, (1) without c."""
        ahead = multiple(self.pressure, self.area)
        if self.rod_pressure is None:
            return ahead
        return added(ahead, multiple(self.rod_pressure, self.rod_area - self.area))

    def line(self, mechanism: Any) -> Line:
        """Return how it acts."""
        return Line(0.0, self.damping, 0.0, self.push)

    def exerted(self, seen: Any) -> tuple[Array, ...]:
        """Return effort (1), N; length, m; rate of the length, m/s; flow (2), m^3/s."""
        effort, length, rate = super().exerted(seen)
        return effort, length, rate, self.area * rate

    def largest(self, duration: float, length: float) -> float:
        """Return the largest force of its pressures, N."""
        return largest(self.push, duration)

    def look(self, part: Part, mechanism: Any, r: float) -> Looks:
        """Return the cylinder between its points, and what the ground holds it by."""
        ends = self.ends(mechanism)
        return (Ram(part, ends), *held(part, *ends))
