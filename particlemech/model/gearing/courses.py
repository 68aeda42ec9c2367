"""How the strands of belts run, and the arcs between them."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import NamedTuple

import numpy as np

from particlemech.model.applied import Array
from particlemech.model.spec import Vector

ARC = 48  # pieces of an arc round a pulley


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
    length = np.sqrt(np.maximum(n - rho * rho, 0.0))
    along = (length[:, None] * d - rho * np.stack([-d[:, 1], d[:, 0]], axis=1)) / n[:, None]
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    return Course(length, along, A - s1 * across, B - s2 * across)


def band(centres: Array, radii: Sequence[float], closed: bool) -> Array:
    """Return places along a belt round circles about centres (K, n, 2), (K, N, 2), its first at the end too if closed.

    It goes round counter-clockwise where a radius is positive.
    """
    n, angle = len(radii), np.linspace(0.0, 1.0, ARC + 1)
    runs = [course(centres[:, k], centres[:, (k + 1) % n], radii[k], radii[(k + 1) % n]) for k in range(n - 1 + closed)]
    parts = [] if closed else [runs[0].leaves[:, None]]
    for k in range(0 if closed else 1, n if closed else n - 1):
        start, end = (run - centres[:, k] for run in (runs[k - 1].meets, runs[k].leaves))
        sign = 1.0 if radii[k] > 0.0 else -1.0
        begin = np.arctan2(start[:, 1], start[:, 0])
        wrap = (sign * (np.arctan2(end[:, 1], end[:, 0]) - begin)) % (2.0 * pi)
        turned = begin[:, None] + sign * np.where(wrap < 2.0 * pi - 1e-9, wrap, 0.0)[:, None] * angle
        ring = np.stack([np.cos(turned), np.sin(turned)], axis=2)
        parts.append(centres[:, k, None] + abs(radii[k]) * ring)
    parts.append(parts[0][:, :1] if closed else runs[-1].meets[:, None])
    return np.concatenate(parts, axis=1)
