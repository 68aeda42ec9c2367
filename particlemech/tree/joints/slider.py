"""Slider: the child moves along an axis that is fixed in both bodies and does not turn."""

from __future__ import annotations

from dataclasses import dataclass

from particlemech._spec import Vector3, direction3, key, names, place3, unit
from particlemech.tree.joints.base import BODIES, POINT, JointSpec, Stage


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
