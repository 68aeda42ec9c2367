"""Motor: effort on the coordinate of a joint, acting on the second body and reacted by the first.

angle:   couple effort u, u the axis in the first body;   power effort u.(omega_2 - omega_1)          (1)
travel:  force effort u at the joint's place on the second, its reaction at that same place;
power effort u.(v_2 - v_1), both of the place where the second has its point                 (2)
"""

from __future__ import annotations

from typing import Any

from particlemech._jit import Records, kernel
from particlemech.spatial.forces import Motor
from particlemech.spatial.laws.geometry import Where, omega, place, push, twist, vector, velocity
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
