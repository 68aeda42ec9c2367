"""Scenes of mechanisms in space, with or without loops."""

from __future__ import annotations

import numpy as np

from particlemech.engine.system import Array
from particlemech.model.space.mechanism import Mechanism
from particlemech.view.families.space import moving, radius, unnamed
from particlemech.view.scene import Frame

__all__ = ["dimension", "drawn", "moving", "radius"]

dimension = 3


def drawn(m: Mechanism) -> tuple[dict[str, Frame], dict[str, Array]]:
    """Return frames and points of the drawing, as given: it is not assembled."""
    frames = {b: Frame(c := np.array(m.centre(b)), c[None], np.eye(3)[None]) for b in m.bodies}
    return frames, {name: np.array([place]) for name, place in m.points.items()} | unnamed(m, frames)
