"""Scenes of trees in space."""

from __future__ import annotations

from particlemech.system import Array
from particlemech.tree.inverse_dynamics import inverse
from particlemech.tree.mechanism import Mechanism
from particlemech.view.families.space import moving, radius
from particlemech.view.scene import Frame

__all__ = ["dimension", "drawn", "moving", "radius"]

dimension = 3


def drawn(m: Mechanism) -> tuple[dict[str, Frame], dict[str, Array]]:
    """Return frames and points where the coordinates start; the drawing itself has them all at zero."""
    return moving(inverse(m, {name: m.start(name)[0] for name, joint in m.joints.items() if joint.dof}, {}, {}))
