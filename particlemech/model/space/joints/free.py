"""Free joint: the second body floats; it has a place against the first and no connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.model.primitives import Looks, Part
from particlemech.model.space.joints.base import ANGLES, BODIES, INTEGRATED, Limited, Stage, X, Y, Z
from particlemech.model.spec import Vector3, key, names, place3

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

TRANSLATIONS = (Stage(False, X, "x"), Stage(False, Y, "y"), Stage(False, Z, "z"))


@dataclass(frozen=True, kw_only=True)
class Free(Limited):
    """No connection, but coordinates: displacements "x", "y", "z" and the dextral 1-2-3 angles of the second body.

    The displacements are those of its point from its place in the drawing, in the axes of the first body.
    """

    dof = 6
    tree = 6.0
    spherical = True
    coordinate_names = ("x", "y", "z", "angle1", "angle2", "angle3")
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 | None = key(
        place3,
        "the point of the second body that is followed, in the drawing; default: its centre of mass, or first point "
        "if it bends",
        None,
        dimension="length",
    )
    coordinates: str = key(INTEGRATED, "what is integrated for its turning", "quaternion")

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
