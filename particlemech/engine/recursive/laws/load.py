"""Load: force F on a point of a body, in global axes or in those of the body.

moment about O: arm x F,  power F.v                                                               (1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from particlemech._jit import Records, kernel
from particlemech.engine.recursive.laws.geometry import Where, arm, push, signals_of
from particlemech.engine.vector_kernels import shifted
from particlemech.model.space.forces import Load

if TYPE_CHECKING:
    from particlemech.engine.recursive.tables import WorkArrays

SPEC = Load
TABLE = [("body", "i4"), ("turning", "i4"), ("signal", "i4", (3,)), ("at", "f8", (3,))]


def record(spec: Load, where: Where) -> tuple[Any, ...]:
    """Return a row of the table."""
    signals = tuple(where.signal(component) for component in spec.force)
    return where.body(spec.body), spec.frame == "body", signals, where.from_origin(spec.point, spec.body)


@kernel
def applied(table: Records, s: WorkArrays) -> float:
    """Add (1) to the loads; return the power."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        fx, fy, fz = signals_of(s.sig, p.signal)
        if p.turning:
            fx, fy, fz = shifted(s.S[p.body], fx, fy, fz)
        x, y, z = arm(s.S[p.body], p.at)
        power += push(p.body, x, y, z, fx, fy, fz, s)
    return power
