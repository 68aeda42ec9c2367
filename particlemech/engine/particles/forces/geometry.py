"""Shared geometry of forces: a place on a body, the line between two places, the angle between two bodies.

An *end* is a place on a body: body, a, b as in frames.py (1); body -1 is the ground, then x, y is the place.
Derivatives by the body's four coordinates are the columns

    dC/dZ = ((1 - a) I - b K,  a I + b K)                                                 (1)
"""

from __future__ import annotations

import math
from typing import NamedTuple

from particlemech._jit import kernel
from particlemech.engine.system import Array


class Emission(NamedTuple):
    """The derivatives that one force writes, in order.

    Level 0: by Z_k, level 1: by its rate, level 2: by multiplier k; k = -1: of the ground.
    """

    wrench: list[tuple[int, int, int]]  # (body whose wrench, level, k)
    power: list[tuple[int, int]]  # (level, k)


END = [("body", "i4"), ("a", "f8"), ("b", "f8"), ("x", "f8"), ("y", "f8")]


def end(name: str) -> list[tuple[str, str]]:
    """Return the fields of one end of a force table, with a suffix."""
    return [(f"{field}{name}", code) for field, code in END]


@kernel
def place(z: Array, body: int, a: float, b: float, x: float, y: float) -> tuple[float, float]:
    """Return a place, from body coordinates."""
    if body < 0:
        return x, y
    k = 4 * body
    dx, dy = z[k + 2] - z[k], z[k + 3] - z[k + 1]
    return z[k] + a * dx - b * dy, z[k + 1] + a * dy + b * dx


@kernel
def place_z(k: int, a: float, b: float) -> tuple[float, float]:
    """Return the derivative of a place by coordinate k = 0..3 of its body, (1)."""
    if k == 0:
        return 1.0 - a, -b
    if k == 1:
        return b, 1.0 - a
    if k == 2:
        return a, b
    return -b, a


@kernel
def apply(w: Array, body: int, px: float, py: float, fx: float, fy: float) -> None:
    """Subtract the force (fx, fy) at (px, py) on a body from w."""
    if body >= 0:
        w[body, 0] -= fx
        w[body, 1] -= fy
        w[body, 2] -= px * fy - py * fx


@kernel
def spin(z: Array, vz: Array, body: int, length: float) -> float:
    """Return the angular velocity of a body, cross(d, d')/length^2."""
    if body < 0:
        return 0.0
    k = 4 * body
    dx, dy = z[k + 2] - z[k], z[k + 3] - z[k + 1]
    return (dx * (vz[k + 3] - vz[k + 1]) - dy * (vz[k + 2] - vz[k])) / (length * length)


@kernel
def across(z: Array, body: int, k: int) -> float:
    """Return how moving coordinate k = 0..3 of a body swings d = Z2 - Z1, times |d|^2: component k of (-K d, K d)."""
    n = 4 * body
    dx, dy = z[n + 2] - z[n], z[n + 3] - z[n + 1]
    if k == 0:
        return dy
    if k == 1:
        return -dx
    if k == 2:
        return -dy
    return dx


@kernel
def spin_z(z: Array, body: int, length: float, k: int) -> float:
    """Return the derivative of spin by the velocity of coordinate k; with vz for z: minus that by coordinate k."""
    return across(z, body, k) / (length * length)


@kernel
def turn(z: Array, body: int, angle0: float, theta: float) -> float:
    """Return the angle of a body since the drawing: the particles' direction, unwrapped by the state theta."""
    k = 4 * body
    a = math.atan2(z[k + 3] - z[k + 1], z[k + 2] - z[k]) - angle0 - theta
    return theta + a - 2.0 * math.pi * math.floor(a / (2.0 * math.pi) + 0.5)


@kernel
def turn_z(z: Array, body: int, k: int) -> float:
    """Return the derivative of turn by coordinate k = 0..3 of the body."""
    n = 4 * body
    dx, dy = z[n + 2] - z[n], z[n + 3] - z[n + 1]
    return across(z, body, k) / (dx * dx + dy * dy)
