"""Tables -> System: what integrators, starts and results ask of a mechanism in space.

    y = (q, v, z, W)            explicit steps: coordinates and speeds of the stages that are not driven, work
    y = (q, v, lam, mu, z, W)   IDA: with the multipliers of rows, and those that hold positions

q holds angles, travels and quaternions; the speeds of a quaternion are the components of the relative angular velocity
in parent axes. For IDA the equations of motion are written in their inverse form, what each joint transmits along its
free stages minus what acts there: one sweep out and one sweep in, and the mass matrix is never formed.

    kinematics   q' - N(q) (v - S G^T mu)                         = 0        S: squares of the sizes of speeds   (1)
    momentum     transmitted - applied - G^T lam                  = 0                                            (2)
    velocity     G v + phi_t + eps_v lam                          = 0                                            (3)
    position     phi - eps_p mu                                   = 0                                            (4)
    work         W' - power of loads, dampers, motors and drivers = 0                                            (5)

Without rows (1), (2) and (5) are left, and both y are one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech._jit import ArgumentBlock, fresh
from particlemech.engine import elements
from particlemech.engine.full_jacobian import FullJacobian
from particlemech.engine.recursive import entry_points, impulse, march, vibrating
from particlemech.engine.recursive.compiled import Compiled, soft, tabulate
from particlemech.engine.recursive.coordinates import ByName
from particlemech.engine.recursive.entry_points import (
    EFFORTS,
    FOLLOW,
    LEVELS,
    MASSES,
    MOVE,
    NONE,
    OBSERVE,
    POWER,
    PUSHES,
    RATES,
    SETTLED,
    SLOPES,
    UNMET,
    ask,
)
from particlemech.engine.recursive.following import alike, transferred
from particlemech.engine.recursive.functions import AsksFunctions
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.recursive.tables import Paths, SampledMotion
from particlemech.engine.recursive.topology import ordered
from particlemech.engine.recursive.workspace import Workspace
from particlemech.engine.system import Array, Instant, Jacobian, Layout, Levels, Residual, Scale, same_state
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.state import State
from particlemech.run.start import accelerations

if TYPE_CHECKING:
    from particlemech.run.explicit import March


def system(
    mechanism: Mechanism, cut: tuple[str, ...] | None = None, implicit: bool = False, prescribes: bool = True
) -> TreeSystem:
    """Return the system of a mechanism; joints named in `cut` are cut, and `implicit` is that of IDA."""
    forced = mechanism.run.cut if cut is None else cut
    return TreeSystem(tabulate(mechanism, ordered(mechanism, forced), prescribes=prescribes), implicit)


STUCK = 1e-6  # cos of the second angle below which angles lead no further; where it is driven, half of LOCK
DRIVEN = "the second is driven; stop before, or put two hinges in its place"
CURE = 'coordinates = "quaternion" knows none'
LOCK = 1e-3  # cos of the second angle: nearer to gimbal lock it is what ends a run


class Kane(NamedTuple):
    """Kane's equations of all stages at one instant, driven ones included: A x_ddot = f + F_ext + F_int.

    The rows of `slot` are those of partials.py; path[k] is the stage of slot k.
    """

    A: Array  # (n_stage, n_stage) [P72] (3.28)
    f: Array  # (n_stage,) [P72] (3.29) (errata)
    F_ext: Array  # (n_stage,) [P72] (3.7) (errata)
    F_int: Array  # (n_stage,) springs, dampers and motors in the joints [P72] (3.18)
    x: Array  # (n_stage, 3) coordinates, speeds, rates of driven speeds
    slot: Array  # (n_slot, 6, 3)


class TreeSystem(ByName, AsksFunctions, FullJacobian):
    """A tree after Kane."""

    formulation = "recursive"

    def __init__(self, compiled: Compiled, implicit: bool = False) -> None:
        self.compiled, self.mechanism, self.scale = compiled, compiled.mechanism, compiled.scale
        self.breaks, self.until = compiled.breaks, compiled.until
        self.cuts = tuple(dict.fromkeys(cut.joint for cut in compiled.topology.cuts))
        n_q, n_v, n_row = compiled.n_q, compiled.n_v, len(compiled.rows)
        self.n_q, self.n_v, self.n_row, self.n_lam, self.implicit = n_q, n_v, n_row, n_row, implicit
        self.elements = compiled.elements
        ends = np.cumsum([0, n_q, n_v, *((n_row, n_row) if implicit else (0, 0)), 1 + self.elements.n]).tolist()
        self.n = ends[-1]
        self.layout = Layout(compiled.rows, *(slice(a, b) for a, b in pairwise(ends)))

    @cached_property
    def explicit(self) -> TreeSystem:
        """The same system with the states of explicit steps."""
        return TreeSystem(self.compiled).retimed(self.scale.time) if self.implicit and self.n_row else self

    @cached_property
    def with_multipliers(self) -> TreeSystem:
        """The same system with the states of IDA."""
        return self if self.implicit or not self.n_row else TreeSystem(self.compiled, True).retimed(self.scale.time)

    def retimed(self, time_scale: float) -> TreeSystem:
        """Return the same system with another time scale, s."""
        return self.rescaled(replace(self.scale, time=time_scale))

    def rescaled(self, scale: Scale) -> TreeSystem:
        """Return the same system with other units."""
        tables = self.compiled.tables._replace(soft=soft(scale, self.compiled.rows))
        return TreeSystem(replace(self.compiled, tables=tables, scale=scale), self.implicit)

    @property
    def prescribed(self) -> bool:
        """Whether drivers prescribe coordinates, whose impulses are those of no row."""
        return any(coordinate.driver is not None for coordinate in self.compiled.coordinates)

    @property
    def units(self) -> Array:
        """Return what counts as a unit of each unknown, (n,)."""
        own, T, M, L = self.scale, self.scale.time, self.scale.mass, self.scale.length
        rows = np.where([row.angle for row in self.compiled.rows], L, 1.0) if self.implicit else np.zeros(0)
        lam, mu = rows * M * L / T**2, 1.0 / (rows * L * T) if len(rows) else rows
        moving = own.deflection * self.size_q, own.pace * self.size_v
        return np.concatenate([*moving, lam, mu, self.elements.sizes, [own.energy]])

    def adopted(self, other: Instant, y: Array, t: float = 0.0) -> Array:
        """Return a state (n,) at t of another system of the same mechanism as one of this; multipliers are left 0."""
        if not isinstance(other, TreeSystem) or set(other.mechanism.bodies) != set(self.mechanism.bodies):
            return same_state(self, other, y)
        if not alike(self.compiled, other.compiled):  # one may drive or lock what is free in the other
            return transferred(other, t, y, self)
        lay = other.layout
        return self.layout.state(y[lay.q], y[lay.v], self.elements.carried(other.elements, y[lay.x]))

    def bare(self, y: Array) -> Array:
        """Return (q, v, W) of states, (..., n_q + n_v + 1) for (..., n), or for these themselves."""
        if not self.implicit or y.shape[-1] != self.n:
            return y
        return np.concatenate([y[..., self.layout.q], y[..., self.layout.v], y[..., self.layout.x]], axis=-1)

    # -- one instant -----------------------------------------------------------------------------------------------

    @cached_property
    def size_q(self) -> Array:
        """Return what counts as a unit of each coordinate, (n_q,)."""
        size, stage = np.ones(self.n_q), self.compiled.tables.stage
        held = stage["q"] >= 0
        size[stage["q"][held]] = stage["size"][held]
        return size

    @cached_property
    def size_v(self) -> Array:
        """Return what counts as a unit of the way that each speed makes, (n_v,)."""
        return np.asarray(self.compiled.tables.stage["size"][list(self.compiled.free)])

    def slopes(self, t: float, y: Array) -> tuple[float, Array]:
        """Return the least pivot, see articulated.inward, and the rates of (q, v, W)."""
        return self.rates()(t, y := self.bare(y), out := np.zeros(len(y))), out

    def rates(self) -> Callable[[float, Array, Array], float]:
        """Return what fills the rates of (q, v, W) at a time and a state, and returns the least pivot, for one run."""
        place = Workspace(self.compiled)

        def fill(t: float, y: Array, out: Array) -> float:
            self.give(place.s, t, y)
            return float(ask(SLOPES, t, y, NONE, out, place.address))

        return fill

    def kinematics(self, t: float, q: Array, v: Array) -> Array:
        """Return the rates of the coordinates, (n_q,)."""
        out, place = np.zeros(self.n_q), Workspace(self.compiled)
        ask(RATES, 0.0, q, v, out, place.address)
        return out

    def following(self, t: float, q: Array, v: Array, lam: Array, x: Array) -> Array:
        """Return the rates of the states of motors and controllers, and the power, (n_x,)."""
        place, y = Workspace(self.compiled), np.concatenate([q, v, x])
        self.give(place.s, t, y)
        power = ask(POWER, t, y, NONE, NONE, place.address)
        return np.append(place.s.own[1], power)

    def moved(self, q: Array, step: Array) -> Array:
        """Return coordinates (n_q,) a step (n_v,) away, along the speeds; quaternions have length 1."""
        out, place = np.array(q, dtype=float), Workspace(self.compiled)
        ask(MOVE, 0.0, out, np.ascontiguousarray(step), NONE, place.address)
        return out

    def levels(self, t: float, q: Array, v: Array) -> Levels:
        """Return phi, phi_t, gamma and phi_q at once."""
        place, G = self._instant, np.zeros((self.n_row, self.n_v))
        if self.n_row:
            ask(LEVELS, t, np.ascontiguousarray(q), np.ascontiguousarray(v), G.reshape(-1), place.address)
        value, rate, second = place.s.phi.T
        return Levels(value.copy(), rate - G @ v, second.copy(), G)

    def closure_of(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return the worst position and velocity error of all rows as lengths, (K,) each."""
        place, G, found = Workspace(self.compiled), np.zeros((self.n_row, self.n_v)), np.zeros((2, len(t)))
        for k in range(len(t)):
            ask(LEVELS, float(t[k]), q[k], v[k], G.reshape(-1), place.address)
            found[:, k] = np.max(np.abs(place.s.phi[:, :2]) * place.s.span[:, None], axis=0)
        return found[0], found[1]

    def along_stages(self, t: float, q: Array, lam: Array) -> Array:
        """Return what multipliers (n_row,) do along all stages, driven ones included, (n_stage,): G^T lam."""
        place, out = Workspace(self.compiled), np.zeros(len(self.compiled.coordinates))
        ask(EFFORTS, t, np.ascontiguousarray(q), np.ascontiguousarray(lam), out, place.address)
        return out

    def pushed(self, t: float, q: Array, given: Array) -> Array:
        """Return what wrenches on all frames (n_body + 1, 6), about their O, do along all stages, (n_stage,)."""
        place, out = Workspace(self.compiled), np.zeros(len(self.compiled.coordinates))
        place.s.load[:] = given
        ask(PUSHES, t, np.ascontiguousarray(q), NONE, out, place.address)
        return out

    def mass(self, q: Array, t: float = 0.0) -> Array:
        """Return the mass matrix of the free speeds, (n_v, n_v)."""
        free = np.array(self.compiled.free, dtype=int)
        return self.masses(q, t)[np.ix_(free, free)]

    def masses(self, q: Array, t: float = 0.0) -> Array:
        """Return the mass matrix of all stages, driven ones included, (n_stage, n_stage)."""
        n, place = len(self.compiled.coordinates), Workspace(self.compiled)
        A = np.zeros((n, n))
        ask(MASSES, t, np.ascontiguousarray(q), NONE, A.reshape(-1), place.address)
        return 0.5 * (A + A.T)

    def kane(self, t: float, q: Array, v: Array) -> Kane:
        """Return Kane's equations of all stages."""
        place = Workspace(self.compiled)
        starts, path = self.compiled.paths
        n = len(self.compiled.coordinates)
        ways = Paths(starts, path, np.zeros((len(path), 6, 3)), np.zeros((n, n)), np.zeros(n), np.zeros(n))
        argument_block = ArgumentBlock(self.compiled.group, place.work_arrays, ways)
        self.give(place.s, t, np.concatenate([q, v, self.elements.extra(np.zeros(0))]))
        entry_points.kane(t, q, v, argument_block.address)
        return Kane(ways.A, ways.f, ways.F, place.s.tau[:, 0].copy(), place.s.x.copy(), ways.slot)

    def dynamics(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A and b of A (a, lam) = b: the reduced equations [P72] (3.30), then the rows."""
        place, y = Workspace(self.compiled), np.concatenate([q, v, x])
        self.give(place.s, t, y)
        b = np.zeros(self.n_v)
        ask(UNMET, t, y, NONE, b, place.address)
        M = self.mass(q, t)
        if not self.n_row:
            return M, b
        rows = self.levels(t, q, v)
        A = np.block([[M, -rows.phi_q.T], [rows.phi_q, np.zeros((self.n_row, self.n_row))]])
        return A, np.concatenate([b, -rows.gamma])

    def multipliers(self, t: float, y: Array) -> Array:
        """Return the multipliers of all rows in a state (n,) of explicit steps, (n_row,)."""
        place, y = self._instant, self.bare(y)
        self.give(place.s, t, y)
        ask(SLOPES, t, y, NONE, np.zeros(len(y)), place.address)
        return place.s.lam.copy()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another process can use."""
        return {name: value for name, value in self.__dict__.items() if name != "_instant"}

    @cached_property
    def _instant(self) -> Workspace:
        return Workspace(self.compiled)

    def struck(self, t: float, y: Array) -> Array:
        """Return the state just after the impulses at time t."""
        return elements.struck(self, t, impulse.struck(self, t, y))

    def carrying(self, before: TreeSystem, t: float, q: Array) -> tuple[Array, Array]:
        """Return what driven coordinates whose rates jump do along the free speeds, and the mass matrix of these."""
        return impulse.carrying(self, before, t, q)

    def energies(self, t: Array, y: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K states, (K,) each; speeds of drivers are not among the states."""
        seen = self.observed(t, y, np.zeros((len(t), len(self.compiled.coordinates))), told=False)
        return seen.kinetic, seen.potential

    def observed(
        self, times: Array, states: Array, given: Array | None = None, told: bool = True, lam: Array | None = None
    ) -> Observed:
        """Return the motion at K samples by name.

        `given` are accelerations (K, n_stage), and `lam` (K, n_row), else forces cause them; unless `told`, custom
        forces are left out.
        """
        place, states = Workspace(self.compiled), self.bare(states)
        K, bodies, n = len(times), len(self.compiled.tables.body), len(self.compiled.coordinates)
        n_row = self.n_row
        per_body = ((K, bodies, 9), *[(K, bodies, 3)] * 3, *[(K, bodies, 6)] * 2)
        group = fresh(
            SampledMotion,
            (K,),
            (K, states.shape[1]),
            *per_body,
            (K, n, 3),
            (K, n, 2),
            (K, n, 3),
            (K, 4),
            (K, *place.s.given.shape),
            (K, n_row),
            (K, n_row, 12),
            (K, len(place.s.loads)),
        )
        keep = SampledMotion(*group.part)
        keep.t[:], keep.y[:] = times, states
        if given is not None:
            keep.x[:, :, 2] = given
            keep.lam[:] = 0.0 if lam is None else lam
        if told:
            for k in range(K):
                self.give(place.s, float(times[k]), states[k])
                keep.given[k] = place.s.given
        argument_block = ArgumentBlock(self.compiled.group, place.work_arrays, group)
        ask(OBSERVE if given is None else FOLLOW, 0.0, NONE, NONE, NONE, argument_block.address)
        lost = ~np.isfinite(keep.x[:, :, 2]).all(axis=1) & np.isfinite(keep.loads).all(axis=1)
        if given is None and lost.any():
            # where a motion meets no inertia, as angles do at gimbal lock, the accelerations of least norm
            every = keep.x[:, :, 2].copy()
            for k in np.flatnonzero(lost).tolist():
                every[k] = self._least_accelerations(times[k], states[k])
            return self.observed(times, states, every)
        for array in keep:
            array.setflags(write=False)  # results share them
        return Observed(self.compiled, keep, self.explicit.observed)

    def _least_accelerations(self, t: float, y: Array) -> Array:
        """Return x_ddot of all stages, (n_stage,), of least norm where the equations leave them open."""
        place = Workspace(self.compiled)
        ask(SETTLED, t, self.bare(y), NONE, NONE, place.address)
        x_ddot, lay = place.s.x[:, 2].copy(), self.layout
        x_ddot[list(self.compiled.free)] = accelerations(self, t, y[lay.q], y[lay.v], y[lay.x])[0]
        return x_ddot

    def energy(self, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K samples, (K,) each, of a mechanism that nothing drives."""
        return self.explicit.energies(np.zeros(len(q)), np.hstack([q, v, x]))

    def state(self, t: float, y: Array) -> Any:
        """Return the motion at one instant by name."""
        return State(self.observed(np.array([t]), y[None]))

    @cached_property
    def _second_angles(self) -> dict[int, tuple[str, bool]]:
        """Return the stages that gimbal lock as they pass a right angle, with their joints; True: it is driven."""
        found, c = {}, self.compiled
        for joint, stages in c.stages_of.items():
            spherical = joint in self.mechanism.joints and self.mechanism.joints[joint].spherical
            if spherical and joint not in c.quaternions and any(c.coordinates[e].driver is None for e in stages[-3:]):
                found[stages[-2]] = joint, c.coordinates[stages[-2]].driver is not None
        return found

    def locked(self, t: float, y: Array) -> str | None:
        """Return the joint whose angles are nearest to gimbal lock, if one is near, with a cure."""
        place = Workspace(self.compiled)
        ask(SETTLED, t, self.bare(y), NONE, NONE, place.address)
        near = {e: abs(math.cos(place.s.x[e, 0])) for e in self._second_angles}
        nearest = min(near, key=lambda e: near[e], default=-1)
        if not near.get(nearest, 1.0) < LOCK:
            return None
        joint, driven = self._second_angles[nearest]
        return f'joint "{joint}" comes to gimbal lock of its angles ({DRIVEN if driven else CURE})'

    def singular(self, t: float, y: Array) -> str:
        """Return what is wrong with a pose."""
        return self.locked(t, y) or "a motion that meets no inertia comes up"

    def hurried(self, t: float, y: Array) -> str:
        """Return which coordinate vibrates fastest, in words; empty where that is no faster than the mechanism."""
        return self.locked(t, y) or vibrating.hurried(self, t, self.bare(y))

    # -- for IDA ---------------------------------------------------------------------------------------------------

    def callbacks(self, sparse: bool) -> tuple[Residual, Jacobian]:
        """Return residual and Jacobian with work arrays of their own."""
        place = Workspace(self.compiled)
        address, work = place.address, np.zeros((4, self.n))
        size, whole = self.units, np.zeros((self.n, self.n))
        seconds = [(e, 0.5 * LOCK if driven else STUCK) for e, (_, driven) in self._second_angles.items()]

        def residual(t: float, y: Array, yp: Array, res: Array) -> bool:
            self.give(place.s, t, y)
            finite = bool(entry_points.residual(t, y, yp, res, address))
            # at gimbal lock the residual is finite but no step leads on: IDA would creep for minutes
            return finite and not any(abs(math.cos(place.s.x[e, 0])) < least for e, least in seconds)

        def jacobian(t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
            self.give(place.s, t, y)
            entry_points.jacobian(t, y, yp, cj, size, work, whole, address)
            self._add_given(t, y, yp, size, place, whole)
            J[...] = whole.T.reshape(-1) if sparse else whole

        # the work arrays live as long as the functions do
        residual.place = place  # type: ignore[attr-defined]
        return residual, jacobian

    def slopes_of(self, y: Array) -> Array:
        """Return the largest slope of a part of a bending body in K states (K, n), (K,), rad."""
        body, stage, worst = self.compiled.tables.body, self.compiled.tables.stage, np.zeros(len(y))
        for b in body[body["link"] >= 0]:
            own = stage[b["mode"] : b["mode"] + b["modes"]]
            worst = np.maximum(worst, np.linalg.norm(y[:, own["q"]] @ own["axis"], axis=1))
        return worst

    def project(self, times: Array, q: Array, v: Array) -> None:
        """Move K states q (K, n_q), v (K, n_v) at times (K,) to the nearest that satisfy all rows."""
        lined, held = self.march(1e-9, np.zeros(1)), np.zeros(len(self.compiled.coordinates))
        held[list(self.compiled.free)] = np.diag(self.elasticity[0]) * self.scale.time**2
        y = np.hstack([q, v, np.zeros((len(times), 1 + self.elements.n))])
        march.project_all(times, y, held, lined.block.address)  # type: ignore[attr-defined]
        q[:], v[:] = y[:, : self.n_q], y[:, self.n_q : self.n_q + self.n_v]

    # -- explicit steps --------------------------------------------------------------------------------------------

    def march(self, rtol: float, times: Array) -> March:
        """Return a march that fills samples at `times` (K,), once it is put somewhere."""
        return Workspace(self.compiled).march(self.explicit, march.do, rtol, times)
