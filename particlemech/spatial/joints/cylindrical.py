"""Cylindrical joint: one body turns about an axis that is fixed in both, and slides along it."""

from __future__ import annotations

from dataclasses import dataclass

from particlemech._spec import Vector3, direction3, key, names, place3, unit
from particlemech.spatial.joints.base import BODIES, POINT, JointSpec


@dataclass(frozen=True, kw_only=True)
class Cylindrical(JointSpec):
    """A sleeve: the second body turns about an axis through the point and slides along it."""

    dof = 2
    tree = 3.0
    coordinate_names = ("angle", "travel")
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT)
    axis: Vector3 = key(direction3, "of rotation, by the right hand, and travel of the second, global at t = 0")

    @property
    def direction(self) -> Vector3:
        """The axis as a unit vector."""
        return unit(self.axis)
