"""The equations of motion in absolute coordinates, as a System.

    y = (q, v, lam, mu, z, W)    q = (x, y, theta) of every moving body: its centre of mass from the drawing's
                                 centroid, its angle since the drawing; z: states of motors and controllers

                      q     v     lam   mu    W
        balance       *     M cj  -G^T                     * curvature of rows and laws
        velocity      *     G     eps
        kinematics    cj *  -1          G^T                G = phi_q
        position      G                 -eps
        work          *     *     -s'         cj

The textbook form with a multiplier for every row, stabilised and regularised as every formulation here.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from particlemech._jit import ArgumentBlock, readonly
from particlemech.engine.absolute import custom, kernels
from particlemech.engine.absolute.compiled import AbsoluteCompiled, breaks, dof_of, probe, tabulate, work_of
from particlemech.engine.absolute.sampled import Samples, measured
from particlemech.engine.elements import Elements, Rows, instants
from particlemech.engine.friction import Rubbed, efforts, jammed
from particlemech.engine.in_plane import InPlane, layout
from particlemech.engine.plane import Motion, Pose
from particlemech.engine.plane_coordinates import ByName
from particlemech.engine.system import Array, Instant, Jacobian, Levels, Residual, Scale, same_state
from particlemech.errors import ModelError
from particlemech.model.impulses import times
from particlemech.model.mechanism import Mechanism, size


def system(mechanism: Mechanism, cut: tuple[str, ...] = (), scale: Scale | None = None) -> Absolute:
    """Return the System of a mechanism in absolute coordinates.

    Parameters
    ----------
    mechanism
        What the user said.
    cut
        Accepted and without meaning: here every joint has multipliers.
    scale
        The mechanism's own units; by default its size, its mass and 1 s.
    """
    if scale is None:
        scale = Scale(size(mechanism), sum(b.mass for b in mechanism.bodies.values()), 1.0)
    return Absolute(tabulate(mechanism, scale))


def _turned(angle: Array, place: Array) -> Array:
    """Return places (..., 2) turned by angles (...)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * place[..., 0] - s * place[..., 1], s * place[..., 0] + c * place[..., 1]], axis=-1)


def _perp(vector: Array) -> Array:
    """Return vectors (..., 2) turned by a right angle."""
    return np.stack([-vector[..., 1], vector[..., 0]], axis=-1)


