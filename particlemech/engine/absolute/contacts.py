"""What touches a cam, as measures: the gap of contours.py (1) with its gradient and curvature in absolute coordinates.

r = d/|d| and n turn with their own angles, K r and K n are across them. With the gap F(x, phi), theta the angles,

    roller    x = |d|,  phi = angle(d) - theta1       u = F_x r + F_phi/x K r       w = 0                       (1)
    flat      x = n.d,  phi = angle(n) - theta1       u = F_x n                     w = F_phi + F_x n x d       (2)

both seen at Q on both bodies, a1 = S1 + d: the force F_x n at Q with w is the same force where the face touches.
"""

from __future__ import annotations

import math
from typing import Any

from particlemech import contours
from particlemech._jit import kernel
from particlemech.contours import Way
from particlemech.engine.system import Array

reached, raised, combined = kernel(contours.reached), kernel(contours.raised), kernel(contours.combined)
swept = kernel(contours.swept)


@kernel
def gap(m: Any, segments: Array, x: float, phi: float) -> Way:
    """Return the gap and its derivatives by x, phi, x x, x phi and phi phi; segments (n, 8), two for each piece."""
    way = reached(m.form, m.p, m.length, m.apart, m.side, x)
    begin = segments[m.lift_at, 0]
    u = begin + swept(m.sense * (m.alpha + way[3] - phi) - begin)
    low, high = 0, m.lift_n // 2
    while high - low > 1:
        middle = (low + high) // 2
        if segments[m.lift_at + 2 * middle, 0] <= u:
            low = middle
        else:
            high = middle
    a, b = segments[m.lift_at + 2 * low], segments[m.lift_at + 2 * low + 1]
    S, S1, S2 = raised(u - a[0], a[1], a[2], a[3], a[4], b[1], b[2], b[3], b[4], a[5], a[6], a[7])
    return combined(way, m.sense, S, S1, S2)


@kernel
def pressing(
    m: Any, flat: bool, segments: Array, dx: float, dy: float, nx: float, ny: float, theta: float
) -> tuple[float, float, float, float]:
    """Return the value F, u and w of (1) or (2); theta is the angle of the cam."""
    if flat:
        F, by_x, by_phi, _, _, _ = gap(m, segments, nx * dx + ny * dy, math.atan2(ny, nx) - theta)
        return F, by_x * nx, by_x * ny, by_phi + by_x * (nx * dy - ny * dx)
    x = math.sqrt(dx * dx + dy * dy)
    rx, ry = dx / x, dy / x
    F, by_x, by_phi, _, _, _ = gap(m, segments, x, math.atan2(dy, dx) - theta)
    return F, by_x * rx - by_phi / x * ry, by_x * ry + by_phi / x * rx, 0.0


@kernel
def pressing_rate(
    m: Any, flat: bool, segments: Array, dx: float, dy: float, nx: float, ny: float, theta: float,
    d1x: float, d1y: float, turn1: float, turn2: float,
) -> tuple[float, float, float]:  # fmt: skip
    """Return the rates of u and w while d moves by d1 and the bodies turn by turn1 and turn2."""
    if flat:
        n1x, n1y, cross = -ny * turn2, nx * turn2, nx * dy - ny * dx
        x1, phi1 = n1x * dx + n1y * dy + nx * d1x + ny * d1y, turn2 - turn1
        _, gx, _, gxx, gxp, gpp = gap(m, segments, nx * dx + ny * dy, math.atan2(ny, nx) - theta)
        more = gxx * x1 + gxp * phi1
        w1 = gxp * x1 + gpp * phi1 + more * cross + gx * (n1x * dy - n1y * dx + nx * d1y - ny * d1x)
        return more * nx + gx * n1x, more * ny + gx * n1y, w1
    x = math.sqrt(dx * dx + dy * dy)
    rx, ry = dx / x, dy / x
    x1, swing = rx * d1x + ry * d1y, (rx * d1y - ry * d1x) / x
    phi1 = swing - turn1
    _, gx, gp, gxx, gxp, gpp = gap(m, segments, x, math.atan2(dy, dx) - theta)
    out = gxx * x1 + gxp * phi1 - gp / x * swing
    across = gx * swing + (gxp * x1 + gpp * phi1 - gp * x1 / x) / x
    return out * rx - across * ry, out * ry + across * rx, 0.0
