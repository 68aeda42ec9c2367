"""Rotations as matrices, quaternions and dextral 1-2-3 angles, many at a time.

    S = R1(a) R2(b) R3(c)              [P72] (1.18)                                               (1)
    b = asin S13,  a = atan2(-S23, S33),  c = atan2(-S12, S11)                                    (2)
    omega = a_dot n1 + b_dot R1 n2 + c_dot R1 R2 n3        in parent axes, [P72] (1.23)           (3)

At b = +-90 degrees, gimbal lock, only a + c or a - c is determined, and so are their rates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

LOCK = 1e-7  # cos b below which two axes count as one


def matrix(angles: Array) -> Array:
    """Return (1) for angles (..., 3), (..., 3, 3)."""
    (ca, cb, cc), (sa, sb, sc) = np.moveaxis(np.cos(angles), -1, 0), np.moveaxis(np.sin(angles), -1, 0)
    rows = [
        [cb * cc, -cb * sc, sb],
        [ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -sa * cb],
        [sa * sc - ca * sb * cc, sa * cc + ca * sb * sc, ca * cb],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def of_quaternion(e: Array) -> Array:
    """Return the matrix (3, 3) of a quaternion w, x, y, z (4,) of any length."""
    w, x, y, z = e / np.linalg.norm(e)
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def exponential(theta: Array) -> Array:
    """Return the matrices (K, 3, 3) of rotation vectors (K, 3)."""
    z = np.sum(theta**2, axis=1)
    angle = np.sqrt(z)
    sine = np.sinc(angle / np.pi)
    rest = 0.5 * np.sinc(0.5 * angle / np.pi) ** 2  # (1 - cos)/z
    x, y, w = theta.T
    zero = np.zeros_like(x)
    skew = np.moveaxis(np.array([[zero, -w, y], [w, zero, -x], [-y, x, zero]]), 2, 0)
    return np.eye(3) + sine[:, None, None] * skew + rest[:, None, None] * (skew @ skew)


def spin(theta: Array, rate: Array) -> Array:
    """Return the angular velocities of rotation vectors (K, 3) with rates (K, 3): the left Jacobian times the rate."""
    A, B, _, _ = _jacobian(theta)
    once = np.cross(theta, rate)
    return rate + A * once + B * np.cross(theta, once)


def spin_rate(theta: Array, rate: Array, second: Array) -> Array:
    """Return the rates of these angular velocities, for second rates (K, 3)."""
    _, B, A_z, B_z = _jacobian(theta)
    once, along = np.cross(theta, rate), 2.0 * np.sum(theta * rate, axis=1)[:, None]
    bent = along * (A_z * once + B_z * np.cross(theta, once)) + B * np.cross(rate, once)
    return spin(theta, second) + bent


def _jacobian(theta: Array) -> tuple[Array, Array, Array, Array]:
    """Return A = (1 - cos)/z, B = (1 - sin/sqrt z)/z and their derivatives by z = theta.theta, (K, 1) each."""
    z = np.sum(theta**2, axis=1)[:, None]
    small = z < 1e-2
    safe = np.where(small, 1.0, z)
    root = np.sqrt(safe)
    A, B = (1.0 - np.cos(root)) / safe, (1.0 - np.sin(root) / root) / safe
    A_z, B_z = (0.5 - A - 0.5 * safe * B) / safe, (0.5 * A - 1.5 * B) / safe
    series = [1.0 / 2 - z / 24 + z**2 / 720 - z**3 / 40320, 1.0 / 6 - z / 120 + z**2 / 5040 - z**3 / 362880]
    slopes = [-1.0 / 24 + z / 360 - z**2 / 13440, -1.0 / 120 + z / 2520 - z**2 / 120960]
    pairs = zip((A, B, A_z, B_z), (*series, *slopes), strict=True)
    one, two, three, four = (np.where(small, near, far) for far, near in pairs)
    return one, two, three, four


def quaternion(S: Array) -> Array:
    """Return the quaternions w, x, y, z of matrices (K, 3, 3), (K, 4), each with its largest component positive."""
    d = np.stack([S[:, 0, 0], S[:, 1, 1], S[:, 2, 2]], axis=1)
    trace = d.sum(axis=1)
    xy, xz, yz = S[:, 1, 0] + S[:, 0, 1], S[:, 0, 2] + S[:, 2, 0], S[:, 2, 1] + S[:, 1, 2]
    wx, wy, wz = S[:, 2, 1] - S[:, 1, 2], S[:, 0, 2] - S[:, 2, 0], S[:, 1, 0] - S[:, 0, 1]
    x, y, z = (1.0 + 2.0 * d[:, k] - trace for k in range(3))
    # four candidates, each good where its own component is large (Shepperd)
    rows = np.stack(
        [
            np.stack([1.0 + trace, wx, wy, wz], axis=1),
            np.stack([wx, x, xy, xz], axis=1),
            np.stack([wy, xy, y, yz], axis=1),
            np.stack([wz, xz, yz, z], axis=1),
        ],
        axis=1,
    )
    best = np.argmax(np.concatenate([trace[:, None], d], axis=1), axis=1)
    chosen = rows[np.arange(len(S)), best]
    return chosen / np.linalg.norm(chosen, axis=1)[:, None]


def continuous(quaternions: Array) -> Array:
    """Return quaternions (K, 4) with the signs that make them follow each other."""
    if len(quaternions) < 2:
        return quaternions
    signs = np.where(np.sum(quaternions[1:] * quaternions[:-1], axis=1) < 0.0, -1.0, 1.0)
    return quaternions * np.concatenate([[1.0], np.cumprod(signs)])[:, None]


def angles(S: Array, start: Array | None = None, t: Array | None = None, omega: Array | None = None) -> Array:
    """Return the 1-2-3 angles of matrices (K, 3, 3), (K, 3), continued from `start` (3,) and so on: (2).

    Times (K,) and angular velocities (K, 3) in parent axes tell how far the angles have gone on between samples;
    without them less than half a turn is taken for granted. At gimbal lock the first angle stays what it was, and the
    third takes the rest.
    """
    cosine = np.hypot(S[:, 0, 0], S[:, 0, 1])
    b = np.arctan2(S[:, 0, 2], cosine)
    a = np.arctan2(-S[:, 1, 2], S[:, 2, 2])
    c = np.arctan2(-S[:, 0, 1], S[:, 0, 0])
    found = np.stack([a, b, c], axis=1)
    other = np.stack([a + np.pi, np.pi - b, c + np.pi], axis=1)  # the same rotation
    before = np.zeros(3) if start is None else start
    for k in range(len(S)):
        if k and t is not None and omega is not None:
            before = before + np.nan_to_num(rates(found[k - 1 : k], omega[k - 1 : k])[0]) * (t[k] - t[k - 1])
        if cosine[k] < LOCK:
            found[k] = _locked(S[k], before)
        else:
            ways = [w + 2.0 * np.pi * np.round((before - w) / (2.0 * np.pi)) for w in (found[k], other[k])]
            found[k] = min(ways, key=lambda w: float(np.sum((w - before) ** 2)))
        before = found[k]
    return found


def _locked(S: Array, before: Array) -> Array:
    """Return angles at gimbal lock that follow others."""
    sign = 1.0 if S[0, 2] > 0.0 else -1.0
    b = sign * 0.5 * np.pi
    b += 2.0 * np.pi * np.round((before[1] - b) / (2.0 * np.pi))
    together = np.arctan2(S[1, 0], S[1, 1])  # c + sign a
    c = together - sign * before[0]
    return np.array([before[0], b, c + 2.0 * np.pi * np.round((before[2] - c) / (2.0 * np.pi))])


def axes(angles: Array) -> Array:
    """Return the three axes of (3) in parent axes, (..., 3, 3): one per row."""
    a, b = angles[..., 0], angles[..., 1]
    zero, one = np.zeros_like(a), np.ones_like(a)
    rows = [
        [one, zero, zero],
        [zero, np.cos(a), np.sin(a)],
        [np.sin(b), -np.sin(a) * np.cos(b), np.cos(a) * np.cos(b)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def accelerations(angles: Array, rates: Array, alpha: Array) -> Array:
    """Return the second derivatives of angles (K, 3) for angular accelerations alpha (K, 3) in parent axes.

    alpha = sum a_ddot n + sum a_dot n_dot: the second axis turns with the first rotation, the third with both; NaN at
    gimbal lock.
    """
    n = axes(angles)
    first = rates[:, :1] * n[:, 0]
    both = first + rates[:, 1:2] * n[:, 1]
    moved = rates[:, 1:2] * np.cross(first, n[:, 1]) + rates[:, 2:] * np.cross(both, n[:, 2])
    return _solved(angles, alpha - moved)


def rates(angles: Array, omega: Array) -> Array:
    """Return the rates of angles (K, 3) for angular velocities omega (K, 3) in parent axes, (3); NaN at gimbal lock."""
    return _solved(angles, omega)


def _solved(angles: Array, vector: Array) -> Array:
    """Return the parts of vectors (K, 3) along the axes of (3), (K, 3); NaN at gimbal lock."""
    result = np.full_like(angles, np.nan)
    good = np.abs(np.cos(angles[:, 1])) > LOCK
    result[good] = np.linalg.solve(np.swapaxes(axes(angles[good]), 1, 2), vector[good][:, :, None])[:, :, 0]
    return result


def beside(u: ArrayLike) -> tuple[Array, Array]:
    """Return two unit vectors across a unit vector u and each other, (3,) each."""
    u = np.asarray(u, dtype=float)
    across = np.cross(u, np.eye(3)[int(np.argmin(np.abs(u)))])
    across /= np.linalg.norm(across)
    return across, np.cross(u, across)
