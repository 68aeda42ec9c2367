"""Friction of joints from their own load, in the coordinates of bodies; the law is in engine/friction.py.

It works on a coordinate as a motor does, with the effort f(P(lam), c'), lam the multipliers of the joint's rows:

    f = -sigma(c') P(lam),    df = -sigma' P dc' - sigma P_lam dlam                               (1)

so on an angle, beside given multipliers, it is a motor with the effort s = f + b c' and the damping b = sigma' P,
motor.py (1). Of pins of a rod sigma depends on the rates of both, engine/friction.py (3): there are two such dampings.
What slides does so along u, and touches h to the right of Q, with f u at Q and the couple h f on body 2:

    c' = u.d' + u'.d + h (omega_2 - omega_1),     d = Q - P                                       (2)
    u' = omega_1 K u      u fixed in body 1; of circles K d/|d|, P and Q their centres            (3)

On a cam g is the gradient of its gap by Q, along the common normal, so that the force there is |g| lam. Then u = -K g
and h |g| in place of h, the radius of a roller, so that f = -mu lam is the force mu |g| lam across the normal, and

    u_z = -K g_z,    (h |g|)_z = h u.u_z/|u|                                                      (4)
"""

from __future__ import annotations

import math
from typing import NamedTuple

from particlemech._jit import Records, entry, kernel, noinline
from particlemech.contours import Six
from particlemech.engine.friction import RUB, directed, drag, leant, mate, numbers, pressed
from particlemech.engine.particles.forces import motor
from particlemech.engine.particles.forces.geometry import Emission, apply, place, place_z, spin, spin_z
from particlemech.engine.particles.forces.motor import (
    ROD_1,
    along_z,
    rod_rate,
    rod_wrenches,
    swinging_z,
    swung,
    travelled,
    turning_z,
)
from particlemech.engine.particles.turns import bent, sighted, touched, weighed
from particlemech.engine.particles.views import View
from particlemech.engine.system import Array
from particlemech.model.rubbing import Rubbing

TABLE = [*motor.TABLE, ("roll", "f8"), ("way", "i4"), *RUB]  # h of (2); which u of (3)
TABLE += [("form", "i4"), ("lift", "i4"), ("lifts", "i4")]  # of a cam, contours.py, and e as n in ua ... uy
TABLE += [(name, "f8") for name in ("p", "length", "apart", "side", "sense", "alpha", "ea", "eb", "ex", "ey")]
TABLE += [("lx", "i4"), ("ly", "i4")]  # the multipliers that are its load, -1 where there is none
STRAIGHT, ROUND, EDGED, FACED = range(4)  # u of (3)
NO_CAM = (0, 0, 0, *(0.0,) * 10)
OWN, POWER = 32, 16  # derivatives of a motor in D and P; those by multipliers come after


class Rubbed(NamedTuple):
    """Where a mechanism in particles rubs: what loads it there."""

    rub: Rubbing
    rows: tuple[int, ...]  # (2,) whose multipliers are the components of its load, -1 where there is none
    # where bodies share a particle instead: whose balance gives the load, (bodies, which particle, sign)
    balance: tuple[tuple[int, ...], int, float] | None = None


def record(rubbed: Rubbed, lams: tuple[int, int], where: View) -> tuple[tuple[float, ...], Emission]:
    """Return a table row, and which derivatives it writes: those of a motor, then by multipliers (level 2)."""
    own, emission = motor.record(drag(rubbed.rub.of), where)
    bodies = [where.body(b) for b in (rubbed.rub.of.first, rubbed.rub.of.second)]
    wrench = [(b, 2, lam) for lam in lams for b in bodies]
    return own, Emission([*emission.wrench, *wrench], [*emission.power, *((2, lam) for lam in lams)])


def row(
    own: tuple[float, ...], at_D: int, at_P: int, rubbed: Rubbed, lams: tuple[int, int], where: View
) -> tuple[float, ...]:
    """Return a whole record of TABLE."""
    of, cam = rubbed.rub.of, NO_CAM
    way = ROUND if of.centre is not None else STRAIGHT
    if of.profile is not None:
        way, lift = FACED if of.profile.flat else EDGED, where.signals.curve(tuple(of.profile.segments()))
        cam = of.profile.form, *lift, *of.profile[2:8], *where.direction(of.first, (1.0, 0.0))[1:]
    return (*own, at_D, at_P, of.roll, way, *numbers(rubbed.rub), *cam, *lams)


