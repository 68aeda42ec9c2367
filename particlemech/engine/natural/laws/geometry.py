"""Places, velocities and pushes on bodies in space, shared by the laws of forces; body 0 is the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech._jit import kernel
from particlemech.engine.system import Array

if TYPE_CHECKING:
    pass

Triple = tuple[float, float, float]


@kernel
def mixed(q: Array, body: int, a: float, b: float, c: float) -> Triple:
    """Return the vector with components a, b, c in the axes of a body; the ground has those of the drawing."""
    if body == 0:
        return a, b, c
    k = 12 * (body - 1) + 3
    return (
        a * q[k] + b * q[k + 3] + c * q[k + 6],
        a * q[k + 1] + b * q[k + 4] + c * q[k + 7],
        a * q[k + 2] + b * q[k + 5] + c * q[k + 8],
    )


@kernel
def vector(q: Array, body: int, at: Array) -> Triple:
    """Return a vector with body components `at` in global axes, by the coordinates q or, for its rate, by v."""
    return mixed(q, body, at[0], at[1], at[2])


@kernel
def place(q: Array, body: int, at: Array) -> Triple:
    """Return where a place is, from the computing origin; of v: its velocity, but for the ground."""
    x, y, z = vector(q, body, at)
    if body == 0:
        return x, y, z
    k = 12 * (body - 1)
    return q[k] + x, q[k + 1] + y, q[k + 2] + z


@kernel
def velocity(v: Array, body: int, at: Array) -> Triple:
    """Return the velocity of a place."""
    if body == 0:
        return 0.0, 0.0, 0.0
    return place(v, body, at)


@kernel
def omega(q: Array, v: Array, body: int) -> Triple:
    """Return the angular velocity of a body, coordinates.py (4)."""
    x = y = z = 0.0
    if body > 0:
        for i in range(1, 4):
            k = 12 * (body - 1) + 3 * i
            x += 0.5 * (q[k + 1] * v[k + 2] - q[k + 2] * v[k + 1])
            y += 0.5 * (q[k + 2] * v[k] - q[k] * v[k + 2])
            z += 0.5 * (q[k] * v[k + 1] - q[k + 1] * v[k])
    return x, y, z


@kernel
def push(body: int, at: Array, x: float, y: float, z: float, f: Array) -> None:
    """Add a force at a place of a body to the forces on its coordinates f: the place is linear in them."""
    if body == 0:
        return
    k = 12 * (body - 1)
    for i in range(4):
        c = 1.0 if i == 0 else at[i - 1]
        f[k + 3 * i] += c * x
        f[k + 3 * i + 1] += c * y
        f[k + 3 * i + 2] += c * z


@kernel
def twist(body: int, q: Array, x: float, y: float, z: float, f: Array) -> None:
    """Add a couple M on a body to f: M x d_i/2 on each axis does the power M.omega."""
    if body == 0:
        return
    for i in range(1, 4):
        k = 12 * (body - 1) + 3 * i
        f[k] += 0.5 * (y * q[k + 2] - z * q[k + 1])
        f[k + 1] += 0.5 * (z * q[k] - x * q[k + 2])
        f[k + 2] += 0.5 * (x * q[k + 1] - y * q[k])


@kernel
def signals_of(sig: Array, number: Array) -> Triple:
    """Return the present values of three signals."""
    return sig[number[0], 0], sig[number[1], 0], sig[number[2], 0]


@kernel
def plus(a: Triple, b: Triple) -> Triple:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel
def minus(a: Triple, b: Triple) -> Triple:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def times(c: float, a: Triple) -> Triple:
    """Return c a."""
    return c * a[0], c * a[1], c * a[2]


@kernel
def dot(a: Triple, b: Triple) -> float:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Triple, b: Triple) -> Triple:
    """Return a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
