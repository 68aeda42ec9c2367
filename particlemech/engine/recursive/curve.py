"""What a curve of poses asks of a mechanism in space: curve.py of `run` gives the list and its meaning.

Besides the rows of the system there are those that keep bodies from spinning about a line that no joint holds:

    (S e).omega = 0        e fixed in a frame                                                                (1)
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from particlemech._jit import ArgumentBlock, attachment, described, kernel, noinline, released, written
from particlemech.engine.recursive.equations import TreeSystem
from particlemech.engine.recursive.forms import TIED
from particlemech.engine.recursive.motion import move as step_along
from particlemech.engine.recursive.motion import normalise, outward
from particlemech.engine.recursive.rows import RATE, VALUE, place_row, swept_along
from particlemech.engine.recursive.tables import Tables, WorkArrays
from particlemech.engine.recursive.workspace import Workspace
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import put, shifted
from particlemech.run.curve import CurveState, Engine, curve_state, perform


class Spins(NamedTuple):
    """Rows (1)."""

    spin: Annotated[Array, written(2)]  # (n_spin, 4) frame and e


attached = attachment(Tables, WorkArrays, Spins, CurveState)


@noinline
def along(r: int, m: Tables, s: WorkArrays) -> None:
    """Fill share (n_stage,) with the derivatives of row r along all stages, after place_row."""
    p, W = m.row[r], s.W[r]
    s.share[:] = 0.0
    if p.form == TIED:
        s.share[p.stage2] += 1.0
        s.share[p.stage1] -= p.c
        return
    s.p[:, :] = 0.0
    for c in range(6):
        s.p[p.first, c] += W[c]
        s.p[p.second, c] += W[6 + c]
    swept_along(m, s, s.share)


@noinline
def rows(t: float, q: Array, address: int, phi: Array, C: Array) -> None:
    """Fill values and derivatives of all rows, and (1)."""
    m, s, of, _ = attached(address)
    n, last = len(m.row), C.shape[1] - 1
    s.speed[:] = 0.0
    outward(t, q, s.speed, m, s)
    for r in range(n + len(of.spin)):
        if r < n:
            place_row(r, m, s)
            phi[r], C[r, last] = s.phi[r, VALUE], s.phi[r, RATE]
            along(r, m, s)
        else:
            phi[r], C[r, last] = 0.0, 0.0
            i, e = int(of.spin[r - n, 0]), of.spin[r - n]
            x, y, z = shifted(s.S[i], e[1], e[2], e[3])
            s.share[:] = 0.0
            s.p[:, :] = 0.0
            put(s.p[i, 0:3], x, y, z)
            swept_along(m, s, s.share)
        for e in range(len(m.stage)):
            if m.stage[e].u >= 0:
                C[r, m.stage[e].u] = s.share[e]


@kernel
def move(q: Array, step: Array, address: int) -> None:
    """Move coordinates a step along the speeds."""
    m, _, _, _ = attached(address)
    step_along(q, step, m)


@kernel
def carry(q: Array, address: int) -> None:
    """Bring quaternions back to length 1."""
    m, _, _, _ = attached(address)
    normalise(q, m)


@kernel
def show(q: Array, address: int, out: Array) -> None:
    """Fill out with nothing but no work."""
    out[0] = 0.0


ENGINE = Engine(rows, move, carry, show)


@released
def do(task: int, x: float, most: int, done: int, address: int) -> float:
    """Do a task of a curve; see curve.perform."""
    return perform(ENGINE, task, x, most, done, attached(address)[3], address)


class Place:
    """Tables, work arrays and state of one curve, and what does its tasks."""

    def __init__(self, system: TreeSystem, q: Array, x: Array, wanted: Array, spins: Array | None = None) -> None:
        own = np.zeros((0, 4)) if spins is None else np.ascontiguousarray(spins, dtype=float)
        state = curve_state(system.n_q, system.n_v, 1 + system.elements.n, system.n_row + len(own), wanted)
        self.w: CurveState = state.part
        self.w.q[:], self._extra = q, system.elements.extra(np.zeros(0))
        self._place = Workspace(system.compiled)
        self.block = ArgumentBlock(system.compiled.group, self._place.work_arrays, described(Spins(own)), state)

    def do(self, task: int, x: float = 0.0, most: int = 0, done: int = 0) -> float:
        """Do a task."""
        return float(do(task, x, most, done, self.block.address))

    def extra(self) -> Array:
        """Return the extra states at the last point that counts, (n_x,): no work."""
        return self._extra.copy()