@kernel
def seen_from_cam(p: Records, z: Array, dx: float, dy: float) -> Six:
    """Return d, n and e of what touches a cam."""
    nx, ny, ex, ey = p.ux, p.uy, p.ex, p.ey
    if p.body2 >= 0:
        k = 4 * p.body2
        x, y = z[k + 2] - z[k], z[k + 3] - z[k + 1]
        nx, ny = p.ua * x - p.ub * y, p.ua * y + p.ub * x
    if p.body1 >= 0:
        k = 4 * p.body1
        x, y = z[k + 2] - z[k], z[k + 3] - z[k + 1]
        ex, ey = p.ea * x - p.eb * y, p.ea * y + p.eb * x
    return dx, dy, nx, ny, ex, ey


@noinline
def along_cam(p: Records, segment: Records, z: Array, dx: float, dy: float) -> tuple[float, float]:
    """Return u of a slip on a cam."""
    x, phi, by_x, by_phi = sighted(p.way == FACED, seen_from_cam(p, z, dx, dy))
    gap = touched(p, segment, x, phi)
    g = weighed(gap[1], by_x, gap[2], by_phi)
    return g[1], -g[0]


@noinline
def along_cam_z(
    p: Records, segment: Records, z: Array, dx: float, dy: float, ex: float, ey: float, side: int, k: int
) -> tuple[float, float]:
    """Return u_z of (4) by coordinate k of a side, by which d changes by e."""
    nx, ny, hx, hy = 0.0, 0.0, 0.0, 0.0
    if side == 1:
        nx, ny = along_z(k, p.ua, p.ub)
    else:
        hx, hy = along_z(k, p.ea, p.eb)
    at = seen_from_cam(p, z, dx, dy)
    x, phi, by_x, by_phi = sighted(p.way == FACED, at)
    g = bent(p.way == FACED, at, (ex, ey, nx, ny, hx, hy), by_x, by_phi, touched(p, segment, x, phi))
    return g[1], -g[0]


@kernel
def rolled(p: Records, ux: float, uy: float) -> float:
    """Return h of (2), or h |g|."""
    return p.roll * math.sqrt(ux * ux + uy * uy) if p.way >= EDGED and p.roll != 0.0 else float(p.roll)


@kernel
def rate_of(p: Records, segment: Records, z: Array, vz: Array) -> float:
    """Return the rate of the coordinate on which friction works."""
    if p.turn:
        return turning(p, z, vz) if p.turn < ROD_1 else rod_rate(p, z, vz)
    ux, uy, vx, vy, dx, dy, rx, ry = slipping(p, segment, z, vz)
    rate = ux * rx + uy * ry + vx * dx + vy * dy
    return rate + rolled(p, ux, uy) * turning(p, z, vz) if p.roll != 0.0 else rate


@kernel
def slipping(
    p: Records, segment: Records, z: Array, vz: Array
) -> tuple[float, float, float, float, float, float, float, float]:
    """Return u, u', d, d' of (2) and (3)."""
    ux, uy, vx, vy, dx, dy, rx, ry = travelled(p, z, vz)
    if p.way != STRAIGHT:
        size = math.sqrt(dx * dx + dy * dy)
        if p.way >= EDGED:
            ux, uy = along_cam(p, segment, z, dx, dy)
        elif size > 0.0:
            ux, uy = -dy / size, dx / size
        w = spin(z, vz, p.body1, p.l1)
        vx, vy = -w * uy, w * ux
    return ux, uy, vx, vy, dx, dy, rx, ry


@kernel
def turning(p: Records, z: Array, vz: Array) -> float:
    """Return the rate at which the second body turns against the first."""
    return spin(z, vz, p.body2, p.l2) - spin(z, vz, p.body1, p.l1)


