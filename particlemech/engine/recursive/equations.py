"""Tables -> System: what integrators, starts and results ask of a tree.

    y = (q, v, W)      coordinates and speeds of the stages that are not driven, work

q holds angles, travels and quaternions; the speeds of a quaternion are the components of the relative angular velocity
in parent axes. Nothing is constrained, so there are no rows and no multipliers. For IDA the equations of motion are
written in their inverse form, what each joint transmits along its free stages minus what acts there: one sweep out and
one sweep in, and A x_ddot = f + F is never formed.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech._jit import ArgumentBlock, fresh
from particlemech.engine.free_system import FreeSystem
from particlemech.engine.recursive import entry_points, impulse, march
from particlemech.engine.recursive.compiled import Compiled, tabulate
from particlemech.engine.recursive.laws.custom import GIVEN
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.recursive.tables import Paths, SampledMotion
from particlemech.engine.recursive.topology import ordered
from particlemech.engine.recursive.workspace import Workspace
from particlemech.engine.system import Array, Jacobian, Residual
from particlemech.model.space.forces.custom import Custom, answer
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.base import State
from particlemech.run.start import accelerations

if TYPE_CHECKING:
    from particlemech.run.explicit import March


def system(mechanism: Mechanism) -> TreeSystem:
    """Return the system of a tree."""
    return TreeSystem(tabulate(mechanism, ordered(mechanism)))


STUCK = 1e-6  # cos of the second angle below which angles lead no further
STEP = 1e-7  # of the size of an unknown: how far it is moved to differentiate Python functions
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


class TreeSystem(FreeSystem):
    """A tree after Kane."""

    formulation = "recursive"

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, self.mechanism, self.scale = compiled, compiled.mechanism, compiled.scale
        self._lay_out(compiled.n_q, compiled.n_v)
        self.breaks, self.until = compiled.breaks, compiled.until

    # -- one instant -----------------------------------------------------------------------------------------------

    @cached_property
    def size_q(self) -> Array:
        """Return what counts as a unit of each coordinate, (n_q,)."""
        size = np.ones(self.n_q)
        for coordinate, stage in zip(self.compiled.coordinates, self.compiled.tables.stage, strict=True):
            if stage["q"] >= 0 and not coordinate.turn:
                size[stage["q"]] = self.scale.length
        return size

    @cached_property
    def size_v(self) -> Array:
        """Return what counts as a unit of the way that each speed makes, (n_v,)."""
        turns = [self.compiled.coordinates[e].turn for e in self.compiled.free]
        return np.where(turns, 1.0, self.scale.length) if turns else np.zeros(0)

    def slopes(self, t: float, y: Array) -> tuple[float, Array]:
        """Return the least pivot, see articulated.inward, and y', (n,)."""
        out, place = np.zeros(self.n), Workspace(self.compiled)
        self.give(place.s.given, t, y)
        return float(entry_points.slopes_at(t, y, out, place.address)), out

    def kane(self, t: float, q: Array, v: Array) -> Kane:
        """Return Kane's equations of all stages."""
        place = Workspace(self.compiled)
        starts, path = self.compiled.paths
        n = len(self.compiled.coordinates)
        ways = Paths(starts, path, np.zeros((len(path), 6, 3)), np.zeros((n, n)), np.zeros(n), np.zeros(n))
        argument_block = ArgumentBlock(self.compiled.group, place.work_arrays, ways)
        self.give(place.s.given, t, np.concatenate([q, v, [0.0]]))
        entry_points.kane(t, q, v, argument_block.address)
        return Kane(ways.A, ways.f, ways.F, place.s.tau[:, 0].copy(), place.s.x.copy(), ways.slot)

    def dynamics(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A, (n_v, n_v), and b of A a = b: the reduced equations [P72] (3.30)."""
        at = self.kane(t, q, v)
        free = np.array(self.compiled.free, dtype=int)
        driven = np.setdiff1d(np.arange(len(at.f)), free)
        b = at.f + at.F_ext + at.F_int - at.A[:, driven] @ at.x[driven, 2]
        return at.A[np.ix_(free, free)], b[free]

    def struck(self, t: float, y: Array) -> Array:
        """Return the state just after the impulses at time t."""
        return impulse.struck(self, t, y)

    def energies(self, t: Array, y: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K states, (K,) each; speeds of drivers are not among the states."""
        seen = self.observed(t, y)
        return seen.kinetic, seen.potential

    def observed(self, times: Array, states: Array, given: Array | None = None, told: bool = True) -> Observed:
        """Return the motion at K samples by name.

        `given` are accelerations (K, n_stage), else forces cause them; unless `told`, custom forces are left out.
        """
        place = Workspace(self.compiled)
        K, bodies, n = len(times), len(self.compiled.tables.body), len(self.compiled.coordinates)
        per_body = ((K, bodies, 9), *[(K, bodies, 3)] * 3, *[(K, bodies, 6)] * 2)
        group = fresh(
            SampledMotion,
            (K,),
            (K, self.n),
            *per_body,
            (K, n, 3),
            (K, n, 2),
            (K, n, 3),
            (K, 2),
            (K, *place.s.given.shape),
        )
        keep: SampledMotion = group.part
        keep.t[:], keep.y[:] = times, states
        if given is not None:
            keep.x[:, :, 2] = given
        if told:
            for k in range(K):
                self.give(keep.given[k], float(times[k]), states[k])
        argument_block = ArgumentBlock(self.compiled.group, place.work_arrays, group)
        entry_points.observe(given is not None, argument_block.address)
        lost = ~np.isfinite(keep.x[:, :, 2]).all(axis=1)
        if given is None and lost.any():
            # where a motion meets no inertia, as angles do at gimbal lock, the accelerations of least norm
            every = keep.x[:, :, 2].copy()
            for k in np.flatnonzero(lost).tolist():
                every[k] = self._least_accelerations(times[k], states[k])
            return self.observed(times, states, every)
        for array in keep:
            array.setflags(write=False)  # results share them
        return Observed(self.compiled, keep)

    def _least_accelerations(self, t: float, y: Array) -> Array:
        """Return x_ddot of all stages, (n_stage,), of least norm where the equations leave them open."""
        at = self.kane(t, y[self.layout.q], y[self.layout.v])
        x_ddot = at.x[:, 2].copy()
        x_ddot[list(self.compiled.free)] = accelerations(self, t, y[self.layout.q], y[self.layout.v], y[-1:])[0]
        return x_ddot

    def energy(self, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K samples, (K,) each, of a tree that nothing drives."""
        found = self.observed(np.zeros(len(q)), np.hstack([q, v, x]))
        return found.kinetic, found.potential

    def state(self, t: float, y: Array) -> Any:
        """Return the motion at one instant by name."""
        return State(self.observed(np.array([t]), y[None]))

    # -- Python functions ------------------------------------------------------------------------------------------

    @cached_property
    def _customs(self) -> tuple[tuple[str, Custom], ...]:
        """Return the forces that are Python functions, in the order of their table."""
        return tuple((name, f) for name, f in self.mechanism.forces.items() if isinstance(f, Custom))

    def give(self, out: Array, t: float, y: Array) -> None:
        """Fill out (n_custom, 9) with what Python functions give in a state; they are told no accelerations."""
        if not self._customs:
            return
        still = np.zeros((1, len(self.compiled.coordinates)))
        now = State(self.observed(np.array([t]), np.array(y)[None], still, told=False))
        for e, (name, force) in enumerate(self._customs):
            out[e] = answer(name, force, t, now)

    @cached_property
    def _second_angles(self) -> tuple[int, ...]:
        """Return the free stages whose passing through a right angle is gimbal lock."""
        found = []
        for joint, stages in self.compiled.stages_of.items():
            if self.mechanism.joints[joint].spherical and joint not in self.compiled.quaternions:
                found += [stages[-2]] if self.compiled.coordinates[stages[-2]].driver is None else []
        return tuple(found)

    def locked(self, t: float, y: Array) -> str | None:
        """Return the joint whose angles are nearest to gimbal lock, if one is near, with a cure."""
        place = Workspace(self.compiled)
        entry_points.residual(
            t, y, np.zeros(self.n), np.zeros(self.n), place.address
        )  # fills the work arrays and solves nothing
        near = {}
        for joint, stages in self.compiled.stages_of.items():
            free = any(self.compiled.coordinates[e].driver is None for e in stages[-3:])
            if self.mechanism.joints[joint].spherical and joint not in self.compiled.quaternions and free:
                near[joint] = abs(float(np.cos(place.s.x[stages[-2], 0])))
        nearest = min(near, key=lambda name: near[name], default="")
        if not near.get(nearest, 1.0) < LOCK:
            return None
        return f'joint "{nearest}" comes to gimbal lock of its angles (coordinates = "quaternion" knows none)'

    def singular(self, t: float, y: Array) -> str:
        """Return what is wrong with a pose."""
        return self.locked(t, y) or "a motion that meets no inertia comes up"

    def not_finite(self, t: float, y: Array) -> str:
        """Return the part whose law gives a value that is not finite."""
        given = np.zeros((len(self._customs), GIVEN))
        self.give(given, t, y)
        for (name, _), numbers in zip(self._customs, given, strict=True):
            if not np.isfinite(numbers).all():
                return f'force "{name}", which is told places and speeds but no accelerations or forces,'
        locked = self.locked(t, y)
        return f"{locked}, and the motion" if locked else "the motion"

    # -- for IDA ---------------------------------------------------------------------------------------------------

    def callbacks(self, sparse: bool) -> tuple[Residual, Jacobian]:
        """Return residual and Jacobian with work arrays of their own."""
        place = Workspace(self.compiled)
        address, work = place.address, np.zeros((4, self.n))
        size, whole = self.units, np.zeros((self.n, self.n))
        seconds = [int(self.compiled.tables.stage[e]["q"]) for e in self._second_angles]

        def residual(t: float, y: Array, yp: Array, res: Array) -> bool:
            self.give(place.s.given, t, y)
            # at gimbal lock the residual is finite but no step leads on: IDA would creep for minutes
            if any(abs(math.cos(y[k])) < STUCK for k in seconds):
                return False
            return bool(entry_points.residual(t, y, yp, res, address))

        def jacobian(t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
            self.give(place.s.given, t, y)
            entry_points.jacobian(t, y, yp, cj, size, work, whole, address)
            self._add_given(t, y, yp, size, place, whole)
            J[...] = whole.T.reshape(-1) if sparse else whole

        # the work arrays live as long as the functions do
        residual.place = place  # type: ignore[attr-defined]
        return residual, jacobian

    def _add_given(self, t: float, y: Array, yp: Array, size: Array, place: Workspace, J: Array) -> None:
        """Add to J what the answers of Python functions change with the state, by differences."""
        if not self._customs:
            return
        before, after, z = np.zeros(self.n), np.zeros(self.n), np.array(y)
        given = place.s.given.copy()
        entry_points.residual(t, y, yp, before, place.address)
        for j in range(self.n - 1):
            h = STEP * max(abs(y[j]), size[j])
            z[j] = y[j] + h
            self.give(place.s.given, t, z)
            z[j] = y[j]
            entry_points.residual(t, y, yp, after, place.address)
            J[:, j] += (after - before) / h
        place.s.given[:] = given

    # -- explicit steps --------------------------------------------------------------------------------------------

    def march(self, rtol: float, times: Array) -> March:
        """Return a march that fills samples at `times` (K,), once it is put somewhere."""
        return self._marched(march.do, (self.compiled.group, Workspace(self.compiled).work_arrays), rtol, times)
