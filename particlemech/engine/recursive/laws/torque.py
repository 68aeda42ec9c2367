"""Torque: couple M on the second body, -M on the first, in global axes or in those of the second.

power M.(omega_2 - omega_1)                                                                       (1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from particlemech._jit import Records, kernel
from particlemech.engine.recursive.laws.geometry import Where, signals_of
from particlemech.engine.vector_kernels import shifted
from particlemech.model.space.forces import Torque

if TYPE_CHECKING:
    from particlemech.engine.recursive.tables import WorkArrays

SPEC = Torque
TABLE = [("first", "i4"), ("second", "i4"), ("turning", "i4"), ("signal", "i4", (3,))]


def record(spec: Torque, where: Where) -> tuple[Any, ...]:
    """Return a row of the table."""
    first, second = (where.body(b) for b in spec.bodies)
    return first, second, spec.frame == "body", tuple(where.signal(component) for component in spec.torque)


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
            s.load[p.second, k] += m[k]
            s.load[p.first, k] -= m[k]
            power += m[k] * (s.omega[p.second, k] - s.omega[p.first, k])
    return power
