"""Spring and damper in a joint.

    one coordinate:  tau = -k (x - free) - c x'                    potential k (x - free)^2/2         (1)
    a spherical joint, alike about all axes:  M = -k phi - c omega_rel        potential k |phi|^2/2              (2)

phi is the rotation vector from the drawing, at most half a turn long; M acts on the child, tau_r = M.a_r.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from particlemech._jit import Records, kernel
from particlemech.engine.recursive.laws.geometry import Where
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import Triple, back, dot, rotation_vector, shifted
from particlemech.model.space.forces import Torsion

if TYPE_CHECKING:
    from particlemech.engine.recursive.tables import WorkArrays

SPEC = Torsion
TABLE = [
    ("first", "i4"), ("last", "i4"), ("parent", "i4"), ("child", "i4"), ("k", "f8"), ("c", "f8"), ("free", "f8"),
]  # fmt: skip


def records(spec: Torsion, where: Where) -> list[tuple[Any, ...]]:
    """Return the row of the table."""
    stages, ends = where.stages(spec.joint, spec.coordinate), where.ends(spec.joint)
    return [(*stages, *ends, spec.stiffness, spec.damping, spec.free)]


@kernel
def turned(K: Array, S: Array) -> Triple:
    """Return the rotation vector that turns frame K (9,) into S (9,), global axes, at most pi long."""
    ax, ay, az = back(K, S[0], S[3], S[6])  # the columns of K^T S
    bx, by, bz = back(K, S[1], S[4], S[7])
    cx, cy, cz = back(K, S[2], S[5], S[8])
    x, y, z = rotation_vector(ax, ay, az, bx, by, bz, cx, cy, cz)
    return shifted(K, x, y, z)


@kernel
def applied(table: Records, s: WorkArrays) -> float:
    """Add (1) or (2) to tau; return the power of the dampers."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        if p.last - p.first == 1:
            rate = s.x[p.first, 1]
            s.tau[p.first, 0] -= p.k * (s.x[p.first, 0] - p.free) + p.c * rate  # (1)
            power -= p.c * rate * rate
            continue
        x, y, z = turned(s.S[p.parent], s.S[p.child])
        w, v = s.omega[p.child], s.omega[p.parent]
        u0, u1, u2 = w[0] - v[0], w[1] - v[1], w[2] - v[2]
        for k in range(p.first, p.last):
            a = s.axis[k]
            s.tau[k, 0] -= dot(p.k * x + p.c * u0, p.k * y + p.c * u1, p.k * z + p.c * u2, a[0], a[1], a[2])  # (2)
        power -= p.c * dot(u0, u1, u2, u0, u1, u2)
    return power


@kernel
def potential(table: Records, s: WorkArrays) -> float:
    """Return the potential of all springs."""
    total = 0.0
    for e in range(len(table)):
        p = table[e]
        if p.last - p.first == 1:
            total += 0.5 * p.k * (s.x[p.first, 0] - p.free) ** 2
        else:
            x, y, z = turned(s.S[p.parent], s.S[p.child])
            total += 0.5 * p.k * dot(x, y, z, x, y, z)
    return total
