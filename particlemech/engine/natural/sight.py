"""A motion of a mechanism in space as the laws of forces ask for it; see applied.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from particlemech import rotations
from particlemech.engine.natural.observed import Observed
from particlemech.engine.system import Array
from particlemech.model.spec import Vector3


class Sight:
    """Places of bodies, given as drawn, and coordinates of joints at K samples; vectors in global axes."""

    def __init__(self, seen: Observed, state: Callable[[int], Any]) -> None:
        self._observed, self.t, self.mechanism = seen, seen.t, seen.mechanism
        self.state = state  # number of a sample -> the motion there, as functions of users see it

    def place_on(self, body: str, drawn: tuple[float, float, float]) -> Array:
        """Return where a place of a body is, (K, 3)."""
        return self._observed._place(body, drawn, 0)

    def velocity_on(self, body: str, drawn: tuple[float, float, float]) -> Array:
        """Return the velocity of a place of a body, (K, 3)."""
        return self._observed._place(body, drawn, 1)

    def turned(self, body: str, vectors: Array, drawn: Vector3 | None = None) -> Array:
        """Return vectors that turn with a body, at any place of it, given as drawn, (K, 3) or (3,), in global axes."""
        vectors = np.broadcast_to(vectors, (len(self.t), 3))
        return np.einsum("kij,kj->ki", self._observed._orientation(body), vectors)

    def coordinate(self, joint: str, coordinate: str | None) -> Array:
        """Return a coordinate of a joint, (K,)."""
        return self._observed.coordinate(joint, coordinate)

    def rate(self, joint: str, coordinate: str | None) -> Array:
        """Return its rate, (K,)."""
        return self._observed.rate(joint, coordinate)

    def turning(self, joint: str) -> tuple[Array, Array]:
        """Return rotation vector, at most half a turn, and angular velocity of the second against the first, (K, 3)."""
        seen, (first, second) = self._observed, self.mechanism.joints[joint].bodies
        before, after = seen._orientation(first), seen._orientation(second)
        e = rotations.quaternion(np.swapaxes(before, 1, 2) @ after)
        e = e * np.where(e[:, :1] < 0.0, -1.0, 1.0)
        sine = np.linalg.norm(e[:, 1:], axis=1)
        factor = 2.0 * np.arctan2(sine, e[:, 0]) / np.where(sine > 0.0, sine, 1.0)
        way = np.einsum("kij,kj->ki", before, factor[:, None] * e[:, 1:])
        return way, seen._omega(second) - seen._omega(first)
