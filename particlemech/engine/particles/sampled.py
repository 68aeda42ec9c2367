"""Samples of particle systems, many at once: closure, projection and accelerations; the Python side of samples.py."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import ArgumentBlock, ArgumentGroup, described
from particlemech.engine.particles import samples
from particlemech.engine.particles.accelerations import ExplicitTables, work_arrays
from particlemech.engine.particles.compiled import Compiled
from particlemech.engine.particles.elimination import Indices
from particlemech.engine.particles.observed import Observed
from particlemech.engine.particles.reactions import States
from particlemech.engine.particles.turns import turned_samples
from particlemech.engine.signal_tables import sampled as sampled_signals
from particlemech.engine.system import Array
from particlemech.run.start import ROUNDING, SOFT

AT_ONCE = 1_000_000  # numbers in temporary arrays


class Sampled:
    """What the rows of a mechanism say of many samples at once."""

    def __init__(
        self, compiled: Compiled, observed: Observed, way: Callable[[], tuple[ExplicitTables, Indices]]
    ) -> None:
        self.compiled, self.observed, self._way = compiled, observed, way
        self.unit = np.array([compiled.scale.length if row.angle else 1.0 for row in compiled.rows])

    def of(self, compiled: Compiled, way: Callable[[], tuple[ExplicitTables, Indices]]) -> Sampled:
        """Return the same for tables whose rows hold what they hold at other places."""
        other = copy.copy(self)
        other.compiled, other._way = compiled, way
        other.__dict__.pop("_soft_tables", None)
        return other

    # -- closure -----------------------------------------------------------------------------------------------------

    def closure(self, t: Array, q: Array, v: Array, theta: Array) -> tuple[Array, Array]:
        """Return the worst position and velocity error of all rows at K samples, (K,) each, m and m/s; terms.py."""
        c, K = self.compiled, len(t)
        position, velocity = np.zeros((2, K))
        term = c.term
        if not len(term):
            return position, velocity
        unit = self.unit
        row, i, j, s, factor = (term[name] for name in ("row", "i", "j", "s", "c"))
        rows, first = np.unique(row, return_index=True)
        some = max(1, AT_ONCE // len(term))
        for k in range(0, K, some):
            part = slice(k, k + some)
            sig = sampled_signals(t[part], c.segment, c.signal)[:, s]
            # one more coordinate, 1 and at rest: that of index -1
            z = np.pad(self.observed.coordinates(q[part]), ((0, 0), (0, 1)), constant_values=1.0)
            vz = np.pad(self.observed.coordinates(v[part], False), ((0, 0), (0, 1)))
            zi, zj, both = z[:, i], z[:, j], factor * z[:, i] * z[:, j]
            phi = np.add.reduceat(both * sig[..., 0], first, axis=1)
            rate = both * sig[..., 1] + factor * sig[..., 0] * (vz[:, i] * zj + zi * vz[:, j])
            rate = np.add.reduceat(rate, first, axis=1)
            if c.turns:
                phi, rate = self._with_turns(phi, rate, rows, q[part], v[part], theta[part])
            own = unit if c.turns else unit[rows]
            position[part] = np.max(np.abs(own * phi), axis=1)
            velocity[part] = np.max(np.abs(own * rate), axis=1)
        return position, velocity

    def _with_turns(self, phi: Array, rate: Array, rows: Any, q: Array, v: Array, theta: Array) -> tuple[Array, Array]:
        """Return phi and phi_dot of all rows with the angles and strands that some hold; (K, n_row) each."""
        whole = np.zeros((2, len(q), len(self.compiled.rows)))
        whole[0][:, rows], whole[1][:, rows] = phi, rate
        z, vz = self.observed.coordinates(q), self.observed.coordinates(v, False)
        turn, arm, _ = self.compiled.turning
        turned_samples(turn, arm, self.compiled.segment, np.ascontiguousarray(theta), z, vz, whole[0], whole[1])
        return whole[0], whole[1]

    # -- compiled loops ----------------------------------------------------------------------------------------------

    @cached_property
    def _explicit_tables(self) -> ArgumentGroup:
        return described(self._way()[0])

    @cached_property
    def _in_order(self) -> Array:
        """Return what makes a row a length, in the order of elimination, 0 of coordinates."""
        made, multipliers = self._way()
        result = np.zeros(len(made.strength))
        result[multipliers] = self.unit
        return result

    @cached_property
    def _soft_tables(self) -> ArgumentGroup:
        """Return the tables of projections: unit masses, and rows as soft as samples.py (1) says."""
        made, multipliers = self._way()
        base = np.zeros_like(made.base)
        base[made.column[made.place]] = 1.0
        base[made.column[multipliers]] = -SOFT / self.unit**2
        return described(made._replace(base=base))

    def _done(self, task: int, explicit_tables: ArgumentGroup, states: States) -> samples.Batch:
        """Do a task of samples.sampled at all samples."""
        m: ExplicitTables = explicit_tables.part
        limits = np.array([SOFT, ROUNDING * self.compiled.scale.length])
        t, q, v, a, theta, extra = states
        batch = samples.Batch(
            t, theta, extra, self._in_order, limits, q, v, a, np.zeros(len(t)), np.zeros((len(t), len(m.rub)))
        )
        argument_block = ArgumentBlock(
            explicit_tables, work_arrays(m), batch
        )  # lives as long as the kernel reads its address
        samples.sampled(task, argument_block.address)
        return batch

    def projected(self, t: Array, q: Array, v: Array, theta: Array) -> tuple[Array, Array]:
        """Return the nearest positions and velocities that satisfy all rows at K samples, (K, n_q) each."""
        n_body = len(self.compiled.body)
        turns = np.array(theta, order="C")
        states = States(np.array(t), np.array(q), np.array(v), np.zeros((0, 0)), turns, none(n_body))
        batch = self._done(samples.PROJECT, self._soft_tables, states)
        return batch.q, batch.v

    def accelerations(
        self, t: Array, q: Array, v: Array, theta: Array, extra: Array
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return the accelerations at K samples, (K, n_q), and the samples where rows depend on each other in doubt."""
        batch = self._accelerated(t, q, v, theta, extra)
        return batch.a, np.flatnonzero(batch.sure == 0.0)

    def friction(
        self, t: Array, q: Array, v: Array, theta: Array, extra: Array
    ) -> tuple[Array, NDArray[np.bool_], NDArray[np.int64]]:
        """Return the efforts of dry friction, (K, n_rub), where a joint jams, (K,), and samples as above."""
        batch = self._accelerated(t, q, v, theta, extra)
        jams = np.asarray(np.isnan(batch.a).any(axis=1))
        return batch.friction, jams, np.flatnonzero(batch.sure == 0.0)

    def _accelerated(self, t: Array, q: Array, v: Array, theta: Array, extra: Array) -> samples.Batch:
        given = [np.array(of, order="C") for of in (t, q, v)]
        states = States(given[0], given[1], given[2], np.zeros_like(given[1]), np.ascontiguousarray(theta), extra)
        return self._done(samples.ACCELERATE, self._explicit_tables, states)


def none(n_body: int) -> Array:
    """Return the wrenches of no custom forces."""
    return np.zeros((0, n_body, 3))
