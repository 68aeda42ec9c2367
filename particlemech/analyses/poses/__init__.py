"""Mechanisms in poses, their drivers released: what named quantities are, and how they follow from the motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from particlemech.analyses.poses.posing import Released


def released(mechanism: Any) -> Released:
    """Return a mechanism of either world with its drivers released; masses that are not known do not matter."""
    from particlemech.analyses.kinematics.masses import placed

    if mechanism.engine == "particles":
        from particlemech.analyses.poses.plane import PlanarPoses

        return PlanarPoses(placed(mechanism), mechanism)
    from particlemech.analyses.poses.space import SpatialPoses

    return SpatialPoses(placed(mechanism), mechanism)
