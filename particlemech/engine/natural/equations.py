"""Tables -> System: what IDA, start and results ask of a mechanism in space."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import ArgumentBlock, ArgumentGroup, fresh
from particlemech.engine import elements
from particlemech.engine.dry_friction import DryPlaces, follows, resting
from particlemech.engine.natural import drivers as of_drivers
from particlemech.engine.natural import kernels, striking
from particlemech.engine.natural.compiled import NaturalCompiled, retimed, tabulate
from particlemech.engine.natural.coordinates import kinetic_energy
from particlemech.engine.natural.laws.custom import CustomForces
from particlemech.engine.natural.observed import NaturalMotion
from particlemech.engine.natural.readings import value
from particlemech.engine.natural.rubbing import Surfaces
from particlemech.engine.natural.start import Bodies, natural
from particlemech.engine.natural.tables import NaturalWorkArrays, Rows, RowWorkArrays
from particlemech.engine.natural.topology import DEPTH, cut
from particlemech.engine.system import Array, Instant, Jacobian, Layout, Levels, Residual, same_state
from particlemech.model.changing import HOLDS
from particlemech.model.space.friction import Rubbing
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.state import State


def system(mechanism: Mechanism, forced: tuple[str, ...] = (), depth: int = DEPTH) -> SpatialSystem:
    """Return the system of a mechanism in space; arguments as in topology.cut. Joints that rub are cut."""
    rubs = tuple(name for name, joint in mechanism.joints.items() if joint.friction is not None and joint.friction.dry)
    return SpatialSystem(tabulate(mechanism, cut(mechanism, (*forced, *rubs), depth)))


class RowPlace:
    """Work arrays for rows; who holds its address holds the place."""

    def __init__(self, group: ArgumentGroup, *further: ArgumentGroup) -> None:
        rows: Rows = group.part
        n, n_cell = int(rows.n[0]) + 2 * len(rows.thread), len(rows.cell)
        work_arrays = fresh(RowWorkArrays, (len(rows.signal), 3), (3, n), (n_cell,), (n_cell,))
        self.r: RowWorkArrays = work_arrays.part
        self.n_row = int(rows.n[0])
        self.argument_block = ArgumentBlock(group, work_arrays, *further)
        self.address = self.argument_block.address

    def levels(self, t: float, q: Array, v: Array) -> Levels:
        """Return phi, phi_t, gamma and phi_q."""
        phi_q = np.zeros((self.n_row, len(q)))
        kernels.levels(t, q, v, phi_q, self.address)
        phi, phi_t, gamma = self.r.phi[:, : self.n_row].copy()
        return Levels(phi, phi_t, gamma, phi_q)


class NaturalWorkspace(RowPlace):
    """Work arrays of one run or thread."""

    def __init__(self, compiled: NaturalCompiled, *targets: ArgumentGroup) -> None:
        n_z, at, rows = len(compiled.tables.coord), compiled.places, compiled.held
        n_all = at.n_row + 2 * len(rows.thread)
        work_arrays = fresh(
            NaturalWorkArrays,
            (4, n_z),
            (2, n_z),
            (at.n_q + at.n_theta + at.n_z + 1,),
            (n_z + 1,),
            (2, n_all),
            (at.n_val,),
        )
        self.s: NaturalWorkArrays = work_arrays.part
        super().__init__(compiled.held_group, compiled.group, work_arrays, *targets)


class SpatialSystem:
    """Bodies in space by vectors they share: y = (q, v, lam, mu, theta, z, W), kernels.py."""

    formulation = "natural"
    dense = False

    def __init__(self, compiled: NaturalCompiled) -> None:
        self.compiled, self.mechanism, self.scale = compiled, compiled.mechanism, compiled.scale
        at = compiled.places
        self.n, self.n_q, self.n_v = at.n, at.n_q, at.n_q
        self.n_row = self.n_lam = at.n_row
        self.n_theta = at.n_theta  # angles of joints whose turns are counted
        self.cuts = tuple(edge.joint for edge in compiled.topology.cut)
        self.breaks, self.until, self.elements = compiled.breaks, compiled.until, compiled.elements
        slices = slice(0, at.n_q), slice(at.n_q, at.lam), slice(at.lam, at.mu), slice(at.mu, at.theta)
        self.layout = Layout(compiled.rows, *slices, slice(at.theta, at.n))

    def retimed(self, time_scale: float) -> SpatialSystem:
        """Return the same system regularised with another time scale, s."""
        other = copy.copy(self)
        for name in ("custom", "surfaces"):  # which know the system that they belong to
            other.__dict__.pop(name, None)
        other.scale = replace(self.scale, time=time_scale)
        tables = self.compiled.tables._replace(row=retimed(self.compiled, time_scale))
        other.compiled = replace(self.compiled, tables=tables, scale=other.scale)
        return other

    @cached_property
    def custom(self) -> CustomForces:
        """Return the forces that are functions of the user."""
        return CustomForces(self)

    def jammed(self, t: float, y: Array) -> str | None:
        """Return which joint jams by its friction in a state, or is about to, in words, or None."""
        q, v, x = (y[part] for part in (self.layout.q, self.layout.v, self.layout.x))
        return self.surfaces.jammed(t, q, v, *self._smooth(t, q, v, x)) if self.surfaces else None

    def seconds(self, t: float, q: Array, v: Array, x: Array) -> dict[str, tuple[float, float]]:
        """Return the loads of joints for which friction has two solutions: the one taken, and the larger."""
        return self.surfaces.seconds(t, q, v, *self._smooth(t, q, v, x)) if self.surfaces else {}

    def jams_at(self, t: Array, q: Array, v: Array, x: Array) -> Array:
        """Return at which of K samples the friction of a joint jams, (K,)."""
        every = zip(t.tolist(), q, v, x, strict=True) if self.surfaces else ()
        found = [self.surfaces.jams(*of[:3], *self._smooth(*of)) for of in every]
        return np.array(found or [False] * len(t))

    @cached_property
    def surfaces(self) -> Surfaces:
        """Return what rubs."""
        return Surfaces(self)

    # -- full coordinates ------------------------------------------------------------------------------------------

    @property
    def T(self) -> Array:
        """Return how full coordinates change with those here, (12 n_body, n_q): shared.py (4)."""
        return self.compiled.shared.matrix

    def full(self, q: Array, rates: bool = False) -> Array:
        """Return full coordinates Z for q, (..., 12 n_body) for (..., n_q); or their rates, of any order, for those."""
        Z: Array = q @ self.T.T
        return Z if rates else Z + self.compiled.shared.start

    def every(self, t: float, z: Array, v: Array) -> Levels:
        """Return all rows of bodies, joints and drivers in full coordinates; compiled.every says what they are."""
        return RowPlace(self.compiled.every_group).levels(t, z, v)

    def full_forces(self, t: float, q: Array, v: Array, x: Array) -> Array:
        """Return applied forces on full coordinates, gravity included, (12 n_body,)."""
        place = NaturalWorkspace(self.compiled)
        self.custom.apply(t, q, v, x, place.s.custom)
        kernels.forces(t, x[:-1], q, v, place.address)
        f = place.s.f[0].copy().reshape(-1, 4, 3)
        f[:, 0] += self.compiled.coordinates.blocks[:, 0, :1] * np.array(self.mechanism.gravity)
        if self.surfaces:
            f += self.surfaces.solve(t, q, v, *self._smooth(t, q, v, x))[0].reshape(-1, 4, 3)
            f += self._followed(t, q, v, x).reshape(-1, 4, 3)
        return f.ravel()

    def _followed(self, t: float, q: Array, v: Array, x: Array) -> Array:
        """Return friction of what rests because others do, as forces on full coordinates, (12 n_body,)."""
        found = np.zeros(len(self.T))
        if not follows(self):
            return found
        efforts = iter(self.holding_of(np.array([t]), q[None], v[None], x[None])[0][0])
        for rub, at in zip(self.dry, self.surfaces.at(t, q, v), strict=True):
            effort = next(efforts) if rub.rests else 0.0
            if HOLDS.format(rub.joint) not in self.mechanism.joints:
                found += effort * rub.along(at.c, at.rate, at.rate)[0] @ at.W
        return found

    # -- one instant -----------------------------------------------------------------------------------------------

    @cached_property
    def size_q(self) -> Array:
        """Return what counts as a unit of each coordinate, (n_q,): L for places, 1 for directions and angles."""
        return self.compiled.shared.sizes(self.scale.length)

    @property
    def size_v(self) -> Array:
        """Return what counts as a unit of the way that each speed makes, (n_v,)."""
        return self.size_q

    def kinematics(self, t: float, q: Array, v: Array) -> Array:
        """Return the rates of the coordinates, (n_q,): the speeds."""
        return v

    def levels(self, t: float, q: Array, v: Array) -> Levels:
        """Return phi, phi_t, gamma and phi_q."""
        return RowPlace(self.compiled.held_group).levels(t, q, v)

    def forces(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return applied forces on all coordinates, (n_q,), and the rates of x = (theta, W) that they cause."""
        place = NaturalWorkspace(self.compiled)
        out = place.s.out
        out[len(out) - 1 - self.elements.n : -1] = self.custom.apply(t, q, v, x, place.s.custom)
        power = kernels.forces(t, x[:-1], q, v, place.address)
        return out[: self.n_q].copy(), np.append(out[self.n_q : -1], power)

    def mass(self, q: Array) -> Array:
        """Return M, (n_q, n_q)."""
        return self.compiled.mass

    def dynamics(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A and b of A (a, lam) = b: M a - phi_q^T lam = f, then phi_q a = -gamma; friction is solved for."""
        A, b = self._smooth(t, q, v, x)
        if self.surfaces:
            b[: self.n_q] += self.T.T @ self.surfaces.solve(t, q, v, A, b)[0]
        return A, b

    def _smooth(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A and b without friction."""
        at, n = self.levels(t, q, v), self.n_q
        A = np.zeros((n + self.n_row, n + self.n_row))
        A[:n, :n], A[:n, n:], A[n:, :n] = self.mass(q), -at.phi_q.T, at.phi_q
        return A, np.concatenate([self.forces(t, q, v, x)[0], -at.gamma])

    def struck(self, t: float, y: Array) -> Array:
        """Return the state just after the impulses at time t."""
        return elements.struck(self, t, striking.struck(self, t, y))

    def energies(self, t: Array, y: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K states, (K,) each."""
        lay = self.layout
        return self.energy(y[:, lay.q], y[:, lay.v], y[:, lay.x])

    def adopted(self, other: Instant, y: Array, t: float = 0.0) -> Array:
        """Return a state (n,) of another system of the same mechanism as one of this."""
        lay = other.layout
        if not isinstance(other, SpatialSystem) or set(other.mechanism.bodies) != set(self.mechanism.bodies):
            return same_state(self, other, y)
        if set(other.mechanism.joints) != set(self.mechanism.joints):
            q, v, theta = natural(self, Bodies.of(other.state(t, y), other.mechanism))
            extra = self.elements.carried(other.elements, y[lay.x])[other.n_theta :]
            return self.layout.state(q, v, np.concatenate([theta, extra]))
        placed = self._placed(other, y)
        if (other.n_q, len(y[lay.x]) - other.elements.n) != (self.n_q, self.n_theta + 1):
            return same_state(self, other, placed)
        return self.layout.state(placed[lay.q], y[lay.v], self.elements.carried(other.elements, y[lay.x]))

    def _placed(self, other: Instant, y: Array) -> Array:
        """Return a state of another system, places from the origin of this: drawings with other points have others."""
        if not isinstance(other, SpatialSystem) or other.n_q != self.n_q:
            return y
        apart = np.subtract(other.compiled.coordinates.origin, self.compiled.coordinates.origin)
        if not apart.any():
            return y
        own, lay = y.copy(), other.layout
        Z = other.full(y[lay.q]).reshape(-1, 4, 3)
        Z[:, 0] += apart
        own[lay.q] = np.linalg.lstsq(self.T, Z.ravel() - self.compiled.shared.start, rcond=None)[0]
        return own

    def energy(self, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K samples, (K,) each."""
        place, z, blocks = NaturalWorkspace(self.compiled), self.full(q), self.compiled.coordinates.blocks
        potential = np.array([kernels.springs(e[:-1], one, place.address) for e, one in zip(x, z, strict=True)])
        # places are from the computing origin: the potential of gravity is meant from the global one
        places = z.reshape(len(z), len(blocks), 4, 3)[:, :, 0] + self.compiled.coordinates.origin
        weight = np.einsum("b,kbx,x->k", blocks[:, 0, 0], places, np.array(self.mechanism.gravity))
        return kinetic_energy(blocks, self.full(v, rates=True)), potential - weight

    def observed(self, t: Array, q: Array, v: Array, a: Array, x: Array) -> NaturalMotion:
        """Return the motion at K samples by name."""
        full = self.full(q), self.full(v, rates=True), self.full(a, rates=True)
        return NaturalMotion(self.compiled, t, *full, x[:, : self.n_theta])

    def state(self, t: float, y: Array) -> Any:
        """Return the motion at one instant by name."""
        return self.state_of(t, y[self.layout.q], y[self.layout.v], y[self.layout.x])

    def state_of(self, t: float, q: Array, v: Array, x: Array) -> Any:
        """Return the motion at one instant by name, from coordinates, speeds and extra states."""
        return State(self.observed(np.array([t]), q[None], v[None], np.zeros((1, self.n_v)), x[None]))

    @property
    def dry(self) -> tuple[Rubbing, ...]:
        """The places where joints rub by their loads; what is asked of them is told in dry_friction.py."""
        return self.surfaces.every

    def slid(self, rub: Rubbing, t: float, q: Array, v: Array, x: Array) -> tuple[float, float]:
        """Return the coordinate of a place and its rate."""
        seen = self.state_of(t, q, v, x)
        return float(seen.coordinate(rub.joint, rub.name)), float(seen.rate(rub.joint, rub.name))

    def slipping(self, rub: Rubbing, t: float, q: Array, v: Array, x: Array) -> float:
        """Return the rate of the coordinate of a place."""
        return self.slid(rub, t, q, v, x)[1]

    def dry_places(self, t: float, q: Array, v: Array, x: Array, a: Array, which: list[int]) -> DryPlaces:
        """Return some places where joints rub, at accelerations a (n_v,)."""
        every, seen = self.surfaces.at(t, q, v), self.observed(np.array([t]), q[None], v[None], a[None], x[None])
        rows, rates, seconds = np.zeros((len(which), self.n_q)), np.zeros(len(which)), np.zeros(len(which))
        for j, k in enumerate(which):
            rub, at = self.dry[k], every[k]
            share, rates[j] = rub.along(at.c, at.rate, at.rate)
            rows[j] = share @ at.W @ self.T
            if rub.turn or len(at.c) == 1:
                seconds[j] = seen.second_rate(rub.joint, rub.name)[0]
        return DryPlaces(rows, np.vstack([rows.T, np.zeros((self.n_row, len(rows)))]), rates, seconds)

    def pressed(
        self, t: float, q: Array, v: Array, x: Array, a: Array, lam: Array, f: Array, which: list[int]
    ) -> Array:
        """Return what makes the loads of some places, (n, 9, m)."""
        every = self.surfaces.at(t, q, v)
        return np.array([every[k].H @ lam for k in which]).reshape(len(which), 9, lam.shape[1])

    def holding_of(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return efforts and loads at K samples, (K, n) each, of all joints that stick and rest."""
        return resting(self, t, q, v, x)[:2]

    def angles(self, q: Array, near: Array) -> Array:
        """Return the angles whose turns are counted, (n_theta,), on the turns that are nearest to others."""
        z, measures = self.full(q)[None], self.compiled.measures
        return np.array([value(measures[end], z, near[k])[0] for end, k in self.compiled.counters.items()])

    def slope(self, driver: str, seen: NaturalMotion) -> Array:
        """Return what turns the multiplier of a driver's row into its effort at the samples of a motion, (K,)."""
        spec = self.mechanism.drivers[driver]
        found: Array = of_drivers.BY_SPEC[type(spec)].slope(spec, seen)
        return found

    def not_finite(self, t: float, y: Array) -> str:
        """Return the part whose law gives a value that is not finite."""
        return self.custom.not_finite(t, y) or "the motion"

    # -- for IDA ---------------------------------------------------------------------------------------------------

    @property
    def indptr(self) -> NDArray[np.int32]:
        """Return where each column of the pattern starts."""
        return self.compiled.pattern.indptr

    @property
    def indices(self) -> NDArray[np.int32]:
        """Return the rows of the pattern."""
        return self.compiled.pattern.indices

    def callbacks(self, sparse: bool) -> tuple[Residual, Jacobian]:
        """Return residual and Jacobian with work arrays of their own."""
        pattern = self.compiled.pattern
        place = NaturalWorkspace(self.compiled, pattern.sparse if sparse else pattern.dense)

        def residual(t: float, y: Array, yp: Array, res: Array) -> bool:
            return bool(kernels.residual(t, y, yp, res, place.address))

        def jacobian(t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
            kernels.jacobian(t, y, cj, J.reshape(-1), place.address)

        custom, surfaces, lay, out = self.custom, self.surfaces, self.layout, place.s.out
        at_z = slice(len(out) - 1 - self.elements.n, len(out) - 1)

        def full_residual(t: float, y: Array, yp: Array, res: Array) -> bool:
            out[at_z] = custom.apply(t, y[lay.q], y[lay.v], y[lay.x], place.s.custom)
            surfaces.apply(t, y, place.s.custom)
            return residual(t, y, yp, res)

        def full_jacobian(t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
            jacobian(t, y, yp, res, cj, J)
            custom.differentiate(t, y, sparse, J.reshape(-1))
            if surfaces:
                rubbing = np.zeros((self.n, self.n))
                surfaces.differentiate(t, y, rubbing)
                columns = np.repeat(np.arange(self.n), np.diff(self.indptr))
                J += rubbing[self.indices, columns] if sparse else rubbing

        return (full_residual, full_jacobian) if custom or surfaces else (residual, jacobian)

    def following(self, t: float, q: Array, v: Array, lam: Array, x: Array) -> Array:
        """Return the rates of angles and of z, and the power, (n_x,)."""
        _, rates = self.forces(t, q, v, x)
        rates[-1] -= lam @ self.levels(t, q, v).phi_t
        if self.surfaces:
            y, out, lay = np.zeros(self.n), np.zeros(len(self.T) + 1), self.layout
            y[lay.q], y[lay.v], y[lay.lam] = q, v, lam
            self.surfaces.apply(t, y, out)
            rates[-1] += out[-1]
        return rates
