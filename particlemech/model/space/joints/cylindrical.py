"""Cylindrical joint: one body turns about an axis that is fixed in both, and slides along it."""

from __future__ import annotations

from dataclasses import dataclass

from particlemech.model.space.joints.base import Sleeve


@dataclass(frozen=True, kw_only=True)
class Cylindrical(Sleeve):
    """A sleeve: the second body turns about an axis through the point and slides along it."""

    dof = 2
    coordinate_names = ("travel", "angle")
