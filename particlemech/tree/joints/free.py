"""Free joint: the child floats; it has a place against its parent and no connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech._spec import Vector3, choice, key, names, place3
from particlemech.primitives import Looks, Part
from particlemech.tree.joints.base import ANGLES, BODIES, JointSpec, Stage, X, Y, Z

TRANSLATIONS = (Stage(False, X, "x"), Stage(False, Y, "y"), Stage(False, Z, "z"))

if TYPE_CHECKING:
    from particlemech.tree.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Free(JointSpec):
    """The child moves in any way; coordinates "x", "y", "z" and the dextral 1-2-3 angles "angle1", "angle2", "angle3".

    x, y, z are the displacement of the child's point from its place in the drawing, in parent axes.
    """

    spherical = True
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, "the point of the child that is followed, in the drawing: name or three numbers")
    coordinates: str = key(choice("quaternion", "angles"), "what is integrated for its turning", "quaternion")

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Three translations, then three rotations."""
        return TRANSLATIONS + ANGLES

    @property
    def quaternion(self) -> bool:
        """Whether a quaternion is integrated."""
        return self.coordinates == "quaternion"

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return nothing: there is no connection."""
        return ()
