"""Torsion spring and damper between two bodies; counts full turns.

a = theta_2 - theta_1 - a0,  a' = omega_2 - omega_1                                   (1)
M = k a + c a'                   -M on body 2, +M on body 1                           (2)
potential k a^2/2,  power of the damper -c a'^2                                       (3)
"""

from __future__ import annotations

import numpy as np

from particlemech._jit import Records, kernel
from particlemech.engine.particles.forces.geometry import spin, spin_z, turn, turn_z
from particlemech.engine.particles.forces.where import Emission, Where
from particlemech.engine.system import Array
from particlemech.model import forces

spec = forces.Torsion
TABLE = [
    ("body1", "i4"), ("body2", "i4"), ("l1", "f8"), ("l2", "f8"), ("angle1", "f8"), ("angle2", "f8"),
    ("k", "f8"), ("c", "f8"), ("a0", "f8"), ("D", "i4"), ("P", "i4"),
]  # fmt: skip


def record(spec: forces.Torsion, where: Where) -> tuple[tuple[float, ...], Emission]:
    """Return a table row, and which derivatives it writes (the same order as a spring)."""
    bodies = [where.body(b) for b in spec.bodies or ()]
    zs = [where.coordinates(b) for b in bodies]
    wrench = [(b, level, k) for level in (0, 1) for b in bodies for z in zs for k in z]
    power = [(level, k) for z in zs for level in (0, 1) for k in z]
    lengths, angles = [where.length(b) for b in bodies], [where.angle(b) for b in bodies]
    return (*bodies, *lengths, *angles, spec.stiffness, spec.damping, spec.angle), Emission(wrench, power)


@kernel
def applied(torsion: Records, theta: Array, z: Array, vz: Array, w: Array) -> float:
    """Subtract (2) from w and return the power of the dampers (3)."""
    power = 0.0
    for e in range(len(torsion)):
        p = torsion[e]
        angle = -p.a0
        if p.body1 >= 0:
            angle -= turn(z, p.body1, p.angle1, theta[p.body1])
        if p.body2 >= 0:
            angle += turn(z, p.body2, p.angle2, theta[p.body2])
        rate = spin(z, vz, p.body2, p.l2) - spin(z, vz, p.body1, p.l1)
        moment = p.k * angle + p.c * rate  # (2)
        if p.body1 >= 0:
            w[p.body1, 2] -= moment
        if p.body2 >= 0:
            w[p.body2, 2] += moment
        power -= p.c * rate * rate  # (3)
    return power


@kernel
def applied_z(torsion: Records, theta: Array, z: Array, vz: Array, cy: float, D: Array, val: Array) -> None:
    """Fill the derivatives of (2) and of the power (3), times cy."""
    for e in range(len(torsion)):
        p = torsion[e]
        rate = spin(z, vz, p.body2, p.l2) - spin(z, vz, p.body1, p.l1)
        for side in range(2):
            body = p.body1 if side == 0 else p.body2
            length = p.l1 if side == 0 else p.l2
            if body < 0:
                continue
            sign = -1.0 if side == 0 else 1.0
            for k in range(4):
                da = sign * turn_z(z, body, k)
                dr = -sign * spin_z(vz, body, length, k)  # by the coordinate
                dv = sign * spin_z(z, body, length, k)  # by its velocity
                for on in range(2):
                    d = p.D + 8 * on + 4 * side + k
                    push = -1.0 if on == 0 else 1.0
                    D[d, 0], D[d, 1], D[d, 2] = 0.0, 0.0, push * cy * (p.k * da + p.c * dr)
                    D[d + 16, 0], D[d + 16, 1], D[d + 16, 2] = 0.0, 0.0, push * cy * p.c * dv
                val[p.P + 8 * side + k] = -2.0 * cy * p.c * rate * dr
                val[p.P + 8 * side + 4 + k] = -2.0 * cy * p.c * rate * dv


@kernel
def stored(torsion: Records, theta: Array) -> float:
    """Return the potential (3) of all torsion springs, from the angles of the bodies (n_body,)."""
    total = 0.0
    for e in range(len(torsion)):
        p = torsion[e]
        angle = -p.a0
        if p.body1 >= 0:
            angle -= theta[p.body1]
        if p.body2 >= 0:
            angle += theta[p.body2]
        total += 0.5 * p.k * angle * angle
    return total


def potential(torsion: Records, z: Array, angle: Array) -> Array:
    """Return the potential (3) of all torsion springs at K samples, (K,), from body angles (K, n_body)."""
    total = np.zeros(len(z))
    for p in torsion:
        a = np.full(len(z), -p["a0"])
        if p["body1"] >= 0:
            a -= angle[:, p["body1"]]
        if p["body2"] >= 0:
            a += angle[:, p["body2"]]
        total += 0.5 * p["k"] * a**2
    return total
