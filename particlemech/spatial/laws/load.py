"""Load: force F on a point of a body, in global axes or in those of the body; power F.v."""

from __future__ import annotations

from typing import Any

from particlemech._jit import Records, kernel
from particlemech.spatial.forces import Load
from particlemech.spatial.laws.geometry import Where, push, signals_of, velocity
from particlemech.system import Array

SPEC = Load
TABLE = [("body", "i4"), ("turning", "i4"), ("signal", "i4", (3,)), ("at", "f8", (3,))]


def record(spec: Load, where: Where) -> tuple[Any, ...]:
    """Return a row of the table."""
    signals = tuple(where.signal(component) for component in spec.force)
    return where.body(spec.body), spec.frame == "body", signals, where.beside_centre(spec.point, spec.body)


@kernel
def applied(table: Records, sig: Array, q: Array, v: Array, f: Array) -> float:
    """Add the forces to f; return their power."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        x, y, z = signals_of(sig, p.signal)
        if p.turning:
            k = 12 * (p.body - 1) + 3
            a, b, c = x, y, z
            x = a * q[k] + b * q[k + 3] + c * q[k + 6]
            y = a * q[k + 1] + b * q[k + 4] + c * q[k + 7]
            z = a * q[k + 2] + b * q[k + 5] + c * q[k + 8]
        push(p.body, p.at, x, y, z, f)
        vx, vy, vz = velocity(v, p.body, p.at)
        power += x * vx + y * vy + z * vz
    return power
