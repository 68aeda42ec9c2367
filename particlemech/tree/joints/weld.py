"""Weld: the child is rigidly fixed to its parent."""

from __future__ import annotations

from dataclasses import dataclass

from particlemech._spec import Vector3, key, names, place3
from particlemech.tree.joints.base import BODIES, POINT, JointSpec, Stage


@dataclass(frozen=True, kw_only=True)
class Weld(JointSpec):
    """The child does not move against the parent; no coordinates."""

    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """None."""
        return ()