@kernel
def work_on(p: Records, segment: Records, f: float, z: Array, w: Array) -> None:
    """Subtract the wrenches of an effort f on both bodies from w."""
    if p.turn >= ROD_1:
        rod_wrenches(p, f, z, w)
        return
    couple, ux, uy = f, 0.0, 0.0
    if not p.turn:
        ux, uy, _, _, _, _, _, _ = slipping(p, segment, z, z)
        couple = rolled(p, ux, uy) * f
    if p.body1 >= 0:
        w[p.body1, 2] += couple
    if p.body2 >= 0:
        w[p.body2, 2] -= couple
    if p.turn:
        return
    x, y = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
    apply(w, p.body2, x, y, f * ux, f * uy)
    apply(w, p.body1, x, y, -f * ux, -f * uy)


@entry
def rates_of(unit: Records, segment: Records, z: Array, vz: Array, out: Array) -> None:
    """Fill out (K, n) with the rates at K samples, from z and vz (K, 4 n_body)."""
    for k in range(len(z)):
        for e in range(len(unit)):
            out[k, e] = rate_of(unit[e], segment, z[k], vz[k])


@entry
def wrenches_of(unit: Records, segment: Records, f: Array, z: Array, out: Array) -> None:
    """Fill out (K, n_body, 3) with minus the wrenches of efforts (K, n) about the origin, from z (K, 4 n_body)."""
    for k in range(len(z)):
        for e in range(len(unit)):
            work_on(unit[e], segment, f[k, e], z[k], out[k])


@kernel
def loaded(p: Records, lam: Array) -> tuple[float, float, float]:
    """Return P at given multipliers, and its derivatives."""
    return pressed(p.half, lam[p.lx] if p.lx >= 0 else 0.0, lam[p.ly] if p.ly >= 0 else 0.0)


@kernel
def gripping(unit: Records, e: int, rate: float, z: Array, vz: Array) -> tuple[float, float, float, float]:
    """Return sigma of place e, its derivatives by its rate and by that of the other pin of its rod, and the latter."""
    p = unit[e]
    sigma, slope = directed(p, rate)
    if p.rod == 0.0:
        return sigma, slope, 0.0, 0.0
    o = unit[mate(p, e)]
    other_rate = rod_rate(o, z, vz)
    other, by_other = directed(o, other_rate)
    sigma, slope, by_other = leant(p.rod, sigma, slope, other, by_other)
    return sigma, slope, by_other, other_rate


@noinline
def applied(unit: Records, segment: Records, lam: Array, z: Array, vz: Array, w: Array) -> float:
    """Subtract (1) from w at given multipliers and return its power."""
    power = 0.0
    for e in range(len(unit)):
        p = unit[e]
        rate = rate_of(p, segment, z, vz)
        f = -gripping(unit, e, rate, z, vz)[0] * loaded(p, lam)[0]
        work_on(p, segment, f, z, w)
        power += f * rate
    return power


@noinline
def applied_z(
    unit: Records, segment: Records, lam: Array, z: Array, vz: Array, cy: float, D: Array, val: Array
) -> None:
    """Fill the derivatives of (1) and of its power, times cy."""
    for e in range(len(unit)):
        p = unit[e]
        rate = rate_of(p, segment, z, vz)
        sigma, slope, by_other, other_rate = gripping(unit, e, rate, z, vz)
        P, px, py = loaded(p, lam)
        b, c = slope * P, by_other * P
        s = -sigma * P + b * rate + c * other_rate
        for side in range(2):
            body = p.body1 if side == 0 else p.body2
            if body >= 0:
                for k in range(4):
                    if p.turn >= ROD_1:
                        swinging_z(p, s, b, c, other_rate, side, body, k, z, vz, cy, D, val)
                    elif p.turn:
                        turning_z(p, s, b, side, body, k, z, vz, cy, D, val)
                    else:
                        slip_z(p, segment, -sigma * P, b, side, body, k, z, vz, cy, D, val)
        for i in range(2):
            by_lam = -cy * sigma * (px if i == 0 else py)
            at = p.D + OWN + 2 * i
            for on in range(2):
                D[at + on, 0], D[at + on, 1], D[at + on, 2] = 0.0, 0.0, 0.0
            if p.turn >= ROD_1:
                rod_unit(p, by_lam, at, z, D)
            else:
                unit_wrench(p, segment, by_lam, at, z, D)
            val[p.P + POWER + i] = by_lam * rate


