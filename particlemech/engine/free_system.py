"""What systems without rows have in common: trees, and chains of flexible links.

    y = (q, v, W)      coordinates, speeds, work

Nothing is constrained, so there are no multipliers. IDA gets a full Jacobian by differences, explicit steps are those
of march.py.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import ArgumentBlock, ArgumentGroup, kernel
from particlemech.engine.system import Array, Instant, Layout, Levels, Scale, same_state
from particlemech.run.compiled_march import CompiledMarch
from particlemech.run.steps import copy as copy_into
from particlemech.run.steps import march_state

NEAR = 6e-6  # of the size of an unknown: half the distance of two states whose residuals give a column of the Jacobian


class FreeSystem:
    """A system without rows; each kind adds its slopes, its residual and what can be seen of it."""

    n_row = 0
    n_lam = 0
    cuts: tuple[str, ...] = ()
    dense = True

    n_q: int
    n_v: int
    scale: Scale
    size_q: Any  # cached properties, (n_q,) and (n_v,)
    size_v: Any
    units: Any  # what counts as a unit of each unknown, (n,)

    def _lay_out(self, n_q: int, n_v: int) -> None:
        """Set the numbers of unknowns, and where each is."""
        self.n_q, self.n_v, self.n = n_q, n_v, n_q + n_v + 1
        end = n_q + n_v
        nothing = slice(end, end)
        self.layout = Layout((), slice(0, n_q), slice(n_q, end), nothing, nothing, slice(end, end + 1))

    def retimed(self, time_scale: float) -> Self:
        """Return the same system with another time scale, s."""
        other = copy.copy(self)
        other.scale = replace(self.scale, time=time_scale)
        return other

    # -- one instant -----------------------------------------------------------------------------------------------

    def slopes(self, t: float, y: Array) -> tuple[float, Array]:
        """Return the least pivot of the mass matrix and y', (n,)."""
        raise TypeError(f"{type(self).__name__} does not give its slopes")

    def kinematics(self, t: float, q: Array, v: Array) -> Array:
        """Return the rates of the coordinates, (n_q,)."""
        return self.slopes(t, np.concatenate([q, v, [0.0]]))[1][: self.n_q]

    def following(self, t: float, q: Array, v: Array, lam: Array, x: Array) -> Array:
        """Return the power, (1,)."""
        return self.slopes(t, np.concatenate([q, v, x]))[1][-1:]

    def levels(self, t: float, q: Array, v: Array) -> Levels:
        """Return no rows."""
        return Levels(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros((0, self.n_v)))

    def adopted(self: Any, other: Instant, y: Array) -> Array:
        """Return a state (n,) of another system of the same mechanism as one of this."""
        return same_state(self, other, y)

    # -- for integrators -------------------------------------------------------------------------------------------

    @property
    def indptr(self) -> NDArray[np.int32]:
        """Return the pattern of a full Jacobian."""
        return np.arange(0, self.n * self.n + 1, self.n, dtype=np.int32)

    @property
    def indices(self) -> NDArray[np.int32]:
        """Return the rows of a full Jacobian."""
        return np.tile(np.arange(self.n, dtype=np.int32), self.n)

    def _marched(
        self, do: Callable[..., Any], groups: tuple[ArgumentGroup, ArgumentGroup], rtol: float, times: Array
    ) -> CompiledMarch:
        """Return a march by the entry `do`, whose argument block begins with tables and work arrays."""
        state = march_state(self.n, self.n, times)
        block = ArgumentBlock(*groups, state)
        return CompiledMarch(do, block, state.part, rtol * self.units, rtol, self.scale.length)


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
    copy_into(y, z)
    copy_into(yp, zp)
    for j in range(n):
        h = NEAR * max(abs(y[j]), size[j])
        z[j], zp[j] = y[j] + h, yp[j] + cj * h
        balance(t, z, zp, above, m, s)
        z[j], zp[j] = y[j] - h, yp[j] - cj * h
        balance(t, z, zp, below, m, s)
        z[j], zp[j] = y[j], yp[j]
        for k in range(n):
            J[k, j] = (above[k] - below[k]) / (2.0 * h)
