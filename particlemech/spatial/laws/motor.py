"""Motor: effort on the coordinate of a joint, acting on the second body and reacted by the first.

angle:   couple effort u, u the axis in the first body;   power effort u.(omega_2 - omega_1)          (1)
travel:  force effort u at the joint's place on the second, its reaction at that same place;
power effort u.(v_2 - v_1), both of the place where the second has its point                 (2)
"""

from __future__ import annotations

from typing import Any

from particlemech._jit import Records, kernel
from particlemech.spatial.forces import Motor
from particlemech.spatial.laws.geometry import (
    Triple,
    Where,
    cross,
    dot,
    minus,
    omega,
    omega_changed,
    place,
    plus,
    push,
    twist,
    vector,
    vector_changed,
    velocity,
)
from particlemech.system import Array

SPEC = Motor
TABLE = [
    ("first", "i4"), ("second", "i4"), ("slides", "i4"), ("signal", "i4"), ("axis", "f8", (3,)), ("at1", "f8", (3,)),
    ("at2", "f8", (3,)),
]  # fmt: skip


def record(spec: Motor, where: Where) -> tuple[Any, ...]:
    """Return a row of the table."""
    slides = where.slides(spec.joint, spec.coordinate)
    at1, at2 = (where.seat(spec.joint, side) for side in (0, 1))
    return *where.ends(spec.joint), slides, where.signal(spec.effort), where.axis(spec.joint), at1, at2


@kernel
def applied(table: Records, sig: Array, q: Array, v: Array, f: Array) -> float:
    """Add (1) or (2) to f; return the power."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        s = sig[p.signal, 0]
        x, y, z = vector(q, p.first, p.axis)
        x, y, z = s * x, s * y, s * z
        ax, ay, az = omega(q, v, p.first)
        if p.slides:
            push(p.second, p.at2, x, y, z, f)
            push(p.first, p.at1, -x, -y, -z, f)
            # the reaction acts where the second body has its point now: along the axis, but for a couple
            bx, by, bz = place(q, p.second, p.at2)
            cx, cy, cz = place(q, p.first, p.at1)
            dx, dy, dz = bx - cx, by - cy, bz - cz
            twist(p.first, q, -(dy * z - dz * y), -(dz * x - dx * z), -(dx * y - dy * x), f)
            ux, uy, uz = velocity(v, p.first, p.at1)
            wx, wy, wz = velocity(v, p.second, p.at2)
            ux, uy, uz = ux + ay * dz - az * dy, uy + az * dx - ax * dz, uz + ax * dy - ay * dx
            power += x * (wx - ux) + y * (wy - uy) + z * (wz - uz)
            continue
        bx, by, bz = omega(q, v, p.second)
        twist(p.second, q, x, y, z, f)
        twist(p.first, q, -x, -y, -z, f)
        power += x * (bx - ax) + y * (by - ay) + z * (bz - az)
    return power


@kernel
def changed(table: Records, sig: Array, q: Array, v: Array, dq: Array, dv: Array, df: Array) -> float:
    """Add the small changes of (1) or (2) to df; return that of the power."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        s = sig[p.signal, 0]
        x, y, z = vector(q, p.first, p.axis)
        dx, dy, dz = vector_changed(dq, p.first, p.axis)
        x, y, z, dx, dy, dz = s * x, s * y, s * z, s * dx, s * dy, s * dz
        if p.slides:
            power += slide_changed(p, (x, y, z), (dx, dy, dz), q, v, dq, dv, df)
            continue
        for side in range(2):
            body, sign = (p.second, 1.0) if side else (p.first, -1.0)
            twist(body, q, sign * dx, sign * dy, sign * dz, df)
            twist(body, dq, sign * x, sign * y, sign * z, df)
            wx, wy, wz = omega(q, v, body)
            ux, uy, uz = omega_changed(q, v, dq, dv, body)
            power += sign * (dx * wx + dy * wy + dz * wz + x * ux + y * uy + z * uz)
    return power


@kernel
def slide_changed(p: Records, F: Triple, dF: Triple, q: Array, v: Array, dq: Array, dv: Array, df: Array) -> float:
    """Add the small changes of (2) for a force F to df; return that of the power."""
    push(p.second, p.at2, dF[0], dF[1], dF[2], df)
    push(p.first, p.at1, -dF[0], -dF[1], -dF[2], df)
    D = minus(place(q, p.second, p.at2), place(q, p.first, p.at1))
    dD = minus(velocity(dq, p.second, p.at2), velocity(dq, p.first, p.at1))
    M, dM = cross(F, D), plus(cross(dF, D), cross(F, dD))  # the couple of the reaction on the first
    twist(p.first, q, dM[0], dM[1], dM[2], df)
    twist(p.first, dq, M[0], M[1], M[2], df)
    w, dw = omega(q, v, p.first), omega_changed(q, v, dq, dv, p.first)
    u = minus(minus(velocity(v, p.second, p.at2), velocity(v, p.first, p.at1)), cross(w, D))
    du = minus(velocity(dv, p.second, p.at2), velocity(dv, p.first, p.at1))
    du = minus(du, plus(cross(dw, D), cross(w, dD)))
    return dot(dF, u) + dot(F, du)
