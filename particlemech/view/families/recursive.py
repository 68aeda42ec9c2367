"""Scenes of trees in space."""

from __future__ import annotations

from particlemech.analyses.inverse_dynamics import inverse
from particlemech.engine.system import Array
from particlemech.model.space.mechanism import Mechanism
from particlemech.view.families.space import moving, radius
from particlemech.view.scene import Frame

__all__ = ["dimension", "drawn", "moving", "radius"]

dimension = 3


def drawn(m: Mechanism) -> tuple[dict[str, Frame], dict[str, Array]]:
    """Return frames and points where the coordinates start; the drawing itself has them all at zero."""
    starts = {
        name: [said.get(coordinate, 0.0) for coordinate in joint.coordinate_names]
        for name, joint in m.joints.items()
        if joint.dof and (said := m.position(name))
    }
    return moving(inverse(m, starts, {}, {}))
