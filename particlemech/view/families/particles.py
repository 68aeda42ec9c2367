"""Scenes of mechanisms in the plane."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.model.mechanism import Mechanism, size
from particlemech.view.scene import Frame

dimension = 2


def radius(m: Mechanism) -> float:
    """Return half the width of a rod, m: small against the mechanism and against its median body."""
    spans = [_span(m.outline(body)) for body in m.bodies]
    typical = float(np.median([span for span in spans if span > 0.0] or [math.inf]))
    return min(0.045 * size(m), 0.1 * typical)


def _span(places: list[tuple[float, float]]) -> float:
    return max(math.dist(a, b) for a in places for b in places)


def drawn(m: Mechanism) -> tuple[dict[str, Frame], dict[str, Array]]:
    """Return frames and points of the drawing, as given: it is not assembled."""
    frames = {b: Frame(c := np.array(m.centre(b)), c[None], np.zeros(1)) for b in m.bodies}
    return frames, {name: np.array([place]) for name, place in m.points.items()}


def moving(result: Any) -> tuple[dict[str, Frame], dict[str, Array]]:
    """Return frames and points of a motion."""
    m = result.system.mechanism
    points = {name: result[name] for name in m.points}
    # angles of a result count from the drawing as assembled, those of frames from the points as they are drawn
    turned = np.broadcast_to(result.system.turned, len(m.bodies))
    frames = {}
    for b, by in zip(m.bodies, turned, strict=True):
        frames[b] = Frame(np.array(m.centre(b)), result._seen("com", b), result.angle(b) + by)
    return frames, points
