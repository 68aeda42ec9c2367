"""A motion of a mechanism in space as the laws of forces ask for it; see applied.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech._spec import Vector3
from particlemech.description import GROUND
from particlemech.spatial.forces.base import ForceSpec
from particlemech.spatial.observed import Observed
from particlemech.system import Array


class Sight:
    """Places of bodies, given as drawn, and angles of torsion springs at K samples; vectors in global axes."""

    def __init__(self, seen: Observed, theta: Array) -> None:
        self._observed, self.t, self.mechanism = seen, seen.t, seen.mechanism
        self._theta = theta  # (K, n_torsion) rad: tells the turns

    def place_on(self, body: str, drawn: tuple[float, float, float]) -> Array:
        """Return where a place of a body is, (K, 3)."""
        return self._observed._place(body, drawn, 0)

    def velocity_on(self, body: str, drawn: tuple[float, float, float]) -> Array:
        """Return the velocity of a place of a body, (K, 3)."""
        return self._observed._place(body, drawn, 1)

    def turned(self, body: str, vectors: Array, drawn: Vector3 | None = None) -> Array:
        """Return vectors that turn with a body, at any place of it, given as drawn, (K, 3) or (3,), in global axes."""
        vectors = np.broadcast_to(vectors, (len(self.t), 3))
        return vectors if body == GROUND else np.einsum("kij,kj->ki", self._observed.orientation(body), vectors)

    def _omega(self, body: str) -> Array:
        return np.zeros((len(self.t), 3)) if body == GROUND else self._observed.omega(body)

    def turning(self, spring: Any) -> tuple[Array, Array]:
        """Return angle and rate of a torsion spring, (K,) each: laws/torsion.py (1), on the turn that theta tells."""
        m = self.mechanism
        alike: list[ForceSpec] = [force for force in m.forces.values() if type(force) is type(spring)]
        number = alike.index(spring)
        row, (first, second) = self._observed._compiled.tables.torsions[number], m.joints[spring.joint].bodies
        x, y, u = (self.turned(first, row[axis]) for axis in ("m", "n", "u"))
        across = self.turned(second, row["m"])
        angle = np.arctan2(np.sum(y * across, axis=1), np.sum(x * across, axis=1))
        angle += 2.0 * np.pi * np.floor((self._theta[:, number] - angle) / (2.0 * np.pi) + 0.5)
        return angle, np.sum(u * (self._omega(second) - self._omega(first)), axis=1)
