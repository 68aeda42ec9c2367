"""What acts along the line between C1 of body 1 and C2 of body 2.

    r = C2 - C1,  l = |r|,  n = r/l,  l' = n.r'                                           (1)
    f = k (l - l0) + c l' - s(t)     pulls the ends together; s pushes them apart         (2)
    potential k (l - l0)^2/2,  power of the rest (s - c l') l'                            (3)

At l = 0 the line has no direction; there the force is zero, which is exact for a spring of free length 0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from particlemech._jit import Records, kernel
from particlemech.engine.recursive.laws.geometry import Where, arm, push
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import Triple, cross, dot
from particlemech.model.acting import OnLine

if TYPE_CHECKING:
    from particlemech.engine.recursive.tables import WorkArrays

SPEC = OnLine
TABLE = [
    ("first", "i4"), ("second", "i4"), ("at1", "f8", (3,)), ("at2", "f8", (3,)), ("k", "f8"), ("c", "f8"), ("l0", "f8"),
    ("s", "i4"),
]  # fmt: skip


def records(spec: OnLine, where: Where) -> list[tuple[Any, ...]]:
    """Return the row of the table."""
    (first, at1), (second, at2) = (where.spot(p, b) for p, b in zip(spec.points, spec.bodies, strict=True))
    of = spec.line(where.mechanism)
    return [
        (first, second, at1, at2, of.stiffness, of.damping, of.free, -1 if of.push is None else where.signal(of.push))
    ]


@kernel
def between(p: Records, s: WorkArrays) -> Triple:
    """Return r of (1)."""
    x, y, z = arm(s.S[p.second], p.at2)
    u, v, w = arm(s.S[p.first], p.at1)
    a, b = s.O[p.first], s.O[p.second]
    return b[0] - a[0] + x - u, b[1] - a[1] + y - v, b[2] - a[2] + z - w


@kernel
def velocity(body: int, at: Array, s: WorkArrays) -> Triple:
    """Return the velocity of a place of a body."""
    x, y, z = arm(s.S[body], at)
    v, w = s.v[body], s.omega[body]
    x, y, z = cross(w[0], w[1], w[2], x, y, z)
    return v[0] + x, v[1] + y, v[2] + z


@kernel
def applied(table: Records, s: WorkArrays) -> float:
    """Add (2) to the loads of both bodies; return the power of what has no potential (3)."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        x, y, z = between(p, s)
        length = math.sqrt(dot(x, y, z, x, y, z))
        if length == 0.0:
            continue
        x, y, z = x / length, y / length, z / length
        ux, uy, uz = velocity(p.first, p.at1, s)
        vx, vy, vz = velocity(p.second, p.at2, s)
        rate = dot(x, y, z, vx - ux, vy - uy, vz - uz)
        pushing = s.sig[p.s, 0] if p.s >= 0 else 0.0
        f = p.k * (length - p.l0) + p.c * rate - pushing  # (2)
        ax, ay, az = arm(s.S[p.first], p.at1)
        bx, by, bz = arm(s.S[p.second], p.at2)
        push(p.first, ax, ay, az, f * x, f * y, f * z, s)
        push(p.second, bx, by, bz, -f * x, -f * y, -f * z, s)
        power += (pushing - p.c * rate) * rate  # (3)
    return power


@kernel
def potential(table: Records, s: WorkArrays) -> float:
    """Return the potential (3)."""
    total = 0.0
    for e in range(len(table)):
        x, y, z = between(table[e], s)
        total += 0.5 * table[e].k * (math.sqrt(dot(x, y, z, x, y, z)) - table[e].l0) ** 2
    return total
