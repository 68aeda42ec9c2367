"""Explicit steps of planar mechanisms: shared coordinates, tables for the kernels, and a march from stop to stop."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from particlemech._jit import ArgumentBlock, ArgumentGroup, described
from particlemech.engine.friction import Rubbed, stated
from particlemech.engine.in_plane import layout
from particlemech.engine.particles import entry_points
from particlemech.engine.particles.accelerations import ExplicitTables, work_arrays
from particlemech.engine.particles.compiled import Compiled, tabulate_shared
from particlemech.engine.particles.forces.governed import offsets
from particlemech.engine.particles.instant import ParticleInstant
from particlemech.engine.particles.variants import REGULAR
from particlemech.engine.plane import Balance, PlanarInstant, Pose, rate_row
from particlemech.engine.system import Array
from particlemech.model.mechanism import Mechanism
from particlemech.run.compiled_march import CompiledMarch
from particlemech.run.ends import redundant
from particlemech.run.start import CLOSED, Follow, Start, start, weights
from particlemech.run.steps import LEAST_PIVOT, SLACK, march_state

NO_TIMES = np.zeros(0)
HUGE = 1e30  # softness of rows that take no part, beside that of all others


def system(mechanism: Mechanism, time_scale: float = 1.0) -> SharedSystem:
    """Return the explicit system of a planar mechanism."""
    return SharedSystem(tabulate_shared(mechanism, time_scale))


class SharedSystem(ParticleInstant):
    """Equivalent particles in shared coordinates: y = (q, v, theta, z, W), accelerations by elimination."""

    slack: tuple[int, ...] = ()  # rows that are left out because they follow from others
    determined = False  # whether the start is known to determine all reactions, without these

    def __init__(self, compiled: Compiled, home: Pose | None = None) -> None:
        super().__init__(compiled, home)
        self.n = 2 * self.n_q + len(self.start_x)
        self.layout = layout(self.mechanism, compiled.rows, (self.n_q, self.n_q, 0, 0, len(self.start_x)))

    def retimed(self, time_scale: float, home: Pose | None = None) -> SharedSystem:
        """Return the same system with another time scale, s; its coordinates count from `home`."""
        other = copy.copy(self)
        other.scale = replace(self.scale, time=time_scale)
        if home is not None:
            other.home = home
        return other

    # -- one instant -----------------------------------------------------------------------------------------------

    def _put(self, place: Workspace, q: Array, v: Array, x: Array) -> None:
        """Write a state into a workspace."""
        n_body = len(self.compiled.body)
        place.w.y[:] = np.concatenate([q, v, x[n_body:]])
        place.s.theta[0] = x[:n_body]

    def _wrenches(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Array:
        """Return rate of momentum minus applied wrench, without friction, of all bodies about the origin."""
        place = self._instant
        self._put(place, q, v, x)
        place.w.first[self.n_q : 2 * self.n_q] = a
        place.do(entry_points.WRENCHES, t)
        return place.s.w.copy()

    def _smooth(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A and b of A (a, lam) = b without dry friction: M a - C^T lam = f, then C a = -gamma."""
        at = self.levels(t, q, v, x)
        A = np.zeros((self.n_q + self.n_row, self.n_q + self.n_row))
        A[: self.n_q, : self.n_q] = self.observed.mass
        A[: self.n_q, self.n_q :] = -at.phi_q.T
        A[self.n_q :, : self.n_q] = at.phi_q
        w = self._wrenches(t, q, v, np.zeros_like(q), x)
        return A, np.concatenate([self.observed.T.back(self._on_particles(q, -w)), -at.gamma])

    def _spread(self, q: Array, w: Array) -> Array:
        """Return wrenches (n, n_body, 3) about the origin as columns of b, (n_q + n_row, n)."""
        E = np.zeros((self.n_q + self.n_row, len(w)))
        for k, one in enumerate(w):
            E[: self.n_q, k] = self.observed.T.back(self._on_particles(q, one))
        return E

    def _resolved(self, t: float, q: Array, v: Array, x: Array) -> Rubbed:
        """Return dry friction in a state, by the kernels."""
        place, c = Workspace(self), self.compiled
        self._put(place, q, v, x)
        place.do(entry_points.SLOPES, t)
        return stated(c.rub, place.s.efforts, place.s.load, not np.isnan(place.s.x).any())

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another process can use."""
        return {name: value for name, value in self.__dict__.items() if name != "_instant"}

    @cached_property
    def _instant(self) -> Workspace:
        return Workspace(self)

    def multipliers(self, t: float, y: Array) -> Array:
        """Return the multipliers of all rows in a state (n,), (n_row,)."""
        place, lay = self._instant, self.layout
        self._put(place, y[lay.q], y[lay.v], y[lay.x])
        place.do(entry_points.SLOPES, t)
        return np.asarray(-place.s.x[self._way[1]])

    def _on_particles(self, q: Array, w: Array) -> Array:
        """Return wrenches about the origin as forces on the particles, (4 n_body,), accelerations.py (2)."""
        z1, d = (part[0] for part in self.observed.bodies(q[None]))
        couple = (w[:, 2] - z1[:, 0] * w[:, 1] + z1[:, 1] * w[:, 0]) / self.compiled.body["length"] ** 2
        f2 = couple[:, None] * np.stack([-d[:, 1], d[:, 0]], axis=1)
        return np.concatenate([w[:, :2] - f2, f2], axis=1).reshape(-1)

    def balance(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Balance:
        """Return the equilibrium of all bodies at one instant."""
        return self.observed.balance(t, q, self._wrenches(t, q, v, a, x) - self.rubbing_at(t, q, v, x))

    def missing(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Array:
        """Return what of `balance` is the rate of momentum minus the applied wrench, (3 n_body,)."""
        return self.observed.missing(q, self._wrenches(t, q, v, a, x) - self.rubbing_at(t, q, v, x))

    def singular(self, t: float, y: Array) -> str:
        """Return what is wrong with a pose."""
        return "the mechanism comes too close to a singular pose"

    def not_finite(self, t: float, y: Array) -> str:
        """Return the part whose law gives a value that is not finite."""
        return "the motion"

    # -- explicit --------------------------------------------------------------------------------------------------

    @cached_property
    def span(self) -> Array:
        """Return what turns gaps of rows into lengths, at the places of their multipliers in the elimination, (n,)."""
        span = np.zeros(len(self._way[0].strength))
        span[self._way[1]] = weights(self)
        return span

    def slacken(self, rows: list[int]) -> None:
        """Leave out rows that follow from others; they are watched, but hold nothing."""
        way, places = self._way
        strength, base = way.strength.copy(), way.base.copy()
        for place in places[rows]:
            strength[place] = 0.0
            base[way.column[place]] = -HUGE / min(way.strength[place], HUGE)
        self.__dict__["_way"] = way._replace(strength=strength, base=base), places
        self.__dict__.pop("explicit_tables", None)
        self.slack = tuple(rows)

    @cached_property
    def explicit_tables(self) -> ArgumentGroup:
        """Return the tables of the kernels."""
        return described(self._way[0])

    def start(self, follow: Follow | None = None) -> Start:
        """Return a consistent start: by the kernels if the drawing is closed and regular, else as any other system."""
        quick = self._quick_start()
        if quick is not None:
            return quick
        begin = start(self, self.mechanism, follow)
        rows = redundant(self.turning(begin.x), 0.0, begin.q, begin.v)
        if rows:
            self.slacken(rows)
        return begin

    def _quick_start(self) -> Start | None:
        mechanism, n_q = self.mechanism, self.n_q
        if mechanism.stretched or mechanism.displaced or any(mechanism.inertia(b) == 0.0 for b in mechanism.bodies):
            return None
        initial = mechanism.initial
        pushes = len(initial.omega) + 2 * len(initial.velocity) + len(mechanism.initially("rate"))
        place = Workspace(self, pushes=pushes)
        y = place.w.y
        y[:n_q] = self.drawing
        gap = place.do(entry_points.SET_OUT)
        if gap > CLOSED * self.scale.length or not place.w.now[LEAST_PIVOT] > REGULAR:
            return None
        if len(initial.omega) == 1 and pushes == 1:
            ((body, omega),) = initial.omega.items()
            if not place.do(entry_points.SPIN, omega, most=self.compiled.index[body]):
                return None  # it contradicts the joints: the other way says who
        elif len(place.s.pushes):
            D, wanted = self._initial_rows(y[:n_q])
            place.s.pushes[:] = D
            place.do(entry_points.RESPOND)
            X = place.s.pushes
            response, missing = D @ X.T, wanted - D @ y[n_q : 2 * n_q]
            y[n_q : 2 * n_q] += np.linalg.lstsq(response, missing, rcond=1e-12)[0] @ X
            opened, fastest = place.do(entry_points.STEADY), np.max(np.abs(y[n_q : 2 * n_q]))
            missed = np.max(np.abs(D @ y[n_q : 2 * n_q] - wanted))
            if not (opened <= 1e-6 * fastest and missed <= 1e-9 * np.max(np.abs(wanted))):
                return None  # they contradict each other or the joints: the other way says who
        if not place.s.gap[1] <= 1e-9 * np.max(np.abs(y[n_q : 2 * n_q]), initial=0.0):
            return None  # drivers contradict the joints
        y[2 * n_q :] = self.start_x[len(self.compiled.body) :]
        place.do(entry_points.SLOPES)
        if np.isnan(place.w.k[0]).any():
            return None  # a joint jams: the other way says which
        self.determined = self.compiled.even  # for all rows are independent
        lam, v, a = -place.s.x[self._way[1]], y[n_q : 2 * n_q], place.w.k[0, n_q : 2 * n_q]
        return Start(y[:n_q].copy(), v.copy(), a.copy(), lam, self.start_x.copy(), {})

    def _initial_rows(self, q: Array) -> tuple[Array, Array]:
        """Return D, (n, n_q), and the wanted D v of what the model says of its velocities."""
        initial, lay = self.mechanism.initial, self.layout
        L = self.scale.length  # all rows are speeds
        D = [L * self.observed.omega_row(lay.bodies.index(b), q) for b in initial.omega]
        D += [row for p in initial.velocity for row in self.observed.point_rows(lay.points.index(p))]
        wanted = [*(L * w for w in initial.omega.values()), *(c for v in initial.velocity.values() for c in v)]
        for _, of, rate in self.mechanism.initially("rate"):
            unit = L if of.turn else 1.0
            D.append(unit * rate_row(cast(PlanarInstant, self), q, of))
            wanted.append(unit * rate)
        return np.array(D), np.array(wanted)

    def with_rows_moved(self, by: Mapping[str, float]) -> SharedSystem:
        """Return the same system where some rows hold what they hold farther on."""
        other = super().with_rows_moved(by)
        for name in ("explicit_tables", "_instant"):
            other.__dict__.pop(name, None)
        return other

    def march(self, rtol: float, times: Array) -> PlanarMarch:
        """Return a march; see explicit.Marching."""
        return PlanarMarch(self, rtol, times)


class Workspace:
    """Tables, work arrays and state of one run, and the argument block by which the kernel finds them."""

    def __init__(
        self,
        system: SharedSystem,
        times: Array = NO_TIMES,
        pushes: int = 0,
        explicit_tables: ArgumentGroup | None = None,
    ) -> None:
        group = system.explicit_tables if explicit_tables is None else explicit_tables
        m: ExplicitTables = group.part
        n_q, n_body, n_z = len(m.weight), len(m.body), system.elements.n
        work = work_arrays(m, pushes, n_z)
        steps = march_state(2 * n_q + n_z + 1, 2 * n_q + n_body + n_z + 1, times)
        self.m, self.s, self.w = m, work.part, steps.part
        self.s.sig[0, 0] = 1.0  # the constant
        self.s.span[:] = system.span if explicit_tables is None else 0.0  # a batch fills in its own
        if len(m.element):
            self.s.offset[:] = offsets(system.elements, system.home)
        self.groups = (work, steps)
        self.argument_block = ArgumentBlock(group, work, steps)

    def do(
        self, task: int, t: float = 0.0, stop: float = 0.0, clamp: float = math.inf, rtol: float = 1.0,
        most: int = 0, done: int = 0,
    ) -> float:  # fmt: skip
        """Do a task of tasks.do."""
        return entry_points.do(task, t, stop, clamp, rtol, most, done, self.argument_block.address)


class PlanarMarch(CompiledMarch):
    """One march: explicit.March for planar mechanisms."""

    def __init__(self, system: SharedSystem, rtol: float, times: Array) -> None:
        place, n_q, scale = Workspace(system, times), system.n_q, system.scale
        speed = scale.length / scale.time
        atol = np.empty(2 * n_q + system.elements.n + 1)
        atol[:n_q] = rtol * scale.length
        atol[n_q : 2 * n_q] = rtol * scale.length / scale.time
        atol[2 * n_q : -1] = rtol * system.elements.sizes
        atol[-1] = rtol * scale.mass * (speed * speed)
        super().__init__(entry_points.do, place.argument_block, place.w, atol, rtol, scale.length)
        self.groups = place.groups
        self.theta, self.speeds_end = place.s.theta, 2 * n_q
        self.w.now[SLACK] = 1.0 if system.slack else 0.0

    def follow(self, system: SharedSystem) -> None:
        """Take another system of the same mechanism, whose tables have the same shapes."""
        self.block = ArgumentBlock(system.explicit_tables, *self.groups)

    def put(self, y: Array) -> None:
        """Take another state (q, v, theta, z, W)."""
        n_body = self.theta.shape[1]
        n = self.speeds_end
        self.w.y[:n], self.w.y[n:], self.theta[1] = y[:n], y[n + n_body :], y[n : n + n_body]
