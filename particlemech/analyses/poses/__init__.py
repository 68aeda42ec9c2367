"""Mechanisms in poses, their drivers released: what named quantities are, and how they follow from the motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from particlemech.analyses.poses.posing import Released


def released(mechanism: Any) -> Released:
    """Return a mechanism of either world with its drivers released."""
    if mechanism.engine == "particles":
        from particlemech.analyses.poses.plane import PlanarPoses

        return PlanarPoses(mechanism)
    from particlemech.analyses.poses.space import SpatialPoses

    return SpatialPoses(mechanism)
