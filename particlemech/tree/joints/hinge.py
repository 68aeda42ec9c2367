"""Hinge: the child turns about an axis that is fixed in both bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech._spec import Vector3, direction3, key, names, place3, unit
from particlemech.primitives import Looks, Part, Pin
from particlemech.tree.joints.base import BODIES, POINT, JointSpec, Stage

if TYPE_CHECKING:
    from particlemech.tree.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Hinge(JointSpec):
    """The child turns about an axis through the point; coordinate "angle"."""

    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT)
    axis: Vector3 = key(direction3, "of the rotation of the child against the parent, by the right hand")

    @property
    def stages(self) -> tuple[Stage, ...]:
        """One rotation."""
        return (Stage(True, unit(self.axis), "angle"),)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the pin, and what the ground holds it by."""
        return (Pin(part, *self.seat(self.child, mechanism), self.axis), *self.held(part, mechanism))
