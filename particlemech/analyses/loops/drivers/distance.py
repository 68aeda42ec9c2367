"""Distance driver: a rod whose length is known, from a place of one body to one of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.analyses.loops.ties import Drive, Tie
from particlemech.model.signals import Segment, SignalSpec, signal
from particlemech.model.space.drivers import Distance
from particlemech.model.spec import key, number

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

SPEC = Distance


@dataclass(frozen=True, kw_only=True)
class Longer(SignalSpec):
    """A signal and a constant."""

    signal: SignalSpec = key(signal, "the signal")
    by: float = key(number, "what is added")

    def segments(self) -> list[Segment]:
        """Return the segments of the signal, raised."""
        return [(start, c0 + self.by, *rest) for start, c0, *rest in self.signal.segments()]  # type: ignore[misc]

    def breaks(self) -> tuple[float, ...]:
        """Return those of the signal."""
        return self.signal.breaks()

    def until(self) -> float:
        """Return that of the signal."""
        return self.signal.until()


def drive(spec: Distance, mechanism: Mechanism) -> Drive:
    """Return which parameter is known."""
    (first, starts), (second, ends) = spec.ends(mechanism)
    length = Longer(signal=spec.motion, by=spec.drawn(mechanism))
    return Drive(
        " to ".join(map(str, spec.points)), spec.motion, along=0, adds=Tie(first, second, starts, ends, rod=length)
    )
