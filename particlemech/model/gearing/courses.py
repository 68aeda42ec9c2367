"""How the strands of belts run, and the arcs between them."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, pi, sin
from typing import NamedTuple

import numpy as np

from particlemech.model.applied import Array
from particlemech.model.spec import Vector


def turns(at: Sequence[Vector]) -> list[float]:
    """Return 1 of each pulley of a closed belt, or -1 where it goes round clockwise, as its centres follow."""
    area = sum([a[0] * b[1] - a[1] * b[0] for a, b in zip(at, [*at[1:], at[0]], strict=True)])
    return [-1.0 if len(at) > 2 and area < 0.0 else 1.0] * len(at)


def bends(at: Sequence[Vector]) -> list[float]:
    """Return 1 of each pulley of a rope where its way bends to the left, else -1; ends go with their neighbours."""
    found = [
        -1.0 if (b[0] - a[0]) * (c[1] - b[1]) < (b[1] - a[1]) * (c[0] - b[0]) else 1.0
        for a, b, c in zip(at, at[1:], at[2:], strict=False)
    ] or [1.0]
    return [found[0], *found, found[-1]][: len(at)]


class Course(NamedTuple):
    """How a strand runs at K samples."""

    length: Array  # (K,)
    along: Array  # (K, 2) unit vectors
    leaves: Array  # (K, 2) where it leaves the first pulley
    meets: Array  # (K, 2) where it meets the second


def course(A: Array, B: Array, s1: float, s2: float) -> Course:
    """Return how a strand runs between circles about A and B, (K, 2)."""
    d, rho = B - A, s2 - s1
    n = np.sum(d * d, axis=1)
    length = np.sqrt(n - rho * rho)
    along = (length[:, None] * d - rho * np.stack([-d[:, 1], d[:, 0]], axis=1)) / n[:, None]
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    return Course(length, along, A - s1 * across, B - s2 * across)


def arc(before: Course, after: Course, at: Vector, sign: float, radius: float) -> tuple[Vector, ...]:
    """Return places along the arc of a belt round a pulley as drawn."""
    start, end = (atan2(p[0, 1] - at[1], p[0, 0] - at[0]) for p in (before.meets, after.leaves))
    wrap = (sign * (end - start)) % (2.0 * pi)
    count = max(2, int(wrap / 0.1))
    angles = [start + sign * wrap * k / count for k in range(count + 1)]
    return tuple((at[0] + radius * cos(a), at[1] + radius * sin(a)) for a in angles)
