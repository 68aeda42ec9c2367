"""Motors and controllers that own states, for explicit steps: efforts by control_laws.py on coordinates by motor.py.

Coordinates stand in a table of their own, GAUGE, as motors have them: first those on which elements act, then what they
measure; a point's coordinate is its travel along an axis from where it is drawn, a body's angle is that against the
ground. IDA and samples ask Python for the same efforts (custom.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech._jit import Records, kernel, noinline, table
from particlemech.engine.elements import Elements, law
from particlemech.engine.particles.forces.geometry import apply, place, spin
from particlemech.engine.particles.forces.motor import TABLE, angle, gauged, travelled
from particlemech.engine.particles.views import View
from particlemech.engine.plane import Pose, at_home
from particlemech.engine.system import Array
from particlemech.model.control import Gauge
from particlemech.model.description import GROUND
from particlemech.model.freedom import Freedom

GAUGE = TABLE
ELEMENT = [(name, "i4") for name in ("kind", "acted", "sensor", "rate", "signal", "first", "at", "end")]


def freedom(mechanism: Any, gauge: Gauge) -> Freedom:
    """Return what is measured as a coordinate of a body against another."""
    if gauge.of == "joint":
        found: Freedom = mechanism.coordinate(gauge.part, gauge.what)
        return found
    if gauge.of == "body":
        return Freedom("angle", True, GROUND, gauge.part)
    axis = (1.0, 0.0) if gauge.what == "x" else (0.0, 1.0)
    return Freedom("travel", False, GROUND, mechanism.carrier(gauge.part), gauge.part, axis)


def known(elements: Elements) -> dict[str, Any]:
    """Return those whose laws kernels know: all but functions."""
    return {name: spec for name, spec in elements.specs.items() if spec.in_file}


def offsets(elements: Elements, home: Pose | None) -> list[float]:
    """Return what has to be added to a coordinate, counted from the points as drawn, for what elements measure."""
    found, m = [], elements.mechanism
    for spec in known(elements).values():
        gauge = spec.gauge(m)
        if gauge is None or gauge.rate:
            found.append(0.0)
        elif gauge.of == "point":
            found.append(float(m.points[gauge.part]["xy".index(gauge.what)]))
        else:
            found.append(-at_home(m, home, freedom(m, gauge)))
    return found


NO_ELEMENTS = table([], GAUGE), table([], ELEMENT), np.zeros(0)


def tables(elements: Elements, where: View) -> tuple[Records, Records, Array]:
    """Return GAUGE, ELEMENT and the numbers of laws."""
    if not elements:
        return NO_ELEMENTS
    gauges: list[Any] = []
    records: list[Any] = []
    numbers: list[float] = []
    m = elements.mechanism
    for name, spec in known(elements).items():
        kind, own = spec.numbers(m)
        gauge, sensor = spec.gauge(m), -1
        acted = len(gauges)
        gauges.append((*gauged(spec.on(m), where), 0.0, 0.0, 0.0, -1, 0, 0))
        if gauge is not None:
            sensor = len(gauges)
            gauges.append((*gauged(freedom(m, gauge), where), 0.0, 0.0, 0.0, -1, 0, 0))
        rate = int(gauge is not None and gauge.rate)
        ends = len(numbers), len(numbers) + len(own)
        records.append((kind, acted, sensor, rate, where.signal(spec.input), elements.place[name].start, *ends))
        numbers += own
    return table(gauges, GAUGE), table(records, ELEMENT), np.array(numbers, dtype=float)


@kernel
def measured(p: Records, theta: Array, z: Array, vz: Array) -> tuple[float, float]:
    """Return a coordinate, counted from the points as drawn, and its rate: motor.py (2), (3)."""
    if p.turn:
        return angle(p, theta, z), spin(z, vz, p.body2, p.l2) - spin(z, vz, p.body1, p.l1)
    ux, uy, vx, vy, dx, dy, rx, ry = travelled(p, z, vz)
    return ux * dx + uy * dy, ux * rx + uy * ry + vx * dx + vy * dy


@noinline
def exerted(
    gauge: Records, element: Records, numbers: Array, offset: Array, sig: Array, theta: Array, z: Array, vz: Array,
    own: Array, own_dot: Array, w: Array,
) -> float:  # fmt: skip
    """Subtract all efforts from w, fill the rates of the states, and return the power."""
    power = 0.0
    for e in range(len(element)):
        p = element[e]
        g = gauge[p.acted]
        _, rate = measured(g, theta, z, vz)
        y = y_dot = 0.0
        if p.sensor >= 0:
            y, y_dot = measured(gauge[p.sensor], theta, z, vz)
            if p.rate:
                y, y_dot = y_dot, 0.0
            y += offset[e]
        s, s_dot = sig[p.signal, 0], sig[p.signal, 1]
        f = law(p.kind, numbers[p.at : p.end], s, s_dot, rate, y, y_dot, own, p.first, own_dot)
        power += f * rate
        if g.turn:
            if g.body1 >= 0:
                w[g.body1, 2] += f
            if g.body2 >= 0:
                w[g.body2, 2] -= f
        else:
            ux, uy, _, _, _, _, _, _ = travelled(g, z, vz)
            x, y = place(z, g.body2, g.a2, g.b2, g.x2, g.y2)
            apply(w, g.body2, x, y, f * ux, f * uy)
            apply(w, g.body1, x, y, -f * ux, -f * uy)
    return power
