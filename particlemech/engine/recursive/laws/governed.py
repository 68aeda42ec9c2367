"""Motors and controllers on coordinates of joints: efforts by control_laws.py into rows of `given`, see custom.py.

What they measure is a coordinate of a joint, x of its stage, or a place P of a body along an axis e:

    y = e.(O + S p),   y' = e.(v + omega x S p)                                                   (1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech._jit import Records, kernel, noinline, table
from particlemech.engine.elements import Elements, law
from particlemech.engine.recursive.laws.geometry import arm
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import cross
from particlemech.model.control import AXES

if TYPE_CHECKING:
    from particlemech.engine.recursive.tables import Tables, WorkArrays

TABLE = [
    *(
        (name, "i4")
        for name in ("kind", "row", "acted", "stage", "body", "axis", "rate", "signal", "first", "at", "end")
    ),
    ("place", "f8", (3,)),
]


def records(elements: Elements, where: Any) -> tuple[Records, Array]:
    """Return the table and the numbers of laws; a function of Python has no row here."""
    found: list[tuple[Any, ...]] = []
    numbers: list[float] = []
    m = where.mechanism
    for row, (name, spec) in enumerate(elements.specs.items()):
        if not spec.in_file:
            continue
        kind, own = spec.numbers(m)
        stage, body, axis, place, gauge = -1, -1, 0, (0.0, 0.0, 0.0), spec.gauge(m)
        if gauge is not None and gauge.of == "joint":
            stage = where.stages(gauge.part, gauge.what)[0]
        elif gauge is not None:
            body, place = where.spot(gauge.part, m.carrier(gauge.part))
            axis = AXES.index(gauge.what)
        read = stage, body, axis, int(gauge is not None and gauge.rate)
        ends = len(numbers), len(numbers) + len(own)
        acted = where.stages(spec.joint, spec.coordinate)[0]
        found.append((kind, row, acted, *read, where.signal(spec.input), elements.place[name].start, *ends, place))
        numbers += own
    return table(found, TABLE), np.array(numbers, dtype=float)


@kernel
def placed(p: Records, s: WorkArrays) -> tuple[float, float]:
    """Return (1)."""
    x, y, z = arm(s.S[p.body], p.place)
    O, v, w = s.O[p.body], s.v[p.body], s.omega[p.body]
    dx, dy, dz = cross(w[0], w[1], w[2], x, y, z)
    if p.axis == 0:
        return O[0] + x, v[0] + dx
    if p.axis == 1:
        return O[1] + y, v[1] + dy
    return O[2] + z, v[2] + dz


@noinline
def govern(state: Array, m: Tables, s: WorkArrays) -> None:
    """Fill rows of `given` with efforts and own[1] with the rates of z, after `outward`; z stand before the work."""
    n_z = s.own.shape[1]
    first = len(state) - 1 - n_z
    if first < len(s.speed):  # a pose alone: nothing is known of z
        return
    own, rates = s.own[0], s.own[1]
    for k in range(n_z):
        own[k] = state[first + k]
    for e in range(len(m.element)):
        p = m.element[e]
        y = y_dot = 0.0
        if p.stage >= 0:
            y, y_dot = s.x[p.stage, 0], s.x[p.stage, 1]
        elif p.body >= 0:
            y, y_dot = placed(p, s)
        if p.rate:
            y, y_dot = y_dot, 0.0
        u, u_dot = s.sig[p.signal, 0], s.sig[p.signal, 1]
        numbers = m.numbers[p.at : p.end]
        s.given[p.row, 0] = law(p.kind, numbers, u, u_dot, s.x[p.acted, 1], y, y_dot, own, p.first, rates)
