"""Torque: couple M on the second body, -M on the first, in global axes, in those of the second, or of the first.

power M.(omega_2 - omega_1)                                                                       (1)

Motors that turn in all directions are couples in the axes of the first body of their joint.
"""

from __future__ import annotations

from typing import Any

from particlemech._jit import Records, kernel
from particlemech.engine.natural.laws.geometry import Where, mixed, omega, omega_changed, signals_of, twist
from particlemech.engine.system import Array
from particlemech.model.space.forces import ForceSpec

TABLE = [("first", "i4"), ("second", "i4"), ("axes", "i4"), ("signal", "i4", (3,))]


def takes(spec: ForceSpec, where: Where) -> bool:
    """Return whether a force is of this kind."""
    return spec.couple(where.mechanism) is not None


def record(spec: ForceSpec, where: Where) -> tuple[Any, ...]:
    """Return a row of the table: both bodies, the one in whose axes the couple is given, and its components."""
    couple = spec.couple(where.mechanism)
    assert couple is not None  # `takes` has asked
    first, second = (where.body(b) for b in couple.bodies)
    return first, second, where.body(couple.axes), tuple(where.signal(component) for component in couple.moment)


@kernel
def applied(table: Records, sig: Array, q: Array, v: Array, f: Array) -> float:
    """Add the couples to f; return their power (1)."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        x, y, z = signals_of(sig, p.signal)
        x, y, z = mixed(q, p.axes, x, y, z)
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
        if p.axes > 0:
            dx, dy, dz = mixed(dq, p.axes, x, y, z)
            x, y, z = mixed(q, p.axes, x, y, z)
        for side in range(2):
            body, sign = (p.second, 1.0) if side else (p.first, -1.0)
            twist(body, q, sign * dx, sign * dy, sign * dz, df)
            twist(body, dq, sign * x, sign * y, sign * z, df)
            wx, wy, wz = omega(q, v, body)
            ux, uy, uz = omega_changed(q, v, dq, dv, body)
            power += sign * (dx * wx + dy * wy + dz * wz + x * ux + y * uy + z * uz)
    return power
