"""Torque: couple M on the second body, -M on the first, in global axes or in those of the second.

power M.(omega_2 - omega_1)                                                                       (1)
"""

from __future__ import annotations

from typing import Any

from particlemech._jit import Records, kernel
from particlemech.spatial.forces import Torque
from particlemech.spatial.laws.geometry import Where, mixed, omega, omega_changed, signals_of, twist
from particlemech.system import Array

SPEC = Torque
TABLE = [("first", "i4"), ("second", "i4"), ("turning", "i4"), ("signal", "i4", (3,))]


def record(spec: Torque, where: Where) -> tuple[Any, ...]:
    """Return a row of the table."""
    first, second = (where.body(b) for b in spec.bodies)
    return first, second, spec.frame == "body", tuple(where.signal(component) for component in spec.torque)


@kernel
def applied(table: Records, sig: Array, q: Array, v: Array, f: Array) -> float:
    """Add the couples to f; return their power (1)."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        x, y, z = signals_of(sig, p.signal)
        if p.turning:
            x, y, z = mixed(q, p.second, x, y, z)
        twist(p.second, q, x, y, z, f)
        twist(p.first, q, -x, -y, -z, f)
        ax, ay, az = omega(q, v, p.first)
        bx, by, bz = omega(q, v, p.second)
        power += x * (bx - ax) + y * (by - ay) + z * (bz - az)
    return power


@kernel
def changed(table: Records, sig: Array, q: Array, v: Array, dq: Array, dv: Array, df: Array) -> float:
    """Add the small changes of the couples to df; return that of their power."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        x, y, z = signals_of(sig, p.signal)
        dx = dy = dz = 0.0
        if p.turning:
            dx, dy, dz = mixed(dq, p.second, x, y, z)
            x, y, z = mixed(q, p.second, x, y, z)
        for side in range(2):
            body, sign = (p.second, 1.0) if side else (p.first, -1.0)
            twist(body, q, sign * dx, sign * dy, sign * dz, df)
            twist(body, dq, sign * x, sign * y, sign * z, df)
            wx, wy, wz = omega(q, v, body)
            ux, uy, uz = omega_changed(q, v, dq, dv, body)
            power += sign * (dx * wx + dy * wy + dz * wz + x * ux + y * uy + z * uz)
    return power
