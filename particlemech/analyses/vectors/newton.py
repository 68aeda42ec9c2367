"""Newton's method for the geometry, with steps that are shortened after Levenberg and Marquardt where it needs that.

    (J^T J + lam I) dx = -J^T f

With lam = 0, which is tried first and returned to, this is the step of Newton, of least norm where rows depend on each
other or unknowns are left open. A step is never longer than REACH, so that the assembly near the guess is the one
found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlemech.analyses.vectors.compiled import VectorNumbers
from particlemech.analyses.vectors.matrices import RANK
from particlemech.engine.system import Array

REACH = 0.5  # longest step, in units of the parameters
CLOSED = 1e-11  # residual of a closed model, in units of its rows
GIVEN = 1e-9  # the same of rows without unknowns, which hold as well as the user rounded
FLAT = 1e-10  # gain of a step, as a fraction of the residual, at which nothing more is to be had
SMALL, LARGE = 1e-9, 1e9  # lam
MOST = 300  # steps


class Closing(NamedTuple):
    """Where Newton's method came to."""

    x: Array  # (n,)
    f: Array  # (n_row,) residual, in units of the rows
    gap: float  # largest residual
    closed: bool  # all rows hold
    iterations: int


def closing(c: VectorNumbers, x: Array, t: float, rank: int | None = None, most: int = MOST) -> Closing:
    """Return the solution of the geometry at a time that is reached from x, (n,); known parameters as given in x.

    `rank` is that of the rows where they hold, if it is known: beside such a pose, rows of a linkage that moves
    although they are too many do not depend on each other, and a full step would go astray. After `most` steps it
    counts as not closed, unless it is.
    """
    units, scale, free = c.row_units(x), c.column_units[c.unknown], c.unknown
    x, f, lam = x.copy(), c.residual(x, t) / units, 0.0
    size = float(np.linalg.norm(f[c.active]))  # rows without unknowns cannot be helped
    for k in range(most):
        J = (c.slopes(x) / units[:, None])[np.ix_(c.active, free)] * scale
        U, sizes, V = np.linalg.svd(J, full_matrices=False)
        kept = int(np.sum(sizes > RANK * sizes.max(initial=0.0)))
        kept = kept if rank is None else min(kept, rank)
        along = U[:, :kept].T @ f[c.active]
        while True:
            new = x.copy()
            new[free] += scale * _step(sizes[:kept], V[:kept], along, lam)
            g = c.residual(new, t) / units
            smaller = float(np.linalg.norm(g[c.active]))
            if smaller < size * (1.0 - FLAT):
                break
            if size <= CLOSED or lam > LARGE:  # as good as rounding allows, or at a minimum
                return _came(c, x, f, k)
            lam = max(10.0 * lam, SMALL)
        x, f, size = new, g, smaller
        lam = 0.1 * lam if lam > SMALL else 0.0
    return _came(c, x, f, most)


def _came(c: VectorNumbers, x: Array, f: Array, iterations: int) -> Closing:
    """Return where the method came to, and whether that is closed."""
    size, idle = np.abs(f), np.setdiff1d(np.arange(len(f)), c.active)
    held = size[c.active].max(initial=0.0) <= CLOSED and size[idle].max(initial=0.0) <= GIVEN
    return Closing(x, f, float(size.max(initial=0.0)), bool(held), iterations)


def _step(sizes: Array, V: Array, along: Array, lam: float) -> Array:
    """Return the step for one lam, of least norm, no longer than REACH; J = U sizes V, along = U^T f."""
    dx = -V.T @ (sizes / (sizes**2 + lam) * along)
    size = float(np.linalg.norm(dx))
    return dx * (REACH / size) if size > REACH else dx
