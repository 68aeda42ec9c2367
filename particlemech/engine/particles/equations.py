"""Compiled -> System: the particle formulation as the rest of the library sees it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from particlemech._jit import ArgumentBlock, ArgumentGroup, described, fresh, readonly
from particlemech.engine.in_plane import layout
from particlemech.engine.particles import kernels
from particlemech.engine.particles.compiled import Compiled, retimed, tabulate
from particlemech.engine.particles.frames import Place
from particlemech.engine.particles.instant import ParticleInstant
from particlemech.engine.particles.kernels import Scratch, Tables
from particlemech.engine.particles.sparsity import Places, pattern, places
from particlemech.engine.particles.topology import DEPTH, cut
from particlemech.engine.plane import Balance, Pose
from particlemech.engine.system import Array, Jacobian, Residual
from particlemech.model.mechanism import Mechanism


def system(
    mechanism: Mechanism,
    forced: tuple[str, ...] = (),
    time_scale: float = 1.0,
    second: Mapping[str, Place] | None = None,
    depth: int = DEPTH,
) -> ParticleSystem:
    """Return the System of a planar mechanism; arguments as in topology.cut and compiled.tabulate."""
    return ParticleSystem(tabulate(mechanism, cut(mechanism, forced, depth), time_scale, second))


def scratch(c: Compiled, p: Places) -> ArgumentGroup:
    """Return arrays for the kernels to work in, a Scratch: one set per run."""
    width, n = max(len(c.coord), len(c.cell), 1), p.n_body
    extra, sig, z, phi = (n + 1, 3), (len(c.signal), 3), (5, width), (3, p.n_row)
    return fresh(Scratch, extra, sig, z, phi, (2 * n, 3), (p.n_free, 3), (p.n_val,), (p.n_D, 3))


class ParticleSystem(ParticleInstant):
    """The stabilised index-2 system of equivalent particles (see system.System for the members)."""

    def __init__(
        self, compiled: Compiled, home: Pose | None = None, alike: ParticleSystem | None = None
    ) -> None:  # `alike` differs in the regularisation only: what it has found out holds here too
        super().__init__(compiled, home, alike)
        self.places = p = places(compiled, self.elements.n)
        self.n = p.n
        sizes = self.n_q, self.n_q, p.n_lam, p.n_row, len(self.start_x)
        self.layout = alike.layout if alike is not None else layout(self.mechanism, compiled.rows, sizes)
        self._alike = alike
        self._tables = described(_tables(compiled, p))

    def retimed(self, time_scale: float, home: Pose | None = None) -> ParticleSystem:
        """Return the same system regularised with another time scale, s; its coordinates count from `home`."""
        return ParticleSystem(retimed(self.compiled, time_scale), home, self)

    def with_rows_moved(self, by: Mapping[str, float]) -> ParticleSystem:
        """Return the same system where some rows hold what they hold farther on."""
        other = super().with_rows_moved(by)
        other._alike, other._tables = self, described(_tables(other.compiled, other.places))
        return other

    # -- the DAE -----------------------------------------------------------------------------------------------

    @cached_property
    def _sparsity(self) -> Any:
        if self._alike is not None:
            return self._alike._sparsity
        return pattern(self.compiled, self.places, self.custom.pattern())

    @property
    def indptr(self) -> Any:
        """Return the column starts of the Jacobian's pattern."""
        return self._sparsity.indptr

    @property
    def indices(self) -> Any:
        """Return the rows of the Jacobian's pattern."""
        return self._sparsity.indices

    def callbacks(self, sparse: bool) -> tuple[Residual, Jacobian]:
        """Return residual and Jacobian with scratch of their own."""
        work, custom = scratch(self.compiled, self.places), self.custom
        s = work.part
        argument_block = ArgumentBlock(self._tables, work, self._sparsity.sparse if sparse else self._sparsity.dense)

        def residual(t: float, y: Array, yp: Array, res: Array) -> bool:
            return kernels.residual(t, y, yp, argument_block.address, res)

        def jacobian(t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
            kernels.jacobian(t, y, yp, 1.0, cj, argument_block.address, J.reshape(-1))

        lay, at_z = self.layout, slice(self.n - 1 - self.elements.n, self.n - 1)

        def custom_residual(t: float, y: Array, yp: Array, res: Array) -> bool:
            rates = custom.apply(t, y[lay.q], y[lay.v], y[lay.x], s.extra)
            finite = residual(t, y, yp, res)
            res[at_z] = yp[at_z] - rates
            return finite and bool(np.isfinite(rates).all())

        def custom_jacobian(t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
            custom.apply(t, y[lay.q], y[lay.v], y[lay.x], s.extra)
            jacobian(t, y, yp, res, cj, J)
            custom.differentiate(t, y, s, cj, sparse, J.reshape(-1))

        return (custom_residual, custom_jacobian) if custom else (residual, jacobian)

    # -- one instant -------------------------------------------------------------------------------------------

    def _still(self, q: Array, v: Array, x: Array) -> Array:
        """Return y without multipliers."""
        y = np.zeros(self.n)
        y[self.layout.q], y[self.layout.v], y[self.layout.x] = q, v, x
        return y

    def _residual(self, t: float, y: Array, yp: Array) -> tuple[Array, ArgumentGroup]:
        """Return the residual, and the scratch that holds the wrenches of the bodies."""
        s, res = scratch(self.compiled, self.places), np.empty(self.n)
        lay = self.layout
        rates = self.custom.apply(t, y[lay.q], y[lay.v], y[lay.x], s.part.extra) if self.custom else np.zeros(0)
        argument_block = ArgumentBlock(self._tables, s)  # lives as long as the kernel reads its address
        kernels.residual(t, readonly(y), readonly(yp), argument_block.address, res)
        at_z = slice(self.n - 1 - len(rates), self.n - 1)
        res[at_z] = yp[at_z] - rates
        return res, s

    def _smooth(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A and b of A (a, lam) = b without dry friction: the balance rows, then phi_q a = -gamma."""
        p = self.places
        y, yp = readonly(self._still(q, v, x)), readonly(np.zeros(self.n))
        res, s = self._residual(t, y, yp)
        argument_block = ArgumentBlock(self._tables, s, self._sparsity.sparse)
        data = np.empty(len(self.indices))
        A = np.zeros((p.n_q + p.n_lam, p.n_q + p.n_lam))
        take = self._balance_entries
        for (cy, cp), (entries, rows, columns) in zip(((0.0, 1.0), (1.0, 0.0)), take, strict=True):
            kernels.jacobian(t, y, yp, cy, cp, argument_block.address, data)
            A[rows, columns] = data[entries]
        _, _, gamma, phi_q = self.levels(t, q, v, x)
        A[p.n_free :, : p.n_q] = phi_q
        return A, np.concatenate([-res[p.n_q : p.n_q + p.n_free], -gamma])

    def _spread(self, q: Array, w: Array) -> Array:
        """Return wrenches (n, n_body, 3) about the origin as columns of b, (n_q + n_row, n): what rows add up."""
        c, outboard = self.compiled, np.array(w)
        for b in range(len(c.body) - 1, -1, -1):
            if c.body[b]["parent"] >= 0:
                outboard[:, c.body[b]["parent"]] += outboard[:, b]
        still = self._still(q, np.zeros(self.n_q), self.start_x)
        proj = self._residual(0.0, still, np.zeros(self.n))[1].part.proj
        E = np.zeros((self.n_q + self.places.n_lam, len(w)))
        E[: len(proj)] = np.einsum("ei,nei->en", proj, outboard[:, c.free["body"]])
        return E

    @cached_property
    def _balance_entries(self) -> Any:
        """Return where the balance rows' derivatives by a and by lam stand in the sparse Jacobian and in A."""
        if self._alike is not None:
            return self._alike._balance_entries
        p = self.places
        columns = np.repeat(np.arange(self.n), np.diff(self.indptr))
        balance = (self.indices >= p.n_q) & (self.indices < p.n_q + p.n_free)
        result = []
        for first, last, at in ((p.n_q, 2 * p.n_q, 0), (p.lam, p.mu, p.n_q)):
            entries = np.flatnonzero(balance & (columns >= first) & (columns < last))
            result.append((entries, self.indices[entries] - p.n_q, columns[entries] - first + at))
        return result

    def following(self, t: float, q: Array, v: Array, lam: Array, x: Array) -> Array:
        """Return the rates of the angles and of the work, (n_x,)."""
        y = self._still(q, v, x)
        y[self.layout.lam] = lam
        return -self._residual(t, y, np.zeros(self.n))[0][self.layout.x]

    def balance(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Balance:
        """Return the equilibrium of all bodies at one instant."""
        return self.observed.balance(t, q, self._unmet(t, q, v, a, x))

    def missing(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Array:
        """Return what of `balance` is the rate of momentum minus the applied wrench, (3 n_body,)."""
        return self.observed.missing(q, self._unmet(t, q, v, a, x))

    def _unmet(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Array:
        """Return rate of momentum minus applied wrench and friction of all bodies about the origin, (n_body, 3)."""
        return self.wrenches(t, q, v, a, np.zeros(self.n_lam), x)[0] - self.rubbing_at(t, q, v, x)

    def wrenches(self, t: float, q: Array, v: Array, a: Array, lam: Array, x: Array) -> tuple[Array, Array]:
        """Return what the balance rows add up over the bodies of a chain, and how each row projects it.

        The first, (n_body, 3), is rate of momentum minus applied wrench and reactions of cut joints and drivers: force
        x, force y, N, moment about the computing origin, N m, bodies as in `compiled.order`. Row e of the balance is
        the sum of it over all bodies outboard, times row e of the second, (n_free, 3), by chain.py (4), (5).
        """
        y, yp = self._still(q, v, x), np.zeros(self.n)
        y[self.layout.lam], yp[self.layout.v] = lam, a
        _, s = self._residual(t, y, yp)
        return s.part.w[: self.places.n_body], s.part.proj

    def not_finite(self, t: float, y: Array) -> str:
        """Return the force whose wrench is not finite near this state."""
        return self.custom.not_finite(t, y) or "the motion"


def _tables(c: Compiled, p: Places) -> Tables:
    sizes = (p.n_q, p.n_lam, p.n_row, p.n_free)
    addresses = (p.g, p.h, p.bend, p.swing, p.spin, p.power, p.rate, p.reach, p.curl, p.force, p.coil, p.twist)
    n = np.array([*sizes, *addresses])
    loads, torques, springs, motors = c.force
    return Tables(
        n=n,
        body=c.body,
        coord=c.coord,
        entry=c.entry,
        term=c.term,
        cell=c.cell,
        turn=c.turning[0],
        arm=c.turning[1],
        spot=c.turning[2],
        row=c.row,
        free=c.free,
        segment=c.segment,
        signal=c.signal,
        loads=loads,
        torques=torques,
        springs=springs,
        motors=motors,
        rub=c.rub,
        gravity=c.gravity,
    )
