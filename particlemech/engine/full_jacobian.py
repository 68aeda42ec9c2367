"""A Jacobian without a pattern, for systems whose rows look at all unknowns, and its columns by differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import kernel
from particlemech.engine.system import Array
from particlemech.run.steps import copy

NEAR = 6e-6  # of the size of an unknown: half the distance of two states whose residuals give a column of the Jacobian


class FullJacobian:
    """What a system of n unknowns says of its Jacobian."""

    dense = True
    n: int

    @property
    def indptr(self) -> NDArray[np.int32]:
        """Return the pattern of a full Jacobian."""
        return np.arange(0, self.n * self.n + 1, self.n, dtype=np.int32)

    @property
    def indices(self) -> NDArray[np.int32]:
        """Return the rows of a full Jacobian."""
        return np.tile(np.arange(self.n, dtype=np.int32), self.n)


@kernel
def differences(
    balance: Callable[..., Any], t: float, y: Array, yp: Array, cj: float, size: Array, work: Array, J: Array, m: Any,
    s: Any,
) -> None:  # fmt: skip
    """Fill J = dF/dy + cj dF/dy' column by column, by differences of `balance` along y and y' at once.

    size (n,) is what counts as a unit of each unknown, work (4, n) scratch. Newton's iteration is corrected by the
    residual, which is exact: the eight digits of a central difference serve it as well as all sixteen would.
    """
    n = len(y)
    z, zp, above, below = work[0], work[1], work[2], work[3]
    copy(y, z)
    copy(yp, zp)
    for j in range(n):
        h = NEAR * max(abs(y[j]), size[j])
        z[j], zp[j] = y[j] + h, yp[j] + cj * h
        balance(t, z, zp, above, m, s)
        z[j], zp[j] = y[j] - h, yp[j] - cj * h
        balance(t, z, zp, below, m, s)
        z[j], zp[j] = y[j], yp[j]
        for k in range(n):
            J[k, j] = (above[k] - below[k]) / (2.0 * h)
