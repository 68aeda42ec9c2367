"""Slider: the child moves along an axis that is fixed in both bodies and does not turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech import primitives
from particlemech._spec import Vector3, direction3, key, names, place3, unit
from particlemech.primitives import Looks, Part, Rail, track
from particlemech.tree.joints.base import BODIES, POINT, JointSpec, Stage

if TYPE_CHECKING:
    from particlemech.tree.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Slider(JointSpec):
    """The child moves along an axis through the point; coordinate "travel"."""

    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT)
    axis: Vector3 = key(direction3, "along which the child moves against the parent")

    @property
    def stages(self) -> tuple[Stage, ...]:
        """One translation."""
        return (Stage(False, unit(self.axis), "travel"),)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the block and its rail."""
        rider = self.seat(self.child, mechanism)
        rail = Rail(part, self.parent, *track(rider[1], self.axis, -4.0 * r, 4.0 * r), rider)
        return (rail, primitives.Slider(part, *rider, self.axis))
