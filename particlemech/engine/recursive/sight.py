"""A motion of a tree as the laws of forces ask for it; see applied.py."""

from __future__ import annotations

import numpy as np

from particlemech import rotations
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.system import Array
from particlemech.model.spec import Vector3
from particlemech.result.base import State


class Sight:
    """Places of bodies, given as drawn, and coordinates of joints at K samples; vectors in global axes."""

    def __init__(self, seen: Observed) -> None:
        self._observed, self.t, self.mechanism = seen, seen.t, seen.mechanism

    def place_on(self, body: str, drawn: tuple[float, float, float]) -> Array:
        """Return where a place of a body is, (K, 3)."""
        return self._observed._placed(body, drawn, 0)

    def velocity_on(self, body: str, drawn: tuple[float, float, float]) -> Array:
        """Return the velocity of a place of a body, (K, 3)."""
        return self._observed._placed(body, drawn, 1)

    def turned(self, body: str, vectors: Array, drawn: Vector3 | None = None) -> Array:
        """Return vectors that turn with a body, at any place of it, given as drawn, (K, 3), in global axes."""
        at = self._observed.orientation(body) if drawn is None else self._observed._section(body, drawn)
        return np.einsum("kij,kj->ki", at, vectors)

    def state(self, k: int) -> State:
        """Return the motion at sample k as functions of users receive it."""
        record = self._observed._sampled
        one = type(record)(*(array[k : k + 1] for array in record))
        return State(Observed(self._observed._compiled, one, self._observed._again))

    def coordinate(self, joint: str, coordinate: str | None) -> Array:
        """Return a coordinate of a joint, (K,)."""
        return self._observed.coordinate(joint, coordinate)

    def rate(self, joint: str, coordinate: str | None) -> Array:
        """Return its rate, (K,)."""
        return self._observed.rate(joint, coordinate)

    def turning(self, joint: str) -> tuple[Array, Array]:
        """Return rotation vector, at most half a turn, and angular velocity of the child against the parent, (K, 3)."""
        record, (parent, child) = self._observed._sampled, self._observed._ends(joint)
        before, after = (record.S[:, i].reshape(-1, 3, 3) for i in (parent, child))
        e = rotations.quaternion(np.swapaxes(before, 1, 2) @ after)
        e = e * np.where(e[:, :1] < 0.0, -1.0, 1.0)
        sine = np.linalg.norm(e[:, 1:], axis=1)
        factor = 2.0 * np.arctan2(sine, e[:, 0]) / np.where(sine > 0.0, sine, 1.0)
        way = np.einsum("kij,kj->ki", before, factor[:, None] * e[:, 1:])
        return way, record.omega[:, child] - record.omega[:, parent]
