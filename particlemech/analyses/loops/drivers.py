"""Drivers as vectors see them: which parameter is known.

coordinate    the angle about the axis of a joint, or the length of the vector of its slide
distance      the length of a rod from a place of one body to one of another
position      one of three lengths along the global axes, on which a point hangs from where it is drawn
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from particlemech.analyses.loops.ties import RAILS, Drive, VectorTie
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.segments import Segment, SignalSpec, Steps
from particlemech.model.signals import signal
from particlemech.model.space.drivers import Coordinate, Distance, Position
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import key, number
from particlemech.model.tapes import CONSTANT, NUMBER


@dataclass(frozen=True, kw_only=True)
class Longer(SignalSpec):
    """A signal and a constant."""

    signal: SignalSpec = key(signal, "the signal")
    by: float = key(number, "what is added")

    def segments(self) -> list[Segment]:
        """Return the segments of the signal, raised."""
        return [(start, c0 + self.by, *rest) for start, c0, *rest in self.signal.segments()]  # type: ignore[misc]

    def tape(self) -> Steps | None:
        """Return the steps of the signal, and one more."""
        steps = self.signal.tape()
        if steps is None:
            return None
        n = len(steps)
        return (*steps, (CONSTANT, 0, 0, self.by), (NUMBER["add"], n - 1, n, 0.0))

    def breaks(self) -> tuple[float, ...]:
        """Return those of the signal."""
        return self.signal.breaks()

    def until(self) -> float:
        """Return that of the signal."""
        return self.signal.until()


def _coordinate(spec: Coordinate, mechanism: Mechanism) -> Drive:
    """Return the angle or travel of a joint."""
    joint, coordinate = spec.freedom(mechanism)
    if coordinate not in ("angle", "travel"):
        raise ModelError(
            f'{coordinate} of joint "{joint}" cannot be driven in loops of vectors; split the joint into revolutes, or '
            "simulate the mechanism"
        )
    return Drive(joint, spec.motion, along=None if coordinate == "angle" else 0)


def _distance(spec: Distance, mechanism: Mechanism) -> Drive:
    """Return a rod that is no joint."""
    (first, starts), (second, ends) = spec.ends(mechanism)
    rod = VectorTie(first, second, starts, ends, rod=Longer(signal=spec.motion, by=spec.drawn(mechanism)))
    return Drive(" to ".join(map(str, spec.points)), spec.motion, along=0, adds=rod)


def _position(spec: Position, mechanism: Mechanism) -> Drive:
    """Return one of three rails; drivers of one point of one body share them."""
    ((body, place),) = spec.ends(mechanism)
    rails = VectorTie(GROUND, body, place, place, slides=RAILS)
    return Drive(f"{spec.point} of {body}", spec.motion, along="xyz".index(spec.axis), adds=rails)


# kind -> (driver, mechanism) -> which parameter is known
DRIVE: dict[type, Callable[[Any, Mechanism], Drive]] = {
    Coordinate: _coordinate,
    Distance: _distance,
    Position: _position,
}
