"""Compiled: a mechanism in space as tables of numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from particlemech._jit import Page, described, table
from particlemech._poly import Poly
from particlemech.description import GROUND
from particlemech.signal_tables import SEGMENT, SIGNAL, Signals
from particlemech.signals import SignalSpec
from particlemech.spatial import laws
from particlemech.spatial.coordinates import Coordinates, own_rows
from particlemech.spatial.mechanism import Mechanism
from particlemech.spatial.tables import BODY, ROW, Tables
from particlemech.spatial.views import View
from particlemech.system import Array, Row, Scale, regularisation
from particlemech.terms import tabulated

Place = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Compiled:
    """Tables of a mechanism in space; bodies in the order of the model."""

    mechanism: Mechanism
    coordinates: Coordinates
    view: View
    rows: tuple[Row, ...]  # of bodies, joints and drivers, in this order; all have a multiplier
    scale: Scale
    tables: Tables
    breaks: tuple[float, ...]
    until: float

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another process can use: addresses of arrays are no good there."""
        return {name: value for name, value in self.__dict__.items() if name != "page"}

    @cached_property
    def page(self) -> Page:
        """Return the tables for the kernels' book."""
        return described(self.tables)


class Where:
    """Names to numbers, for the records of forces."""

    def __init__(self, view: View) -> None:
        self.view, self.mechanism, self.coordinates = view, view.mechanism, view.coordinates

    def body(self, name: str) -> int:
        """Return the number of a body; 0 for the ground."""
        return 0 if name == GROUND else self.coordinates.index[name] + 1

    def beside_centre(self, place: Any, body: str) -> Place:
        """Return a place in body axes, from the centre of mass; of the ground from the computing origin."""
        x, y, z = np.subtract(self.mechanism.place(place, body), self.coordinates.origin)
        if body != GROUND:
            x, y, z = np.subtract((x, y, z), self.view.frame(body).centre)
        return float(x), float(y), float(z)

    def axis(self, joint: str) -> Place:
        """Return the axis of a joint, as drawn."""
        direction: Place = self.mechanism.joints[joint].direction  # type: ignore[attr-defined]
        return direction

    def ends(self, joint: str) -> tuple[int, int]:
        """Return the numbers of the bodies of a joint."""
        spec = self.mechanism.joints[joint]
        return self.body(spec.first), self.body(spec.second)

    def seat(self, joint: str, side: int) -> Place:
        """Return the place of a joint on its first (0) or second (1) body, from the centre of mass."""
        spec = self.mechanism.joints[joint]
        return self.beside_centre(spec.place(self.mechanism), spec.bodies[side])

    def slides(self, joint: str, coordinate: str | None) -> bool:
        """Return whether a coordinate is a travel rather than an angle."""
        return self.mechanism.coordinate(joint, coordinate) == "travel"

    def signal(self, spec: SignalSpec) -> int:
        """Return the number of a signal."""
        return self.view.signals.add(spec)


def tabulate(mechanism: Mechanism, time_scale: float = 1.0) -> Compiled:
    """Return the tables of a mechanism in space."""
    coordinates = Coordinates(mechanism)
    view = View(coordinates, Signals())
    polys, rows = _rows(view)
    scale = Scale(coordinates.L, sum(b.mass for b in mechanism.bodies.values()), time_scale)
    terms, cells = tabulated(polys)
    where = Where(view)
    force_tables = [
        table(
            [file.record(spec, where) for spec in mechanism.forces.values() if isinstance(spec, file.SPEC)], file.TABLE
        )
        for file in laws.FILES
    ]
    signals = view.signals
    tables = Tables(
        table([(block,) for block in coordinates.blocks], BODY),
        terms,
        cells,
        table(list(zip(*regularisation(scale, rows), strict=True)), ROW),
        _felt(force_tables, len(coordinates.order)),
        np.array(mechanism.gravity),
        table(signals.segments, SEGMENT),
        table(signals.signals, SIGNAL),
        *force_tables,
    )
    return Compiled(
        mechanism=mechanism,
        coordinates=coordinates,
        view=view,
        rows=rows,
        scale=scale,
        tables=tables,
        breaks=tuple(sorted({b for s, _ in signals.known for b in s.breaks() if b > 0.0})),
        until=min((s.until() for s, _ in signals.known), default=math.inf),
    )


def _rows(view: View) -> tuple[list[Poly], tuple[Row, ...]]:
    """Return all rows and what they are: of bodies, joints, drivers."""
    every = [(f'body "{name}"', row) for b, name in enumerate(view.coordinates.order) for row in own_rows(b)]
    every += [(f'joint "{name}"', row) for name in view.mechanism.joints for row in view.joint_rows(name)]
    every += [(f'driver "{name}"', row) for name in view.mechanism.drivers for row in view.driver_rows(name)]
    return [row.poly for _, row in every], tuple(Row(part, row.angle, k) for k, (part, row) in enumerate(every))


def _felt(force_tables: list[Any], n_body: int) -> Any:
    """Return the coordinates of all bodies on which forces act."""
    touched: set[int] = set()
    for records in force_tables:
        for name in ("body", "first", "second"):
            if name in records.dtype.names:
                touched |= {int(b) for b in records[name] if b > 0}
    return np.array([12 * (b - 1) + k for b in sorted(touched) for k in range(12)], dtype=np.int64)


def retimed(compiled: Compiled, time_scale: float) -> Array:
    """Return the table of rows with another T in the regularisation."""
    scale = Scale(compiled.scale.length, compiled.scale.mass, time_scale)
    return table(list(zip(*regularisation(scale, compiled.rows), strict=True)), ROW)
