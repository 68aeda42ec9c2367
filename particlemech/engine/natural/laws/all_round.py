"""Torsion in a spherical joint, alike about all axes: phi the rotation vector of the second body against the first.

    M = -k phi - c (omega_2 - omega_1)      on the second body, -M on the first                        (1)
    potential k |phi|^2/2,  power of the damper -c |omega_2 - omega_1|^2                               (2)

With d_i the axes of the first and e_i those of the second, R = sum of e_i d_i^T, and its quaternion (w, x) is

    4 w^2 = 1 + tr R,   4 w x = sum of d_i x e_i,   phi = 2 atan2(|x|, w) x/|x|                         (3)

phi is at most half a turn long.
"""

from __future__ import annotations

from typing import Any

from particlemech._jit import Records, kernel
from particlemech.engine.natural.laws.geometry import (
    Triple,
    dot,
    minus,
    mixed,
    omega,
    plus,
    times,
    twist,
)
from particlemech.engine.natural.where import NaturalNumbers
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import rotation_vector
from particlemech.model.space.forces import ForceSpec

TABLE = [("first", "i4"), ("second", "i4"), ("k", "f8"), ("c", "f8")]


def takes(spec: ForceSpec, where: NaturalNumbers) -> bool:
    """Return whether a force is of this kind."""
    return spec.all_round(where.mechanism)


def record(spec: Any, where: NaturalNumbers) -> tuple[Any, ...]:
    """Return a row of the table."""
    return *where.ends(spec.joint), spec.stiffness, spec.damping


@kernel
def unit(k: int) -> Triple:
    """Return the k-th of the drawing's axes."""
    return 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0


@kernel
def turned(p: Records, q: Array) -> Triple:
    """Return phi (3)."""
    # R = sum_i e_i d_i^T in global axes
    xx = xy = xz = yx = yy = yz = zx = zy = zz = 0.0
    for k in range(3):
        x, y, z = unit(k)
        d, e = mixed(q, p.first, x, y, z), mixed(q, p.second, x, y, z)
        xx, xy, xz = xx + e[0] * d[0], xy + e[0] * d[1], xz + e[0] * d[2]
        yx, yy, yz = yx + e[1] * d[0], yy + e[1] * d[1], yz + e[1] * d[2]
        zx, zy, zz = zx + e[2] * d[0], zy + e[2] * d[1], zz + e[2] * d[2]
    return rotation_vector(xx, yx, zx, xy, yy, zy, xz, yz, zz)


@kernel
def applied(table: Records, sig: Array, theta: Array, q: Array, v: Array, f: Array) -> float:
    """Add (1) to f; return the power of the dampers (2)."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        spin = minus(omega(q, v, p.second), omega(q, v, p.first))
        x, y, z = times(-1.0, plus(times(p.k, turned(p, q)), times(p.c, spin)))  # (1)
        twist(p.second, q, x, y, z, f)
        twist(p.first, q, -x, -y, -z, f)
        power -= p.c * dot(spin, spin)
    return power


@kernel
def potential(table: Records, theta: Array, q: Array) -> float:
    """Return the potential (2)."""
    total = 0.0
    for e in range(len(table)):
        x, y, z = turned(table[e], q)
        total += 0.5 * table[e].k * (x * x + y * y + z * z)
    return total
