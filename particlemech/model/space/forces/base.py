"""What every force in space offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from particlemech.model.acting import Force, OnLine
from particlemech.model.signals import SignalSpec
from particlemech.model.spec import key, place3, two

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


class Couple(NamedTuple):
    """A moment on the second of two bodies, its opposite on the first."""

    bodies: tuple[str, ...]
    axes: str  # the body in whose axes it is given, or "ground"
    moment: tuple[SignalSpec, SignalSpec, SignalSpec]


class ForceSpec(Force):
    """Base of the forces in space."""

    def couple(self, mechanism: Mechanism) -> Couple | None:
        """Return what it is where it is nothing but a couple of signals."""
        return None

    def all_round(self, mechanism: Mechanism) -> bool:
        """Return whether it is a spring in a spherical joint, alike about all axes."""
        return False


def ends() -> Any:
    """Return the key of the two places of what acts along a line."""
    about = "one on each: each a point of the body, or three numbers, in the drawing, fixed on it"
    return key(two(place3, "places"), about, dimension="length")


def together(force: OnLine, mechanism: Mechanism) -> list[float] | None:
    """Return where both ends of what acts along a line are drawn, or None; bodies and points are checked."""
    one, other = (mechanism.place_on(p, b) for p, b in zip(force.points, force.bodies, strict=True))
    return list(one) if one == other else None
