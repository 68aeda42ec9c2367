"""What acts on a coordinate c: motors, and springs and dampers in a joint or between two bodies that turn.

    f = s(t) - k (c - c0) - b c'         on body 2, reacted by body 1                     (1)

An angle counts turns, and f is a couple:

    c = theta_2 - theta_1,  c' = omega_2 - omega_1                                        (2)

A travel is that of Q of body 2 along u through P, both fixed in body 1; f acts along u, at Q on both bodies:

    d = Q - P,  c = u.d,  c' = u.d' + u'.d                                                (3)

potential k (c - c0)^2/2,  power of the rest (s - b c') c'                                (4)

A massless rod from P of body 1 to Q of body 2, d = Q - P, n = d.d, K d = (-d_y, d_x), turns against body i, one of
them. f is a couple on the rod, which hands it on by forces across it; only its damping is known here:

    c' = g.d' - omega_i,  g = K d/n,   force f g at Q and -f g at P,  couple -f on body i                 (5)
"""

from __future__ import annotations

from typing import Any

from particlemech._jit import Records, kernel, noinline
from particlemech.engine.particles.forces.geometry import (
    Emission,
    apply,
    end,
    place,
    place_z,
    spin,
    spin_z,
    turn,
    turn_z,
)
from particlemech.engine.particles.views import View
from particlemech.engine.system import Array
from particlemech.model import forces
from particlemech.model.freedom import Freedom

TRAVEL, ANGLE, ROD_1, ROD_2 = range(4)  # what `turn` says; the last: of a rod against either body
spec = forces.Motor
TABLE = [
    ("turn", "i4"), *end("1"), *end("2"), ("ua", "f8"), ("ub", "f8"), ("ux", "f8"), ("uy", "f8"), ("l1", "f8"),
    ("l2", "f8"), ("angle1", "f8"), ("angle2", "f8"), ("k", "f8"), ("c", "f8"), ("x0", "f8"), ("s", "i4"),
    ("D", "i4"), ("P", "i4"),
]  # fmt: skip


def takes(spec: forces.ForceSpec) -> bool:
    """Whether a force acts on a coordinate by a law that kernels know."""
    return type(spec).law is not forces.ForceSpec.law and not spec.called


def record(spec: forces.ForceSpec, where: View) -> tuple[tuple[float, ...], Emission]:
    """Return a table row, and which derivatives it writes (the same order as a spring)."""
    of, law = spec.on(where.mechanism), spec.law(where.mechanism)
    bodies = [where.body(b) for b in (of.first, of.second)]
    zs = [where.coordinates(b) for b in bodies]
    wrench = [(b, level, k) for level in (0, 1) for b in bodies for z in zs for k in z]
    power = [(level, k) for z in zs for level in (0, 1) for k in z]
    s = -1 if law.effort is None else where.signal(law.effort)
    return (*gauged(of, where), law.stiffness, law.damping, law.free, s), Emission(wrench, power)


def gauged(of: Freedom, where: View) -> tuple[float, ...]:
    """Return a coordinate in numbers: what of a record comes before its law."""
    bodies = [where.body(b) for b in (of.first, of.second)]
    ends: Any = [(b, 0.0, 0.0, 0.0, 0.0) for b in bodies]
    form = ANGLE if of.turn else TRAVEL
    if of.line is not None:
        form = ROD_1 if of.against == of.first else ROD_2
        ends = [where.end(b, point) for b, point in zip((of.first, of.second), of.line, strict=True)]
    elif not of.turn:
        P = where.drawn(of.first, of.point) if of.centre is None else where.end(of.first, of.centre)
        ends = [P, where.end(of.second, of.point)]
    u = where.direction(of.first if of.profile is None else of.second, (1.0, 0.0) if of.turn else of.axis)[1:]
    lengths, angles = [where.length(b) for b in bodies], [where.angle(b) for b in bodies]
    return (form, *ends[0], *ends[1], *u, *lengths, *angles)


@kernel
def along(p: Records, z: Array) -> tuple[float, float]:
    """Return u, or u' from velocities, of a moving body 1; on the ground u stands in the record."""
    k = 4 * p.body1
    dx, dy = z[k + 2] - z[k], z[k + 3] - z[k + 1]
    return p.ua * dx - p.ub * dy, p.ua * dy + p.ub * dx


@kernel
def along_z(k: int, ua: float, ub: float) -> tuple[float, float]:
    """Return the derivative of u by coordinate k = 0..3 of body 1."""
    if k == 0:
        return -ua, -ub
    if k == 1:
        return ub, -ua
    if k == 2:
        return ua, ub
    return -ub, ua


@kernel
def travelled(p: Records, z: Array, vz: Array) -> tuple[float, float, float, float, float, float, float, float]:
    """Return u, u', d, d' by (3)."""
    ux, uy, vx, vy = p.ux, p.uy, 0.0, 0.0
    if p.body1 >= 0:
        ux, uy = along(p, z)
        vx, vy = along(p, vz)
    x1, y1 = place(z, p.body1, p.a1, p.b1, p.x1, p.y1)
    x2, y2 = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
    u1, v1 = place(vz, p.body1, p.a1, p.b1, 0.0, 0.0)
    u2, v2 = place(vz, p.body2, p.a2, p.b2, 0.0, 0.0)
    return ux, uy, vx, vy, x2 - x1, y2 - y1, u2 - u1, v2 - v1


