"""What scenes of all families in space share."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.view.scene import Frame

SLENDER = 0.03  # r as a fraction of the size of a mechanism


def radius(m: Any) -> float:
    """Return half the width of a rod: small against the rms distance of all places from their middle."""
    places = [*m.points.values(), *(m.place(None, b) for b in m.bodies)]
    places += [joint.seat(body, m)[1] for joint in m.joints.values() for body in joint.bodies]
    every = np.array(list(dict.fromkeys(places)))
    return SLENDER * (float(np.sqrt(np.mean(np.sum((every - every.mean(axis=0)) ** 2, axis=1)))) or 1.0)


def moving(observed: Any) -> tuple[dict[str, Frame], dict[str, Array]]:
    """Return frames and points of a motion in space."""
    m = observed.mechanism
    seats = {b: m.place(None, b) for b in m.bodies}
    frames = {b: Frame(np.array(at), observed._placed(b, at, 0), observed.orientation(b)) for b, at in seats.items()}
    return frames, {name: observed[name] for name in m.points} | unnamed(m, frames)


def unnamed(m: Any, frames: dict[str, Frame]) -> dict[str, Array]:
    """Return the paths of the centres of mass of bodies that have no points, by body."""
    return {b: frames[b].origin for b, body in m.bodies.items() if not body.points}
