"""Tables -> System: what IDA, start and results ask of a mechanism in space."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import Book, fresh
from particlemech.outcome import State
from particlemech.spatial import kernels
from particlemech.spatial.compiled import Compiled, retimed, tabulate
from particlemech.spatial.coordinates import kinetic_energy
from particlemech.spatial.mechanism import Mechanism
from particlemech.spatial.observed import Observed
from particlemech.spatial.tables import Desk
from particlemech.system import Array, Jacobian, Layout, Levels, Residual


def system(mechanism: Mechanism) -> SpatialSystem:
    """Return the system of a mechanism in space."""
    return SpatialSystem(tabulate(mechanism))


class Workplace:
    """A desk for one run or thread; who holds its address holds the workplace."""

    def __init__(self, compiled: Compiled) -> None:
        m = compiled.tables
        n_q, n_row, n_cell = 12 * len(m.body), len(m.row), len(m.cell)
        sizes = ((len(m.signal), 3), (3, n_row), (n_cell,), (n_cell,), (3, n_q), (2, n_q))
        self.desk = fresh(Desk, *sizes)
        self.s: Desk = self.desk.part
        self.book = Book(compiled.page, self.desk)
        self.address = self.book.address


class SpatialSystem:
    """Bodies in space by centre of mass and axes: y = (q, v, lam, mu, theta, W), kernels.py."""

    formulation = "spatial"
    cuts: tuple[str, ...] = ()
    dense = False

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, self.mechanism, self.scale = compiled, compiled.mechanism, compiled.scale
        self.n_q = self.n_v = len(compiled.coordinates.drawing)
        self.n_row = self.n_lam = len(compiled.rows)
        self.n_theta = len(compiled.tables.torsions)  # angles that torsion springs follow
        self.n = 2 * self.n_q + 2 * self.n_row + self.n_theta + 1
        self.breaks, self.until = compiled.breaks, compiled.until
        q, lam, mu = self.n_q, 2 * self.n_q, 2 * self.n_q + self.n_row
        end = mu + self.n_row
        slices = slice(0, q), slice(q, lam), slice(lam, mu), slice(mu, end), slice(end, self.n)
        self.layout = Layout(compiled.rows, *slices)

    def retimed(self, time_scale: float) -> SpatialSystem:
        """Return the same system regularised with another time scale, s."""
        other = copy.copy(self)
        other.scale = replace(self.scale, time=time_scale)
        tables = self.compiled.tables._replace(row=retimed(self.compiled, time_scale))
        other.compiled = replace(self.compiled, tables=tables, scale=other.scale)
        return other

    # -- one instant -----------------------------------------------------------------------------------------------

    @cached_property
    def size_q(self) -> Array:
        """Return what counts as a unit of each coordinate, (n_q,): L for places, 1 for axes."""
        return np.tile([self.scale.length] * 3 + [1.0] * 9, len(self.compiled.coordinates.order))

    @property
    def size_v(self) -> Array:
        """Return what counts as a unit of the way that each speed makes, (n_v,)."""
        return self.size_q

    def kinematics(self, t: float, q: Array, v: Array) -> Array:
        """Return the rates of the coordinates, (n_q,): the speeds."""
        return v

    def levels(self, t: float, q: Array, v: Array) -> Levels:
        """Return phi, phi_t, gamma and phi_q."""
        place, phi_q = Workplace(self.compiled), np.zeros((self.n_row, self.n_q))
        kernels.levels(t, q, v, phi_q, place.address)
        phi, phi_t, gamma = place.s.phi.copy()
        return Levels(phi, phi_t, gamma, phi_q)

    def forces(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return applied forces on all coordinates, (n_q,), and the rates of x = (theta, W) that they cause."""
        place, rates = Workplace(self.compiled), np.zeros(self.n_theta + 1)
        rates[-1] = kernels.forces(t, x[:-1], q, v, rates[:-1], place.address)
        return place.s.f[0].copy(), rates

    def mass(self, q: Array) -> Array:
        """Return M, (n_q, n_q)."""
        return self.compiled.coordinates.mass

    def dynamics(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A and b of A (a, lam) = b: M a - phi_q^T lam = f, then phi_q a = -gamma."""
        at, n = self.levels(t, q, v), self.n_q
        A = np.zeros((n + self.n_row, n + self.n_row))
        A[:n, :n], A[:n, n:], A[n:, :n] = self.mass(q), -at.phi_q.T, at.phi_q
        return A, np.concatenate([self.forces(t, q, v, x)[0], -at.gamma])

    def struck(self, t: float, y: Array) -> Array:
        """Return the state itself: nothing strikes."""
        return y

    def energy(self, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K samples, (K,) each."""
        place = Workplace(self.compiled)
        potential = np.array(
            [kernels.potential_energy(e[:-1], one, place.address) for e, one in zip(x, q, strict=True)]
        )
        # places are from the computing origin: the potential of gravity is meant from the global one
        lift = self.scale.mass * float(np.dot(self.mechanism.gravity, self.compiled.coordinates.origin))
        return kinetic_energy(self.compiled.coordinates.blocks, v), potential - lift

    def observed(self, t: Array, q: Array, v: Array, a: Array) -> Observed:
        """Return the motion at K samples by name."""
        return Observed(self.compiled, t, q, v, a)

    def state(self, t: float, y: Array) -> Any:
        """Return the motion at one instant by name."""
        q, v = y[None, self.layout.q], y[None, self.layout.v]
        return State(self.observed(np.array([t]), q, v, np.zeros_like(v)))

    def not_finite(self, t: float, y: Array) -> str:
        """Return the part whose law gives a value that is not finite."""
        return "the motion"

    # -- for IDA ---------------------------------------------------------------------------------------------------

    @cached_property
    def _pattern(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return rows and columns of what may differ from zero, column by column."""
        q = self.compiled.coordinates.drawing
        ones = np.concatenate([q, q, np.ones(self.n - 2 * self.n_q)])
        rng = np.random.default_rng(0)
        seen = np.zeros((self.n, self.n), dtype=bool)
        jacobian = self._whole()
        for _ in range(3):
            # no entry vanishes by chance in three random states
            J = jacobian(rng.uniform(0.0, 1.0), ones * rng.normal(1.0, 0.5, self.n) + rng.normal(0.0, 0.1, self.n), 1.0)
            seen |= J != 0.0
        columns, rows = np.nonzero(seen.T)
        return rows, columns

    @property
    def indptr(self) -> NDArray[np.int32]:
        """Return where each column of the pattern starts."""
        return np.searchsorted(self._pattern[1], np.arange(self.n + 1)).astype(np.int32)

    @property
    def indices(self) -> NDArray[np.int32]:
        """Return the rows of the pattern."""
        return self._pattern[0].astype(np.int32)

    def _whole(self) -> Any:
        """Return a function (t, y, cj) -> J (n, n), in an array of its own."""
        place, J = Workplace(self.compiled), np.zeros((self.n, self.n))
        L, T = self.scale.length, self.scale.time

        def jacobian(t: float, y: Array, cj: float) -> Array:
            kernels.jacobian(t, y, cj, min(L, 1.0), min(L, 1.0) / T, J, place.address)
            return J

        return jacobian

    def callbacks(self, sparse: bool) -> tuple[Residual, Jacobian]:
        """Return residual and Jacobian with a desk of their own."""
        place, whole = Workplace(self.compiled), self._whole()
        rows, columns = self._pattern if sparse else (np.zeros(0, dtype=int), np.zeros(0, dtype=int))

        def residual(t: float, y: Array, yp: Array, res: Array) -> bool:
            return bool(kernels.residual(t, y, yp, res, place.address))

        def jacobian(t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
            found = whole(t, y, cj)
            J[...] = found[rows, columns] if sparse else found

        return residual, jacobian

    def following(self, t: float, q: Array, v: Array, lam: Array, x: Array) -> Array:
        """Return the rates of angles, and the power, (n_theta + 1,)."""
        _, rates = self.forces(t, q, v, x)
        rates[-1] -= lam @ self.levels(t, q, v).phi_t
        return rates
