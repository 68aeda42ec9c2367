"""What acts along the line between C1 of body 1 and C2 of body 2.

    r = C2 - C1,  l = |r|,  n = r/l,  l' = n.r'                                           (1)
    f = k (l - l0) + c l' - s(t)     pulls the ends together; s pushes them apart         (2)
    potential k (l - l0)^2/2,  power of the rest (s - c l') l'                            (3)

At l = 0 the line has no direction; there the force is zero, which is exact for a spring of free length 0.
"""

from __future__ import annotations

import math
from typing import Any

from particlemech._jit import Records, kernel
from particlemech.engine.natural.laws.geometry import place, push, velocity
from particlemech.engine.natural.where import NaturalNumbers
from particlemech.engine.system import Array
from particlemech.model.acting import OnLine
from particlemech.model.space.forces import ForceSpec

TABLE = [
    ("first", "i4"), ("second", "i4"), ("at1", "f8", (3,)), ("at2", "f8", (3,)), ("k", "f8"), ("c", "f8"), ("l0", "f8"),
    ("s", "i4"),
]  # fmt: skip


def takes(spec: ForceSpec, where: NaturalNumbers) -> bool:
    """Return whether a force is of this kind."""
    return isinstance(spec, OnLine)


def record(spec: OnLine, where: NaturalNumbers) -> tuple[Any, ...]:
    """Return a row of the table."""
    first, second = (where.body(b) for b in spec.bodies)
    at1, at2 = (where.beside_centre(p, b) for p, b in zip(spec.points, spec.bodies, strict=True))
    of = spec.line(where.mechanism)
    s = -1 if of.push is None else where.signal(of.push)
    return first, second, at1, at2, of.stiffness, of.damping, of.free, s


@kernel
def applied(table: Records, sig: Array, q: Array, v: Array, f: Array) -> float:
    """Add (2) to f; return the power of what has no potential (3)."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        ax, ay, az = place(q, p.first, p.at1)
        bx, by, bz = place(q, p.second, p.at2)
        x, y, z = bx - ax, by - ay, bz - az
        length = math.sqrt(x * x + y * y + z * z)
        if length == 0.0:
            continue
        x, y, z = x / length, y / length, z / length
        ux, uy, uz = velocity(v, p.first, p.at1)
        wx, wy, wz = velocity(v, p.second, p.at2)
        rate = x * (wx - ux) + y * (wy - uy) + z * (wz - uz)
        pushing = sig[p.s, 0] if p.s >= 0 else 0.0
        s = p.k * (length - p.l0) + p.c * rate - pushing  # (2)
        push(p.first, p.at1, s * x, s * y, s * z, f)
        push(p.second, p.at2, -s * x, -s * y, -s * z, f)
        power += (pushing - p.c * rate) * rate  # (3)
    return power


@kernel
def potential(table: Records, q: Array) -> float:
    """Return the potential (3)."""
    total = 0.0
    for e in range(len(table)):
        p = table[e]
        ax, ay, az = place(q, p.first, p.at1)
        bx, by, bz = place(q, p.second, p.at2)
        length = math.sqrt((bx - ax) ** 2 + (by - ay) ** 2 + (bz - az) ** 2)
        total += 0.5 * p.k * (length - p.l0) ** 2
    return total
