"""Motor: a moment about the axis of a joint, or a force along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech._spec import key, name
from particlemech.signals import SignalSpec, signal
from particlemech.spatial.forces.base import ForceSpec

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Motor(ForceSpec):
    """A moment or force in a joint, on the second body and reacted by the first."""

    joint: str = key(name, "a revolute, prismatic, cylindrical or screw joint")
    coordinate: str | None = key(name, '"angle" or "travel"; may be left out where there is one', None)
    effort: SignalSpec = key(signal, "moment or force that works on the coordinate")

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate."""
        mechanism.coordinate(self.joint, self.coordinate)
