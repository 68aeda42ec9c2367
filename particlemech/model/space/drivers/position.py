"""Position: a coordinate of a point is prescribed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.model.acting import OfPosition
from particlemech.model.space.drivers.base import DriverSpec
from particlemech.model.spec import choice, key, name

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Position(OfPosition, DriverSpec):
    """A coordinate of a point; the effort is a force on its body."""

    point: str = key(name, "a point of a moving body")
    axis: str = key(choice("x", "y", "z"), "which coordinate")

    def freedom(self, mechanism: Mechanism) -> tuple[str, str]:
        """The coordinate of the point."""
        return self.point, self.axis
