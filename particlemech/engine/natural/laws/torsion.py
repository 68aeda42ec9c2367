"""Torsion: spring and damper on a coordinate x of a joint, freedom.py.

    effort -k (x - rest) - c x'                                                                       (1)
    potential k (x - rest)^2/2,  power of the damper -c x'^2                                          (2)

An angle is exact, on the turn that a state theta with the same rate tells: it counts turns.
"""

from __future__ import annotations

from typing import Any

from particlemech._jit import Records, kernel
from particlemech.engine.natural.laws.freedom import (
    FREEDOM,
    exert,
    freedom,
    speed,
    value,
)
from particlemech.engine.natural.where import NaturalNumbers
from particlemech.engine.system import Array
from particlemech.model.space.forces import ForceSpec, Torsion

TABLE = [*FREEDOM, ("k", "f8"), ("c", "f8"), ("rest", "f8")]


def takes(spec: ForceSpec, where: NaturalNumbers) -> bool:
    """Return whether a force is of this kind: one alike about all axes is not."""
    return isinstance(spec, Torsion) and not spec.all_round(where.mechanism)


def record(spec: Torsion, where: NaturalNumbers) -> tuple[Any, ...]:
    """Return a row of the table."""
    return *freedom(spec.joint, spec.coordinate, where), spec.stiffness, spec.damping, spec.free


@kernel
def stretched(p: Records, theta: Array, q: Array) -> float:
    """Return x - rest."""
    return value(p, theta[p.theta] if p.theta >= 0 else 0.0, q) - p.rest


@kernel
def applied(table: Records, sig: Array, theta: Array, q: Array, v: Array, f: Array) -> float:
    """Add (1) to f; return the power of the dampers (2)."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        rate = speed(p, q, v)
        exert(p, -p.k * stretched(p, theta, q) - p.c * rate, q, f)  # (1)
        power -= p.c * rate * rate  # (2)
    return power


@kernel
def potential(table: Records, theta: Array, q: Array) -> float:
    """Return the potential (2)."""
    total = 0.0
    for e in range(len(table)):
        total += 0.5 * table[e].k * stretched(table[e], theta, q) ** 2
    return total
