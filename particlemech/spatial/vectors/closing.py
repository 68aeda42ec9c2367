"""Newton's method for the geometry, with steps that are shortened after Levenberg and Marquardt where it needs that.

    (J^T J + lam I) dx = -J^T f

With lam = 0, which is tried first and returned to, this is the step of Newton, of least norm where rows depend on each
other or unknowns are left open. A step is never longer than REACH, so that the assembly near the guess is the one
found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlemech.spatial.vectors.compiled import Compiled
from particlemech.spatial.vectors.matrices import RANK
from particlemech.system import Array

REACH = 0.5  # longest step, in units of the parameters
CLOSED = 1e-11  # residual of a closed model, in units of its rows
FLAT = 1e-9  # slope of the residual, as a fraction, at which there is nothing more to gain
SMALL, LARGE = 1e-9, 1e9  # lam
MOST = 300  # steps


class Closing(NamedTuple):
    """Where Newton's method came to."""

    x: Array  # (n,)
    f: Array  # (n_row,) residual, in units of the rows
    iterations: int

    @property
    def gap(self) -> float:
        """Largest residual."""
        return float(np.abs(self.f).max(initial=0.0))

    @property
    def closed(self) -> bool:
        """Whether all rows hold."""
        return self.gap <= CLOSED


def closing(c: Compiled, x: Array, t: float) -> Closing:
    """Return the solution of the geometry at a time that is reached from x, (n,); known parameters as given in x."""
    units, scale, free = c.row_units(x), c.column_units[c.unknown], c.unknown

    def residual(x: Array) -> Array:
        return c.residual(x, t) / units

    x, f, lam = x.copy(), residual(x), 0.0
    size = float(np.linalg.norm(f))
    for k in range(MOST):
        J = (c.slopes(x) / units[:, None])[:, free] * scale
        if size == 0.0 or float(np.linalg.norm(J.T @ f)) <= FLAT * CLOSED * size:
            return Closing(x, f, k)
        while True:
            dx = _step(J, f, lam)
            new = x.copy()
            new[free] += scale * dx
            g = residual(new)
            smaller = float(np.linalg.norm(g))
            if smaller < size * (1.0 - 1e-3 * min(1.0, lam + 1e-1)):
                break
            if size <= CLOSED or lam > LARGE:  # as good as rounding allows, or at a minimum
                return Closing(x, f, k)
            lam = max(10.0 * lam, SMALL)
        if size - smaller < FLAT * size and size > CLOSED:  # a minimum that is not zero
            return Closing(new, g, k + 1)
        x, f, size = new, g, smaller
        lam = 0.1 * lam if lam > SMALL else 0.0
    return Closing(x, f, MOST)


def _step(J: Array, f: Array, lam: float) -> Array:
    """Return the step for one lam, of least norm, no longer than REACH."""
    U, sizes, V = np.linalg.svd(J, full_matrices=False)
    gain = np.zeros_like(sizes)
    kept = sizes > RANK * sizes.max(initial=0.0)
    gain[kept] = sizes[kept] / (sizes[kept] ** 2 + lam)
    dx = -V.T @ (gain * (U.T @ f))
    size = float(np.linalg.norm(dx))
    return dx * (REACH / size) if size > REACH else dx
