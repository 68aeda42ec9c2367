"""Load: a force on a point C of a body.

F = (f_x, f_y)                       global axes, or                                  (1)
F = f_x u + f_y K u                  axes that turn with the body, u = (1, 0) as drawn (2)
wrench (F, C x F),  power F.C'                                                        (3)
"""

from __future__ import annotations

from particlemech._jit import Records, kernel
from particlemech.engine.particles.forces.geometry import Emission, apply, end, place, place_z
from particlemech.engine.particles.views import View
from particlemech.engine.system import Array
from particlemech.model import forces

spec = forces.Load
TABLE = [*end(""), ("turns", "i4"), ("ua", "f8"), ("ub", "f8"), ("sx", "i4"), ("sy", "i4"), ("D", "i4"), ("P", "i4")]


def record(spec: forces.Load, where: View) -> tuple[tuple[float, ...], Emission]:
    """Return a table row, and which derivatives it writes: dw/dZ, then dP/dZ and dP/dZ'."""
    c = where.end(spec.body, spec.point)
    u = where.direction(spec.body, (1.0, 0.0))
    own = [4 * c.body + k for k in range(4)] if c.body >= 0 else [-1] * 4
    emission = Emission([(c.body, 0, k) for k in own], [(0, k) for k in own] + [(1, k) for k in own])
    signals = (where.signal(spec.force[0]), where.signal(spec.force[1]))
    return (*c, float(spec.frame == "body"), u.a, u.b, *signals), emission


@kernel
def components(p: Records, sig: Array, z: Array) -> tuple[float, float]:
    """Return F by (1) or (2)."""
    fx, fy = sig[p.sx, 0], sig[p.sy, 0]
    if p.turns == 0 or p.body < 0:
        return fx, fy
    k = 4 * p.body
    dx, dy = z[k + 2] - z[k], z[k + 3] - z[k + 1]
    ux, uy = p.ua * dx - p.ub * dy, p.ua * dy + p.ub * dx
    return fx * ux - fy * uy, fx * uy + fy * ux


@kernel
def applied(load: Records, sig: Array, z: Array, vz: Array, w: Array) -> float:
    """Subtract (3) from w and return the power."""
    power = 0.0
    for e in range(len(load)):
        p = load[e]
        fx, fy = components(p, sig, z)
        cx, cy = place(z, p.body, p.a, p.b, p.x, p.y)
        apply(w, p.body, cx, cy, fx, fy)
        vx, vy = place(vz, p.body, p.a, p.b, 0.0, 0.0)
        power += fx * vx + fy * vy
    return power


@kernel
def applied_z(load: Records, sig: Array, z: Array, vz: Array, cy: float, D: Array, val: Array) -> None:
    """Fill the derivatives of (3), times cy."""
    for e in range(len(load)):
        p = load[e]
        if p.body < 0:
            continue
        fx, fy = components(p, sig, z)
        px, py = place(z, p.body, p.a, p.b, p.x, p.y)
        vx, vy = place(vz, p.body, p.a, p.b, 0.0, 0.0)
        for k in range(4):
            cx, cy_ = place_z(k, p.a, p.b)
            gx, gy = 0.0, 0.0
            if p.turns:
                # derivative of the direction: that of a place, without the part of particle 1 itself
                ux, uy = place_z(k, p.ua, p.ub)
                if k == 0:
                    ux -= 1.0
                elif k == 1:
                    uy -= 1.0
                f0, f1 = sig[p.sx, 0], sig[p.sy, 0]
                gx, gy = f0 * ux - f1 * uy, f0 * uy + f1 * ux
            D[p.D + k, 0] = -cy * gx
            D[p.D + k, 1] = -cy * gy
            D[p.D + k, 2] = -cy * (cx * fy - cy_ * fx + px * gy - py * gx)
            val[p.P + k] = cy * (gx * vx + gy * vy)
            val[p.P + 4 + k] = cy * (fx * cx + fy * cy_)
