"""Motor: effort on the coordinate of a joint, freedom.py (2), with power effort times rate."""

from __future__ import annotations

from typing import Any

from particlemech._jit import Records, kernel
from particlemech.engine.natural.laws.freedom import FREEDOM, exert, freedom, speed
from particlemech.engine.natural.where import NaturalNumbers
from particlemech.engine.system import Array
from particlemech.model.signals import Constant
from particlemech.model.space.forces import ForceSpec, Motor

TABLE = [*FREEDOM, ("signal", "i4")]


def takes(spec: ForceSpec, where: NaturalNumbers) -> bool:
    """Return whether a force is of this kind: one with a moment in all directions is not."""
    return isinstance(spec, Motor) and spec.effort is not None


def record(spec: Motor, where: NaturalNumbers) -> tuple[Any, ...]:
    """Return a row of the table."""
    return *freedom(spec.joint, spec.coordinate, where), where.signal(spec.effort or Constant())


@kernel
def applied(table: Records, sig: Array, theta: Array, q: Array, v: Array, f: Array) -> float:
    """Add the efforts to f; return their power."""
    power = 0.0
    for e in range(len(table)):
        effort = sig[table[e].signal, 0]
        exert(table[e], effort, q, f)
        power += effort * speed(table[e], q, v)
    return power
