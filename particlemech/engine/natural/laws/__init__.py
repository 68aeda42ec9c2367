"""The laws of forces in space, one file each, and the kernels that call every loop.

Each file offers `TABLE`, `takes(spec, where)`, `record(spec, where)`, the loop `applied`, which adds to the forces f on
the bodies' full coordinates and returns the power of what has no potential, and `potential` where the force has one.
Derivatives are difference quotients over `applied`, in kernels.py.
Forces that the user has written in Python are in custom.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech._jit import kernel, noinline
from particlemech.engine.natural.laws import all_round, load, motor, spring, torque, torsion
from particlemech.engine.system import Array

if TYPE_CHECKING:
    from particlemech.engine.natural.tables import NaturalTables

FILES = (load, torque, spring, motor, torsion, all_round)

_load, _torque, _spring, _motor, _torsion, _all_round = (file.applied for file in FILES)
_spring_potential, _torsion_potential, _all_round_potential = spring.potential, torsion.potential, all_round.potential


@noinline
def applied(m: NaturalTables, sig: Array, theta: Array, z: Array, v: Array, f: Array) -> float:
    """Fill the forces f on all full coordinates, without gravity; return the power of what has no potential.

    theta are the angles of joints, up to full turns.
    """
    f[:] = 0.0
    power = _load(m.loads, sig, z, v, f)
    power += _torque(m.torques, sig, z, v, f)
    power += _spring(m.springs, sig, z, v, f)
    power += _motor(m.motors, sig, theta, z, v, f)
    power += _torsion(m.torsions, sig, theta, z, v, f)
    power += _all_round(m.all_round, sig, theta, z, v, f)
    return power


@kernel
def potential(m: NaturalTables, theta: Array, z: Array) -> float:
    """Return the potential of springs."""
    total = _spring_potential(m.springs, z) + _torsion_potential(m.torsions, theta, z)
    return total + _all_round_potential(m.all_round, theta, z)
