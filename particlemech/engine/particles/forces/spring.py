"""What acts along the line between C1 of body 1 and C2 of body 2.

    r = C2 - C1,  l = |r|,  n = r/l,  l' = n.r'                                           (1)
    f = k (l - l0) + c l' - s(t)     pulls the ends together; s pushes them apart         (2)
    -f n at C2 on body 2, +f n at C1 on body 1                                            (3)
    potential k (l - l0)^2/2,  power of the rest (s - c l') l'                            (4)

At l = 0 the line has no direction; there the force is zero, which is exact for a spring of free length 0.
"""

from __future__ import annotations

import math

from particlemech._jit import Records, kernel
from particlemech.engine.particles.forces.geometry import Emission, apply, end, place, place_z
from particlemech.engine.particles.views import View
from particlemech.engine.system import Array
from particlemech.model.acting import OnLine

spec = OnLine
TABLE = [*end("1"), *end("2"), ("k", "f8"), ("c", "f8"), ("l0", "f8"), ("s", "i4"), ("D", "i4"), ("P", "i4")]


def record(spec: OnLine, where: View) -> tuple[tuple[float, ...], Emission]:
    """Return a table row, and which derivatives it writes.

    dw/dZ by (wrench on 1 or 2, coordinate of 1 or 2), then dw/dZ' likewise; dP/dZ, dP/dZ' of body 1, then of 2.
    """
    ends = [where.end(body, point) for body, point in zip(spec.bodies, spec.points, strict=True)]
    zs = [where.coordinates(c.body) for c in ends]
    wrench = [(c.body, level, k) for level in (0, 1) for c in ends for z in zs for k in z]
    power = [(level, k) for z in zs for level in (0, 1) for k in z]
    of = spec.line(where.mechanism)
    s = -1 if of.push is None else where.signal(of.push)
    return (*ends[0], *ends[1], of.stiffness, of.damping, of.free, s), Emission(wrench, power)


@kernel
def line(p: Records, z: Array, vz: Array) -> tuple[float, float, float, float, float, float]:
    """Return l, n_x, n_y, l', r'_x, r'_y by (1)."""
    x1, y1 = place(z, p.body1, p.a1, p.b1, p.x1, p.y1)
    x2, y2 = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
    u1, v1 = place(vz, p.body1, p.a1, p.b1, 0.0, 0.0)
    u2, v2 = place(vz, p.body2, p.a2, p.b2, 0.0, 0.0)
    length = math.hypot(x2 - x1, y2 - y1)
    if length == 0.0:
        return 0.0, 0.0, 0.0, 0.0, u2 - u1, v2 - v1
    nx, ny = (x2 - x1) / length, (y2 - y1) / length
    return length, nx, ny, nx * (u2 - u1) + ny * (v2 - v1), u2 - u1, v2 - v1


@kernel
def applied(spring: Records, sig: Array, z: Array, vz: Array, w: Array) -> float:
    """Subtract (3) from w and return the power (4)."""
    power = 0.0
    for e in range(len(spring)):
        p = spring[e]
        length, nx, ny, rate, _, _ = line(p, z, vz)
        push = sig[p.s, 0] if p.s >= 0 else 0.0
        f = p.k * (length - p.l0) + p.c * rate - push  # (2)
        x1, y1 = place(z, p.body1, p.a1, p.b1, p.x1, p.y1)
        x2, y2 = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
        apply(w, p.body1, x1, y1, f * nx, f * ny)  # (3)
        apply(w, p.body2, x2, y2, -f * nx, -f * ny)
        power += (push - p.c * rate) * rate  # (4)
    return power


@kernel
def applied_z(spring: Records, sig: Array, z: Array, vz: Array, cy: float, D: Array, val: Array) -> None:
    """Fill the derivatives of (3) and of the power (4), times cy."""
    for e in range(len(spring)):
        p = spring[e]
        length, nx, ny, rate, rx, ry = line(p, z, vz)
        push = sig[p.s, 0] if p.s >= 0 else 0.0
        f = p.k * (length - p.l0) + p.c * rate - push
        x1, y1 = place(z, p.body1, p.a1, p.b1, p.x1, p.y1)
        x2, y2 = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
        over = 1.0 / length if length > 0.0 else 0.0
        for side in range(2):
            if (p.body1 if side == 0 else p.body2) < 0:
                continue
            for k in range(4):
                # derivative of r by coordinate k of this side, then of l, n, l' and f
                cx, cy_ = place_z(k, p.a1, p.b1) if side == 0 else place_z(k, p.a2, p.b2)
                sign = -1.0 if side == 0 else 1.0
                dl = sign * (nx * cx + ny * cy_)
                dnx, dny = (sign * cx - nx * dl) * over, (sign * cy_ - ny * dl) * over
                drate = dnx * rx + dny * ry
                df = p.k * dl + p.c * drate
                gx, gy = df * nx + f * dnx, df * ny + f * dny
                if length == 0.0:
                    gx, gy = sign * p.k * cx, sign * p.k * cy_
                # the arms move with the side that carries the coordinate
                a1 = cx * f * ny - cy_ * f * nx if side == 0 else 0.0
                a2 = cx * f * ny - cy_ * f * nx if side == 1 else 0.0
                d1, d2 = p.D + 4 * side + k, p.D + 8 + 4 * side + k
                D[d1, 0], D[d1, 1], D[d1, 2] = -cy * gx, -cy * gy, -cy * (x1 * gy - y1 * gx + a1)
                D[d2, 0], D[d2, 1], D[d2, 2] = cy * gx, cy * gy, cy * (x2 * gy - y2 * gx + a2)
                hx, hy = p.c * dl * nx, p.c * dl * ny  # by the velocity of the coordinate: d l' = dl
                d1, d2 = d1 + 16, d2 + 16
                D[d1, 0], D[d1, 1], D[d1, 2] = -cy * hx, -cy * hy, -cy * (x1 * hy - y1 * hx)
                D[d2, 0], D[d2, 1], D[d2, 2] = cy * hx, cy * hy, cy * (x2 * hy - y2 * hx)
                val[p.P + 8 * side + k] = cy * (push - 2.0 * p.c * rate) * drate
                val[p.P + 8 * side + 4 + k] = cy * (push - 2.0 * p.c * rate) * dl


@kernel
def stored(spring: Records, z: Array) -> float:
    """Return the potential (4) of all springs."""
    total = 0.0
    for e in range(len(spring)):
        p = spring[e]
        x1, y1 = place(z, p.body1, p.a1, p.b1, p.x1, p.y1)
        x2, y2 = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
        total += 0.5 * p.k * (math.hypot(x2 - x1, y2 - y1) - p.l0) ** 2
    return total
