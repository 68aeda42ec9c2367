"""Load: force F on a point of a body, in global axes or in those of the body; many of them along one that bends.

moment about O: arm x F,  power F.v                                                               (1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from particlemech._jit import Records, kernel
from particlemech.engine.bending.spots import spread
from particlemech.engine.recursive.laws.geometry import Where, arm, push, signals_of
from particlemech.engine.vector_kernels import shifted
from particlemech.model.space.forces import Distributed, Load

if TYPE_CHECKING:
    from particlemech.engine.recursive.tables import WorkArrays

SPEC = (Load, Distributed)
TABLE = [("body", "i4"), ("turning", "i4"), ("signal", "i4", (3,)), ("at", "f8", (3,)), ("weight", "f8")]


def records(spec: Load | Distributed, where: Where) -> list[tuple[Any, ...]]:
    """Return the rows of the table: one, or of a load along a body one at each place of a quadrature."""
    force = tuple(where.signal(component) for component in spec.force)
    if isinstance(spec, Load):
        i, at = where.spot(spec.point, spec.body)
        return [(i, spec.frame == "body", force, at, 1.0)]
    places = [
        (where.spot(place, spec.body), weight) for place, weight in spread(where.mechanism, spec.body, spec.spread)
    ]
    return [(i, spec.frame == "body", force, at, weight) for (i, at), weight in places]


@kernel
def applied(table: Records, s: WorkArrays) -> float:
    """Add (1) to the loads; return the power."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        fx, fy, fz = signals_of(s.sig, p.signal)
        fx, fy, fz = p.weight * fx, p.weight * fy, p.weight * fz
        if p.turning:
            fx, fy, fz = shifted(s.S[p.body], fx, fy, fz)
        x, y, z = arm(s.S[p.body], p.at)
        power += push(p.body, x, y, z, fx, fy, fz, s)
    return power
