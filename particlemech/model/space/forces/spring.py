"""Spring: spring and damper along the line between a point of each of two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.errors import ModelError
from particlemech.model.acting import Sprung
from particlemech.model.space.forces.base import ForceSpec, ends, together
from particlemech.model.spec import Vector3

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Spring(Sprung, ForceSpec):
    """A spring and damper along the line between two points."""

    points: tuple[str | Vector3, str | Vector3] = ends()

    def check(self, mechanism: Mechanism) -> None:
        """Check bodies and points, and that a spring with a length has a direction."""
        if (at := together(self, mechanism)) is not None and self.free(mechanism) > 0.0:
            raise ModelError(f"its ends are drawn at one place, {at}, so it has no direction; move one")