@kernel
def angle(p: Records, theta: Array, z: Array) -> float:
    """Return c of (2)."""
    c = 0.0
    if p.body1 >= 0:
        c -= turn(z, p.body1, p.angle1, theta[p.body1])
    if p.body2 >= 0:
        c += turn(z, p.body2, p.angle2, theta[p.body2])
    return c


@kernel
def swung(p: Records, z: Array, vz: Array) -> tuple[float, float, float, float, float, float]:
    """Return g, d, d' of (5)."""
    _, _, _, _, dx, dy, rx, ry = travelled(p, z, vz)
    n = dx * dx + dy * dy
    return -dy / n, dx / n, dx, dy, rx, ry


@kernel
def rod_rate(p: Records, z: Array, vz: Array) -> float:
    """Return c' of (5)."""
    gx, gy, _, _, rx, ry = swung(p, z, vz)
    w = spin(z, vz, p.body1, p.l1) if p.turn == ROD_1 else spin(z, vz, p.body2, p.l2)
    return gx * rx + gy * ry - w


@kernel
def rod_wrenches(p: Records, f: float, z: Array, w: Array) -> None:
    """Subtract the wrenches of a couple f on a rod from w, (5)."""
    gx, gy, _, _, _, _ = swung(p, z, z)
    x1, y1 = place(z, p.body1, p.a1, p.b1, p.x1, p.y1)
    x2, y2 = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
    apply(w, p.body1, x1, y1, -f * gx, -f * gy)
    apply(w, p.body2, x2, y2, f * gx, f * gy)
    on = p.body1 if p.turn == ROD_1 else p.body2
    if on >= 0:
        w[on, 2] += f


@noinline
def applied(motor: Records, sig: Array, theta: Array, z: Array, vz: Array, w: Array) -> float:
    """Subtract (1) from w and return the power (4)."""
    power = 0.0
    for e in range(len(motor)):
        p = motor[e]
        s = sig[p.s, 0] if p.s >= 0 else 0.0
        if p.turn >= ROD_1:
            rate = rod_rate(p, z, vz)
            rod_wrenches(p, -p.c * rate, z, w)
        elif p.turn:
            rate = spin(z, vz, p.body2, p.l2) - spin(z, vz, p.body1, p.l1)
            f = s - p.k * (angle(p, theta, z) - p.x0) - p.c * rate
            if p.body1 >= 0:
                w[p.body1, 2] += f
            if p.body2 >= 0:
                w[p.body2, 2] -= f
        else:
            ux, uy, vx, vy, dx, dy, rx, ry = travelled(p, z, vz)
            rate = ux * rx + uy * ry + vx * dx + vy * dy
            f = s - p.k * (ux * dx + uy * dy - p.x0) - p.c * rate
            x, y = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
            apply(w, p.body2, x, y, f * ux, f * uy)
            apply(w, p.body1, x, y, -f * ux, -f * uy)
        power += (s - p.c * rate) * rate
    return power


@noinline
def applied_z(motor: Records, sig: Array, theta: Array, z: Array, vz: Array, cy: float, D: Array, val: Array) -> None:
    """Fill the derivatives of (1) and of the power (4), times cy."""
    for e in range(len(motor)):
        p = motor[e]
        s = sig[p.s, 0] if p.s >= 0 else 0.0
        for side in range(2):
            body = p.body1 if side == 0 else p.body2
            if body >= 0:
                for k in range(4):
                    if p.turn >= ROD_1:
                        swinging_z(p, s, p.c, 0.0, 0.0, side, body, k, z, vz, cy, D, val)
                    elif p.turn:
                        turning_z(p, s, p.c, side, body, k, z, vz, cy, D, val)
                    else:
                        sliding_z(p, s, p.c, side, k, z, vz, cy, D, val)


@kernel
def turning_z(
    p: Records, s: float, c: float, side: int, body: int, k: int, z: Array, vz: Array, cy: float, D: Array, val: Array
) -> None:
    """Fill the derivatives of a couple by coordinate k of a side, and by its velocity; c is the damping of (1)."""
    length, sign = (p.l1, -1.0) if side == 0 else (p.l2, 1.0)
    rate = spin(z, vz, p.body2, p.l2) - spin(z, vz, p.body1, p.l1)
    da, dr, dv = sign * turn_z(z, body, k), -sign * spin_z(vz, body, length, k), sign * spin_z(z, body, length, k)
    for on in range(2):
        d = p.D + 8 * on + 4 * side + k
        push = cy if on == 0 else -cy
        D[d, 0], D[d, 1], D[d, 2] = 0.0, 0.0, -push * (p.k * da + c * dr)
        D[d + 16, 0], D[d + 16, 1], D[d + 16, 2] = 0.0, 0.0, -push * c * dv
    val[p.P + 8 * side + k] = cy * (s - 2.0 * c * rate) * dr
    val[p.P + 8 * side + 4 + k] = cy * (s - 2.0 * c * rate) * dv


