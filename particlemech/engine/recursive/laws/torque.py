"""Torque: couple M on the second body, -M on the first, in global axes or in those of the second.

power M.(omega_2 - omega_1)                                                                       (1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from particlemech._jit import Records, kernel
from particlemech.engine.bending.spots import acting_at, spread
from particlemech.engine.recursive.laws.geometry import Where, signals_of
from particlemech.engine.vector_kernels import shifted
from particlemech.model.space.forces import Distributed, Torque

if TYPE_CHECKING:
    from particlemech.engine.recursive.tables import WorkArrays

SPEC = (Torque, Distributed)
TABLE = [("first", "i4"), ("second", "i4"), ("turning", "i4"), ("signal", "i4", (3,)), ("weight", "f8")]


def records(spec: Torque | Distributed, where: Where) -> list[tuple[Any, ...]]:
    """Return the rows of the table: one, or of moments along a body one at each place of a quadrature."""
    m, turning = where.mechanism, spec.frame == "body"
    if isinstance(spec, Torque):
        first, second = (where.spot(acting_at(m, spec, b), b)[0] for b in spec.bodies)
        return [(first, second, turning, tuple(where.signal(component) for component in spec.torque), 1.0)]
    moment = tuple(where.signal(component) for component in spec.moment)
    places = spread(m, spec.body, spec.spread)
    return [(0, where.spot(place, spec.body)[0], turning, moment, weight) for place, weight in places]


@kernel
def applied(table: Records, s: WorkArrays) -> float:
    """Add the couples to the loads; return the power (1)."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        m = signals_of(s.sig, p.signal)
        if p.turning:
            m = shifted(s.S[p.second], m[0], m[1], m[2])
        for k in range(3):
            s.load[p.second, k] += p.weight * m[k]
            s.load[p.first, k] -= p.weight * m[k]
            power += p.weight * m[k] * (s.omega[p.second, k] - s.omega[p.first, k])
    return power
