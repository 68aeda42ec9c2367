"""Tables -> System: what integrators, starts and results ask of a chain.

    y = (q, v, W)      coordinates and speeds of base, joints and links, work

q holds the place of the base and its quaternion, phi and dphi of the joints and the modal coordinates; the speeds of
the quaternion are the components of the angular velocity, global axes. Nothing is constrained, so there are no rows and
no multipliers. For IDA the equations of motion are written in their inverse form, what each speed needs minus what
acts on it: one sweep out and one sweep in, and no mass matrix. What Python functions give
is asked for before each sweep.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech._jit import ArgumentBlock, fresh
from particlemech.engine.bending import entry_points, march, samples
from particlemech.engine.bending.compiled import Compiled, tabulate
from particlemech.engine.bending.links import FLOATS, Chain
from particlemech.engine.bending.observed import Observed
from particlemech.engine.bending.tables import SampledMotion
from particlemech.engine.bending.workspace import Workspace
from particlemech.engine.free_system import FreeSystem
from particlemech.engine.system import Array, Jacobian, Residual
from particlemech.errors import ModelError
from particlemech.model.spec import shown
from particlemech.result.base import State

if TYPE_CHECKING:
    from particlemech.run.explicit import March

STEP = 1e-7  # of the size of an unknown: how far Python functions are felt for
Efforts = Callable[[float, Array], None]  # writes what Python functions give at (t, y) in work arrays


def system(chain: Chain, mechanism: Any = None) -> FlexibleSystem:
    """Return the system of a chain; `mechanism` is what it was made from, for results."""
    return FlexibleSystem(tabulate(chain), mechanism)


class FlexibleSystem(FreeSystem):
    """A chain of links that bend, and joints whose drives deflect."""

    formulation = "bending"

    def __init__(self, compiled: Compiled, mechanism: Any = None) -> None:
        self.compiled, self.mechanism, self.scale = compiled, mechanism, compiled.scale
        self._lay_out(compiled.n_q, compiled.n_v)
        self.breaks, self.until = compiled.breaks, compiled.until

    # -- one instant -----------------------------------------------------------------------------------------------

    @cached_property
    def size_v(self) -> Array:
        """Return what counts as a unit of the way that each speed makes, (n_v,)."""
        return np.array([c.size for c in self.compiled.coordinates])

    @cached_property
    def size_q(self) -> Array:
        """Return what counts as a unit of each coordinate, (n_q,)."""
        return np.insert(self.size_v, 3, 1.0) if self.compiled.chain.base.state == FLOATS else self.size_v

    def slopes(self, t: float, y: Array) -> tuple[float, Array]:
        """Return the least pivot of the mass matrix and y', (n,)."""
        out, place = np.zeros(self.n), Workspace(self.compiled)
        self._controlled(place)(t, y)
        return float(entry_points.slopes_at(t, y, out, place.address)), out

    def mass(self, t: float, q: Array) -> Array:
        """Return the mass matrix, (n_v, n_v): what unit accelerations need."""
        place = Workspace(self.compiled)
        entry_points.mass(t, q, place.address)
        return place.s.A.copy()

    def needed(self, t: float, y: Array, a: Array) -> Array:
        """Return what accelerations (n_v,) need minus what acts, (n_v,): zero where y and a belong to the motion."""
        out, place = np.zeros(self.n_v), Workspace(self.compiled)
        self._controlled(place)(t, y)
        entry_points.bias(t, y[self.layout.q], y[self.layout.v], a, out, place.address)
        return out

    def dynamics(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A, (n_v, n_v), and b of A a = b."""
        y = np.concatenate([q, v, x])
        return self.mass(t, q), -self.needed(t, y, np.zeros(self.n_v))

    def struck(self, t: float, y: Array) -> Array:
        """Return the state itself: there are no impulses."""
        return y

    def energies(self, t: Array, y: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K states, (K,) each; speeds of drivers are not among the states."""
        seen = self.observed(t, y, moved=False)
        return seen.kinetic, seen.potential

    def observed(self, times: Array, states: Array, moved: bool = True) -> Observed:
        """Return the motion at K samples by name; without accelerations and forces unless `moved` by them."""
        place = Workspace(self.compiled)
        m = self.compiled.tables
        K, L, N, modal = len(times), len(m.link), len(m.point), len(place.s.q)
        per_link = (K, L, 3), (K, L, 3), (K, modal, 3), (K, L, 9), *[(K, L, 3)] * 6, (K, L, 6), (K, L, 3)
        group = fresh(
            SampledMotion,
            (K,),
            (K, self.n),
            (K, L),
            (K, L, 6),
            *per_link,
            (K, N, 4, 3),
            (K, N, 9),
            (K, N, 2, 3),
            (K, 4),
            (K, 9),
        )
        keep: SampledMotion = group.part
        keep.t[:], keep.y[:] = times, states
        if moved and self.compiled.functions:
            efforts = self._controlled(place)
            for k in range(K):
                efforts(float(times[k]), states[k])
                keep.given[k], keep.outer[k] = place.s.given, place.s.outer
        argument_block = ArgumentBlock(self.compiled.group, place.work_arrays, group)
        samples.observe(moved, argument_block.address)
        if not moved:
            keep.x[:, m.joint["u"] >= 0, 2] = np.nan  # what is driven has second rates by its motion
            second = keep.d[:, :, 2], keep.q[:, :, 2], keep.point[:, :, 2], keep.spin[:, :, 1]
            for array in (keep.alpha, keep.a, keep.p, keep.tau, *second):
                array[:] = np.nan
        for array in keep:
            array.setflags(write=False)  # results share them
        return Observed(self.compiled, keep, self.mechanism)

    def energy(self, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K samples, (K,) each, in the units of the model."""
        energy = self.observed(np.zeros(len(q)), np.hstack([q, v, x]), moved=False)._sampled.energy
        return energy[:, 0], energy[:, 1:].sum(axis=1)

    def state(self, t: float, y: Array) -> State:
        """Return the motion at one instant by name."""
        return State(self.observed(np.array([t]), y[None]))

    def not_finite(self, t: float, y: Array) -> str:
        """Return the part whose law gives a value that is not finite."""
        place = Workspace(self.compiled)
        efforts = self._controlled(place)
        efforts(t, y)
        told = "which is told places and speeds but no accelerations or forces,"
        for i, name, _ in self.compiled.controllers:
            if not np.isfinite(place.s.given[i]):
                return f'controller "{name}", {told}'
        for name, link, _ in self.compiled.chain.customs:
            if not np.isfinite(place.s.outer[link + 1]).all():
                return f'force "{name}", {told}'
        return "the motion"

    def singular(self, t: float, y: Array) -> str:
        """Return what is wrong with a pose."""
        return "a motion that meets no inertia comes up"

    # -- Python functions ------------------------------------------------------------------------------------------

    def _controlled(self, place: Workspace) -> Efforts:
        """Return what writes the efforts and forces of Python functions in work arrays."""
        controllers, customs = self.compiled.controllers, self.compiled.chain.customs
        given, outer = place.s.given, place.s.outer

        def efforts(t: float, y: Array) -> None:
            if not self.compiled.functions:
                return
            seen = self.observed(np.array([t]), np.array(y)[None], moved=False)
            now = State(seen)
            given[:], outer[:] = 0.0, 0.0
            for i, name, law in controllers:
                given[i] += _effort(name, law(t, now))
            for name, link, law in customs:
                force, at, couple = _wrench(name, law(t, now))
                R, O = seen._rotation(link + 1)[0], seen._sampled.O[0, link + 1]
                outer[link + 1, :3] += (couple + np.cross(at - O, force)) @ R
                outer[link + 1, 3:] += force @ R

        return efforts

    # -- for IDA ---------------------------------------------------------------------------------------------------

    def callbacks(self, sparse: bool) -> tuple[Residual, Jacobian]:
        """Return residual and Jacobian with work arrays of their own."""
        place = Workspace(self.compiled)
        address, work, size = place.address, np.zeros((4, self.n)), self.units
        whole, efforts, controlled = np.zeros((self.n, self.n)), self._controlled(place), self.compiled.functions

        def residual(t: float, y: Array, yp: Array, res: Array) -> bool:
            if controlled:
                efforts(t, y)
            return bool(entry_points.residual(t, y, yp, res, address))

        def jacobian(t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
            if controlled:
                efforts(t, y)
            entry_points.jacobian(t, y, yp, cj, size, work, whole, address)
            if controlled:
                self._differences(t, y, yp, efforts, address, size, whole)
            J[...] = whole.T.reshape(-1) if sparse else whole

        # the work arrays live as long as the functions do
        residual.place = place  # type: ignore[attr-defined]
        return residual, jacobian

    def _differences(
        self, t: float, y: Array, yp: Array, efforts: Efforts, address: int, size: Array, J: Array
    ) -> None:
        """Add to J what Python functions change with the state: differences of the residual by what they give alone."""
        z, before, after = np.array(y), np.zeros(self.n), np.zeros(self.n)
        efforts(t, y)
        entry_points.residual(t, y, yp, before, address)
        for j in range(self.n - 1):
            h = STEP * max(abs(y[j]), size[j])
            z[j] = y[j] + h
            efforts(t, z)
            z[j] = y[j]
            entry_points.residual(t, y, yp, after, address)
            J[:, j] += (after - before) / h
        efforts(t, y)

    # -- explicit steps --------------------------------------------------------------------------------------------

    def march(self, rtol: float, times: Array) -> March:
        """Return a march that fills samples at `times` (K,), once it is put somewhere; it knows no controllers."""
        return self._marched(march.do, (self.compiled.group, Workspace(self.compiled).work_arrays), rtol, times)


def _effort(name: str, value: Any) -> float:
    """Return the effort of a controller as a number."""
    try:
        if not isinstance(value, (str, bytes)) and np.ndim(value) == 0:
            return float(value)
    except (TypeError, ValueError):
        pass
    raise ModelError(f'controller "{name}" gave {shown(value)}; its function returns a number')


def _wrench(name: str, value: Any) -> tuple[Array, Array, Array]:
    """Return force, place and couple of a function of the user."""
    try:
        force, at, couple = (np.asarray(part, dtype=float) for part in value)
        if force.shape == at.shape == couple.shape == (3,):
            return force, at, couple
    except (TypeError, ValueError):
        pass
    raise ModelError(
        f'force "{name}": its function must return force, place and couple, three numbers each, got {shown(value)}'
    )
