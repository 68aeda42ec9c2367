"""Weld: the child is rigidly fixed to its parent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech import primitives
from particlemech._spec import Vector3, key, names, place3
from particlemech.primitives import Looks, Part
from particlemech.tree.joints.base import BODIES, POINT, JointSpec, Stage

if TYPE_CHECKING:
    from particlemech.tree.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Weld(JointSpec):
    """The child does not move against the parent; no coordinates."""

    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """None."""
        return ()

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the seam, and what the ground holds it by."""
        return (primitives.Weld(part, *self.seat(self.child, mechanism)), *self.held(part, mechanism))
