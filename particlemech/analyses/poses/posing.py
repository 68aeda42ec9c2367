"""Poses in which named quantities have given values, and the motion through them.

    phi(q) = 0,  c(q) = given                Newton's method, steps of least norm                              (1)
    G v = 0,     C v = given                                                                                   (2)
    G a = -gamma,  C a = given - C' v                                                                          (3)

Rows and quantities are scaled to lengths: angles count L. Redundant rows change nothing: all three are solved by least
squares, and what misses is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from particlemech.analyses.kinematics.masses import unweighed
from particlemech.analyses.poses.quantities import Quantity, Seen, quantities
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.run.start import weights
from particlemech.run.stated import stated
from particlemech.run.trajectory import Phase

RANK = 1e-9  # of the largest singular value: smaller ones are none
CLOSED = 1e-12  # of the mechanism's length: a gap this small is closed
ROUNDS = 40  # of Newton's method
LONGEST = 0.3  # L or rad: no step of it is longer
KINEMATICS = "kinematics"  # what made the samples of a motion that nothing integrated
SLOW = 0.1  # of the gap before: where a step of Newton's method leaves more, its inverse is made anew
STILL = 1e-6  # of its length and time, or rad: rates that are less are nothing
HALVES = 12  # how often the way from one sample to the next is halved


class Path(NamedTuple):
    """A motion through poses at K times."""

    t: Array  # (K,)
    q: Array  # (K, n_q)
    v: Array  # (K, n_v)
    a: Array  # (K, n_v)


class Released(Protocol):
    """A mechanism with its drivers released; one class for each world."""

    RESULT: Any  # the class of its results
    axes: str
    driven: Any  # the mechanism with its drivers
    known: Any  # the same with the masses that are known
    mechanism: Any
    system: Any  # an Instant
    motor: Any  # the force that a motor is

    @property
    def start(self) -> Array:
        """Return the coordinates of the start, (n_q,)."""

    @property
    def quantities(self) -> dict[str, tuple[str, ...]]:
        """Return what bodies have, by name."""

    def moved(self, q: Array, step: Array) -> Array:
        """Return coordinates a step (n_v,) away."""

    def seen(self, t: Array, q: Array, v: Array, a: Array) -> Seen:
        """Return a motion at K samples by name."""

    def of_result(self, result: Any) -> tuple[Array, Array, Array]:
        """Return q, v, a of a result at its samples."""

    def stated(self, joints: Sequence[tuple[str, str] | None], levels: Sequence[Array]) -> tuple[Array, ...] | None:
        """Return q, v, a from coordinates of joints where those are what the system integrates, else None."""

    def made(self, mechanism: Any) -> Any:
        """Return the system of the mechanism with other drivers or forces."""

    def made_by(self, mechanism: Any, path: Path) -> Any:
        """Return a motion that drivers of a mechanism make, as a result."""
        return self.result([(mechanism, path)])

    def needed(self, t: Array, q: Array, v: Array, a: Array) -> Array:
        """Return what moves the bodies so beyond the forces of the model, along the speeds, (K, n_v)."""

    def result(self, parts: Sequence[tuple[Any, Path]]) -> Any:
        """Return a motion as a result: parts are mechanisms and what they go through."""
        phases = []
        for mechanism, path in parts:
            made = self.made(mechanism)
            phases.append(Phase(made, KINEMATICS, path.t, made.layout.state(path.q, path.v, np.zeros(1))))
        return self.shown(phases)

    def shown(self, phases: Sequence[Phase]) -> Any:
        """Return phases as a result."""
        told = stated(phases, "a given motion", {"seconds": 0.0, "steps": 0})
        if not self.known.massless:
            return self.RESULT(*told, dict)
        for phase in phases:
            phase.system.mechanism = self.known
        return unweighed(self.RESULT)(*told, dict)


def ask(of: Released, names: Sequence[str], joints: bool | None = None) -> list[Quantity]:
    """Return the quantities that names stand for, in order; of joints, or of points, where both have the name."""
    return [q for name in names for q in quantities(of.driven, name, of.axes, of.quantities, joints)]


def joint_coordinates(of: Released) -> list[Quantity]:
    """Return all coordinates of joints."""
    return ask(of, [f"{j}.{c}" for j, joint in of.driven.joints.items() for c in joint.coordinate_names])


class Posing:
    """Poses in which some quantities have given values; q is carried along from call to call."""

    def __init__(self, of: Released, wanted: Sequence[Quantity]) -> None:
        self.of, self.quantities, self.q = of, list(wanted), of.start
        self._inverse: Array | None = None
        self.open = 0  # freedoms that may move by themselves
        self.length = of.system.scale.length
        self.unit = np.array([self.length if c.turn else 1.0 for c in self.quantities])
        self.weights, self.size = weights(of.system), of.system.size_v / self.length

    def start_from(self, q: Array) -> None:
        """Take another pose as the last one."""
        self.q, self._inverse = q, None

    def values(self, q: Array) -> Array:
        """Return the quantities in a pose, (m,)."""
        still = np.zeros((1, self.of.system.n_v))
        return read(self.of.seen(np.zeros(1), q[None], still, still), self.quantities, 0)[0]

    def rows(self, q: Array, quantities: Sequence[Quantity] | None = None) -> Array:
        """Return C, (m, n_v): the rates of quantities at unit speeds."""
        return rows_of(self.of, q, self.quantities if quantities is None else quantities)

    def _matrix(self, q: Array) -> tuple[Array, Array]:
        """Return phi and (G; C), scaled to lengths by speeds that count as lengths."""
        at = self.of.system.levels(0.0, q, np.zeros(self.of.system.n_v))
        G = np.vstack([self.weights[:, None] * at.phi_q, self.unit[:, None] * self.rows(q)]) * self.size
        return self.weights * at.phi, G

    def open_freedom(self, q: Array) -> str | None:
        """Return a coordinate that the quantities leave open in a pose, in words, or None."""
        _, G = self._matrix(q)
        n = self.of.system.n_v
        _, s, Vt = np.linalg.svd(G)
        rank = int(np.sum(s > RANK * s.max(initial=0.0)))
        if rank == n:
            return None
        every = joint_coordinates(self.of)
        every = every or ask(self.of, [f"{b}.{c}" for b, of in self.of.quantities.items() for c in of])
        share = np.array([self.length if c.turn else 1.0 for c in every])[:, None] * self.rows(q, every) * self.size
        loosest = every[int(np.argmax(np.linalg.norm(share @ Vt[rank:].T, axis=1)))]
        return f'{n - rank} freedom{"s" if n - rank > 1 else ""} open, as "{loosest.name}"'

    def at(self, wanted: Array) -> Array:
        """Return the pose with given values, (n_q,), followed continuously from the last one asked for, (1)."""
        q = self._closed(self.q, wanted)
        if q is None:
            q = self._by_halves(wanted)
        self.q, self._inverse = q, self._inverted(q)
        return q

    def _by_halves(self, wanted: Array) -> Array:
        """Return the pose with given values, come to in several steps, or raise where none leads on."""
        begun = self.values(self.q)
        done, step = 0.0, 0.5
        q = self.q
        while done < 1.0:
            found = self._closed(q, begun + min(1.0, done + step) * (wanted - begun))
            if found is not None:
                q, done = found, min(1.0, done + step)
                continue
            step *= 0.5
            if step < 0.5**HALVES:
                raise Unreached(done, begun + done * (wanted - begun))
        return q

    def _inverted(self, q: Array) -> Array:
        """Return the inverse of (G; C) in a pose, in lengths: of least norm where rows are redundant."""
        return np.asarray(np.linalg.pinv(self._matrix(q)[1], rcond=RANK), dtype=float)

    def _gap(self, q: Array, wanted: Array) -> Array:
        """Return by how much rows and values are missed, as lengths."""
        phi = self.of.system.levels(0.0, q, np.zeros(self.of.system.n_v)).phi
        return np.concatenate([self.weights * phi, self.unit * (self.values(q) - wanted)])

    def _closed(self, q: Array, wanted: Array) -> Array | None:
        """Return the nearest pose with given values, or None; the inverse is that of the last pose while it serves."""
        inverse, begun, best, fresh = self._inverse, q, np.inf, False
        for _ in range(ROUNDS):
            gap = self._gap(q, wanted)
            far = float(np.max(np.abs(gap), initial=0.0)) / self.length
            if far < CLOSED or (far < 1e3 * CLOSED and far >= 0.5 * best):
                return q if self._near(begun, q) else None
            if not np.isfinite(far) or (fresh and far >= best and far > 1e-6):
                return None
            if inverse is None or far > SLOW * best:
                inverse, fresh = self._inverted(q), True
            best = far
            step = -inverse @ gap / self.length
            longest = float(np.max(np.abs(step), initial=0.0))
            q = self.of.moved(q, self.of.system.size_v * step * min(1.0, LONGEST / max(longest, 1e-300)))
        return None

    def _near(self, one: Array, other: Array) -> bool:
        """Return whether one pose follows another: a longer way may lead to another assembly."""
        return float(np.max(np.abs(other - one) / self.of.system.size_q, initial=0.0)) < LONGEST

    def condition(self) -> float:
        """Return the reciprocal condition number of (G; C) in the last pose, redundant rows left out."""
        _, G = self._matrix(self.q)
        s, n = np.linalg.svd(G, compute_uv=False), self.of.system.n_v - self.open
        return float(s[n - 1] / s[0]) if len(s) >= n > 0 else 0.0

    @property
    def freedoms(self) -> int:
        """How many freedoms the joints leave in the last pose."""
        return self.free_ways().shape[1]

    def free_ways(self) -> Array:
        """Return an orthonormal basis of the motions that the joints leave, scaled to lengths, (n_v, f)."""
        system = self.of.system
        phi_q = system.levels(0.0, self.q, np.zeros(system.n_v)).phi_q
        return null_space(self.weights[:, None] * phi_q * self.size)

    def loose_ways(self) -> Array:
        """Return speeds of motions that the quantities leave open in the last pose, (n_v, open)."""
        _, _, Vt = np.linalg.svd(self._matrix(self.q)[1])
        return np.asarray(self.size[:, None] * self.length * Vt[len(Vt) - self.open :].T)

    def speeds(self, rate: Array) -> Array:
        """Return the speeds with given rates in the last pose, (n_v,), (2)."""
        right = np.concatenate([np.zeros(len(self.weights)), self.unit * rate])
        return np.asarray(self.size * (self._solver @ right))

    def accelerations(self, v: Array, second: Array) -> Array:
        """Return the accelerations with given second rates in the last pose, (n_v,), (3)."""
        gamma = self.of.system.levels(0.0, self.q, v).gamma
        seen = self.of.seen(np.zeros(1), self.q[None], v[None], np.zeros((1, len(v))))
        left = second - read(seen, self.quantities, 2)[0]
        return np.asarray(self.size * (self._solver @ np.concatenate([-self.weights * gamma, self.unit * left])))

    @property
    def _solver(self) -> Array:
        if self._inverse is None:
            self._inverse = self._inverted(self.q)
        return self._inverse


def independent(posing: Posing, q: Array) -> list[Quantity]:
    """Return coordinates of joints that say where and how the whole mechanism moves near a pose, as few as do.

    Of all coordinates those are taken, one after the other, whose rates tell most of what those before leave open.
    """
    of = posing.of
    every = joint_coordinates(of)
    posing.q = q
    N = posing.free_ways()
    unit = np.array([posing.length if c.turn else 1.0 for c in every])[:, None]
    left = unit * rows_of(of, q, every) * posing.size @ N
    found: list[Quantity] = []
    while len(found) < N.shape[1] and len(every):
        size = np.linalg.norm(left, axis=1)
        best = int(np.argmax(size))
        if size[best] < 1e-6 * posing.length:
            break
        found.append(every[best])
        way = left[best] / size[best]
        left = left - np.outer(left @ way, way)
    return found


def null_space(rows: Array) -> Array:
    """Return an orthonormal basis of what rows (m, n) leave, (n, f)."""
    n = rows.shape[1]
    if not rows.any():
        return np.eye(n)
    _, s, Vt = np.linalg.svd(rows)
    return np.asarray(Vt[int(np.sum(s > RANK * s[0])) :].T)


class Unreached(Exception):
    """Values that a mechanism cannot have; how far it came on the way to them, from 0 to 1, and where that was."""

    def __init__(self, part: float, values: Array) -> None:
        super().__init__(part, values)
        self.part, self.values = part, values


def read(seen: Seen, quantities: Sequence[Quantity], level: int) -> Array:
    """Return quantities of a motion, (K, m)."""
    columns = [c.read(seen, level) for c in quantities]
    return np.stack(columns, axis=1) if columns else np.zeros((len(seen.t), 0))


def rows_of(of: Released, q: Array, quantities: Sequence[Quantity]) -> Array:
    """Return C, (m, n_v)."""
    n = of.system.n_v
    seen = of.seen(np.zeros(n), np.repeat(q[None], n, axis=0), np.eye(n), np.zeros((n, n)))
    return read(seen, quantities, 1).T


def through(posing: Posing, t: Array, value: Array, rate: Array, second: Array) -> Path:
    """Return the motion with given values, rates and second rates of the quantities of a posing, (K, m) each."""
    stated = posing.of.stated([c.joint for c in posing.quantities], (value, rate, second))
    if stated is not None:
        return Path(t, *stated)
    open_one = posing.open_freedom(posing.q)
    if open_one is not None:
        raise ModelError(f"the motion leaves {open_one}; say how it moves too")
    q: list[Array] = []
    v: list[Array] = []
    a: list[Array] = []
    for k in range(len(t)):
        if k:  # predicted: most steps of Newton's method are saved
            h = t[k] - t[k - 1]
            step = h * v[-1] + 0.5 * h * h * a[-1]
            if np.max(np.abs(step / posing.of.system.size_v), initial=0.0) < LONGEST:
                posing.q = posing.of.moved(posing.q, step)
        try:
            q.append(posing.at(value[k]))
        except Unreached as error:
            raise _beyond(posing, t, value, k, error) from None
        v.append(posing.speeds(rate[k]))
        a.append(posing.accelerations(v[-1], second[k]))
    path = Path(t, np.array(q), np.array(v), np.array(a))
    _check_rates(posing, path, rate, second)
    return path


def _beyond(posing: Posing, t: Array, value: Array, k: int, error: Unreached) -> ModelError:
    """Return the error of values that a mechanism cannot have."""
    names = [c.name for c in posing.quantities]
    asked = ", ".join(f"{name} = {number:.6g}" for name, number in zip(names, value[k], strict=True))
    last = ", ".join(f"{name} = {number:.6g}" for name, number in zip(names, error.values, strict=True))
    return ModelError(
        f"at t = {t[k]:.6g} s the mechanism cannot have {asked}; on its way there it comes to {last}; "
        "stay within its reach, or start on another assembly"
    )


def _check_rates(posing: Posing, path: Path, rate: Array, second: Array) -> None:
    """Raise where the mechanism cannot move as it is told: rows and quantities contradict each other."""
    if not len(path.t):
        return
    seen = posing.of.seen(path.t, path.q, path.v, path.a)
    for level, wanted, what in ((1, rate, "rates"), (2, second, "accelerations")):
        missed = np.abs(read(seen, posing.quantities, level) - wanted)
        # beside what moves it by its own length, or 1 rad, in its time, what is given may be no more than rounding
        own = np.array([1.0 if c.turn else posing.length for c in posing.quantities])
        size = np.maximum(np.max(np.abs(wanted), axis=0, initial=0.0), STILL * own / posing.of.system.scale.time**level)
        k, c = np.unravel_index(int(np.argmax(missed)), missed.shape) if missed.size else (0, 0)
        if missed.size and missed[k, c] > 1e-6 * max(float(size.max()), 1e-12):
            raise ModelError(
                f'the {what} that are given contradict each other: "{posing.quantities[c].name}" misses '
                f"{wanted[k, c]:.6g} by {missed[k, c]:.3g} at t = {path.t[k]:.6g} s; leave one of them out"
            )
