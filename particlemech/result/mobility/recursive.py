"""What can be said of a tree without running it."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.impulse import least_norm
from particlemech.engine.recursive.partials import V_O, W
from particlemech.engine.recursive.start import start_state
from particlemech.engine.system import Array
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.mobility import Mobility


def judged(mechanism: Mechanism) -> Mobility:
    """Return what can be said of a tree in its start."""
    made = system(mechanism)
    c, y = made.compiled, start_state(made)
    at = made.kane(0.0, y[made.layout.q], y[made.layout.v])
    free = np.array(c.free, dtype=int)
    A = at.A[np.ix_(free, free)]
    _, loose, _ = least_norm(A, np.zeros(len(free)), made.size_v)
    return Mobility(
        by_count=len(c.coordinates),
        by_rank=_rank(at.slot, c.paths, len(c.coordinates)),
        drivers=len(c.coordinates) - len(free),
        loose=tuple(c.coordinates[int(e)].speed for e in free[loose]),
        condition=float(np.linalg.cond(A * np.outer(made.size_v, made.size_v))) if len(A) else 1.0,
    )


def _rank(slot: Array, paths: tuple[Any, Any], n: int) -> int:
    """Return the rank of the partial velocities of all bodies: what moves, whether or not it has inertia."""
    starts, path = paths
    rows = np.zeros((len(starts) - 1, 6, n))
    for i in range(len(starts) - 1):
        slots = slice(starts[i], starts[i + 1])
        rows[i, :3, path[slots]] = slot[slots, W]
        rows[i, 3:, path[slots]] = slot[slots, V_O]
    if not n:
        return 0
    return int(np.linalg.matrix_rank(rows.reshape(-1, n), tol=1e-9 * max(1.0, float(np.abs(rows).max()))))
