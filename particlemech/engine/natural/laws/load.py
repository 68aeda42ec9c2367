"""Load: force F on a point of a body, in global axes or in those of the body; power F.v."""

from __future__ import annotations

from typing import Any

from particlemech._jit import Records, kernel
from particlemech.engine.natural.laws.geometry import mixed, push, signals_of, velocity
from particlemech.engine.natural.where import NaturalNumbers
from particlemech.engine.system import Array
from particlemech.model.space.forces import ForceSpec, Load

TABLE = [("body", "i4"), ("turning", "i4"), ("signal", "i4", (3,)), ("at", "f8", (3,))]


def takes(spec: ForceSpec, where: NaturalNumbers) -> bool:
    """Return whether a force is of this kind."""
    return isinstance(spec, Load)


def record(spec: Load, where: NaturalNumbers) -> tuple[Any, ...]:
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
            x, y, z = mixed(q, p.body, x, y, z)
        push(p.body, p.at, x, y, z, f)
        vx, vy, vz = velocity(v, p.body, p.at)
        power += x * vx + y * vy + z * vz
    return power
