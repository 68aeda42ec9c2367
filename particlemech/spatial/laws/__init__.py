"""The laws of forces in space, one file each, and the two kernels that call every loop.

Each file offers `SPEC`, `TABLE`, `record(spec, where)`, the loop `applied`, which adds to the forces f on the bodies'
coordinates and returns the power of what has no potential, and `potential` where the force has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech._jit import apart, kernel
from particlemech.spatial.laws import load, motor, spring, torque, torsion
from particlemech.system import Array

if TYPE_CHECKING:
    from particlemech.spatial.tables import Tables

FILES = (load, torque, spring, motor, torsion)

_load, _torque, _spring, _motor, _torsion = (file.applied for file in FILES)
_spring_potential, _torsion_potential = spring.potential, torsion.potential


@apart
def applied(m: Tables, sig: Array, theta: Array, q: Array, v: Array, f: Array) -> float:
    """Fill the forces f (n_q,) on all coordinates, gravity included; return the power of what has no potential.

    theta (n_torsion,) are the angles of torsion springs, up to full turns.
    """
    f[:] = 0.0
    for b in range(len(m.body)):
        for k in range(3):
            f[12 * b + k] = m.body[b].block[0, 0] * m.gravity[k]
    power = _load(m.loads, sig, q, v, f)
    power += _torque(m.torques, sig, q, v, f)
    power += _spring(m.springs, sig, q, v, f)
    power += _motor(m.motors, sig, q, v, f)
    power += _torsion(m.torsions, theta, q, v, f)
    return power


@kernel
def potential(m: Tables, theta: Array, q: Array) -> float:
    """Return the potential of gravity and springs."""
    total = _spring_potential(m.springs, q) + _torsion_potential(m.torsions, theta, q)
    for b in range(len(m.body)):
        for k in range(3):
            total -= m.body[b].block[0, 0] * m.gravity[k] * q[12 * b + k]
    return total
