"""Torque: a couple on the second body, reacted by the first.

wrench (0, +tau) on body 2, (0, -tau) on body 1,  power tau (omega_2 - omega_1)       (1)
"""

from __future__ import annotations

from particlemech._jit import Records, kernel
from particlemech.engine.particles.forces.geometry import Emission, spin, spin_z
from particlemech.engine.particles.views import View
from particlemech.engine.system import Array
from particlemech.model import forces

spec = forces.Torque
TABLE = [("body1", "i4"), ("body2", "i4"), ("l1", "f8"), ("l2", "f8"), ("s", "i4"), ("D", "i4"), ("P", "i4")]


def record(spec: forces.Torque, where: View) -> tuple[tuple[float, ...], Emission]:
    """Return a table row, and which derivatives it writes: dP/dZ and dP/dZ' of body 1, then of body 2."""
    bodies = [where.body(b) for b in spec.bodies]
    emission = Emission([], [(level, k) for b in bodies for level in (0, 1) for k in where.coordinates(b)])
    return (*bodies, *(where.length(b) for b in bodies), where.signal(spec.torque)), emission


@kernel
def applied(torque: Records, sig: Array, z: Array, vz: Array, w: Array) -> float:
    """Subtract (1) from w and return the power."""
    power = 0.0
    for e in range(len(torque)):
        p = torque[e]
        tau = sig[p.s, 0]
        if p.body1 >= 0:
            w[p.body1, 2] += tau
        if p.body2 >= 0:
            w[p.body2, 2] -= tau
        power += tau * (spin(z, vz, p.body2, p.l2) - spin(z, vz, p.body1, p.l1))
    return power


@kernel
def applied_z(torque: Records, sig: Array, z: Array, vz: Array, cy: float, D: Array, val: Array) -> None:
    """Fill the derivatives of the power, times cy; the wrench has none."""
    for e in range(len(torque)):
        p = torque[e]
        tau = cy * sig[p.s, 0]
        for k in range(4):
            if p.body1 >= 0:
                val[p.P + k] = tau * spin_z(vz, p.body1, p.l1, k)
                val[p.P + 4 + k] = -tau * spin_z(z, p.body1, p.l1, k)
            if p.body2 >= 0:
                val[p.P + 8 + k] = -tau * spin_z(vz, p.body2, p.l2, k)
                val[p.P + 12 + k] = tau * spin_z(z, p.body2, p.l2, k)
