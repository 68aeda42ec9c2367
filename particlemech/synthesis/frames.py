"""The frame in which a search runs: sizes, directions and hands of a task do not matter to what is found.

Places z of the task are taken to w = k (z - z0), mirrored if need be: the first place is 0, the one farthest from it 1,
and the path goes round to the left. So a task that is moved, turned, mirrored or scaled has the same starts, and
linkages that are moved, turned, mirrored or scaled.
"""

from __future__ import annotations

import cmath
from typing import NamedTuple

import numpy as np

from particlemech.engine.system import Array
from particlemech.synthesis.linkage import BETA0, CX, CY, DELTA, OX, OY, PSI0, THETA0, A, B, C, E, U, V

EVEN = 1e-9  # an area, or a sum of angles, that is smaller has no hand


class Frame(NamedTuple):
    """z0, size and direction of the task, and its hand: +1, or -1 for mirrored."""

    origin: complex
    size: float
    turn: float  # rad
    hand: float

    def inside(self, z: Array) -> Array:
        """Return places of the task in the frame."""
        w = (np.asarray(z) - self.origin) * cmath.exp(-1j * self.turn) / self.size
        return np.asarray(w if self.hand > 0.0 else np.conj(w), dtype=complex)

    def outside(self, w: complex) -> complex:
        """Return a place of the frame in the task."""
        return self.origin + self.size * cmath.exp(1j * self.turn) * (w if self.hand > 0.0 else w.conjugate())

    def linkage(self, x: Array, slider: bool) -> Array:
        """Return the numbers of a linkage of the frame in the task."""
        y = np.array(x, dtype=float)
        O = self.outside(complex(x[OX], x[OY]))
        y[OX], y[OY] = O.real, O.imag
        y[[A, B, C, U, V]] *= self.size
        y[V] *= self.hand
        y[THETA0] = self.hand * x[THETA0] + self.turn
        y[BETA0] = self.hand * x[BETA0]
        if slider:
            y[DELTA], y[E] = self.hand * x[DELTA] + self.turn, self.hand * self.size * x[E]
            y[PSI0] = self.size * x[PSI0]
            return y
        other = self.outside(complex(x[CX], x[CY]))
        y[CX], y[CY] = other.real, other.imag
        y[PSI0] = self.hand * x[PSI0] - self.turn
        return y

    def side(self, side: float, slider: bool) -> float:
        """Return the assembly in the task."""
        return side if slider else self.hand * side

    def planes(self, region: tuple[tuple[float, float], tuple[float, float]] | None) -> Array:
        """Return the sides of a box of the task as rows n_x, n_y, c with n . X <= c inside, (4, 3) or (0, 3)."""
        if region is None:
            return np.zeros((0, 3))
        rows = []
        for corner, normals in zip(region, ((-1.0, -1j), (1.0, 1j)), strict=True):
            for normal in normals:
                at = complex(self.inside(np.array([complex(*corner)]))[0])
                n = normal * cmath.exp(-1j * self.turn)
                n = n if self.hand > 0.0 else n.conjugate()
                rows.append((n.real, n.imag, (n.conjugate() * at).real))
        return np.array(rows)


def frame_of(z: Array, angles: Array) -> Frame:
    """Return the frame of places (N,), complex, and what else turns with them, (N,)."""
    away = np.abs(z - z[0])
    far = int(np.argmax(away))
    size = float(away[far])
    if size == 0.0:
        return Frame(complex(z[0]), 1.0, 0.0, hand_of(angles))
    w = (z - z[0]) / (z[far] - z[0])
    area = float(np.sum((np.conj(w[:-1]) * w[1:]).imag))
    hand = float(np.sign(area)) if abs(area) > EVEN else hand_of(angles)
    return Frame(complex(z[0]), size, float(np.angle(z[far] - z[0])), hand)


def hand_of(angles: Array) -> float:
    """Return +1 for angles that grow on the whole, -1 for others."""
    total = float(np.sum(angles - angles[0]))
    return -1.0 if total < -EVEN else 1.0
