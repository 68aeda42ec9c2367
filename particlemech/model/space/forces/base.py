"""What every force in space offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from particlemech.model.acting import Force
from particlemech.model.signals import SignalSpec

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
