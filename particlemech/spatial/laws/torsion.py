"""Torsion: spring and damper about the axis u of a joint, between its bodies.

    m2 = cos(angle) m1 + sin(angle) n1        m, n, u the joint's triad, as drawn fixed in both bodies    (1)
    M = -k (angle - rest) - c angle'          about u, on the second body                                 (2)
    potential k (angle - rest)^2/2,  power of the damper -c angle'^2                                      (3)

The angle is exact by (1) and on the turn that a state theta, theta' = u1.(omega_2 - omega_1), tells: it counts turns.
"""

from __future__ import annotations

import math
from typing import Any

from particlemech._jit import Records, kernel
from particlemech.spatial.forces import Torsion
from particlemech.spatial.frames import triad
from particlemech.spatial.laws.geometry import Where, dot, omega, omega_changed, twist, vector, vector_changed
from particlemech.system import Array

SPEC = Torsion
TABLE = [
    ("first", "i4"), ("second", "i4"), ("m", "f8", (3,)), ("n", "f8", (3,)), ("u", "f8", (3,)),
    ("k", "f8"), ("c", "f8"), ("rest", "f8"),
]  # fmt: skip


def record(spec: Torsion, where: Where) -> tuple[Any, ...]:
    """Return a row of the table."""
    return *where.ends(spec.joint), *triad(where.axis(spec.joint)), spec.stiffness, spec.damping, spec.angle


@kernel
def turned(p: Records, theta: float, q: Array) -> float:
    """Return the angle (1) on the turn that is nearest to theta."""
    ax, ay, az = vector(q, p.first, p.m)
    bx, by, bz = vector(q, p.first, p.n)
    x, y, z = vector(q, p.second, p.m)
    angle = math.atan2(bx * x + by * y + bz * z, ax * x + ay * y + az * z)
    return angle + 2.0 * math.pi * math.floor((theta - angle) / (2.0 * math.pi) + 0.5)


@kernel
def rate(p: Records, q: Array, v: Array) -> float:
    """Return angle' = u1.(omega_2 - omega_1)."""
    x, y, z = vector(q, p.first, p.u)
    ax, ay, az = omega(q, v, p.first)
    bx, by, bz = omega(q, v, p.second)
    return x * (bx - ax) + y * (by - ay) + z * (bz - az)


@kernel
def rate_changed(p: Records, q: Array, v: Array, dq: Array, dv: Array) -> float:
    """Return the small change of angle'."""
    x, y, z = vector(q, p.first, p.u)
    dx, dy, dz = vector_changed(dq, p.first, p.u)
    total = 0.0
    for side in range(2):
        body, sign = (p.second, 1.0) if side else (p.first, -1.0)
        wx, wy, wz = omega(q, v, body)
        ux, uy, uz = omega_changed(q, v, dq, dv, body)
        total += sign * (dx * wx + dy * wy + dz * wz + x * ux + y * uy + z * uz)
    return total


@kernel
def turned_changed(p: Records, q: Array, dq: Array) -> float:
    """Return the small change of the angle (1)."""
    m, n, across = vector(q, p.first, p.m), vector(q, p.first, p.n), vector(q, p.second, p.m)
    dm, dn = vector_changed(dq, p.first, p.m), vector_changed(dq, p.first, p.n)
    dacross = vector_changed(dq, p.second, p.m)
    s, c = dot(n, across), dot(m, across)
    ds, dc = dot(dn, across) + dot(n, dacross), dot(dm, across) + dot(m, dacross)
    return (c * ds - s * dc) / (s * s + c * c)


@kernel
def applied(table: Records, theta: Array, q: Array, v: Array, f: Array) -> float:
    """Add (2) to f; return the power of the dampers (3)."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        speed = rate(p, q, v)
        s = -p.k * (turned(p, theta[e], q) - p.rest) - p.c * speed  # (2)
        x, y, z = vector(q, p.first, p.u)
        twist(p.second, q, s * x, s * y, s * z, f)
        twist(p.first, q, -s * x, -s * y, -s * z, f)
        power -= p.c * speed * speed  # (3)
    return power


@kernel
def changed(table: Records, theta: Array, q: Array, v: Array, dq: Array, dv: Array, df: Array) -> float:
    """Add the small changes of (2) to df; return that of the power of the dampers."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        speed, faster = rate(p, q, v), rate_changed(p, q, v, dq, dv)
        s = -p.k * (turned(p, theta[e], q) - p.rest) - p.c * speed
        ds = -p.k * turned_changed(p, q, dq) - p.c * faster
        x, y, z = vector(q, p.first, p.u)
        dx, dy, dz = vector_changed(dq, p.first, p.u)
        dx, dy, dz = ds * x + s * dx, ds * y + s * dy, ds * z + s * dz
        for side in range(2):
            body, sign = (p.second, 1.0) if side else (p.first, -1.0)
            twist(body, q, sign * dx, sign * dy, sign * dz, df)
            twist(body, dq, sign * s * x, sign * s * y, sign * s * z, df)
        power -= 2.0 * p.c * speed * faster
    return power


@kernel
def potential(table: Records, theta: Array, q: Array) -> float:
    """Return the potential (3)."""
    total = 0.0
    for e in range(len(table)):
        total += 0.5 * table[e].k * (turned(table[e], theta[e], q) - table[e].rest) ** 2
    return total
