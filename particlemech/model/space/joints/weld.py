"""Weld: two bodies move as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.model import primitives
from particlemech.model.description import GROUND
from particlemech.model.primitives import Looks, Part, held, moving
from particlemech.model.space.joints.base import BODIES, JointSpec, Stage
from particlemech.model.spec import Vector3, key, names, place3

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Weld(JointSpec):
    """A rigid connection."""

    dof = 0
    tree = 0.001
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 | None = key(
        place3,
        "where reactions are reported and bodies that bend are held, in the drawing; default: centre of mass of the "
        "second body, or its first point if it bends",
        None,
        dimension="length",
    )

    @property
    def stages(self) -> tuple[Stage, ...]:
        """None."""
        return ()

    def place(self, mechanism: Mechanism) -> Vector3:
        """Return where reactions are reported; the ground has no centre of mass, then it is that of the first."""
        return self.seated(self.first if self.second == GROUND else self.second, mechanism)

    def keeps(self, place: Vector3, mechanism: Mechanism) -> bool:
        """Every place stays common."""
        return True

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the seam, and what the ground holds it by."""
        at = self.place(mechanism)
        return (primitives.Weld(part, moving(self.bodies), at), *held(part, *((b, at) for b in self.bodies)))
