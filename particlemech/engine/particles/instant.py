"""What both systems of particles know of one instant, from their tables: rows on every level, mass, motion, energy."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self, cast

import numpy as np

from particlemech._jit import readonly
from particlemech.engine.elements import Elements
from particlemech.engine.friction import Rubbed, efforts, jammed
from particlemech.engine.in_plane import InPlane
from particlemech.engine.particles.compiled import Compiled, with_rows_moved
from particlemech.engine.particles.forces.custom import CustomForces
from particlemech.engine.particles.forces.friction import rates_of, wrenches_of
from particlemech.engine.particles.observed import Observed, cross
from particlemech.engine.particles.reactions import Equilibrium, States
from particlemech.engine.particles.rows import levels as fill_levels
from particlemech.engine.particles.sampled import Sampled, none
from particlemech.engine.particles.tables import explicit_tables
from particlemech.engine.plane import SECOND, Motion, PlanarInstant, PlanarLayout, Pose, Reactions
from particlemech.engine.plane_coordinates import ByName
from particlemech.engine.statics import decomposed, stacked
from particlemech.engine.system import Array, Instant, Levels
from particlemech.engine.terms import shifted
from particlemech.errors import ModelError
from particlemech.run.start import accelerations

SOME = 64  # samples that are decomposed at once


class ParticleInstant(InPlane, ByName):
    """Members of plane.PlanarInstant that depend on the tables only."""

    balance: Any
    _smooth: Any  # A and b of `dynamics` without dry friction
    _spread: Any  # wrenches about the origin as columns of b

    formulation = "particles"
    moved_from: Any  # of one whose rows have been moved: the other
    layout: PlanarLayout
    n: int

    def __init__(
        self, compiled: Compiled, home: Pose | None = None, alike: ParticleInstant | None = None
    ) -> None:  # `alike` has the same tables but for the regularisation
        c = self.compiled = compiled
        self.home = home
        self.mechanism, self.scale, self.drawing = c.mechanism, c.scale, c.drawing
        self.n_q, self.n_row, self.n_lam = len(c.drawing), len(c.rows), c.n_lam
        self.elements: Elements = c.elements
        self.start_x = self.elements.extra(np.zeros(len(c.body)))
        self.breaks, self.until, self.cuts = c.breaks, c.until, c.cuts
        self.observed: Observed = alike.observed if alike is not None else Observed(c)
        self._like = alike

    @property
    def custom(self) -> CustomForces:
        """What is asked for what it exerts; not kept, for changed copies ask for themselves."""
        return CustomForces(self)

    @property
    def counting(self) -> bool:
        """Whether rows count the turns of bodies."""
        return bool(self.compiled.turns)

    def turning(self, x: Array) -> Self:
        """Return the same system; its rows count the turns of bodies from the extra states x (n_x,)."""
        other = copy.copy(self)
        other.start_x = x
        return other

    def levels(self, t: float, q: Array, v: Array, x: Array | None = None) -> Levels:
        """Return phi, phi_t, gamma and phi_q at once; x says on which turn the bodies are, default none."""
        c = self.compiled
        theta = readonly(self.start_x if x is None else np.ascontiguousarray(x))
        sig, z = np.empty((len(c.signal), 3)), np.empty((5, max(len(c.coord), len(c.cell))))
        phi, phi_t, gamma = np.empty((3, self.n_row))
        phi_q = np.empty((self.n_row, self.n_q))
        tables = (c.coord, c.entry, c.term, *c.turning, c.segment, c.signal, c.cell)
        fill_levels(t, readonly(q), readonly(v), theta, *tables, sig, z, phi, phi_t, gamma, phi_q)
        return Levels(phi, phi_t, gamma, phi_q)

    def mass(self, q: Array) -> Array:
        """Return M with kinetic energy v.M.v/2, (n_q, n_q)."""
        return self.observed.mass

    def displacement(self, q: Array) -> Array:
        """Return the gradient of half the integral of |displacement since the drawing|^2 dm, (n_q,)."""
        return self.observed.displacement(q)

    def posed(self, pose: Pose) -> Array:
        """Return the coordinates of a pose, (n_q,); the nearest where bodies that share particles do not fit."""
        c, T = self.compiled, self.observed.T
        names = list(c.mechanism.bodies)
        at = [names.index(b) for b in c.order]
        centre = np.array([c.mechanism.centre(b) for b in c.order])[:, None]
        x, y = np.moveaxis(c.drawn.reshape(-1, 2, 2) + c.origin - centre, -1, 0)
        cos, sin = np.cos(pose.angle[at])[:, None], np.sin(pose.angle[at])[:, None]
        turned = np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)
        Z = turned + (pose.com[at] - c.origin)[:, None]
        return np.asarray(np.linalg.lstsq(T.full(), Z.ravel() - T.start, rcond=None)[0])

    def turns(self, pose: Pose) -> Array:
        """Return the extra states of a start in a pose, (n_x,): its angles, and no work."""
        names = list(self.compiled.mechanism.bodies)
        return self.elements.extra(pose.angle[[names.index(b) for b in self.compiled.order]])

    def omega_q(self, q: Array) -> Array:
        """Return d(omega)/dv of all bodies, (n_body, n_q)."""
        return self.observed.omega_q(q)

    def point_q(self, q: Array) -> Array:
        """Return d(velocity)/dv of all points, (n_point, 2, n_q)."""
        return self.observed.point_q

    def motion(self, q: Array, v: Array, a: Array, x: Array) -> Motion:
        """Return points and bodies at K samples."""
        motion = self.observed.motion(q, v, a, x)
        return motion._replace(angle=motion.angle - self.turned)

    def adopted(self, other: Instant, y: Array, t: float = 0.0) -> Array:
        """Return a state (n,) of another system of particles as one of this, by the places of all bodies."""
        ours, names = self.compiled, set(self.compiled.order)
        if not isinstance(other, ParticleInstant) or set(other.compiled.order) != names:
            raise ModelError(
                "start: the result is of other bodies or of another formulation; go on with the mechanism that made it"
            )
        theirs, lay, there = other.compiled, self.layout, other.layout
        result, apart = np.zeros(self.n), np.subtract(theirs.origin, ours.origin)
        for at, to, fixed in ((there.q, lay.q, True), (there.v, lay.v, False)):
            z1, d = (part[0] for part in other.observed.bodies(y[None, at], fixed))
            for b, name in enumerate(ours.order):
                c = theirs.index[name]
                for k, place in enumerate(ours.frames[b].drawn):
                    own = theirs.frames[c].at((place[0] - apart[0], place[1] - apart[1]))
                    z = z1[c] + own.a * d[c] + own.b * np.array([-d[c, 1], d[c, 0]]) + apart * fixed
                    for axis in (0, 1):
                        coord = ours.coord[4 * b + 2 * k + axis]
                        entry = ours.entry[int(coord["first"]) : int(coord["last"])]
                        if len(entry) == 1 and entry[0]["c"] == 1.0:
                            result[to.start + int(entry[0]["q"])] = z[axis]
        x = y[there.x]
        besides = self.elements.carried(other.elements, x)[len(ours.order) :]
        result[lay.x] = [*x[[theirs.index[name] for name in ours.order]], *besides]
        return result

    def with_rows_moved(self, by: Mapping[str, float]) -> Self:
        """Return the same system where some rows, by part, hold what they hold farther on; it shares all else.

        Accelerations and forces are the same at given states; the mechanism does not know of it.
        """
        lay, equilibrium, sampled = self.layout, self._equilibrium, self._sampled
        rows = {r: by[row.part] for r, row in enumerate(lay.rows) if row.part in by}
        other, (way, places) = copy.copy(self), self._way
        other.compiled, other.moved_from, other._like = with_rows_moved(self.compiled, rows), self, None
        at = {int(place): e for e, place in enumerate(way.held["at"])}
        term = shifted(way.term, {at[int(places[r])]: -more for r, more in rows.items()})
        other.__dict__.update(_way=(way._replace(term=term), places), _equilibrium=equilibrium)
        other.__dict__["_sampled"] = sampled.of(other.compiled, lambda: other._way)
        return other

    def seen(self, what: str, k: int, q: Array, v: Array, a: Array | None, x: Array) -> Array:
        """Return a field of Motion for one point or body at K samples: its few coordinates and no others."""
        o, name = self.observed, what.partition("_")[0]
        rates = a if what in SECOND and a is not None else v
        if name in ("point", "com"):
            at = k if name == "point" else len(self.layout.points) + k
            return o.spot(at, q if what == name else rates, what == name)
        d = o.direction(k, q, True)
        if what == "angle":
            b = o.user_order[k]
            theta = x[:, b]
            turn = np.arctan2(d[:, 1], d[:, 0]) - self.compiled.body["angle"][b] - theta
            turn -= 2.0 * np.pi * np.floor(turn / (2.0 * np.pi) + 0.5)
            return np.asarray(theta + turn - (0.0 if self.home is None else self.home.angle[k]))
        return np.asarray(cross(d, o.direction(k, rates, False)) / np.sum(d * d, axis=1))

    def largest(self, rates: Array) -> list[float]:
        """Return the largest component of all points and centres of mass at K sets of rates (K, n_q)."""
        return self.observed.largest(rates)

    def energy(self, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K samples, J."""
        return self.observed.energy(q, v, x)

    # -- many samples --------------------------------------------------------------------------------------------

    @cached_property
    def _way(self) -> Any:
        """Return the tables of the elimination, and the place of every multiplier in its order."""
        return self._like._way if self._like is not None else explicit_tables(self.compiled, self.observed)

    @cached_property
    def _sampled(self) -> Sampled:
        return (
            self._like._sampled if self._like is not None else Sampled(self.compiled, self.observed, lambda: self._way)
        )

    @cached_property
    def _equilibrium(self) -> Equilibrium:
        return self._like._equilibrium if self._like is not None else Equilibrium(self.compiled, self.observed)

    # -- friction ------------------------------------------------------------------------------------------------

    def friction_of(self, t: Array, q: Array, v: Array, x: Array) -> Array:
        """Return the efforts of dry friction at K samples, (K, n_rub)."""
        return self._friction(t, q, v, x)[0]

    def jams_at(self, t: Array, q: Array, v: Array, x: Array) -> Array:
        """Return at which of K samples a joint jams, (K,)."""
        return self._friction(t, q, v, x)[1]

    def _friction(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        found, jams = np.zeros((len(t), len(self.compiled.rub))), np.zeros(len(t), dtype=bool)
        if all(rub.rests for rub in self.dry):
            return found, jams
        doubtful: Any = range(len(t))
        if all(self.compiled.mechanism.inertia(b) > 0.0 for b in self.mechanism.bodies):
            theta = x[:, : len(self.compiled.body)]
            found, jams, doubtful = self._sampled.friction(t, q, v, theta, self._extra(t, q, v, x))
        for k in doubtful:
            found[k], free = self._resolved(t[k], q[k], v[k], x[k])[:2]
            jams[k] = not free
        return found, jams

    def friction_wrenches(self, q: Array, f: Array) -> Array:
        """Return the wrenches of efforts f (K, n_rub) about the origin at K samples, (K, n_body, 3)."""
        out = np.zeros((len(q), len(self.compiled.body), 3))
        wrenches_of(self.compiled.rub, self.compiled.segment, readonly(f), readonly(self.observed.coordinates(q)), out)
        return -out

    def _rates(self, q: Array, v: Array) -> Array:
        """Return the rates at which joints rub, (n_rub,)."""
        out = np.zeros((1, len(self.compiled.rub)))
        z, vz = self.observed.coordinates(q[None]), self.observed.coordinates(v[None], False)
        rates_of(self.compiled.rub, self.compiled.segment, readonly(z), readonly(vz), out)
        return out[0]

    def _units(self, q: Array) -> Array:
        """Return the wrenches of unit efforts about the origin, (n_rub, n_body, 3)."""
        n = len(self.compiled.rub)
        return self.friction_wrenches(np.repeat(q[None], n, axis=0), np.eye(n))

    def rubbing_columns(self, q: Array) -> Array:
        """Return unit efforts of dry friction as columns of b of `dynamics`, (n, n_rub)."""
        return self._spread(q, self._units(q))

    def _resolved(self, t: float, q: Array, v: Array, x: Array) -> Rubbed:
        """Return dry friction in a state; all places have rows."""
        A, b = self._smooth(t, q, v, x)
        c = self.compiled
        P = np.zeros((2 * len(c.rub), A.shape[1]))
        for j, one in enumerate(c.rubbed):
            for axis, r in enumerate(one.rows):
                if r >= 0:
                    P[2 * j + axis, self.n_q + c.rows[r].lam] = 1.0
        return efforts(c.rub, self._rates(q, v), A, b, self.rubbing_columns(q), P)

    def dynamics(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A and b of A (a, lam) = b, friction at its present loads included."""
        A, b = self._smooth(t, q, v, x)
        if not len(self.compiled.rub):
            return A, b
        found = self._resolved(t, q, v, x)
        if not found.free:
            raise ModelError(str(jammed(self.mechanism, found, t)))
        return A, b + self.rubbing_columns(q) @ found.f

    def rubbing_at(self, t: float, q: Array, v: Array, x: Array) -> Array:
        """Return the wrenches of dry friction about the origin at one instant, (n_body, 3)."""
        if not len(self.compiled.rub):
            return np.zeros((len(self.compiled.body), 3))
        return self.friction_wrenches(q[None], self._resolved(t, q, v, x).f[None])[0]

    def _extra(self, t: Array, q: Array, v: Array, x: Array) -> Array:
        """Return the wrenches of what is asked for them at K samples, (K, n_body, 3); (0, n_body, 3) without any."""
        n = len(self.compiled.body)
        if not self.custom:
            return none(n)
        result = np.zeros((len(t), n + 1, 3))
        for k in range(len(t)):
            self.custom.apply(t[k], q[k], v[k], x[k], result[k])
        return np.ascontiguousarray(result[:, :-1])

    def closure_of(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return the worst position and velocity error of all rows at K samples, (K,) each."""
        return self._sampled.closure(t, q, v, x[:, : len(self.compiled.body)])

    def projected_of(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return the nearest positions and velocities that satisfy all rows at K samples."""
        return self._sampled.projected(t, q, v, x[:, : len(self.compiled.body)]) if self.n_row else (q, v)

    def accelerations_of(self, t: Array, q: Array, v: Array, x: Array) -> Array:
        """Return the accelerations at K samples, (K, n_q)."""
        K = len(t)
        a, doubtful = np.empty((K, self.n_q)), np.arange(K)
        if all(self.compiled.mechanism.inertia(b) > 0.0 for b in self.mechanism.bodies):
            theta = x[:, : len(self.compiled.body)]
            a, doubtful = self._sampled.accelerations(t, q, v, theta, self._extra(t, q, v, x))
        for k in doubtful:
            a[k] = accelerations(cast(PlanarInstant, self), t[k], q[k], v[k], x[k])[0]
        return a

    def reactions_under(self, t: Array, q: Array, v: Array, a: Array, x: Array, idle: Array | None) -> Reactions:
        """Return the reactions at K samples, with further wrenches (K, n_body, 3) about the centres of mass."""
        extra, user = self._extra(t, q, v, x), self.observed.user_order
        if len(self.compiled.rub):
            rubbing = self.friction_wrenches(q, self.friction_of(t, q, v, x))
            extra = extra + rubbing if len(extra) else rubbing
        if idle is not None:
            extra = np.array(extra) if len(extra) else np.zeros((len(t), len(user), 3))
            arm = self.motion(q, v, a, x).com - self.compiled.origin
            extra[:, user] += idle
            extra[:, user, 2] += cross(arm, idle[..., :2])
        found, doubtful = self._equilibrium.reactions(States(t, q, v, a, x[:, : len(self.compiled.body)], extra))
        for first in range(0, len(doubtful), SOME):
            some = doubtful[first : first + SOME]
            own = stacked([self.balance(t[k], q[k], v[k], a[k], x[k]) for k in some])
            if idle is not None:
                more = idle[some] / [1.0, 1.0, self.scale.length]
                own = own._replace(missing=own.missing - more.reshape(len(some), -1))
            for target, part in zip(found, decomposed(own, self.layout.efforts), strict=True):
                target[some] = part
        return found

    def units_of(self, t: Array, q: Array) -> tuple[Array, Array]:
        """Return `wrench` and `report` of Balance at K samples."""
        return self.observed.units(t, q)

    def conditions_of(self, t: Array, q: Array) -> Array:
        """Return the condition number of equilibrium at K samples, (K,)."""
        return self._equilibrium.conditions(t, q)
