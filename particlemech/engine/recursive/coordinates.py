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

from particlemech.engine.jamming import second, told
from particlemech.engine.recursive.compiled import Compiled
from particlemech.engine.recursive.entry_points import NONE, SLOPES, UNMET, ask
from particlemech.engine.recursive.tables import WorkArrays
from particlemech.engine.recursive.workspace import Workspace
from particlemech.engine.system import Array, Named
from particlemech.model.changing import HOLDS
from particlemech.model.space.friction import rubbing
from particlemech.model.space.mechanism import Mechanism


class ByName:
    """Members of system.Reducible."""

    compiled: Compiled
    n_v: int
    size_v: Any
    give: Any
    mass: Any
    mechanism: Mechanism
    bare: Any
    observed: Any

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
        every = [rub.joint for rub in rubbing(self.mechanism) if rub.dry]
        press = self._rubbed(t, np.concatenate([q, v, x])).press if every else None
        return {} if press is None else {every[k]: both for k, both in second(press.copy()).items()}

    def sliding(self, t: float, q: Array, v: Array, x: Array, joint: str, coordinate: str) -> tuple[float, float]:
        """Return a coordinate of a joint of the tree, and its rate."""
        own = self.compiled.stages_of[joint]
        e = next(e for e in own if self.compiled.coordinates[e].name == coordinate)
        stage = self.compiled.tables.stage[e]
        return float(q[stage["q"]]), float(v[stage["u"]])

    def hastening(self, t: float, q: Array, v: Array, x: Array, joint: str, coordinate: str) -> float:
        """Return the second rate of a coordinate of a joint."""
        return float(self.observed(np.array([t]), np.concatenate([q, v, x])[None]).second_rate(joint, coordinate)[0])

    def holding_of(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return efforts and loads at K samples, (K, n) each, of all joints that stick and rest, by their locks."""
        dry, parts = [rub for rub in rubbing(self.mechanism) if rub.dry], [row.part for row in self.compiled.rows]
        at = [k for k, rub in enumerate(dry) if rub.rests]
        locks = [parts.index(f'joint "{HOLDS.format(dry[k].joint)}"') for k in at]
        found = np.zeros((2, len(t), len(at)))
        for k, y in enumerate(np.hstack([q, v, x])):
            s = self._rubbed(float(t[k]), y)
            found[:, k] = s.lam[locks], s.loads[at]
        return found[0], found[1]

    def jammed(self, t: float, y: Array) -> str | None:
        """Return which joint jams by its friction in a state, in words, or None."""
        every = [rub for rub in rubbing(self.mechanism) if rub.dry]
        if not every:
            return None
        return told(every, self._rubbed(t, y).press, t)

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
