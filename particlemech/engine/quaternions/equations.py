"""Newton and Euler with multipliers, at one instant.

    m a = F,   J alpha + omega x J omega = M     about the centre of mass, global axes, J = R J_b R^T       (1)
    A u' - G^T lam = f,   G u' = -bias           u = (v, omega) of all bodies                               (2)

G is the wrenches of the rows, see instant.py. By the singular values of G, in the mechanism's own length: u' is a
particular solution and a motion that the rows allow, whose balance has no multipliers; these come last, the least that
balance. So joints that hold more than needed and rods without spin inertia are no exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech.engine.quaternions import drivers, forces, joints
from particlemech.engine.quaternions.instant import GROUND_BODY, Body, Instant, Row, cross
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.space.mechanism import Mechanism, extent
from particlemech.model.space.parts import Impulse

Pose = tuple[Array, Array]  # centres of mass (n, 3), global, length; rotations since the drawing (n, 3, 3)
Velocities = tuple[Array, Array]  # of the centres (n, 3), length/s; omega (n, 3), global axes, rad/s

RANK = 1e-9  # singular values below this fraction of the largest hold nothing
UNIQUE = 1e-7  # a change of a reaction that balances itself and is larger than this makes it arbitrary
DOUBT = 1e3  # times or parts of that: a component that is unique in this pose only, told by rounding
MASSLESS = 1e-13  # inertia against a motion, as a fraction of the largest


@dataclass(frozen=True)
class Accelerations:
    """Motion and reactions at one instant, global axes; bodies in model order."""

    a: Array  # (n, 3) of the centres of mass, length/s^2
    alpha: Array  # (n, 3), rad/s^2
    force: Mapping[str, Array]  # (3,) of each joint on its second body, at its place there
    moment: Mapping[str, Array]  # (3,) about that place
    effort: Mapping[str, float]  # of each driver: moment or force on the second body; of couplings on what follows
    unique: Mapping[
        str, NDArray[np.bool_]
    ]  # (6,) of each joint: whether a component has only this solution, force first
    doubtful: Mapping[str, NDArray[np.bool_]]  # (6,) of each joint: whether that is a matter of rounding
    unique_effort: Mapping[str, bool]


def drawn(mechanism: Mechanism) -> Pose:
    """Return the pose of the drawing."""
    n = len(mechanism.bodies)
    return np.array([mechanism.centre(b) for b in mechanism.bodies]).reshape(n, 3), np.tile(np.eye(3), (n, 1, 1))


def accelerations(
    mechanism: Mechanism,
    t: float,
    pose: Pose,
    velocities: Velocities,
    near: Mapping[str, float] | None = None,
) -> Accelerations:
    """Return accelerations, reactions and efforts at a consistent state.

    Parameters
    ----------
    mechanism
        What the user said.
    t
        Time, s.
    pose, velocities
        State of all bodies, in model order.
    near
        Angles of joints, rad, by their labels (instant.label), by which full turns are told; default 0.
    """
    return Balance(mechanism, t, pose, velocities, near or {}).solved()


def energies(
    mechanism: Mechanism,
    t: float,
    pose: Pose,
    velocities: Velocities,
    near: Mapping[str, float] | None = None,
) -> tuple[float, float]:
    """Return kinetic and potential energy of a state, as `accelerations` takes it; heights are from the origin."""
    return Balance(mechanism, t, pose, velocities, near or {}).energies()


class Balance:
    """The matrices of (2) at one instant, scaled: lengths by L, the mechanism's own.

    `rank` of G is that of a closed pose nearby: beside such poses, joints that hold more than needed hold more still.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        t: float,
        pose: Pose,
        velocities: Velocities,
        near: Mapping[str, float],
        rank: int | None = None,
    ) -> None:
        self.mechanism, self.known_rank, self.u = mechanism, rank, np.concatenate(velocities, axis=1).ravel()
        self.index = {b: i for i, b in enumerate(mechanism.bodies)}
        bodies = {
            b: Body(np.array(mechanism.centre(b)), pose[0][i], pose[1][i], velocities[0][i], velocities[1][i])
            for b, i in self.index.items()
        }
        self.at = Instant(mechanism, t, {**bodies, GROUND: GROUND_BODY}, near)
        self.L = extent(mechanism)[1]
        self.unit = np.tile([self.L] * 3 + [1.0] * 3, len(self.index))  # of the coordinates

    # -- rows ----------------------------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> list[tuple[str, str, list[Row]]]:
        """Return section, name and rows of all joints and drivers."""
        m = self.mechanism
        sections: tuple[tuple[str, Mapping[str, Any], Any], ...] = (
            ("joint", m.joints, joints.OF_SPEC),
            ("driver", m.drivers, drivers.OF_SPEC),
        )
        return [
            (word, name, kinds[type(spec)].rows(spec, self.at))
            for word, section, kinds in sections
            for name, spec in section.items()
        ]

    @cached_property
    def rows(self) -> list[Row]:
        """Return all rows."""
        return [row for _, _, rows in self.parts for row in rows]

    @cached_property
    def weight(self) -> Array:
        """Return what makes the rows dimensionless, (n_row,)."""
        return np.array([1.0 / self.L if row.force.any() else 1.0 for row in self.rows])

    @cached_property
    def G(self) -> Array:
        """Return G scaled, (n_row, 6 n)."""
        return self.weight[:, None] * self.wrenches(self.rows) * self.unit

    def wrenches(self, rows: list[Row]) -> Array:
        """Return what rows with a multiplier of 1 do to all bodies: force, moment about the centre, (n_row, 6 n)."""
        G = np.zeros((len(rows), len(self.index), 6))
        if rows:
            P, e, c = (np.array(of) for of in zip(*((r.place, r.force, r.moment) for r in rows), strict=True))
            x = np.array([self.at.bodies[b].x for b in self.index])
            for side, sign in ((0, -1.0), (1, 1.0)):
                on = [(k, self.index[r.bodies[side]]) for k, r in enumerate(rows) if r.bodies[side] in self.index]
                k, b = np.array(on, dtype=int).reshape(-1, 2).T
                G[k, b] += sign * np.concatenate([e[k], np.cross(P[k] - x[b], e[k]) + c[k]], axis=1)
            for n, row in enumerate(rows):
                for factor, other in row.besides:
                    self._add(G[n], factor, other)
        return G.reshape(len(rows), len(self.unit))

    def _add(self, wrenches: Array, factor: float, row: Row) -> None:
        """Add a wrench and its opposite to those of all bodies, (n, 6)."""
        for body, sign in zip(row.bodies, (-factor, factor), strict=True):
            if body in self.index:
                arm = row.place - self.at.bodies[body].x
                wrenches[self.index[body]] += sign * np.concatenate([row.force, cross(arm, row.force) + row.moment])

    @cached_property
    def values(self) -> tuple[Array, Array, Array]:
        """Return phi, s' and bias scaled, (n_row,) each."""
        phi, rate, bias = np.array([(r.value, r.rate, r.bias) for r in self.rows]).reshape(-1, 3).T
        return self.weight * phi, self.weight * rate, self.weight * bias

    @cached_property
    def split(self) -> tuple[Array, Array, Array, int]:
        """Return U, S, V^T of the scaled G and its rank."""
        U, S, Vt = np.linalg.svd(self.G)
        return U, S, Vt, int(np.sum(S > RANK * S.max(initial=0.0))) if self.known_rank is None else self.known_rank

    def least(self, wanted: Array) -> Array:
        """Return the smallest scaled u with G u = wanted, (6 n,)."""
        U, S, Vt, rank = self.split
        return Vt[:rank].T @ ((U[:, :rank].T @ wanted) / S[:rank])

    # -- balance -------------------------------------------------------------------------------------------------------

    @cached_property
    def inertia(self) -> Array:
        """Return A, (6 n, 6 n)."""
        A = np.zeros((len(self.unit), len(self.unit)))
        for name, i in self.index.items():
            xx, yy, zz, xy, xz, yz = self.mechanism.inertia(name)
            R, k = self.at.bodies[name].R, 6 * i
            A[k : k + 3, k : k + 3] = self.mechanism.mass(name) * np.eye(3)
            A[k + 3 : k + 6, k + 3 : k + 6] = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        return A

    @cached_property
    def applied(self) -> Array:
        """Return f, (6 n,): weights, gyroscopic moments, and all wrenches about the centres of mass."""
        f = np.zeros((len(self.index), 6))
        for name, i in self.index.items():
            f[i, :3] = self.mechanism.mass(name) * np.array(self.mechanism.gravity)
            omega = self.at.bodies[name].omega
            f[i, 3:] = -cross(omega, self.inertia[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] @ omega)
        for spec in self.mechanism.forces.values():
            for w in forces.OF_SPEC[type(spec)].wrenches(spec, self.at):
                if w.body in self.index:
                    i = self.index[w.body]
                    f[i, :3] += w.force
                    f[i, 3:] += cross(w.place - self.at.bodies[w.body].x, w.force) + w.moment
        return f.ravel()

    @cached_property
    def rates(self) -> tuple[Array, Array]:
        """Return u', (6 n,), and what the rows must balance, scaled, (6 n,)."""
        A, f = self.inertia * np.outer(self.unit, self.unit), self.applied * self.unit
        _, _, Vt, rank = self.split
        free, particular = Vt[rank:].T, self.least(-self.values[2])
        held = free.T @ A @ free
        if free.shape[1]:
            worst = np.linalg.eigvalsh(held)
            if worst[0] < MASSLESS * max(worst[-1], 1e-6 * np.trace(A)):
                raise ModelError(
                    "a motion that the joints allow has no inertia; give its body an inertia about all axes"
                )
            particular = particular + free @ np.linalg.solve(held, free.T @ (f - A @ particular))
        return self.unit * particular, A @ particular - f

    def struck(self, impulses: Iterable[Impulse]) -> Velocities:
        """Return the velocities just after impulses: A du = P + G^T L, G du = 0; P about the centres of mass."""
        P = np.zeros((len(self.index), 6))
        for one in impulses:
            body, i = self.at.bodies[one.body], self.index[one.body]
            turn = body.R if one.frame == "body" else np.eye(3)
            force, moment = turn @ np.array(one.impulse), turn @ np.array(one.moment)
            drawn = np.array(self.mechanism.place(one.point, one.body)) - np.array(self.mechanism.centre(one.body))
            P[i, :3] += force
            P[i, 3:] += cross(body.R @ drawn, force) + moment
        free = self.split[2][self.split[3] :].T
        A = self.inertia * np.outer(self.unit, self.unit)
        du = self.unit * (free @ np.linalg.solve(free.T @ A @ free, free.T @ (self.unit * P.ravel())))
        after = (self.u + du).reshape(-1, 6)
        return after[:, :3].copy(), after[:, 3:].copy()

    def energies(self) -> tuple[float, float]:
        """Return u.A u/2, and what weights and springs store."""
        m, at = self.mechanism, self.at
        weight = -sum(m.mass(b) * float(np.dot(m.gravity, at.bodies[b].x)) for b in self.index)
        springs = sum(forces.OF_SPEC[type(spec)].stored(spec, at) for spec in m.forces.values())
        return 0.5 * float(self.u @ self.inertia @ self.u), weight + springs

    def solved(self) -> Accelerations:
        """Return accelerations with reactions."""
        U, S, Vt, rank = self.split
        udot, missing = self.rates
        lam = self.weight * (U[:, :rank] @ ((Vt[:rank] @ missing) / S[:rank]))
        loose = self.weight[:, None] * U[:, rank:]  # multipliers that balance themselves
        both = udot.reshape(-1, 6)
        force: dict[str, Array] = {}
        moment: dict[str, Array] = {}
        effort: dict[str, float] = {}
        unique: dict[str, NDArray[np.bool_]] = {}
        doubtful: dict[str, NDArray[np.bool_]] = {}
        unique_effort: dict[str, bool] = {}
        k = 0
        for word, name, rows in self.parts:
            here = slice(k, k + len(rows))
            k += len(rows)
            e, c = (np.array(of).reshape(-1, 3).T for of in ([r.force for r in rows], [r.moment for r in rows]))
            changes = np.abs(np.concatenate([e * self.L, c]) @ loose[here]).max(axis=1, initial=0.0)
            sure = changes <= UNIQUE
            if word == "joint" and self.mechanism.joints[name].bodies:
                force[name], moment[name] = e @ lam[here], c @ lam[here]
                unique[name], doubtful[name] = sure, (changes > UNIQUE / DOUBT) & (changes < UNIQUE * DOUBT)
            else:
                effort[name], unique_effort[name] = float(lam[here][0]), bool(sure.all())
        return Accelerations(
            both[:, :3].copy(), both[:, 3:].copy(), force, moment, effort, unique, doubtful, unique_effort
        )
