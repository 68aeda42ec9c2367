"""Load: a force on a point of a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.model.acting import OnPoint
from particlemech.model.applied import vectors
from particlemech.model.signals import SignalSpec, signal_vector3
from particlemech.model.space.forces.base import ForceSpec
from particlemech.model.spec import Vector3, key, place3

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Load(OnPoint, ForceSpec):
    """A force on a point of a body."""

    reported = vectors(3, force="f", place="p")
    point: str | Vector3 | None = key(
        place3,
        "a point of the body, or three numbers, in the drawing, fixed on it; default: centre of mass",
        None,
        dimension="length",
    )
    force: tuple[SignalSpec, SignalSpec, SignalSpec] = key(signal_vector3, "force", dimension="force")

    def check(self, mechanism: Mechanism) -> None:
        """Check body and point."""
        mechanism.moving_body(self.body)
        mechanism.place_on(self.point, self.body)
