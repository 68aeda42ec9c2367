"""Measures as a page: what was found, with units, in a few tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from particlemech.analyses.measures import rates
from particlemech.analyses.measures.curves import CARRIED
from particlemech.analyses.text_table import Row, table
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model import columns

if TYPE_CHECKING:
    from particlemech.analyses.measures.curves import Statistics
    from particlemech.analyses.measures.measures import Measures

DEGREES = 180.0 / math.pi
STILL = 1e-9  # of the largest in its table: what is smaller is rounding


def lines(of: Measures) -> Iterator[str]:
    """Give the lines of the page."""
    span = of.span
    if span.cycles:
        many = "1 full cycle" if span.cycles == 1 else f"{span.cycles} full cycles"
        yield f"over {many} of {span.period:.6g} s, from {span.start:.6g} to {span.end:.6g} s"
    else:
        yield f"over the whole run, from {span.start:.6g} to {span.end:.6g} s: it holds no full cycle"
    if of.still:
        yield f"{of.still} of {len(of.t)} samples have no velocity ratio: the driver stands still there"
    for title, heads, rows in (_transmissions(of), _outputs(of), _exerted(of), _shaken(of), _rods(of), _flywheels(of)):
        if rows:
            yield from table(title, heads, rows)


def _transmissions(of: Measures) -> tuple[str, Row, list[Row]]:
    rows: list[Row] = []
    for name in of.outputs:
        if f"{name}.transmission" in of.columns():
            low, high = of.extremes(f"{name}.transmission")
            worst = min(low.value, math.pi - high.value) * DEGREES
            cells = [f"{x.value * DEGREES:.5g}" for x in (low, high)]
            rows.append((name, cells[0], f"{low.t:.5g}", cells[1], f"{high.t:.5g}", f"{worst:.5g}"))
    return "transmission angles, degrees", ("output", "least", "at s", "largest", "at s", "worst, to 90"), rows


def _outputs(of: Measures) -> tuple[str, Row, list[Row]]:
    """Return range, velocity ratios and time ratio of coordinates."""
    m, rows = of.mechanism, []
    known = {**of.result.columns(), **of.columns()}
    for label, (joint, name) in rates.labels(m).items():
        unit = columns.unit(m, columns.quantity(m, label))
        ends, ratios = (_range(known.get(column)) for column in (label, f"{label}_ratio"))
        try:
            strokes = f"{of.time_ratio(f'{joint}.{name}').ratio:.6g}"
        except ModelError:
            strokes = ""
        rows.append((label, *ends, unit, *ratios, strokes))
    return "coordinates", ("coordinate", "least", "largest", "unit", "least ratio", "largest ratio", "time ratio"), rows


def _range(values: Array | None) -> Row:
    """Return the least and the largest of values in words; nothing of none."""
    if values is None or not np.isfinite(values).any():
        return "", ""
    size = float(np.nanmax(np.abs(values)))
    return _rounded(float(np.nanmin(values)), size), _rounded(float(np.nanmax(values)), size)


def _cells(s: Statistics) -> Row:
    return _rounded(s.peak, s.rms), f"{s.t:.5g}", _rounded(s.mean, s.rms), f"{s.rms:.5g}"


def _rounded(value: float, size: float) -> str:
    """Return a number in words, 0 where it is rounding beside a size."""
    return f"{0.0 if abs(value) <= STILL * size else value:.5g}"


def _exerted(of: Measures) -> tuple[str, Row, list[Row]]:
    """Return peak, mean and root mean square of efforts and powers, and work per cycle."""
    m, rows = of.mechanism, []
    efforts = of.result.columns()
    for name in (*m.drivers, *m.forces):
        for column in (f"{name}.effort", f"{name}.power"):
            if column not in efforts and column not in of.columns():
                continue
            s, unit = of.statistics(column), columns.unit(m, columns.quantity(m, column))
            work = ""
            if column.endswith(".power") and of.span.cycles:
                work = f"{_rounded(of.work(name), s.rms * of.span.period)} {m.unit.energy}"
            rows.append((column, *_cells(s), unit, work))
    return "efforts and powers", ("", "peak", "at s", "mean", "rms", "unit", "work per cycle"), rows


def _shaken(of: Measures) -> tuple[str, Row, list[Row]]:
    m, rows = of.mechanism, []
    known = {name: values for name, values in of.columns().items() if name.startswith("shaking.")}
    largest = max((float(np.nanmax(np.abs(v), initial=0.0)) for v in known.values()), default=0.0)
    for name, values in known.items():
        s, unit = of.statistics(name), columns.unit(m, columns.quantity(m, name))
        if np.isfinite(values).any() and np.nanmax(np.abs(values)) > STILL * largest:
            rows.append((name, *_cells(s), unit))
    about = "the origin" if of.about is None else f"{of.about}"
    return f"on the frame, moment about {about}", ("", "peak", "at s", "mean", "rms", "unit"), rows


def _rods(of: Measures) -> tuple[str, Row, list[Row]]:
    """Return the largest forces in sections of rods."""
    rows: list[Row] = []
    for name in of.rods:
        if f"{name}.moment_max" in of.columns():
            inside = (of.t >= of.span.start) & (of.t <= of.span.end)
            every = [of.columns()[f"{name}.{what}"][inside] for what in CARRIED]  # they have kinks: samples as they are
            most, k = [float(values.max()) for values in every], int(np.argmax(every[2]))
            rows.append((name, *(_rounded(value, max(most)) for value in most), f"{of.t[inside][k]:.5g}"))
    m = of.mechanism
    force, moment = (columns.unit(m, what) for what in ("force", "moment"))
    return "rods", ("rod", f"axial, {force}", f"shear, {force}", f"bending, {moment}", "at s"), rows


def _flywheels(of: Measures) -> tuple[str, Row, list[Row]]:
    """Return mean moment, excess energy and the flywheel for a fluctuation of 1 in 100 of driven shafts."""
    m, rows = of.mechanism, list[Row]()
    unit, energy = columns.unit(m, "moment"), m.unit.energy
    for name, driver in m.drivers.items():
        if not driver.turns(m):
            continue
        try:
            found, wheel = of.turning_moment(name), of.flywheel(0.01, name)
        except ModelError:
            continue
        mean = _rounded(found.mean, float(np.max(np.abs(found.moment))))
        cells = (f"{mean} {unit}", f"{found.excess:.5g} {energy}", _rounded(of.fluctuation(name), 1.0))
        rows.append((name, *cells, f"{wheel.inertia:.5g} {m.unit.mass} {m.unit.length}^2"))
    heads: Row = ("shaft", "mean moment", "excess energy", "fluctuation", "flywheel for 1 %")
    return "shafts", heads, rows
