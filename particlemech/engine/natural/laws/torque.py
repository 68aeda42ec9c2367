"""Torque: couple M on the second body, -M on the first, in global axes, in those of the second, or of the first.

power M.(omega_2 - omega_1)                                                                       (1)

Motors that turn in all directions are couples in the axes of the first body of their joint.
"""

from __future__ import annotations

from typing import Any

from particlemech._jit import Records, kernel
from particlemech.engine.natural.laws.geometry import mixed, omega, signals_of, twist
from particlemech.engine.natural.where import NaturalNumbers
from particlemech.engine.system import Array
from particlemech.model.space.forces import ForceSpec

TABLE = [("first", "i4"), ("second", "i4"), ("axes", "i4"), ("signal", "i4", (3,))]


def takes(spec: ForceSpec, where: NaturalNumbers) -> bool:
    """Return whether a force is of this kind."""
    return spec.couple(where.mechanism) is not None


def record(spec: ForceSpec, where: NaturalNumbers) -> tuple[Any, ...]:
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
