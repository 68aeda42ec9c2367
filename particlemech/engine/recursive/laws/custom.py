"""What is called, Python functions, motors and controllers: what each has given at this instant, row by row of `given`.

on a body:   force F at the place P and couple C:  moment about O (P - O) x F + C             (1)
             O is that of its section at a point, where the body bends
in a joint:  effort on one coordinate                                                         (2)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from particlemech._jit import Records, kernel
from particlemech.engine.recursive.laws.geometry import Where, push
from particlemech.engine.vector_kernels import dot
from particlemech.model.acting import Called

if TYPE_CHECKING:
    from particlemech.engine.recursive.tables import WorkArrays

SPEC = Called
TABLE = [("body", "i4"), ("stage", "i4")]
GIVEN = 9  # numbers of one: force, place and couple, or the effort first


def records(spec: Any, where: Where) -> list[tuple[Any, ...]]:
    """Return the row of the table."""
    if spec.joint is not None:
        return [(0, where.stages(spec.joint, spec.coordinate)[0])]
    return [(where.spot(spec.point, spec.body or "")[0], -1)]


@kernel
def applied(table: Records, s: WorkArrays) -> float:
    """Add (1) to the loads and (2) to tau; return the power."""
    power = 0.0
    for e in range(len(table)):
        p, g = table[e], s.given[e]
        if p.stage >= 0:
            s.tau[p.stage, 0] += g[0]  # (2)
            power += g[0] * s.x[p.stage, 1]
            continue
        at, w = s.O[p.body], s.omega[p.body]
        power += push(p.body, g[3] - at[0], g[4] - at[1], g[5] - at[2], g[0], g[1], g[2], s)
        for k in range(3):
            s.load[p.body, k] += g[6 + k]
        power += dot(g[6], g[7], g[8], w[0], w[1], w[2])
    return power
