"""Vectors and shifters in the kernels of all that moves in space: three numbers, and nine in a row."""

from __future__ import annotations

import math

from particlemech._jit import kernel
from particlemech.engine.system import Array

Triple = tuple[float, float, float]


@kernel
def put(target: Array, x: float, y: float, z: float) -> None:
    """Write three numbers."""
    target[0], target[1], target[2] = x, y, z


@kernel
def dot(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> float:
    """Return a.b."""
    return ax * bx + ay * by + az * bz


@kernel
def cross(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> Triple:
    """Return a x b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def part_of(f: Array, travel: bool, axis: Array) -> float:
    """Return s.f: the force along, or the moment about an axis."""
    if travel:
        return dot(f[3], f[4], f[5], axis[0], axis[1], axis[2])
    return dot(f[0], f[1], f[2], axis[0], axis[1], axis[2])


@kernel
def six(a: Array, b: Array) -> float:
    """Return the product of a twist and a wrench, (6,) each."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@kernel
def shifted(S: Array, x: float, y: float, z: float) -> Triple:
    """Return the global components of a vector given in body axes, S (9,), [P72] (1.14)."""
    return (
        S[0] * x + S[1] * y + S[2] * z,
        S[3] * x + S[4] * y + S[5] * z,
        S[6] * x + S[7] * y + S[8] * z,
    )


@kernel
def back(S: Array, x: float, y: float, z: float) -> Triple:
    """Return the body components of a vector given in global axes, S (9,)."""
    return (
        S[0] * x + S[3] * y + S[6] * z,
        S[1] * x + S[4] * y + S[7] * z,
        S[2] * x + S[5] * y + S[8] * z,
    )


@kernel
def turn(S: Array, nx: float, ny: float, nz: float, angle: float) -> None:
    """Turn a frame S (9,) about one of its own axes: S <- S R(n, angle), [P72] (1.18) for any axis n."""
    c, s = math.cos(angle), math.sin(angle)
    for i in range(3):
        x, y, z = S[3 * i], S[3 * i + 1], S[3 * i + 2]
        along = (1.0 - c) * (x * nx + y * ny + z * nz)
        cx, cy, cz = cross(x, y, z, nx, ny, nz)
        S[3 * i] = c * x + s * cx + along * nx
        S[3 * i + 1] = c * y + s * cy + along * ny
        S[3 * i + 2] = c * z + s * cz + along * nz


@kernel
def turn_by_quaternion(S: Array, w: float, x: float, y: float, z: float) -> None:
    """Turn a frame S (9,) by a quaternion of any length: S <- S R(w, x, y, z)."""
    f = 2.0 / (w * w + x * x + y * y + z * z)
    a, b, c = 1.0 - f * (y * y + z * z), f * (x * y - w * z), f * (x * z + w * y)
    d, e, g = f * (x * y + w * z), 1.0 - f * (x * x + z * z), f * (y * z - w * x)
    h, k, m = f * (x * z - w * y), f * (y * z + w * x), 1.0 - f * (x * x + y * y)
    for i in range(3):
        p, q, r = S[3 * i], S[3 * i + 1], S[3 * i + 2]
        S[3 * i] = p * a + q * d + r * h
        S[3 * i + 1] = p * b + q * e + r * k
        S[3 * i + 2] = p * c + q * g + r * m


@kernel
def inertia_times(S: Array, inertia: Array, x: float, y: float, z: float) -> Triple:
    """Return I.a in global axes, the tensor xx, yy, zz, xy, xz, yz (6,) in body axes, [P72] (3.24)."""
    u, v, w = back(S, x, y, z)
    return shifted(
        S,
        inertia[0] * u + inertia[3] * v + inertia[4] * w,
        inertia[3] * u + inertia[1] * v + inertia[5] * w,
        inertia[4] * u + inertia[5] * v + inertia[2] * w,
    )


@kernel
def rotation_vector(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float, cx: float, cy: float, cz: float
) -> Triple:
    """Return the rotation vector of a rotation matrix with columns a, b, c; it is at most half a turn long."""
    # by its quaternion (w, x, y, z) (Shepperd)
    trace = ax + by + cz
    if trace >= max(ax, by, cz):
        w, x, y, z = 1.0 + trace, bz - cy, cx - az, ay - bx
    elif ax >= by and ax >= cz:
        w, x, y, z = bz - cy, 1.0 + ax - by - cz, ay + bx, cx + az
    elif by >= cz:
        w, x, y, z = cx - az, ay + bx, 1.0 + by - ax - cz, bz + cy
    else:
        w, x, y, z = ay - bx, cx + az, bz + cy, 1.0 + cz - ax - by
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(dot(x, y, z, x, y, z))
    f = 2.0 * math.atan2(sine, w) / sine if sine > 0.0 else 0.0
    return f * x, f * y, f * z
