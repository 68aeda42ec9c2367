"""Named coordinates of mechanisms in space, and what a motion needs along its speeds: system.Reducible.

The coordinates are those of the stages, so their rates are the speeds themselves, and

    needed = M a - b          b: what acts and is not needed while no speed changes                                  (1)

Elasticity and damping of deflections are linear, and known as matrices; a system without them is `limp`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from particlemech.engine.dry_friction import DryPlaces, locked, resting
from particlemech.engine.jamming import second, told
from particlemech.engine.recursive.compiled import Compiled
from particlemech.engine.recursive.entry_points import NONE, PRESSED, SETTLED, SLOPES, UNMET, ask
from particlemech.engine.recursive.forms import BALL
from particlemech.engine.recursive.tables import TRAVEL, WorkArrays
from particlemech.engine.recursive.workspace import Workspace
from particlemech.engine.system import Array, Named
from particlemech.model.space.friction import Rubbing, rubbing
from particlemech.model.space.mechanism import Mechanism


class ByName:
    """Members of system.Reducible."""

    compiled: Compiled
    n_v: int
    size_v: Any
    give: Any
    mass: Any
    mechanism: Mechanism
    n_row: int
    bare: Any

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """The coordinates along the free speeds; those of a quaternion are turns about the axes of the parent."""
        free = zip((self.compiled.coordinates[e] for e in self.compiled.free), self.size_v.tolist(), strict=True)
        return tuple(
            Named(of.speed, of.joint, of.name, of.turn, size, deflects=of.deflects, spins=of.spins) for of, size in free
        )

    def away(self, one: tuple[Array, Array], other: tuple[Array, Array], which: list[int]) -> Array:
        """Return how far another pose (q, x) is from one, in some of the named coordinates, (k,)."""
        (q, _), (to, _), c, found = one, other, self.compiled, np.zeros(self.n_v)
        for e in c.free:
            stage = c.tables.stage[e]
            if stage["q"] >= 0:
                found[stage["u"]] = to[stage["q"]] - q[stage["q"]]
        for joint, at in c.quaternions.items():
            first = c.tables.stage[c.stages_of[joint].stop - 3]["u"]
            found[first : first + 3] = _between(q[at : at + 4], to[at : at + 4])
        return found[which]

    def along(self, q: Array, v: Array, x: Array, which: list[int]) -> tuple[Array, Array]:
        """Return B, (k, n_v), of rates B v of named coordinates, and their second rates while no speed changes."""
        return np.eye(self.n_v)[which], np.zeros(len(which))

    def needed(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Array:
        """Return what a motion takes along the speeds, less what forces give, (n_v,): (1)."""
        y, b, place = np.concatenate([q, v, x]), np.zeros(self.n_v), self._place
        self.give(place.s, t, y)
        ask(UNMET, t, y, NONE, b, place.address)
        return np.asarray(self.mass(q, t) @ a - b if np.any(a) else -b)

    def jams_at(self, t: Array, q: Array, v: Array, x: Array) -> Array:
        """Return at which of K samples the friction of a joint jams, (K,)."""
        if not len(self.compiled.tables.friction):
            return np.zeros(len(t), dtype=bool)
        y = np.hstack([q, v, x])
        return np.array([bool(np.isnan(self._rubbed(float(t[k]), y[k]).loads).any()) for k in range(len(t))])

    def seconds(self, t: float, q: Array, v: Array, x: Array) -> dict[str, tuple[float, float]]:
        """Return the loads of joints for which friction has two solutions: the one taken, and the larger."""
        press = self._rubbed(t, np.concatenate([q, v, x])).press if self.dry else None
        return {} if press is None else {self.dry[k].joint: both for k, both in second(press.copy()).items()}

    @cached_property
    def dry(self) -> tuple[Rubbing, ...]:
        """The places where joints rub by their loads; what is asked of them is told in dry_friction.py."""
        return tuple(rub for rub in rubbing(self.mechanism) if rub.dry)

    def slid(self, rub: Rubbing, t: float, q: Array, v: Array, x: Array) -> tuple[float, float]:
        """Return the coordinate of a place and its rate."""
        own = self.compiled.stages_of[rub.joint]
        e = next(e for e in own if self.compiled.coordinates[e].name == rub.name)
        stage = self.compiled.tables.stage[e]
        if stage["u"] >= 0:
            return float(q[stage["q"]]), float(v[stage["u"]])
        value, rate = self._settled(t, q, v, x).x[e, :2].tolist()
        return value, rate

    def _settled(self, t: float, q: Array, v: Array, x: Array) -> WorkArrays:
        """Return the work arrays that know a state in which no free speed changes."""
        y, place = np.concatenate([q, v, x]), self._place
        self.give(place.s, t, y)
        ask(SETTLED, t, y, NONE, NONE, place.address)
        return place.s

    def slipping(self, rub: Rubbing, t: float, q: Array, v: Array, x: Array) -> float:
        """Return the rate of the coordinate of a place."""
        return self.slid(rub, t, q, v, x)[1]

    def dry_places(self, t: float, q: Array, v: Array, x: Array, a: Array, which: list[int]) -> DryPlaces:
        """Return some places where joints rub, at accelerations a (n_v,)."""
        s, stage, n = self._settled(t, q, v, x), self.compiled.tables.stage, len(which)
        rows, rates, seconds = np.zeros((n, self.n_v)), np.zeros(n), np.zeros(n)
        for j, k in enumerate(which):
            rub, p = self.dry[k], self.compiled.tables.friction[k]
            own = np.arange(p["first"], p["last"])
            rate = by = s.x[own, 1]
            if p["form"] == BALL:
                rate = s.axis[own] @ (s.omega[p["child"]] - s.omega[p["parent"]])
            share, rates[j] = rub.along(np.where(stage["does"][own] == TRAVEL, 1.0, rub.radius**2), rate, by)
            u = stage["u"][own]
            rows[j, u[u >= 0]] = share[u >= 0]
            seconds[j] = share @ np.where(u >= 0, a[u], s.x[own, 2])
        return DryPlaces(rows, np.vstack([rows.T, np.zeros((self.n_row, n))]), rates, seconds)

    def pressed(
        self, t: float, q: Array, v: Array, x: Array, a: Array, lam: Array, f: Array, which: list[int]
    ) -> Array:
        """Return what makes the loads of some places, (n, 9, m): vectors of friction.py (3) to (5)."""
        y, place, found = np.concatenate([q, v, x]), self._place, np.zeros((a.shape[1], len(self.dry), 9))
        self.give(place.s, t, y)
        both = np.vstack([a, lam])
        both[:, 1:] += both[:, :1]
        for one, out in zip(both.T, found, strict=True):
            ask(PRESSED, t, y, np.ascontiguousarray(one), out.reshape(-1), place.address)
        found[1:] -= found[0]
        return np.asarray(np.moveaxis(found[:, which], 0, 2))

    def holding_of(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return efforts and loads at K samples, (K, n) each, of all joints that stick and rest."""
        at, locks = self._locks
        if len(locks) < len(at):
            return resting(self, t, q, v, x)[:2]
        found = np.zeros((2, len(t), len(at)))  # each by its own lock: a tenth of the time
        for k, y in enumerate(np.hstack([q, v, x])):
            s = self._rubbed(float(t[k]), y)
            found[:, k] = s.lam[locks], s.loads[at]
        return found[0], found[1]

    @cached_property
    def _locks(self) -> tuple[list[int], list[int]]:
        """Which places rest, and the rows of their locks, where they have some."""
        at = [k for k, rub in enumerate(self.dry) if rub.rests]
        return at, locked(self, [self.dry[k] for k in at])[1]

    def jammed(self, t: float, y: Array) -> str | None:
        """Return which joint jams by its friction in a state, in words, or None."""
        if not self.dry:
            return None
        return told(self.dry, self._rubbed(t, y).press, t)

    def _rubbed(self, t: float, y: Array) -> WorkArrays:
        """Return the work arrays that know the friction of a state."""
        y, place = self.bare(np.array(y)), self._place
        self.give(place.s, t, y)
        ask(SLOPES, t, y, NONE, np.zeros(len(y)), place.address)
        return place.s

    @cached_property
    def _place(self) -> Workspace:
        return Workspace(self.compiled)

    def recounted(self, q: Array, x: Array) -> Array:
        """Return the extra states: turns are counted by the coordinates."""
        return x

    @cached_property
    def elasticity(self) -> tuple[Array, Array]:
        """Stiffness and damping of deflections along the speeds, (n_v, n_v) each."""
        K, C = np.zeros((2, self.n_v, self.n_v))
        stage = self.compiled.tables.stage
        for r, s, k, c in self.compiled.tables.elastics.tolist():
            one, other = stage[r]["u"], stage[s]["u"]
            K[one, other] += k
            C[one, other] += c
        return K, C

    @cached_property
    def limp(self) -> Self:
        """The same system without elasticity and damping of deflections."""
        c = self.compiled
        tables = c.tables._replace(elastics=c.tables.elastics[:0])
        return type(self)(replace(c, tables=tables))  # type: ignore[call-arg]


def _between(one: Array, other: Array) -> Array:
    """Return the rotation vector (3,), in parent axes, that leads from a quaternion (4,) to another."""
    (w, x, y, z), (W, X, Y, Z) = one / np.linalg.norm(one), other / np.linalg.norm(other)
    turn = np.array([w * X - W * x - Y * z + Z * y, w * Y - W * y - Z * x + X * z, w * Z - W * z - X * y + Y * x])
    cosine, sine = W * w + X * x + Y * y + Z * z, float(np.linalg.norm(turn))
    if cosine < 0.0:
        cosine, turn = -cosine, -turn
    half = np.arctan2(sine, cosine)
    return np.asarray(turn * (2.0 * half / sine if sine > 0.0 else 2.0))
