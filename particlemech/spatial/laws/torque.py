"""Torque: couple M on the second body, -M on the first, in global axes or in those of the second.

power M.(omega_2 - omega_1)                                                                       (1)
"""

from __future__ import annotations

from typing import Any

from particlemech._jit import Records, kernel
from particlemech.spatial.forces import Torque
from particlemech.spatial.laws.geometry import Where, omega, signals_of, twist
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
            k = 12 * (p.second - 1) + 3
            a, b, c = x, y, z
            x = a * q[k] + b * q[k + 3] + c * q[k + 6]
            y = a * q[k + 1] + b * q[k + 4] + c * q[k + 7]
            z = a * q[k + 2] + b * q[k + 5] + c * q[k + 8]
        twist(p.second, q, x, y, z, f)
        twist(p.first, q, -x, -y, -z, f)
        ax, ay, az = omega(q, v, p.first)
        bx, by, bz = omega(q, v, p.second)
        power += x * (bx - ax) + y * (by - ay) + z * (bz - az)
    return power
