"""Elastic: what pairs of deflections do to each other, modal coordinates of bending bodies and drives that yield.

    tau_r = -sum over s of k_rs x_s + c_rs x_s'        potential x.k x/2, power of the dampers -x'.c x'       (1)

[G88] (2.3-22); k is that of each part, c of the whole body, see damping.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech._jit import Records, kernel

if TYPE_CHECKING:
    from particlemech.engine.recursive.tables import WorkArrays

TABLE = [("r", "i4"), ("s", "i4"), ("k", "f8"), ("c", "f8")]


@kernel
def applied(table: Records, s: WorkArrays) -> float:
    """Add (1) to tau; return the power of the dampers."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        rate = s.x[p.s, 1]
        s.tau[p.r, 0] -= p.k * s.x[p.s, 0] + p.c * rate
        power -= p.c * rate * s.x[p.r, 1]
    return power


@kernel
def potential(table: Records, s: WorkArrays) -> float:
    """Return the potential of all pairs."""
    total = 0.0
    for e in range(len(table)):
        total += 0.5 * table[e].k * s.x[table[e].r, 0] * s.x[table[e].s, 0]
    return total
