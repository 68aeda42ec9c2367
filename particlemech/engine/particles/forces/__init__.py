"""The forces of the particle formulation, one file each, and the two kernels that call every loop.

Each file offers `spec`, `TABLE`, `record(spec, where)`, the loops `applied` (wrench and power) and `applied_z`
(their derivatives), and `stored`, the potential, where the force has one. Gravity is a field of the mechanism
(chain.py), custom forces are Python functions (custom.py).
"""

from typing import Any

from particlemech._jit import Records, entry, kernel
from particlemech.engine.particles.forces import load, motor, spring, torque
from particlemech.engine.system import Array
from particlemech.model.forces import ForceSpec

KINDS = (load, torque, spring, motor)

_load, _torque, _spring, _motor = (kind.applied for kind in KINDS)
_load_z, _torque_z, _spring_z, _motor_z = (kind.applied_z for kind in KINDS)
_stored_in_springs, _stored_in_motors = spring.stored, motor.stored


def takes(kind: Any, spec: ForceSpec) -> bool:
    """Whether the table of a kind takes a force: all that act on a coordinate stand with the motors."""
    return motor.takes(spec) if kind is motor else isinstance(spec, kind.spec) and not motor.takes(spec)


@kernel
def applied(loads: Records, torques: Records, springs: Records, motors: Records, sig: Array, theta: Array, z: Array,
            vz: Array, w: Array) -> float:  # fmt: skip
    """Subtract all applied wrenches from w (n_body, 3) and return the power of loads, torques and dampers, W."""
    power = _load(loads, sig, z, vz, w)
    power += _torque(torques, sig, z, vz, w)
    power += _spring(springs, sig, z, vz, w)
    if len(motors):
        power += _motor(motors, sig, theta, z, vz, w)
    return power


@kernel
def applied_z(loads: Records, torques: Records, springs: Records, motors: Records, sig: Array, theta: Array, z: Array,
              vz: Array, cy: float, D: Array, val: Array) -> None:  # fmt: skip
    """Fill the derivatives of all applied wrenches into D and of the power into val, times cy."""
    _load_z(loads, sig, z, vz, cy, D, val)
    _torque_z(torques, sig, z, vz, cy, D, val)
    _spring_z(springs, sig, z, vz, cy, D, val)
    if len(motors):
        _motor_z(motors, sig, theta, z, vz, cy, D, val)


@entry
def potentials(springs: Records, motors: Records, z: Array, theta: Array, out: Array) -> None:
    """Fill the potential of all forces at K samples, out (K,), from z (K, 4 n_body) and body angles (K, n_body)."""
    for k in range(len(z)):
        out[k] = _stored_in_springs(springs, z[k])
        if len(motors):
            out[k] += _stored_in_motors(motors, theta[k], z[k])