@kernel
def slip_z(
    p: Records, segment: Records, f: float, b: float, side: int, body: int, k: int, z: Array, vz: Array, cy: float,
    D: Array, val: Array,
) -> None:  # fmt: skip
    """Fill the derivatives of (2) by coordinate k of a side, and by its velocity; b is minus that of f by the rate."""
    length, sign = (p.l1, -1.0) if side == 0 else (p.l2, 1.0)
    ux, uy, vx, vy, dx, dy, rx, ry = slipping(p, segment, z, vz)
    h, x, y = rolled(p, ux, uy), *place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
    rate = ux * rx + uy * ry + vx * dx + vy * dy + h * turning(p, z, vz)
    # by the coordinate, and by its velocity: of Q and d (and of d', for places are linear), of omega_2 - omega_1
    ex, ey = place_z(k, p.a1, p.b1) if side == 0 else place_z(k, p.a2, p.b2)
    ex, ey = sign * ex, sign * ey
    qx, qy = (0.0, 0.0) if side == 0 else (ex, ey)
    turned, turns = -sign * spin_z(vz, body, length, k), sign * spin_z(z, body, length, k)
    # of u and u'
    gx, gy, cx, cy_, wx, wy, dh = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if p.way != STRAIGHT:
        size = dx * dx + dy * dy
        swing = (dx * ey - dy * ex) / size if size > 0.0 else 0.0
        gx, gy = -swing * uy, swing * ux
        if p.way >= EDGED:
            gx, gy = along_cam_z(p, segment, z, dx, dy, ex, ey, side, k)
            dh = p.roll * (ux * gx + uy * gy) / math.sqrt(ux * ux + uy * uy)
        w = spin(z, vz, p.body1, p.l1)
        cx, cy_ = -w * gy, w * gx
        if side == 0:
            cx, cy_, wx, wy = cx + turned * uy, cy_ - turned * ux, turns * uy, -turns * ux
    elif side == 0:
        gx, gy = along_z(k, p.ua, p.ub)
        wx, wy = gx, gy
    dc = gx * rx + gy * ry + cx * dx + cy_ * dy + vx * ex + vy * ey + h * turned
    dc += dh * turning(p, z, vz)
    dr = ux * ex + uy * ey + wx * dx + wy * dy + h * turns
    arm = x * uy - y * ux + h
    fx, fy = f * gx - b * dc * ux, f * gy - b * dc * uy
    moment = f * (qx * uy - qy * ux + x * gy - y * gx + dh) - b * dc * arm
    for on in range(2):
        at = p.D + 8 * on + 4 * side + k
        push = cy if on == 0 else -cy
        D[at, 0], D[at, 1], D[at, 2] = push * fx, push * fy, push * moment
        D[at + 16, 0], D[at + 16, 1], D[at + 16, 2] = -push * b * dr * ux, -push * b * dr * uy, -push * b * dr * arm
    gain = cy * (f - b * rate)
    val[p.P + 8 * side + k] = gain * dc
    val[p.P + 8 * side + 4 + k] = gain * dr


@kernel
def unit_wrench(p: Records, segment: Records, f: float, at: int, z: Array, D: Array) -> None:
    """Fill D[at] and D[at + 1] with minus the wrenches of an effort f on the first and the second body."""
    if p.turn:
        D[at, 2], D[at + 1, 2] = f, -f
        return
    ux, uy, _, _, _, _, _, _ = slipping(p, segment, z, z)
    x, y = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
    moment = x * f * uy - y * f * ux + rolled(p, ux, uy) * f
    D[at, 0], D[at, 1], D[at, 2] = f * ux, f * uy, moment
    D[at + 1, 0], D[at + 1, 1], D[at + 1, 2] = -f * ux, -f * uy, -moment


@kernel
def rod_unit(p: Records, f: float, at: int, z: Array, D: Array) -> None:
    """Do the same of a rod."""
    gx, gy, _, _, _, _ = swung(p, z, z)
    x1, y1 = place(z, p.body1, p.a1, p.b1, p.x1, p.y1)
    x2, y2 = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
    one, other = (f, 0.0) if p.turn == ROD_1 else (0.0, f)
    D[at, 0], D[at, 1], D[at, 2] = f * gx, f * gy, x1 * f * gy - y1 * f * gx + one
    D[at + 1, 0], D[at + 1, 1], D[at + 1, 2] = -f * gx, -f * gy, other - x2 * f * gy + y2 * f * gx
