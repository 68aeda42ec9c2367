"""What the file of a force sees of the tabulated mechanism."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from particlemech._jit import Records
from particlemech.engine.particles.frames import Affine, Place
from particlemech.engine.system import Array
from particlemech.model.mechanism import Mechanism
from particlemech.model.signals import SignalSpec


class Emission(NamedTuple):
    """The derivatives that one force writes, in order; level 0: by Z_k, level 1: by its rate; k = -1: of the ground."""

    wrench: list[tuple[int, int, int]]  # (body whose wrench, level, k)
    power: list[tuple[int, int]]  # (level, k)


class Where(Protocol):
    """Names to numbers, for the record of one force."""

    mechanism: Mechanism

    def drawn(self, body: str, point: str | Place) -> Affine:
        """Return the place on a body at which a point is drawn, whether or not the body carries it."""

    def body(self, name: str) -> int:
        """Return the index of a body, -1 for the ground."""

    def coordinates(self, body: int) -> list[int]:
        """Return the indices of the four coordinates of a body, -1 for those of the ground."""

    def length(self, body: int) -> float:
        """Return the distance of a body's particles, m."""

    def angle(self, body: int) -> float:
        """Return the direction of a body's particles as drawn, rad."""

    def end(self, body: str, point: str | Place | None) -> Affine:
        """Return a place on a body: by name, by global place in the drawing, or its centre of mass."""

    def direction(self, body: str, u: Place) -> Affine:
        """Return a direction fixed on a body."""

    def signal(self, spec: SignalSpec) -> int:
        """Return the index of a signal."""


def places(z: Array, p: Records, side: str) -> Array:
    """Return the place of one end of a record at K samples, (K, 2), from z (K, 4 n_body)."""
    body, a, b = p["body" + side], p["a" + side], p["b" + side]
    if body < 0:
        return np.broadcast_to([p["x" + side], p["y" + side]], (len(z), 2))
    z1, d = z[:, 4 * body : 4 * body + 2], z[:, 4 * body + 2 : 4 * body + 4] - z[:, 4 * body : 4 * body + 2]
    return z1 + a * d + b * np.stack([-d[:, 1], d[:, 0]], axis=1)
