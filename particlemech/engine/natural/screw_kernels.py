"""Kernels for rows with an angle in them: the thread of a screw, and angles that are coupled.

    phi = p - pitch A,    A = atan2(s, c) on the turn that is nearest to p/pitch                            (1)

A coupling, in full coordinates, has two angles in a row: their derivatives add up, and only these are asked for.

p, s and c are polynomials of at most second degree (terms.py): the travel, and sine and cosine of the angle; the latter
stand after all rows. With rho = s^2 + c^2 the angle has

    A_s = c/rho,   A_c = -s/rho,   A_ss = -A_cc = -2 s c/rho^2,   A_sc = (s^2 - c^2)/rho^2                  (2)

and everything follows by the chain rule, exactly. All three have cells along the same coordinates, in the same order.
A thread that is closed to half a turn knows its turn from its travel, so none need be counted. Not used: a state that
follows the angle, which is one more unknown per screw.
"""

from __future__ import annotations

import math

from particlemech._jit import Records, kernel
from particlemech.engine.system import Array

THREAD = [
    ("row", "i4"), ("sine", "i4"), ("cosine", "i4"),  # of phi
    ("cell", "i4"), ("at_sine", "i4"), ("at_cosine", "i4"), ("n", "i4"),  # first cells, and how many
    ("pitch", "f8"),
]  # fmt: skip


@kernel
def wind(thread: Records, phi: Array, g: Array) -> None:
    """Turn p into phi (1), and its gradient g likewise."""
    for e in range(len(thread)):
        p = thread[e]
        s, c, travel = phi[0, p.sine], phi[0, p.cosine], phi[0, p.row]
        angle = math.atan2(s, c)
        angle += 2.0 * math.pi * math.floor((travel / p.pitch - angle) / (2.0 * math.pi) + 0.5)
        phi[0, p.row] = travel - p.pitch * angle
        over = p.pitch / (s * s + c * c)
        for k in range(p.n):
            g[p.cell + k] -= over * (c * g[p.at_sine + k] - s * g[p.at_cosine + k])


@kernel
def bends(s: float, c: float) -> tuple[float, float, float]:
    """Return A_ss, A_sc, A_cc of (2)."""
    over = 1.0 / (s * s + c * c)
    twice = 2.0 * s * c * over * over
    return -twice, (s * s - c * c) * over * over, twice


@kernel
def wind_rates(thread: Records, cell: Records, v: Array, phi: Array, g: Array, h: Array) -> None:
    """Turn gamma, phi[2], and h of p into those of phi; g is that of s and c."""
    for e in range(len(thread)):
        p = thread[e]
        s, c = phi[0, p.sine], phi[0, p.cosine]
        s_dot = c_dot = 0.0
        for k in range(p.n):
            s_dot += g[p.at_sine + k] * v[cell[p.cell + k].z]
            c_dot += g[p.at_cosine + k] * v[cell[p.cell + k].z]
        over = 1.0 / (s * s + c * c)
        ss, sc, cc = bends(s, c)
        by_s, by_c = ss * s_dot + sc * c_dot, sc * s_dot + cc * c_dot
        turning = over * (c * phi[2, p.sine] - s * phi[2, p.cosine]) + by_s * s_dot + by_c * c_dot
        phi[2, p.row] -= p.pitch * turning
        for k in range(p.n):
            own = over * (c * h[p.at_sine + k] - s * h[p.at_cosine + k])
            h[p.cell + k] -= p.pitch * (own + by_s * g[p.at_sine + k] + by_c * g[p.at_cosine + k])


@kernel
def passed_on(thread: Records, phi: Array, w: Array) -> None:
    """Fill the multipliers w of all s and c: what those of their rows are to them."""
    for e in range(len(thread)):
        p = thread[e]
        s, c = phi[0, p.sine], phi[0, p.cosine]
        over = p.pitch / (s * s + c * c)
        for level in range(len(w)):
            w[level, p.sine] = -over * c * w[level, p.row]
            w[level, p.cosine] = over * s * w[level, p.row]


@kernel
def outer(thread: Records, phi: Array, g: Array, w: Array, val: Array) -> None:
    """Fill val with w times the second derivative of A by s and c, all pairs of coordinates; mu first, then lam."""
    at = 0
    for e in range(len(thread)):
        p = thread[e]
        ss, sc, cc = bends(phi[0, p.sine], phi[0, p.cosine])
        for level in range(2):
            factor = -p.pitch * w[level, p.row]
            for k in range(p.n):
                a, b = g[p.at_sine + k], g[p.at_cosine + k]
                for i in range(p.n):
                    x, y = g[p.at_sine + i], g[p.at_cosine + i]
                    val[at] = factor * (ss * a * x + sc * (a * y + b * x) + cc * b * y)
                    at += 1