class Absolute(Samples, InPlane, ByName):
    """A System, see particlemech.engine.system; no state beyond its read-only tables."""

    formulation = "absolute"
    cuts: tuple[str, ...] = ()
    moved_from: Any  # of one whose rows have been moved: the other

    def __init__(self, compiled: AbsoluteCompiled, home: Pose | None = None) -> None:
        self._c = compiled
        self.mechanism = compiled.mechanism
        self.scale = compiled.scale
        self.n_q = compiled.mass.shape[1]
        self.n_row = self.n_lam = len(compiled.begin)
        self.elements = Elements(self.mechanism)
        self.start_x = readonly(self.elements.extra(np.zeros(0)))
        n_x = len(self.start_x)
        self.n = 2 * self.n_q + 2 * self.n_row + n_x
        self.layout = layout(self.mechanism, compiled.names, (self.n_q, self.n_q, self.n_row, self.n_row, n_x))
        self.drawing = compiled.drawing
        self.breaks, self.until = breaks(compiled.signals, times(compiled.mechanism) | instants(compiled.mechanism))
        self.indptr, self.indices = compiled.pattern.indptr, compiled.pattern.indices
        self.dense = self.elements.n > 0
        if self.dense:  # their rows and columns are full
            self.indptr = np.arange(0, self.n * self.n + 1, self.n, dtype=np.int32)
            self.indices = np.tile(np.arange(self.n, dtype=np.int32), self.n)
        self._n_body = self.n_q // 3
        self.home = home
        self._columns = tuple(name for name, _, _ in compiled.ends)
        # rows of joints, and where each reports on its first and second body
        index = {pair: k for k, pair in enumerate(self.layout.reactions)}
        reports = [(e, index[j, a], index[j, b]) for e, (j, a, b) in enumerate(compiled.ends) if (j, a) in index]
        self._reports = np.array(reports, int).reshape(-1, 3).T

    # -- residual and Jacobian ---------------------------------------------------------------------------------

    @property
    def size_q(self) -> Array:
        """Return L, L, 1 for the place and the angle of every body, (n_q,)."""
        return np.tile([self.scale.length, self.scale.length, 1.0], self._n_body)

    def callbacks(self, sparse: bool) -> tuple[Residual, Jacobian]:
        """Return residual and Jacobian with scratch of their own."""
        c, n_q, argument_block = self._c, self.n_q, self._argument_block()
        data, x = argument_block.parts[1].data, self.layout.x

        def residual(t: float, y: Array, yp: Array, res: Array) -> Any:  # whether it is finite
            finite = kernels.residual(t, y, yp, argument_block.address, res)
            if c.calls:
                force, power = self._called(t, y[: 2 * n_q], y[x])
                res[:n_q] -= force
                res[-1] -= power
                return math.isfinite(float(res @ res))
            return finite

        def jacobian(t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
            kernels.jacobian(t, y, cj, argument_block.address)
            if c.calls:
                self._call_entries(t, y, data)
            if sparse:
                J[:] = data[:-1]
            else:
                kernels.scattered(argument_block.address, J)

        return self._owning(argument_block, sparse) if self.elements.n else (residual, jacobian)

    def _owning(self, argument_block: ArgumentBlock, sparse: bool) -> tuple[Residual, Jacobian]:
        """Return residual and Jacobian with the states of elements, which kernels do not see."""
        n_q, rows, x = self.n_q, Rows(self), self.layout.x
        bare, data = [*range(x.start), x.stop - 1], argument_block.parts[1].data
        inner, small = np.zeros(len(bare)), np.zeros((len(bare), len(bare)))

        def residual(t: float, y: Array, yp: Array, res: Array) -> bool:
            kernels.residual(t, readonly(y[bare]), readonly(yp[bare]), argument_block.address, inner)
            res[bare], rates = inner, rows.rates(t, y)
            force, power = self._called(t, y[: 2 * n_q], y[x])
            res[:n_q] -= force
            res[-1] -= power
            res[rows.at] = yp[rows.at] - rates
            return math.isfinite(float(res @ res))

        def jacobian(t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
            kernels.jacobian(t, readonly(y[bare]), cj, argument_block.address)
            self._call_entries(t, y, data)
            kernels.scattered(argument_block.address, small)
            whole = np.zeros((self.n, self.n))
            whole[np.ix_(bare, bare)] = small
            whole[np.ix_(rows.rows, rows.by)] += rows.derivatives(t, y)
            force, power = self._called(t, y[: 2 * n_q], y[x])
            for j, step in zip(rows.rows, rows.steps[2 * n_q :], strict=True):
                whole[j, j] += cj
                aside = y[x].copy()
                aside[j - x.start] += step
                other, more = self._called(t, y[: 2 * n_q], aside)
                whole[:n_q, j] -= (other - force) / step
                whole[-1, j] -= (more - power) / step
            J[...] = whole.T.reshape(-1) if sparse else whole

        return residual, jacobian

    def _argument_block(self) -> ArgumentBlock:
        """Return the tables with scratch of their own."""
        c, p = self._c, self._c.pattern
        pattern: Any = (p.row_slots, p.law_slots, p.rub_slots, p.constant, p.rate, p.indptr, p.indices)
        force, data = np.zeros(self.n_q), np.zeros(len(p.constant))
        scratch = np.zeros(6), np.zeros((6, 6)), force, data, work_of(c.rows, c.laws), np.zeros(6)
        return ArgumentBlock(
            kernels.AbsoluteTables(c.rows, c.laws, c.rubs, c.segments, c.mass, *pattern), kernels.Scratch(*scratch)
        )

    def _called(self, t: float, z: Array, x: Array) -> tuple[Array, float]:
        """Return generalised force and power of the forces that are functions; z = (q, v)."""
        force, power = np.zeros(self.n_q), 0.0
        for name, shape, at in self._c.calls:
            wrench = custom.wrench(self, name, shape, self._c.origin, at, t, z, x)
            force[at : at + 3] += wrench
            power += float(wrench @ z[self.n_q + at : self.n_q + at + 3])
        return force, power

    def _call_entries(self, t: float, y: Array, data: Array) -> None:
        """Add the derivatives of the forces that are functions to the data of the Jacobian."""
        n_q, scale = self.n_q, self.scale
        z, x = np.array(y[: 2 * n_q]), y[self.layout.x]
        unit = np.concatenate([self.size_q, self.size_q / scale.time])
        for (name, shape, at), slots in zip(self._c.calls, self._c.pattern.call_slots, strict=True):
            by_z = custom.derivatives(self, name, shape, self._c.origin, at, t, z, x, unit)
            v = z[n_q + at : n_q + at + 3]
            power_z = v @ by_z
            power_z[n_q + at : n_q + at + 3] += custom.wrench(self, name, shape, self._c.origin, at, t, z, x)
            data[slots[:3]] -= by_z
            data[slots[3]] -= power_z

    def not_finite(self, t: float, y: Array) -> str:
        """Return the force whose function gives a value that is not finite near this state."""
        for name, shape, at in self._c.calls:
            wrench = custom.wrench(self, name, shape, self._c.origin, at, t, y[: 2 * self.n_q], y[self.layout.x])
            if not np.all(np.isfinite(wrench)):
                return f'force "{name}"'
        return "the motion"

    def retimed(self, time_scale: float, home: Pose | None = None) -> Absolute:
        """Return the same system regularised with another time scale, s; its coordinates count from `home`."""
        return Absolute(tabulate(self._c.mechanism, replace(self.scale, time=time_scale)), home)

    def with_rows_moved(self, by: Mapping[str, float]) -> Absolute:
        """Return the same system where some rows, by part, hold what they hold farther on; it shares all else."""
        rows = np.array(self._c.rows)
        for first, row in zip(self._c.begin, self.layout.rows, strict=True):
            rows["offset"][first] += by.get(row.part, 0.0)
        other = copy.copy(self)
        other._c, other.moved_from = replace(self._c, rows=readonly(rows)), self
        return other

    # -- rows --------------------------------------------------------------------------------------------------

    def levels(self, t: float, q: Array, v: Array, x: Array | None = None) -> Levels:
        """Return phi, phi_t, gamma and phi_q at once; angles are coordinates, so x is not asked."""
        value, s, g, h = probe(self._c.rows, self._c.segments, t, q)
        phi = self._summed(value - self._c.rows["offset"] - s[:, 0])
        pair = np.append(v, 0.0)[self._c.row_dof]
        gamma = self._summed(np.einsum("ei,eij,ej->e", pair, h, pair) - s[:, 2])
        return Levels(phi, self._summed(-s[:, 1]), gamma, np.ascontiguousarray(self._matrices(g[None])[0]))

    # -- dynamics ----------------------------------------------------------------------------------------------

    def mass(self, q: Array) -> Array:
        """Return M, (n_q, n_q)."""
        return np.diag(self._c.mass[0])

    def displacement(self, q: Array) -> Array:
        """Return the gradient of sum(m |dr|^2/2 + I (1 - cos dtheta)), (n_q,)."""
        change: Array = q - self.drawing
        change[2::3] = np.sin(change[2::3])
        change *= self._c.mass[0]
        return change

    def posed(self, pose: Pose) -> Array:
        """Return the coordinates of a pose, (n_q,)."""
        return np.column_stack([pose.com - self._c.origin, pose.angle]).ravel()

    def turns(self, pose: Pose) -> Array:
        """Return the extra states of a start in a pose, (n_x,): no work; angles are coordinates."""
        return self.start_x.copy()

    def turning(self, x: Array) -> Absolute:
        """Return the system itself: angles are coordinates."""
        return self

    def _applied(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, float]:
        """Return generalised applied force (n_q,) and the power of what is not conservative."""
        c, argument_block = self._c, self._argument_block()
        z, f = readonly(np.concatenate([q, v])), argument_block.parts[1].f
        power = kernels.applied(float(t), z, argument_block.address)
        if c.calls:
            force, more = self._called(t, z, x)
            return f + force, power + more
        return f, float(power)

    def dynamics(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A = [[M, -phi_q^T], [phi_q, 0]] and b = (f, -gamma), friction at its present loads included."""
        A, b = self._smooth(t, q, v, x)
        if not len(self._c.rubs):
            return A, b
        found = self._resolved(t, q, v, x)
        if not found.free:
            raise ModelError(str(jammed(self.mechanism, found, t)))
        b[: self.n_q] += self._rubbing_forces(q[None], found.f[None])[0]
        return A, b

    def rubbing_columns(self, q: Array) -> Array:
        """Return unit efforts of dry friction as columns of b of `dynamics`, (n, n_rub)."""
        n = len(self._c.rubs)
        E = np.zeros((self.n_q + self.n_row, n))
        E[: self.n_q] = self._rubbing_forces(np.repeat(q[None], n, axis=0), np.eye(n)).T
        return E

    def _rates(self, q: Array, v: Array) -> Array:
        """Return the rates at which joints rub, (n_rub,)."""
        return np.asarray(v @ self.rubbing_columns(q)[: self.n_q])

    def _resolved(self, t: float, q: Array, v: Array, x: Array) -> Rubbed:
        """Return dry friction in a state."""
        (A, b), rubs, n = self._smooth(t, q, v, x), self._c.rubs, len(self._c.rubs)
        E, P = self.rubbing_columns(q), np.zeros((2 * n, len(b)))
        for j, rub in enumerate(rubs):
            for axis, row in enumerate((rub["lx"], rub["ly"])):
                if row >= 0:
                    P[2 * j + axis, self.n_q + row] = 1.0
        return efforts(rubs, v @ E[: self.n_q], A, b, E, P)

    def friction_of(self, t: Array, q: Array, v: Array, x: Array) -> Array:
        """Return the efforts of dry friction at K samples, (K, n_rub)."""
        if not len(self._c.rubs):
            return np.zeros((len(t), 0))
        found = [self._resolved(*of).f for of in zip(t, q, v, x, strict=True)]
        return np.array(found).reshape(len(t), len(self._c.rubs))

    def jams_at(self, t: Array, q: Array, v: Array, x: Array) -> Array:
        """Return at which of K samples a joint jams, (K,)."""
        every = zip(t, q, v, x, strict=True) if len(self._c.rubs) else ()
        return np.array([not self._resolved(*of).free for of in every] or [False] * len(t))

    def _rubbing_forces(self, q: Array, f: Array) -> Array:
        """Return the generalised forces of efforts f (K, n_rub), (K, n_q)."""
        of, found = self._c.rub_measures, np.zeros((len(q), self.n_q + 1))
        g = measured(of, self._c.segments, np.zeros(len(q)), q, np.zeros_like(q)).gradient
        for j, dof in enumerate(dof_of(of, self.n_q)):
            for i in range(6):
                found[:, dof[i]] += f[:, j] * g[:, j, i]
        return found[:, :-1]

    def _smooth(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A and b of `dynamics` without dry friction."""
        at, n_q = self.levels(t, q, v), self.n_q
        A = np.zeros((n_q + self.n_row, n_q + self.n_row))
        A[np.arange(n_q), np.arange(n_q)] = self._c.mass[0]
        A[:n_q, n_q:] = -at.phi_q.T
        A[n_q:, :n_q] = at.phi_q
        return A, np.concatenate([self._applied(t, q, v, x)[0], -at.gamma])

    def following(self, t: float, q: Array, v: Array, lam: Array, x: Array) -> Array:
        """Return the rates of the states of elements, and the power of drivers, loads and dampers, (n_x,)."""
        power = self._applied(t, q, v, x)[1] - lam @ self.rows_t(t, q)
        if not self.elements.n:
            return np.array([power])
        return np.append(self.elements.rates(t, self.state_of(t, q, v, x), x), power)

    # -- what moves --------------------------------------------------------------------------------------------

    def omega_q(self, q: Array) -> Array:
        """Return d(omega)/dv of all bodies, (n_body, n_q)."""
        result = np.zeros((self._n_body, self.n_q))
        result[np.arange(self._n_body), np.arange(2, self.n_q, 3)] = 1.0
        return result

    def point_q(self, q: Array) -> Array:
        """Return d(velocity)/dv of all points, (n_point, 2, n_q)."""
        at = self._c.point_at
        angle = np.append(q[2::3], 0.0)[at]
        k, first = np.arange(len(at)), 3 * at
        result = np.zeros((len(at), 2, self.n_q + 3))  # the last three are ground's
        result[k, 0, first] = result[k, 1, first + 1] = 1.0
        result[k, :, first + 2] = _perp(_turned(angle, self._c.point_b))
        return np.ascontiguousarray(result[:, :, : self.n_q])

    def adopted(self, other: Instant, y: Array, t: float = 0.0) -> Array:
        """Return a state (n,) of another system of the same mechanism as one of this."""
        if not isinstance(other, Absolute) or other.layout.bodies != self.layout.bodies:
            return same_state(self, other, y)
        own, lay, there = np.zeros(self.n), self.layout, other.layout
        own[lay.q], own[lay.v] = y[there.q], y[there.v]
        own[lay.q].reshape(-1, 3)[:, :2] += np.subtract(other._c.origin, self._c.origin)
        own[lay.x] = self.elements.carried(other.elements, y[there.x])
        return own

    def motion(self, q: Array, v: Array, a: Array, x: Array) -> Motion:
        """Return points and bodies at K samples."""
        at, shape = self._c.point_at, (len(q), self._n_body, 3)
        # bodies, and ground as one more that stays
        pose, rate, second = (np.concatenate([z.reshape(shape), np.zeros((len(q), 1, 3))], axis=1) for z in (q, v, a))
        arm = _turned(pose[:, at, 2], self._c.point_b)
        omega, alpha = rate[:, at, 2, None], second[:, at, 2, None]
        return Motion(
            point=pose[:, at, :2] + arm + self._c.origin,
            point_v=rate[:, at, :2] + omega * _perp(arm),
            point_a=second[:, at, :2] + alpha * _perp(arm) - omega**2 * arm,
            com=pose[:, :-1, :2] + self._c.origin,
            com_v=rate[:, :-1, :2],
            com_a=second[:, :-1, :2],
            angle=pose[:, :-1, 2] - self.turned,
            omega=rate[:, :-1, 2],
            alpha=second[:, :-1, 2],
        )

    def energy(self, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K samples; gravity counts from the drawing's centroid."""
        c = self._c
        kinetic = 0.5 * (v**2 @ c.mass[0])
        potential = -(q @ c.mass[1])
        if np.any(c.laws["stiffness"]):
            values = measured(c.laws, c.segments, np.zeros(len(q)), q, np.zeros_like(q)).value
            potential = potential + 0.5 * (values - c.laws["offset"]) ** 2 @ c.laws["stiffness"]
        return kinetic, potential