@kernel
def sliding_z(
    p: Records, s: float, c: float, side: int, k: int, z: Array, vz: Array, cy: float, D: Array, val: Array
) -> None:
    """Fill the derivatives of a force along a line by coordinate k of a side, and by its velocity; c as above."""
    ux, uy, vx, vy, dx, dy, rx, ry = travelled(p, z, vz)
    rate = ux * rx + uy * ry + vx * dx + vy * dy
    f = s - p.k * (ux * dx + uy * dy - p.x0) - c * rate
    x, y = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
    # derivatives of Q, d and u
    qx, qy, gx, gy = 0.0, 0.0, 0.0, 0.0
    if side == 0:
        cx, cy_ = place_z(k, p.a1, p.b1)
        ex, ey = -cx, -cy_
        gx, gy = along_z(k, p.ua, p.ub)
    else:
        qx, qy = place_z(k, p.a2, p.b2)
        ex, ey = qx, qy
    dc = gx * dx + gy * dy + ux * ex + uy * ey
    dr = gx * rx + gy * ry + vx * ex + vy * ey
    df = -p.k * dc - c * dr
    fx, fy = df * ux + f * gx, df * uy + f * gy
    moment = qx * f * uy - qy * f * ux + x * fy - y * fx
    hx, hy = -c * dc * ux, -c * dc * uy
    for on in range(2):
        d = p.D + 8 * on + 4 * side + k
        push = cy if on == 0 else -cy
        D[d, 0], D[d, 1], D[d, 2] = push * fx, push * fy, push * moment
        D[d + 16, 0], D[d + 16, 1], D[d + 16, 2] = push * hx, push * hy, push * (x * hy - y * hx)
    val[p.P + 8 * side + k] = cy * (s - 2.0 * c * rate) * dr
    val[p.P + 8 * side + 4 + k] = cy * (s - 2.0 * c * rate) * dc


@kernel
def swinging_z(
    p: Records,
    s: float,
    c: float,
    other: float,
    other_rate: float,
    side: int,
    body: int,
    k: int,
    z: Array,
    vz: Array,
    cy: float,
    D: Array,
    val: Array,
) -> None:
    """Fill the same of a rod, (5); the couple is s - c c' - other c_2', c_2 the same against the other body."""
    gx, gy, dx, dy, rx, ry = swung(p, z, vz)
    rate, n = rod_rate(p, z, vz), dx * dx + dy * dy
    f = s - c * rate - other * other_rate
    length, first = (p.l1, p.turn == ROD_1) if side == 0 else (p.l2, p.turn == ROD_2)
    # derivatives of P or Q, of d and of g
    px, py = place_z(k, p.a1, p.b1) if side == 0 else place_z(k, p.a2, p.b2)
    ex, ey = (-px, -py) if side == 0 else (px, py)
    away = 2.0 * (dx * ex + dy * ey)
    hx, hy = (-ey - away * gx) / n, (ex - away * gy) / n
    # of the angle of the line and of its rate, and of that of the body
    dc, dr = gx * ex + gy * ey, hx * rx + hy * ry
    dw, dv = -spin_z(vz, body, length, k), spin_z(z, body, length, k)
    own_r, own_c = (dr - dw, dc - dv) if first else (dr, dc)
    mate_r, mate_c = (dr, dc) if first else (dr - dw, dc - dv)
    fz, fv = -c * own_r - other * mate_r, -c * own_c - other * mate_c
    x1, y1 = place(z, p.body1, p.a1, p.b1, p.x1, p.y1)
    x2, y2 = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
    gzx, gzy = fz * gx + f * hx, fz * gy + f * hy
    for on in range(2):
        d = p.D + 8 * on + 4 * side + k
        push, (x, y) = (cy, (x1, y1)) if on == 0 else (-cy, (x2, y2))
        couple = cy if (on == 0) == (p.turn == ROD_1) else 0.0
        moved = px * f * gy - py * f * gx if on == side else 0.0
        D[d, 0], D[d, 1] = push * gzx, push * gzy
        D[d, 2] = push * (moved + x * gzy - y * gzx) + couple * fz
        D[d + 16, 0], D[d + 16, 1] = push * fv * gx, push * fv * gy
        D[d + 16, 2] = push * fv * (x * gy - y * gx) + couple * fv
    val[p.P + 8 * side + k] = cy * (fz * rate + f * own_r)
    val[p.P + 8 * side + 4 + k] = cy * (fv * rate + f * own_c)


@noinline
def stored(motor: Records, theta: Array, z: Array) -> float:
    """Return the potential (4), from the angles of the bodies (n_body,) and z."""
    total = 0.0
    for e in range(len(motor)):
        p = motor[e]
        if p.turn:
            c = angle(p, theta, z)
        else:
            ux, uy, _, _, dx, dy, _, _ = travelled(p, z, z)
            c = ux * dx + uy * dy
        total += 0.5 * p.k * (c - p.x0) ** 2
    return total
