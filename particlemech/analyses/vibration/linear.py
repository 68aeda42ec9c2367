"""Equations of motion linearised about rest, a pose, or a steady rotation.

    M z'' + C z' + K z + E w = F u,     w' = G_z z + G_v z' + G_w w + G_u u                                          (1)
    y = Y_z z + Y_v z' + Y_w w + Y_u u
        | 0        1        0      |      | 0      |
    A = | -M^-1 K  -M^-1 C  -M^-1 E|,  B = | M^-1 F |,   C = (Y_z, Y_v, Y_w),   D = Y_u                              (2)
        | G_z      G_v      G_w    |      | G_u    |

z are small changes of as many named coordinates as there are freedoms, w those of the states that motors and
controllers own, see owned.py. F and Y_u of forces are exact, for these are linear in their size; what signals of
drivers, motors and controllers do, and Y_z, Y_v and Y_w of columns of results, are by differences of fourth order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from particlemech.analyses.vibration import shaking
from particlemech.analyses.vibration.balance import (
    EQUILIBRIUM,
    MOVES,
    REST,
    Balance,
    carried_on,
    holding_still,
    moment_of,
    stood,
)
from particlemech.analyses.vibration.chart import STEP, Chart, Motion
from particlemech.analyses.vibration.conditions import Joints, Names, driven_by, held
from particlemech.analyses.vibration.inputs import force_of
from particlemech.analyses.vibration.owned import Ties, restless_at, ties, unsettled
from particlemech.analyses.vibration.pressing import balanced
from particlemech.analyses.vibration.shaking import WAYS, Shake, slope
from particlemech.analyses.vibration.stands import Stand
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.run.march import NO_INERTIA

ROUNDED = 1e-6  # of the largest force that acts: beside less a force along a freedom is not looked at
SAME = 1e-5  # of K: what differences leave of it that is constant


class Matrices(NamedTuple):
    """Of (2)."""

    A: Array  # (n, n), n = 2 f + n_w
    B: Array  # (n, n_input)
    C: Array  # (n_output, n)
    D: Array  # (n_output, n_input)


class Outlet(NamedTuple):
    """How outputs follow, (1)."""

    z: Array  # (n_output, f)
    v: Array  # (n_output, f)
    w: Array  # (n_output, n_w)
    u: Array  # (n_output, n_input)


@dataclass(frozen=True, eq=False)
class Linear:
    """Equations (1)."""

    stand: Stand  # the mechanism in the state they belong to
    chart: Chart
    motion: Motion
    rates: Array  # (f,) of the freedoms
    M: Array  # (f, f)
    C: Array  # (f, f)
    K: Array  # (f, f)
    ties: Ties  # E, and G_z, G_v, G_w
    inputs: Mapping[str, Any]  # forces of size 1, by name
    outputs: tuple[str, ...]  # columns of results, or coordinates of `freedoms`

    @property
    def freedoms(self) -> tuple[str, ...]:
        """The names of z, (f,)."""
        return self.chart.names

    @property
    def states(self) -> tuple[str, ...]:
        """The names of the state of (2): z, z', and w as "force.state", such as "motor.current"."""
        return (*self.freedoms, *(f"{name}_rate" for name in self.freedoms), *self.chart.owned.names)

    @cached_property
    def result(self) -> Any:
        """The state they belong to, as a result of one sample."""
        return self.stand.result(self.stand.y[None])

    # -- what moves ------------------------------------------------------------------------------------------------

    @cached_property
    def _unit(self) -> Any:
        """The state, then with unit rates of each freedom, as samples."""
        lay, y = self.stand.system.layout, np.repeat(self.stand.y[None], self.chart.f + 1, axis=0)
        y[:, lay.v] = self.motion.v
        y[1:, lay.v] += self.motion.N.T
        return self.stand.result(y)

    def shape(self, name: str) -> Array:
        """Return how a point moves, a body turns, or a coordinate "joint.name" changes, by each freedom, (..., f)."""
        m, seen = self.stand.mechanism, self._unit
        joint, _, coordinate = name.rpartition(".")
        if name in m.points:
            rates = seen.velocity(name)
        elif name in m.bodies:
            rates = seen.omega(name)
        elif name in self.coordinates:
            return self._coordinates[self.coordinates.index(name)]
        elif joint in m.joints:
            rates = seen.rate(joint, coordinate)
        else:
            known = (*m.points, *m.bodies, *self.coordinates)
            raise ModelError(f'"{name}" is no point, body or coordinate{suggestion(name, known)}')
        return np.asarray((rates[1:] - rates[0]).T)

    @cached_property
    def _moving(self) -> list[int]:
        """Numbers of the coordinates of joints, and deflections, that are not driven."""
        still = driven_by(self.stand.mechanism)
        named = enumerate(self.stand.system.named)
        own = set(self.chart.which)
        return [k for k, of in named if k in own or ((of.part, of.name) not in still and not of.of_body)]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of all coordinates that may move; those of a quaternion are turns about the axes of the parent."""
        return tuple(self.stand.system.named[k].label for k in self._moving)

    @cached_property
    def _coordinates(self) -> Array:
        """Rates of all coordinates by those of the freedoms, (n, f)."""
        pose = self.motion.pose
        return np.asarray(self.stand.system.along(pose.q, self.motion.v, pose.x, self._moving)[0] @ self.motion.N)

    # -- inputs and outputs ----------------------------------------------------------------------------------------

    @cached_property
    def F(self) -> Array:
        """What inputs of size 1 do along the freedoms, (f, n_input)."""
        return self._acting[: self.chart.f]

    @cached_property
    def G(self) -> Array:
        """What inputs of size 1 do to the rates of the states of motors and controllers, G_u, (n_w, n_input)."""
        return self._acting[self.chart.f :]

    @cached_property
    def _acting(self) -> Array:
        """F and G_u, (f + n_w, n_input)."""
        size = self.chart.f + len(self.chart.owned.names)
        return np.array([self._forced(name) for name in self.inputs]).reshape(len(self.inputs), size).T

    def _loaded(self, name: str) -> Stand:
        """Return the mechanism with an input of size 1."""
        force, m = self.inputs[name], self.stand.mechanism
        return self.stand.changed(m.replaced(forces={f"input {name}": force}))

    def _forced(self, name: str) -> Array:
        if isinstance(self.inputs[name], Shake):
            return shaking.forces(self, self.inputs[name])
        loaded, (pose, v, a, N) = self._loaded(name).system, self.motion
        before = self.stand.system.needed(self.stand.t, pose.q, v, a, pose.x)
        force = N.T @ (before - loaded.needed(self.stand.t, pose.q, v, a, pose.x))
        return np.concatenate([force, np.zeros(len(self.chart.owned.names))])

    @cached_property
    def outlet(self) -> Outlet:
        """How the outputs follow."""
        f, n = self.chart.f, len(self.chart.owned.names)
        if self.outputs == self.freedoms:
            return Outlet(np.eye(f), np.zeros((f, f)), np.zeros((f, n)), np.zeros((f, len(self.inputs))))
        return self.read(self.outputs)

    def read(self, names: Sequence[str]) -> Outlet:
        """Return how columns follow."""
        chart, y = self.chart, [self.stand.y]
        f, n = chart.f, len(chart.owned.names)
        steps = STEP * np.concatenate([chart.unit, chart.unit / chart.system.scale.time, chart.owned.sizes])
        for k, step in enumerate(steps):
            for part in WAYS:
                d = np.zeros(2 * f + n)
                d[k] = part * step
                y.append(self.displaced(d[:f], d[f : 2 * f], d[2 * f :]))
        values = columns(self.stand.result(np.array(y)), names)
        parts = np.moveaxis(values[:, 1:].reshape(len(names), 2 * f + n, len(WAYS)), -1, 0)
        by = slope(parts, steps)
        direct = [self._direct(name, tuple(names), values[:, 0]) for name in self.inputs]
        Y_u = np.array(direct).reshape(len(direct), len(names)).T
        return Outlet(by[:, :f], by[:, f : 2 * f], by[:, 2 * f :], Y_u)

    def _direct(self, name: str, names: tuple[str, ...], now: Array) -> Array:
        """Return what an input does to columns at once, (n_column,)."""
        of = self.inputs[name]
        if isinstance(of, Shake):
            return shaking.direct(self, of, lambda seen: columns(seen, names)[:, 0])
        return np.asarray(columns(self._loaded(name).result(self.stand.y[None]), names)[:, 0] - now)

    def displaced(self, z: Array, rates: Array | float = 0.0, own: Array | float = 0.0) -> Array:
        """Return the state (n,) a little way off."""
        chart = self.chart
        pose = chart.pose(z) if np.any(z) else chart.home
        moving = chart.motion(pose, self.rates + rates)
        return self.stand.put(pose.q, moving.v, chart.owning(pose, chart.own + own).x).y

    @cached_property
    def matrices(self) -> Matrices:
        """A, B, C and D of (2)."""
        f, none = self.chart.f, np.zeros((self.chart.f, len(self.inputs)))
        of, y = self.ties, self.outlet
        balance = -np.linalg.solve(self.M, np.hstack([self.K, self.C, of.E]))
        A = np.vstack([np.eye(f, 2 * f + len(of.w), f), balance, np.hstack([of.z, of.v, of.w])])
        B = np.vstack([none, np.linalg.solve(self.M, self.F), self.G])
        return Matrices(A, B, np.hstack([y.z, y.v, y.w]), y.u)

    def state_space(self) -> Any:
        """Return (2) as `scipy.signal.StateSpace`."""
        from scipy.signal import StateSpace

        return StateSpace(*self.matrices)

    def control(self) -> Any:
        """Return (2) as a state space of the package control, with all names, "_" for ".", which it does not allow."""
        try:
            import control
        except ImportError:
            raise ModelError("control() needs the package control; install it with: pip install control") from None
        every = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        return control.ss(*self.matrices, **{k: [name.replace(".", "_") for name in of] for k, of in every.items()})

    def __str__(self) -> str:
        """Return a short table."""
        if not self.freedoms:
            return "no freedoms: nothing moves freely; free a joint, or ask for the forces by equilibrium"
        kinds = f"{self.chart.f} freedoms: {', '.join(self.freedoms)}"
        if own := self.chart.owned.names:
            kinds += f"; {len(own)} states of motors and controllers: {', '.join(own)}"
        return f"{kinds}\ninputs: {', '.join(self.inputs) or 'none'}\noutputs: {', '.join(self.outputs)}"


def columns(result: Any, names: Sequence[str]) -> Array:
    """Return columns of a result by name, (n, K)."""
    every = result.columns()
    for name in names:
        if name not in every:
            raise ModelError(f'output "{name}" is no column of its results{suggestion(name, every)}')
    return np.array([every[name] for name in names])


def linearised(
    mechanism: Any,
    asked: str = "linearised",
    about: Any = None,
    inputs: Any = None,
    outputs: Sequence[str] | str | None = None,
    base: str | None = None,
    joints: Joints = None,
    loads: bool | None = None,
    hold: Names = None,
    release: Names = None,
    t: float = 0.0,
    settle: bool | str = True,
) -> Linear:
    """Return (1); see `pm.linearised`."""
    everything = about == EQUILIBRIUM if isinstance(about, str) else settle == "all"
    moment = moment_of(asked, about)
    how = held(mechanism, asked, base, joints, loads is not False, hold, release, t if moment is None else moment.t)
    forces = force_of(how, asked, inputs)
    stand = stood(how, moment, t, {f"input {name}": of for name, of in forces.items() if not isinstance(of, Shake)})
    begun = balanced(stand)
    balance = begun if settle and everything else begun.as_it_stands(bool(settle))
    if settle:
        balance = balance.at_rest(everything)
    stand, chart, rates = balance.stand, balance.chart, balance.rates
    locked = getattr(stand.system, "locked", None)
    if locked is not None and (said := locked(stand.t, stand.y)) is not None:
        raise ModelError(f"{said}; start elsewhere")
    M = chart.mass()
    check_inertia(chart, M)
    K, C = chart.stiffness(rates), chart.damping(rates)
    if settle:
        _check_steady(balance, K, C)
        begun.check_pressing(balance)
    tied = ties(chart, rates)
    names = chart.names if outputs is None else (outputs,) if isinstance(outputs, str) else tuple(outputs)
    return Linear(balance.at(chart.home), chart, balance.motion, rates, M, C, K, tied, forces, names)


def check_inertia(chart: Chart, M: Array) -> None:
    """Raise where a freedom meets no inertia; M (f, f)."""
    if not len(M):
        return
    # each freedom beside its own inertia: light modes beside a heavy base are no fault
    own = np.sqrt(np.maximum(np.diag(M), 0.0))
    scaled = own * chart.unit
    lost = scaled <= NO_INERTIA * scaled.max()
    if lost.any():
        loose = chart.names[int(np.argmax(lost))]
        raise ModelError(f'"{loose}" meets no inertia: give what moves with it some, or take this freedom out')
    values, vectors = np.linalg.eigh(M / np.outer(own, own))
    if values[0] > NO_INERTIA:
        return
    one, other = sorted(np.argsort(-np.abs(vectors[:, 0]))[:2].tolist())
    raise ModelError(
        f'"{chart.names[one]}" and "{chart.names[other]}" meet no inertia where one undoes the other: what lies '
        "between them has none; give it some, or take one of them out"
    )


def _check_steady(balance: Balance, K: Array, C: Array) -> None:
    """Raise where something accelerates, or moves so that the equations do not stay what they are."""
    chart, at, rates = balance.chart, balance.motion, balance.rates
    made, T, unit = chart.system, chart.system.scale.time, chart.unit
    tied = ties(chart, rates)
    steady = np.abs(C) @ np.abs(rates) + np.abs(tied.E) @ np.abs(chart.own)  # a motor against what it turns
    acting = unit * np.maximum(chart.acting(at) + steady, np.abs(K) @ unit + np.abs(C) @ unit / T)
    scale = np.maximum(acting, max(np.max(acting, initial=0.0) * 1e-3, chart.largest(at) * ROUNDED))
    moving = np.abs(rates) / unit
    spinning = [k for k in np.flatnonzero(moving > MOVES) if made.named[chart.which[k]].spins]
    if spinning:
        cure = "no coordinate of a ball turns steadily; say its steady turns by revolute joints, one for each axis"
        raise _unsteady(f'"{chart.names[spinning[0]]}" does', balance, cure)
    for force in (chart.missing(at), K @ rates * T):
        left = np.abs(unit * force)
        if np.any(left > REST * scale):
            worst = int(np.argmax(np.where(left > REST * scale, left, 0.0)))
            cure = (chart.levels(at.pose).phi_t.any() and holding_still(balance.stand.mechanism)) or (
                'start where all forces balance, let about = "equilibrium" find it, lock or drive this joint, or take '
                "settle = False for small motions about a moving state"
            )
            raise ModelError(f'no steady state: {-force[worst]:.3g} acts on "{chart.names[worst]}"; {cure}')
    if (restless := restless_at(chart, at, REST, rates)) is not None:
        raise ModelError(unsettled(restless))
    moved = carried_on(balance, 1e3 * REST * scale)
    if moved is None:
        raise _unsteady("a driver moves its loops, or turns what has weight", balance)
    if moved is not chart:
        change = unit[:, None] * (moved.stiffness(rates) - K) * unit
        if np.abs(change).max(initial=0.0) > SAME * scale.max(initial=0.0):
            raise _unsteady("a driver moves its loops, or turns what has weight", balance)


def _unsteady(who: str, balance: Balance, cure: str = "") -> ModelError:
    cure = cure or holding_still(balance.stand.mechanism) or "hold what is driven"
    return ModelError(
        f"the start moves: {who}; small motions are those about rest, or about what turns steadily: {cure}, and give "
        "no rates"
    )
