"""The laws of the forces of a tree, one file each, and the two kernels that call every loop.

Each file offers `SPEC`, `TABLE`, `records(spec, where)`, the loop `applied`, which adds to `load` and `tau` of the work
arrays and returns the power of what has no potential, and `potential` where the force has one. Gravity is a
field of the tree. `elastic` belongs to bodies and drives, and has no force of the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech._jit import kernel, noinline
from particlemech.engine.recursive.laws import custom, elastic, load, motor, spring, torque, torsion

if TYPE_CHECKING:
    from particlemech.engine.recursive.tables import Tables, WorkArrays

FILES = (load, torque, spring, torsion, motor, custom)

_load, _torque, _spring, _torsion, _motor, _custom = (file.applied for file in FILES)
_elastic = elastic.applied
_spring_potential, _torsion_potential, _elastic_potential = spring.potential, torsion.potential, elastic.potential


@noinline
def applied(m: Tables, s: WorkArrays) -> float:
    """Fill load (n_body + 1, 6) and tau (n_stage, 2) with all applied forces; return their power."""
    s.load[:, :] = 0.0
    s.tau[:, :] = 0.0
    power = _load(m.loads, s)
    power += _torque(m.torques, s)
    power += _spring(m.springs, s)
    power += _torsion(m.torsions, s)
    power += _motor(m.motors, s)
    power += _custom(m.customs, s)
    power += _elastic(m.elastics, s)
    return power


@kernel
def strained(m: Tables, s: WorkArrays) -> float:
    """Return the potential of deflections alone."""
    return _elastic_potential(m.elastics, s)


@kernel
def potential(m: Tables, s: WorkArrays) -> float:
    """Return the potential of all springs."""
    springs = _spring_potential(m.springs, s) + _torsion_potential(m.torsions, s)
    return springs + _elastic_potential(m.elastics, s)
