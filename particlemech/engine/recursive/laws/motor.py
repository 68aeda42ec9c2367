"""Motor: effort on one coordinate of a joint, or moment M on the child of a spherical or free joint, in parent axes.

tau_r = effort,  or  tau_r = M.a_r;  power tau_r x'_r                                             (1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from particlemech._jit import Records, kernel
from particlemech.engine.recursive.laws.geometry import Where, signals_of
from particlemech.engine.vector_kernels import dot, shifted
from particlemech.model.space.forces import Motor

if TYPE_CHECKING:
    from particlemech.engine.recursive.tables import WorkArrays

SPEC = Motor
TABLE = [("first", "i4"), ("last", "i4"), ("parent", "i4"), ("signal", "i4", (3,))]


def records(spec: Motor, where: Where) -> list[tuple[Any, ...]]:
    """Return the row of the table."""
    components = spec.moment or (spec.effort,) * 3
    numbers = tuple(where.signal(component) for component in components if component is not None)
    return [(*where.stages(spec.joint, spec.coordinate), where.ends(spec.joint)[0], numbers)]


@kernel
def applied(table: Records, s: WorkArrays) -> float:
    """Add (1) to tau; return the power."""
    power = 0.0
    for e in range(len(table)):
        p = table[e]
        mx, my, mz = signals_of(s.sig, p.signal)
        alone = p.last - p.first == 1
        nx, ny, nz = shifted(s.S[p.parent], mx, my, mz)
        for k in range(p.first, p.last):
            a = s.axis[k]
            tau = mx if alone else dot(nx, ny, nz, a[0], a[1], a[2])
            s.tau[k, 0] += tau
            power += tau * s.x[k, 1]
    return power
