"""What the file of a force sees of the tabulated mechanism."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlemech._jit import Records
from particlemech.engine.system import Array


class Emission(NamedTuple):
    """The derivatives that one force writes, in order; level 0: by Z_k, level 1: by its rate; k = -1: of the ground."""

    wrench: list[tuple[int, int, int]]  # (body whose wrench, level, k)
    power: list[tuple[int, int]]  # (level, k)


def places(z: Array, p: Records, side: str) -> Array:
    """Return the place of one end of a record at K samples, (K, 2), from z (K, 4 n_body)."""
    body, a, b = p["body" + side], p["a" + side], p["b" + side]
    if body < 0:
        return np.broadcast_to([p["x" + side], p["y" + side]], (len(z), 2))
    z1, d = z[:, 4 * body : 4 * body + 2], z[:, 4 * body + 2 : 4 * body + 4] - z[:, 4 * body : 4 * body + 2]
    return z1 + a * d + b * np.stack([-d[:, 1], d[:, 0]], axis=1)
