"""Named coordinates of mechanisms in the plane, and what a motion needs along its speeds: system.Reducible.

    rate = B v,    second rate = B a + (B' v)                 of joints, and x, y, angle of bodies                   (1)
    needed = sum over bodies of  G_v . (p' - F) + omega_v (h' - M)         by virtual power                          (2)

The wrenches of (2) are those of reactions: rate of momentum minus what is applied, body by body. Nothing here depends
on what the coordinates are.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np

from particlemech.engine.plane import Motion, PlanarLayout, Pose, Sight
from particlemech.engine.system import Array, Named, Scale
from particlemech.model.freedom import Freedom
from particlemech.model.mechanism import Mechanism

PLACE = ("x", "y", "angle")  # of a body


class ByName:
    """Members of system.Reducible that all formulations in the plane have in common."""

    mechanism: Mechanism
    layout: PlanarLayout
    home: Pose | None
    scale: Scale
    n_v: Any
    motion: Any
    missing: Any
    turned: Any
    turns: Any
    elements: Any
    _unit_speeds: tuple[tuple[bytes, bytes], Motion] | None = None

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """The coordinates of all joints, then the place and the angle of every body."""
        L = self.scale.length
        return tuple(
            Named(f"{part}.{name}", part, name, turn, 1.0 if turn else L, of is None)
            for part, name, turn, of in self._places
        )

    @cached_property
    def _places(self) -> list[tuple[str, str, bool, Freedom | None]]:
        """Part, name, whether it turns, and the freedom of a joint, of each coordinate."""
        found: list[tuple[str, str, bool, Freedom | None]] = []
        for joint, spec in self.mechanism.joints.items():
            found += [(joint, of.name, of.turn, of) for of in spec.freedoms]
        return found + [(body, name, name == "angle", None) for body in self.layout.bodies for name in PLACE]

    def _sight(self, motion: Motion) -> Sight:
        return Sight(self.mechanism, self.layout, self.home, np.zeros(len(motion.com)), motion)

    def _read(self, motion: Motion, which: list[int], level: int) -> Array:
        """Return coordinates (0), rates (1) or second rates (2), (K, k)."""
        seen, found = self._sight(motion), []
        of_body = ((motion.com, motion.angle), (motion.com_v, motion.omega), (motion.com_a, motion.alpha))[level]
        of_joint = (seen.coordinate, seen.rate, seen.second_rate)[level]
        for part, name, _, freedom in (self._places[k] for k in which):
            if freedom is not None:
                found.append(of_joint(freedom))
                continue
            b = self.layout.bodies.index(part)
            found.append(of_body[1][:, b] if name == "angle" else of_body[0][:, b, PLACE.index(name)])
        return np.array(found).reshape(len(which), len(motion.com)).T

    def away(self, one: tuple[Array, Array], other: tuple[Array, Array], which: list[int]) -> Array:
        """Return how far another pose (q, x) is from one, in some of the named coordinates, (k,)."""
        q, x = np.stack([one[0], other[0]]), np.stack([one[1], other[1]])
        values = self._read(self.motion(q, np.zeros_like(q), np.zeros_like(q), x), which, 0)
        return np.asarray(values[1] - values[0])

    def along(self, q: Array, v: Array, x: Array, which: list[int]) -> tuple[Array, Array]:
        """Return B, (k, n_v), of rates B v of named coordinates, and their second rates while no speed changes."""
        rows = self._read(self._at_unit_speeds(q, x), which, 1).T
        if not np.any(v):
            return rows, np.zeros(len(which))
        return rows, self._read(self.motion(q[None], v[None], np.zeros((1, self.n_v)), x[None]), which, 2)[0]

    def _at_unit_speeds(self, q: Array, x: Array) -> Motion:
        """Return the motion at unit speeds, one after the other; it is kept for those who ask again."""
        key = q.tobytes(), x.tobytes()
        if self._unit_speeds is None or self._unit_speeds[0] != key:
            n = self.n_v
            motion: Motion = self.motion(np.tile(q, (n, 1)), np.eye(n), np.zeros((n, n)), np.tile(x, (n, 1)))
            self._unit_speeds = key, motion
        return self._unit_speeds[1]

    def needed(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Array:
        """Return what a motion takes along the speeds, less what forces give, (n_v,): (2)."""
        missing = self.missing(t, q, v, a, x).reshape(-1, 3)
        at = self._at_unit_speeds(q, x)
        along = np.einsum("nbi,bi->n", at.com_v, missing[:, :2])
        return np.asarray(along + self.scale.length * at.omega @ missing[:, 2])

    def recounted(self, q: Array, x: Array) -> Array:
        """Return extra states that count the turns of a pose, from those of one nearby, (n_x,)."""
        still = np.zeros((1, self.n_v))
        at = self.motion(q[None], still, still, x[None])
        counted: Array = self.turns(Pose(at.com[0], at.angle[0] + self.turned))
        kept = len(x) - 1 - self.elements.n
        counted[kept:] = x[kept:]
        return counted

    @property
    def elasticity(self) -> tuple[Array, Array]:
        """Return no stiffness and damping that are constant along the speeds, (n_v, n_v) each."""
        return np.zeros((self.n_v, self.n_v)), np.zeros((self.n_v, self.n_v))

    @property
    def limp(self) -> Self:
        """Return the system itself."""
        return self
