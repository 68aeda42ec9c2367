"""Velocities and accelerations: linear equations in the angular velocities of vectors and the rates of their lengths.

The unknowns w are numbered like the parameters: Omega_n1, Omega_n2, Omega_n3, P_n4_dot of each vector, then the rates
of unknown cosines. A unit vector turns as

    P_n_dot = C(P_n) Omega_n,     P_n_ddot = C(P_n) Omega_n_dot + C(P_n_dot) Omega_n                           (1)

with C as printed in [J84] (5). With (1) the rows of the relations become those of [J84] (7), (10)-(12), where the
second dot product of (10) is corrected (errata). The cosine squared rows say nothing here. In their place stand

    P_n.Omega_n = sigma,   P_n.Omega_n_dot = sigma_dot        spin, 0 unless prescribed            [J84] (9), (13)  (2)
    Omega_a = Omega_b,     Omega_a_dot = Omega_b_dot          vectors of one rigid element         (errata)         (3)

Rule (3) holds for all three components; it frees the spin of both vectors, unless one is prescribed. Known parameters
are rows too. One cosine of a vector is a component of (1), a direction that is wholly known gives two rows across it,

    q.Omega_n = q.(P_n x P_n_dot),    q.Omega_n_dot = q.(P_n x P_n_ddot + sigma P_n_dot)         q.P_n = 0      (4)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlemech.analyses.vectors.compiled import COMPONENTS, VectorNumbers
from particlemech.analyses.vectors.matrices import C, Fitted, fitted
from particlemech.analyses.vectors.pose import Pose
from particlemech.analyses.vectors.rank import listed
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion

UNMET = 1e-9  # part of a right side that counts as a contradiction


class LabelledRow(NamedTuple):
    """A row of the equations besides those of relations, and its right sides."""

    label: str
    row: Array  # (n,)
    unit: float
    side: float


@dataclass(frozen=True, eq=False)
class _Motion:
    """What velocities and accelerations share."""

    pose: Pose
    w: Array  # (n,) Omega_n and P_n4_dot, or their rates
    condition: float  # of the equations, in units of the order of 1
    redundant: int  # rows that follow from others

    def _quad(self, name: str) -> Array:
        if name not in self.pose.of.index:
            raise ModelError(f'vector "{name}" unknown{suggestion(name, self.pose.of.index)}')
        n = 4 * self.pose.of.index[name]
        return self.w[n : n + 4]


@dataclass(frozen=True, eq=False)
class Velocities(_Motion):
    """Velocities at one instant."""

    def omega(self, name: str) -> Array:
        """Return the angular velocity of a vector, (3,), rad/s, [J84] (8)."""
        return self._quad(name)[:3]

    def length_dot(self, name: str) -> float:
        """Return the rate of a length."""
        return float(self._quad(name)[3])

    def vector_dot(self, name: str) -> Array:
        """Return R_dot = P_4 C(P) Omega + P_4_dot P, (3,), [J84] (7)."""
        P = self.pose.direction(name)
        return self.pose.length(name) * C(P) @ self.omega(name) + self.length_dot(name) * P

    def angle_dot(self, relation: str) -> float:
        """Return the rate of an angle that a dot product was to find, rad/s."""
        sine = math.sin(self.pose.angle(relation))
        return -float(self.w[self.pose.of.angles[relation]]) / sine

    @cached_property
    def x_dot(self) -> Array:
        """Rates of all parameters, (n,): (1)."""
        return turning(self.pose) @ self.w

    @cached_property
    def turned(self) -> Array:
        """What is left of the second derivatives of all parameters when w_dot = 0, (n,): C(P_dot) Omega, (1)."""
        rest = np.zeros(self.pose.of.n)
        for n in self.pose.of.index.values():
            rest[4 * n : 4 * n + 3] = C(self.x_dot[4 * n : 4 * n + 3]) @ self.w[4 * n : 4 * n + 3]
        return rest

    @cached_property
    def next_level(self) -> tuple[Equations, Fitted]:
        """The equations of the accelerations, and their solution of least norm whatever they leave open."""
        these = equations(self.pose, self)
        return these, fitted(these.A, these.b)


@dataclass(frozen=True, eq=False)
class Accelerations(_Motion):
    """Accelerations at one instant."""

    velocities: Velocities

    def omega_dot(self, name: str) -> Array:
        """Return the angular acceleration of a vector, (3,), rad/s^2."""
        return self._quad(name)[:3]

    def length_ddot(self, name: str) -> float:
        """Return the second derivative of a length."""
        return float(self._quad(name)[3])

    def vector_ddot(self, name: str) -> Array:
        """Return R_ddot, (3,), [J84] (12)."""
        P, v = self.pose.direction(name), self.velocities
        L, Omega, L_dot = self.pose.length(name), v.omega(name), v.length_dot(name)
        P_dot = C(P) @ Omega
        return (
            L * C(P) @ self.omega_dot(name)
            + self.length_ddot(name) * P
            + L * C(P_dot) @ Omega
            + 2.0 * L_dot * C(P) @ Omega
        )

    @cached_property
    def x_ddot(self) -> Array:
        """Second derivatives of all parameters, (n,): (1)."""
        return turning(self.pose) @ self.w + self.velocities.turned


def turning(pose: Pose) -> Array:
    """Return the matrix of x_dot = T w, (n, n): C(P_n) for directions, 1 for the rest; (1)."""
    T = np.eye(pose.of.n)
    for n in pose.of.index.values():
        T[4 * n : 4 * n + 3, 4 * n : 4 * n + 3] = C(pose.P[n])
    return T


# -- the equations ---------------------------------------------------------------------------------------------------


class Equations(NamedTuple):
    """Rows A w = b, in units of the order of 1; w is in units of `columns`."""

    A: Array  # (n_row, n)
    b: Array  # (n_row,)
    labels: tuple[str, ...]
    columns: Array  # (n,) units


def equations(pose: Pose, velocities: Velocities | None = None) -> Equations:
    """Return the equations of the velocities or, where these are given, of the accelerations."""
    c, T = pose.of, turning(pose)
    count = len(c.rows) - len(c.index)  # without the rows of unit length
    G, units = c.slopes(pose.x)[:count], c.row_units(pose.x)[:count]
    level = 1 if velocities is None else 2
    b = c.given(pose.t)[level, :count]
    if velocities is not None:
        b = b - c.products(pose.x, velocities.x_dot) - G @ velocities.turned
    rest = [*_spins(pose, level), *_rigid(c), *_known(pose, velocities)]
    A = np.array([*(G @ T / units[:, None]), *(r.row / r.unit for r in rest)]).reshape(-1, c.n) * c.column_units
    return Equations(
        A=A,
        b=np.array([*(b / units), *(r.side / r.unit for r in rest)]),
        labels=(*c.rows[:count], *(r.label for r in rest)),
        columns=c.column_units,
    )


def _spins(pose: Pose, level: int) -> list[LabelledRow]:
    """Return the rows of spin, (2); an unknown spin is the present one, but its rate is left open."""
    c, rows = pose.of, []
    paired = {v for pair in c.model.pairs for v in pair}
    for name, n in c.index.items():
        spin = c.model.vectors[name].spin
        if (spin is None and name in paired) or (spin is not None and spin.unknown and level == 2):
            continue
        row = np.zeros(c.n)
        row[4 * n : 4 * n + 3] = pose.P[n]
        side = 0.0 if spin is None else spin.values(pose.t)[level - 1]
        rows.append(LabelledRow(f"spin of {name}", row, 1.0, side))
    return rows


def _rigid(c: VectorNumbers) -> list[LabelledRow]:
    """Return the rows of rigid pairs, (3)."""
    rows = []
    for a, b in c.model.pairs:
        for k in range(3):
            row = np.zeros(c.n)
            row[4 * c.index[a] + k], row[4 * c.index[b] + k] = 1.0, -1.0
            rows.append(LabelledRow(f"{b} turns with {a} along {k + 1}", row, 1.0, 0.0))
    return rows


def _known(pose: Pose, velocities: Velocities | None) -> list[LabelledRow]:
    """Return the rows of parameters whose rate or acceleration is known: of lengths, (1) and (4)."""
    c, level = pose.of, 1 if velocities is None else 2
    values = c.values(pose.t)
    rows = []
    for name, n in c.index.items():
        at = 4 * n
        known = c.levels[at : at + 4] >= level
        if known[:3].all():
            rows += _direction(pose, name, values[1:, at : at + 3], velocities)
        else:
            turned = np.zeros(c.n) if velocities is None else velocities.turned
            for k in np.flatnonzero(known[:3]):
                row = np.zeros(c.n)
                row[at : at + 3] = C(pose.P[n])[k]
                side = values[level, at + k] - turned[at + k]
                rows.append(LabelledRow(f"given {name}.{COMPONENTS[k]}", row, 1.0, side))
        if known[3]:
            row = np.zeros(c.n)
            row[at + 3] = 1.0
            rows.append(LabelledRow(f"given {name}.length", row, float(c.column_units[at + 3]), values[level, at + 3]))
    return rows


def _direction(pose: Pose, name: str, rates: Array, velocities: Velocities | None) -> list[LabelledRow]:
    """Return the two rows (4) of a direction that is wholly known; rates are those of its cosines, (2, 3)."""
    c, P = pose.of, pose.direction(name)
    at = 4 * c.index[name]
    side = np.cross(P, rates[0])
    if velocities is not None:
        side = np.cross(P, rates[1]) + (P @ velocities.omega(name)) * rates[0]
    rows = []
    for q in np.linalg.svd(P[None])[2][1:]:
        row = np.zeros(c.n)
        row[at : at + 3] = q
        rows.append(LabelledRow(f"given direction of {name}", row, 1.0, float(q @ side)))
    return rows


# -- their solution --------------------------------------------------------------------------------------------------


def velocities(pose: Pose) -> Velocities:
    """Return the velocities of a pose; ModelError if it is singular or the rows contradict each other."""
    these = equations(pose)
    found = fitted(these.A, these.b)
    refuse(these, found, f"velocities at t = {pose.t:.6g}", pose.of)
    return Velocities(pose, found.x * these.columns, found.condition, len(these.b) - found.rank)


def accelerations(of: Velocities) -> Accelerations:
    """Return the accelerations by kinematics alone; ModelError where they are left open, as by unknown spins."""
    these, found = of.next_level
    refuse(these, found, f"accelerations at t = {of.pose.t:.6g}", of.pose.of)
    return Accelerations(of.pose, found.x * these.columns, found.condition, len(these.b) - found.rank, of)


def refuse(these: Equations, found: Fitted, what: str, c: VectorNumbers) -> None:
    """Refuse equations that leave something open or contradict each other, and name what."""
    if found.rank < these.A.shape[1]:
        loose = blamed(c, found.loose)
        rows = [these.labels[k] for k in np.flatnonzero(found.dependent)]
        depend = f" while rows {listed(rows)} depend on each other (a toggle)" if rows else ""
        raise ModelError(
            f"{c.model.name}: {what}: singular, rank {found.rank} of {these.A.shape[1]}: vectors {listed(loose)} are "
            f"left open{depend}; give more rates, or go to another pose"
        )
    size = float(np.abs(these.b).max(initial=0.0))
    if float(np.abs(found.left).max(initial=0.0)) > UNMET * max(1.0, size):
        rows = [these.labels[k] for k in np.flatnonzero(np.abs(found.left) > UNMET * max(1.0, size))]
        raise ModelError(
            f"{c.model.name}: {what}: rows {listed(rows)} contradict each other by {np.abs(found.left).max():.3g}; "
            "take a row out, or let a rate be unknown"
        )


def blamed(c: VectorNumbers, loose: NDArray[np.bool_]) -> tuple[str, ...]:
    """Return the vectors behind unknown rates."""
    return tuple(dict.fromkeys(v for k in np.flatnonzero(loose[: c.n]) for v in c.owners[k]))
