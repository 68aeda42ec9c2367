"""Samples in absolute coordinates, many at once: numpy on arrays of small matrices, one for each sample.

The same equations as for one instant (equations.py, start.py), with no help from the other formulation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy import linalg

from particlemech._jit import readonly
from particlemech.engine.absolute import kernels
from particlemech.engine.absolute.compiled import AbsoluteCompiled, work_of
from particlemech.engine.absolute.measures import ANGLE, measured_samples
from particlemech.engine.plane import Balance, PlanarLayout, Reactions
from particlemech.engine.statics import conditions, decomposed, no_reactions
from particlemech.engine.system import Array, Scale
from particlemech.run.start import ROUNDING, SINGULAR, SOFT, accelerations

AT_ONCE = 1_000_000  # numbers in temporary arrays
ROUNDS = 4  # of Newton's method on positions


class Measured(NamedTuple):
    """A table of measures at K samples."""

    value: Array  # (K, n)
    signal: Array  # (K, n, 3)
    gradient: Array  # (K, n, 6)
    bend: Array  # (K, n) v.h.v


def measured(table: Any, segments: Array, t: Array, q: Array, v: Array) -> Measured:
    """Return a table of measures at K samples."""
    K, n = len(t), len(table)
    found = Measured(np.empty((K, n)), np.empty((K, n, 3)), np.empty((K, n, 6)), np.empty((K, n)))
    t, q, v = (readonly(np.ascontiguousarray(of, dtype=float)) for of in (t, q, v))
    value, signal, gradient, bend = found
    measured_samples(table, segments, t, q, v, value, signal, gradient, bend, np.empty((6, 6)), work_of(table))
    return found


class Samples:
    """Members of plane.PlanarInstant about many samples; what they need is said in equations.Absolute."""

    _c: AbsoluteCompiled
    n_q: int
    n_row: int
    size_v: Array
    scale: Scale
    layout: PlanarLayout
    _n_body: int
    _reports: Any
    _columns: tuple[str, ...]
    _argument_block: Any
    _called: Any
    _rubbing_forces: Any
    friction_of: Any

    def _parts(self, K: int) -> Iterator[slice]:
        """Yield samples that fit into memory together."""
        some = max(1, AT_ONCE // ((self.n_q + self.n_row) ** 2 + 1))
        return (slice(k, k + some) for k in range(0, K, some))

    def _at(self, t: Array, q: Array, v: Array) -> Measured:
        return measured(self._c.rows, self._c.segments, t, q, v)

    @property
    def _unit(self) -> Array:
        """Return what makes a row a length, (n_row,)."""
        return np.where(self._c.rows["kind"][self._c.begin] == ANGLE, self.scale.length, 1.0)

    def _summed(self, terms: Array) -> Array:
        """Return what measures are, (..., n_term), as what rows are, (..., n_row)."""
        begin = self._c.begin
        return terms if len(begin) == len(self._c.rows) else np.add.reduceat(terms, begin, axis=-1)

    def _matrices(self, g: Array) -> Array:
        """Return gradients (K, n_term, 6) as matrices, (K, n_row, n_q)."""
        c, result = self._c, np.zeros((len(g), self.n_row, self.n_q + 1))
        result[:, np.arange(self.n_row)[:, None], c.row_dof[c.begin]] = g[:, c.begin]
        for e in set(range(len(c.rows))) - set(c.begin.tolist()):
            result[:, c.rows["row"][e], c.row_dof[e]] += g[:, e]
        return result[:, :, :-1]

    def _gaps(self, at: Measured, v: Array) -> tuple[Array, Array, Array]:
        """Return phi, phi_dot as lengths, (K, n_row), and phi_q (K, n_row, n_q)."""
        C = self._matrices(at.gradient)
        phi = self._summed(at.value - self._c.rows["offset"] - at.signal[..., 0])
        rate = (C @ v[..., None])[..., 0] - self._summed(at.signal[..., 1])
        return self._unit * phi, self._unit * rate, C

    def closure_of(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return the worst position and velocity error of all rows at K samples, (K,) each."""
        position, velocity = np.zeros((2, len(t)))
        for part in self._parts(len(t)):
            phi, rate, _ = self._gaps(self._at(t[part], q[part], v[part]), v[part])
            position[part] = np.max(np.abs(phi), axis=1, initial=0.0)
            velocity[part] = np.max(np.abs(rate), axis=1, initial=0.0)
        return position, velocity

    # -- projection ----------------------------------------------------------------------------------------------

    def projected_of(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return the nearest positions and velocities that satisfy all rows at K samples; as initial.assembled."""
        q, v = np.array(q), np.array(v)
        for part in self._parts(len(t)) if self.n_row else ():
            self._assemble(t[part], q[part])
            at = self._at(t[part], q[part], v[part])
            C, inverse = self._softened(self._matrices(at.gradient))
            for _ in range(3):
                rate = (C @ (v[part] / self._way)[..., None])[..., 0] - self._unit * self._summed(at.signal[..., 1])
                v[part] -= self._way * _least(C, inverse, rate)
        return q, v

    @property
    def _way(self) -> Array:
        """Return what each speed counts beside a length, (n_q,); as in start.py."""
        return self.size_v / self.scale.length

    def _assemble(self, t: Array, q: Array) -> None:
        """Bring positions onto the rows."""
        open_, best = np.arange(len(t)), np.full(len(t), np.inf)
        for _ in range(ROUNDS):
            at = self._at(t[open_], q[open_], np.zeros((len(open_), self.n_q)))
            phi, _, C = self._gaps(at, np.zeros((len(open_), self.n_q)))
            size = np.max(np.abs(phi), axis=1)
            goes_on = (size < 0.5 * best[open_]) & (size > ROUNDING * self.scale.length)
            open_, phi, C = open_[goes_on], phi[goes_on], C[goes_on]
            if not len(open_):
                return
            best[open_] = size[goes_on]
            q[open_] -= self._way * _least(*self._softened(C), phi)

    def _softened(self, phi_q: Array) -> tuple[Array, Array]:
        """Return rows as lengths and the inverses of C C^T, softened where C is nearly singular; start.py."""
        C = self._unit[:, None] * phi_q * self._way
        size = np.maximum(linalg.norm(C, axis=2), 1.0)
        unit = C / size[..., None]
        inverse = linalg.inv(unit @ np.swapaxes(unit, 1, 2) + SOFT * np.eye(self.n_row))
        return C, inverse / (size[:, :, None] * size[:, None, :])

    # -- forces --------------------------------------------------------------------------------------------------

    def _forces(self, t: Array, q: Array, v: Array, x: Array) -> Array:
        """Return the generalised applied forces, friction among them, at K samples, (K, n_q)."""
        z, f = np.concatenate([q, v], axis=1), np.empty((len(t), self.n_q))
        argument_block = self._argument_block()  # lives as long as the kernel reads its address
        kernels.applied_samples(readonly(np.ascontiguousarray(t)), readonly(z), argument_block.address, f)
        if self._c.calls:
            for k in range(len(t)):
                f[k] += self._called(t[k], z[k], x[k])[0]
        if len(self._c.rubs):
            f += self._rubbing_forces(q, self.friction_of(t, q, v, x))
        return f

    def accelerations_of(self, t: Array, q: Array, v: Array, x: Array) -> Array:
        """Return the accelerations at K samples, (K, n_q); as initial.accelerations."""
        n, result = self.n_q, np.empty((len(t), self.n_q))
        for part in self._parts(len(t)):
            at = self._at(t[part], q[part], v[part])
            C = self._matrices(at.gradient)
            # in coordinates of unit mass; no row counts for less than a unit row
            mass = np.sqrt(np.where(self._c.mass[0] > 0.0, self._c.mass[0] / self.scale.mass, 1.0))
            C = C / mass
            size = np.maximum(linalg.norm(C, axis=2), 1.0 / self._unit)
            A = np.zeros((len(C), n + self.n_row, n + self.n_row))
            A[:, np.arange(n), np.arange(n)] = self._c.mass[0] / self.scale.mass / mass**2
            A[:, n:, :n] = C / size[..., None]
            A[:, :n, n:] = -np.swapaxes(A[:, n:, :n], 1, 2)
            force = self._forces(t[part], q[part], v[part], x[part]) / self.scale.mass / mass
            b = np.concatenate([force, -self._summed(at.bend - at.signal[..., 2]) / size], axis=1)
            found, clear = _solved(A, b)
            result[part] = found[:, :n] / mass
            for k in np.flatnonzero(~clear) + part.start:
                result[k] = accelerations(self, t[k], q[k], v[k], x[k])[0]  # type: ignore[arg-type]
        return result

    # -- reactions -----------------------------------------------------------------------------------------------

    def balance(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Balance:
        """Return the equilibrium of all bodies at one instant."""
        found = self._balances(np.array([t]), q[None], v[None], a[None], x[None])
        return found._replace(wrench=found.wrench[0], missing=found.missing[0], report=found.report[0])

    def _balances(self, t: Array, q: Array, v: Array, a: Array, x: Array) -> Balance:
        """Return the equilibrium of all bodies at K samples, with an axis for these."""
        wrench, report = self.units_of(t, q)
        unit = np.where(self._c.rows["kind"][self._c.begin] == ANGLE, self.scale.length, 1.0)
        return Balance(wrench, self._missing(t, q, v, a, x), unit, report, self._columns)

    def units_of(self, t: Array, q: Array) -> tuple[Array, Array]:
        """Return `wrench` and `report` of Balance at K samples.

        A row's gradient is the wrench of its unit reaction on both bodies. Every force acts at the place where
        the joint reports, so only rows that are angles report a moment.
        """
        g, angle = self._at(t, q, np.zeros_like(q)).gradient, self._c.rows["kind"][self._c.begin] == ANGLE
        reported = g[:, self._c.begin] * np.where(angle[:, None], 1.0, [1.0, 1.0, 0.0, 1.0, 1.0, 0.0])
        report = np.zeros((len(t), len(self.layout.reactions), 3, self.n_row))
        e, first, second = self._reports
        report[:, first, :, e] = reported[:, e, :3].transpose(1, 0, 2)
        report[:, second, :, e] = reported[:, e, 3:].transpose(1, 0, 2)
        return np.swapaxes(self._matrices(g), 1, 2) * self._per[:, None], report

    def missing(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Array:
        """Return what of `balance` is the rate of momentum minus the applied wrench, (3 n_body,)."""
        return self._missing(np.array([t]), q[None], v[None], a[None], x[None])[0]

    def _missing(self, t: Array, q: Array, v: Array, a: Array, x: Array) -> Array:
        return np.asarray((self._c.mass[0] * a - self._forces(t, q, v, x)) * self._per)

    @property
    def _per(self) -> Array:
        """Return what makes forces and moments forces, (n_q,)."""
        return np.tile([1.0, 1.0, 1.0 / self.scale.length], self._n_body)

    def reactions_under(self, t: Array, q: Array, v: Array, a: Array, x: Array, idle: Array | None) -> Reactions:
        """Return the reactions at K samples, each by a decomposition of its own.

        `idle` are further wrenches (K, n_body, 3) about the centres of mass.
        """
        found = no_reactions(len(t), len(self.layout.reactions), len(self.layout.efforts))
        for part in self._parts(len(t)):
            balances = self._balances(t[part], q[part], v[part], a[part], x[part])
            if idle is not None:
                more = idle[part].reshape(len(balances.missing), -1) * self._per
                balances = balances._replace(missing=balances.missing - more)
            for target, own in zip(found, decomposed(balances, self.layout.efforts), strict=True):
                target[part] = own
        return found

    def conditions_of(self, t: Array, q: Array) -> Array:
        """Return the condition number of equilibrium at K samples, (K,)."""
        result = np.ones(len(t))
        for part in self._parts(len(t)):
            g = self._at(t[part], q[part], np.zeros_like(q[part])).gradient
            B = np.swapaxes(self._matrices(g), 1, 2) * self._per[:, None] * self._unit
            result[part] = conditions(linalg.svd(B, compute_uv=False))
        return result


def _least(C: Array, inverse: Array, gap: Array) -> Array:
    """Return the least steps that close gaps (K, n_row), (K, n_q)."""
    return np.asarray((np.swapaxes(C, 1, 2) @ (inverse @ gap[..., None]))[..., 0])


def _solved(A: Array, b: Array) -> tuple[Array, Any]:
    """Return the solutions of A x = b, (K, n), and which of them are clear; the others are nearly singular."""
    try:
        inverse = linalg.inv(A)
    except linalg.LinAlgError:  # one of them: the rest is not told
        return np.zeros_like(b), np.zeros(len(b), dtype=bool)
    x = inverse @ b[..., None]
    x = x + inverse @ (b[..., None] - A @ x)
    size = linalg.norm(A, 1, axis=(1, 2)) * linalg.norm(inverse, 1, axis=(1, 2))
    return x[..., 0], np.asarray(size * SINGULAR < 1.0)
