"""Compiled: a mechanism in space as tables of numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from particlemech._jit import ArgumentGroup, Records, described, table
from particlemech.engine.elements import Elements, inputs, instants
from particlemech.engine.natural import laws
from particlemech.engine.natural.coordinates import Coordinates, own_rows
from particlemech.engine.natural.frames import RowPoly, Turn
from particlemech.engine.natural.laws.freedom import FREEDOM, freedom
from particlemech.engine.natural.readings import Measure
from particlemech.engine.natural.screw_kernels import THREAD
from particlemech.engine.natural.shared import Shared
from particlemech.engine.natural.sparsity import NaturalPlaces, SparsityPattern, pattern, places
from particlemech.engine.natural.tables import MASS, ROW, NaturalTables, Rows
from particlemech.engine.natural.topology import Topology
from particlemech.engine.natural.views import NaturalView, reading
from particlemech.engine.natural.where import NaturalNumbers
from particlemech.engine.signal_tables import SEGMENT, SIGNAL, Signals
from particlemech.engine.system import Array, Row, Scale, regularisation
from particlemech.engine.terms import COORD, ENTRY, tabulated
from particlemech.model.description import GROUND
from particlemech.model.space.friction import drags, rubbing
from particlemech.model.space.mechanism import Mechanism

Named = tuple[str, RowPoly]  # the part a row belongs to, 'joint "B"', and the row

NEGLIGIBLE = 1e-15  # of the largest entry: what is left of masses that cancel


@dataclass(frozen=True, eq=False)
class NaturalCompiled:
    """Tables of a mechanism in space; bodies in the order of the model."""

    mechanism: Mechanism
    topology: Topology
    coordinates: Coordinates  # full ones
    shared: Shared  # those that are integrated
    view: NaturalView  # in full coordinates
    rows: tuple[Row, ...]  # of bodies, joints and drivers, in this order; all have a multiplier
    scale: Scale
    tables: NaturalTables
    held: Rows  # as tables
    places: NaturalPlaces
    mass: Array  # M_q, (n_q, n_q)
    breaks: tuple[float, ...]
    until: float
    counters: dict[
        tuple[str, str], int
    ]  # angles of joints whose turns are counted, (joint, coordinate): number of theta

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another process can use: addresses of arrays are no good there."""
        made = ("group", "held_group", "every_group", "pattern")
        return {name: value for name, value in self.__dict__.items() if name not in made}

    @cached_property
    def group(self) -> ArgumentGroup:
        """Return the tables for the kernels' argument block."""
        return described(self.tables)

    @cached_property
    def held_group(self) -> ArgumentGroup:
        """Return the rows for the kernels' argument block."""
        return described(self.held)

    @cached_property
    def pattern(self) -> SparsityPattern:
        """Return where the values of the Jacobian go."""
        touched = [_touched(self.shared, bodies) for bodies in _acting(self.tables)]
        columns = _columns(self.shared)[1]
        besides = [*self.read_by_custom, *self.read_by_friction]
        return pattern(self.places, self.held, self.tables.mass, columns, touched, besides)

    @cached_property
    def elements(self) -> Elements:
        """Return what is asked for what it exerts, and its states."""
        return Elements(self.mechanism)

    @property
    def read_by_custom(self) -> list[tuple[int, int]]:
        """Return equations and unknowns of derivatives of what is called: functions may look at anything that moves."""
        bodies = {b for force in self.elements.specs.values() for b in self._acted_on(force)}
        touched = sorted(_touched(self.shared, {self.coordinates.index[b] for b in bodies}))
        at = self.places
        states = range(at.n - 1 - at.n_z, at.n - 1)
        equations = [*(at.n_q + k for k in touched), *states, at.n - 1] if touched else [*states]
        return [(equation, unknown) for equation in equations for unknown in (*range(2 * at.n_q), *states)]

    @property
    def read_by_friction(self) -> list[tuple[int, int]]:
        """Return equations and unknowns of derivatives of friction: speeds of bodies, and multipliers of a joint."""
        found, at = [], self.places
        for joint in dict.fromkeys(rub.joint for rub in rubbing(self.mechanism) if rub.dry):
            bodies = {self.coordinates.index[b] for b in self.mechanism.joints[joint].bodies if b != GROUND}
            moving = [at.n_q + k for k in sorted(_touched(self.shared, bodies))]
            unknowns = moving + [at.lam + k for k, row in enumerate(self.rows) if row.part == f'joint "{joint}"']
            found += [(equation, unknown) for equation in [*moving, at.n - 1] for unknown in unknowns]
        return found

    def _acted_on(self, force: Any) -> list[str]:
        on = [force.body] if force.joint is None else self.mechanism.joints[force.joint].bodies
        return [str(b) for b in on if b in self.coordinates.index]

    # what only results and judgements need: all rows, in full coordinates

    @cached_property
    def measures(self) -> dict[tuple[str, str], Measure]:
        """Return all coordinates of joints, (joint, coordinate)."""
        joints = self.mechanism.joints.items()
        return {(name, x): self.view.measure(name, x) for name, joint in joints for x in joint.coordinate_names}

    @cached_property
    def _every(self) -> list[Named]:
        m, view = self.mechanism, self.view
        every = [(f'body "{name}"', row) for name in m.bodies for row in own_rows(*view.frame(name).now)]
        every += [(f'joint "{name}"', row) for name in m.joints for row in view.joint_rows(name)]
        return every + [(f'driver "{name}"', row) for name in m.drivers for row in view.driver_rows(name)]

    @cached_property
    def every(self) -> tuple[Row, ...]:
        """Return what all rows are: of bodies, joints and drivers."""
        return tuple(Row(part, row.angle, k) for k, (part, row) in enumerate(self._every))

    @cached_property
    def every_group(self) -> ArgumentGroup:
        """Return all rows in full coordinates, for the kernels' argument block."""
        return described(row_tables([row for _, row in self._every], self.view.signals))


def tabulate(mechanism: Mechanism, topology: Topology, time_scale: float = 1.0) -> NaturalCompiled:
    """Return the tables of a mechanism in space that is cut like this."""
    coordinates = Coordinates(mechanism)
    shared = Shared(coordinates, topology)
    view = NaturalView(coordinates, Signals())
    named = _rows(NaturalView(coordinates, view.signals, shared.frames, shared.counters), shared)
    counters = _counters(mechanism)
    where = NaturalNumbers(view, counters)
    forces = [*mechanism.forces.values(), *drags(mechanism)]
    force_tables = [
        table([file.record(spec, where) for spec in forces if file.takes(spec, where)], file.TABLE)
        for file in laws.FILES
    ]
    n_custom = sum(force.called for force in forces) + len(rubbing(mechanism))
    for signal in inputs(mechanism):
        view.signals.add(signal)
    held = row_tables([row for _, row in named], view.signals)
    rows = tuple(Row(part, row.angle, k) for k, (part, row) in enumerate(named))
    scale = Scale(coordinates.L, sum(map(mechanism.mass, mechanism.bodies)), time_scale)
    T, n_q = shared.matrix, len(shared.drawing)
    M = T.T @ coordinates.mass @ T
    M[np.abs(M) <= NEGLIGIBLE * np.abs(M).max(initial=0.0)] = 0.0
    at = places(n_q, len(counters), Elements(mechanism).n, held)
    addresses = [at.g, at.h, at.bend, at.drive, at.rate, at.outer]
    last = list(accumulate(map(len, shared.T)))
    tables = NaturalTables(
        np.array([n_q, sum(map(len, force_tables)) + n_custom, *addresses]),
        table(list(zip(*regularisation(scale, rows), strict=True)), ROW),
        table([(i, j, M[i, j]) for i, j in zip(*np.nonzero(M), strict=True)], MASS),
        T.T @ _weights(coordinates),
        table(list(zip([0, *last[:-1]], last, shared.start, strict=True)), COORD),
        table([entry for row in shared.T for entry in sorted(row.items())], ENTRY),
        table(_columns(shared)[0], ENTRY),
        table([freedom(*end, where) for end in counters], FREEDOM),
        *force_tables,
    )
    known = [signal for signal, *_ in view.signals.known]
    jumps = {b for signal in known for b in signal.breaks() if b > 0.0}
    jumps |= {impulse.time for impulse in mechanism.impulses.values() if impulse.time > 0.0} | instants(mechanism)
    return NaturalCompiled(
        mechanism=mechanism,
        topology=topology,
        coordinates=coordinates,
        shared=shared,
        view=view,
        rows=rows,
        scale=scale,
        tables=tables,
        held=held,
        places=at,
        mass=M,
        breaks=tuple(sorted(jumps)),
        until=min((signal.until() for signal in known), default=math.inf),
        counters=counters,
    )


def _rows(view: NaturalView, shared: Shared) -> list[Named]:
    """Return what is held by rows: what keeps bodies rigid, what joints do not hand over, drivers."""
    m, carrying = view.mechanism, {edge.joint for edge in shared.topology.tree.values()}
    every = [(f'body "{name}"', row) for name in m.bodies for row in shared.own[name]]
    every += [(f'joint "{name}"', row) for name in m.joints for row in view.joint_rows(name, name in carrying)]
    return every + [(f'driver "{name}"', row) for name in m.drivers for row in view.driver_rows(name)]


def _counters(mechanism: Mechanism) -> dict[tuple[str, str], int]:
    """Return the angles whose turns are counted, with their numbers; those of quaternions are none."""
    found = [
        (name, x)
        for name, joint in mechanism.joints.items()
        for x in joint.coordinate_names
        if reading(joint, x).turns and not (joint.spherical and mechanism.as_quaternion(name))
    ]
    return {end: k for k, end in enumerate(found)}


def row_tables(rows: list[RowPoly], signals: Signals) -> Rows:
    """Return rows as tables: sines and cosines of threads stand after all rows, with cells along those of their row."""
    polys = [row.poly for row in rows]
    along: dict[int, list[int]] = {}
    threads: list[tuple[int, Turn]] = [(r, turn) for r, row in enumerate(rows) for turn in row.turns]
    for k, (r, turn) in enumerate(threads):
        every = [polys[r], *(poly for other in rows[r].turns for poly in (other.sine, other.cosine))]
        union = sorted({z for poly in every for key, c in poly.terms.items() if c for z in key[:2] if z >= 0})
        polys += [turn.sine, turn.cosine]
        along |= dict.fromkeys((r, len(rows) + 2 * k, len(rows) + 2 * k + 1), union)
    terms, cells = tabulated(polys, along)
    first = {int(r): e for e, r in reversed(list(enumerate(cells["row"])))}
    records = []
    for k, (r, turn) in enumerate(threads):
        three = (r, len(rows) + 2 * k, len(rows) + 2 * k + 1)
        records.append((*three, *(first.get(row, 0) for row in three), len(along[r]), turn.pitch))
    sizes = np.array([len(rows), int(np.sum(cells["row"] < len(rows)))])
    segment, signal = table(signals.segments, SEGMENT), table(signals.signals, SIGNAL)
    return Rows(sizes, terms, cells, table(records, THREAD), segment, signal)


def _weights(coordinates: Coordinates) -> Array:
    """Return gravity on all full coordinates, (12 n_body,)."""
    m = coordinates.mechanism
    return np.concatenate([[m.mass(b) * g for g in m.gravity] + [0.0] * 9 for b in coordinates.order])


def _acting(tables: NaturalTables) -> list[set[int]]:
    """Return the bodies that each force touches, by number."""
    result = []
    every: tuple[Records, ...] = tables[-len(laws.FILES) :]
    for records in every:
        ends = [name for name in ("body", "first", "second") if name in records.dtype.names]
        result += [{int(p[name]) - 1 for name in ends if p[name] > 0} for p in records]
    return result


def _touched(shared: Shared, bodies: set[int]) -> set[int]:
    """Return the coordinates on which some bodies depend."""
    return {q for b in bodies for row in shared.T[12 * b : 12 * b + 12] for q in row}


def _columns(shared: Shared) -> tuple[list[tuple[int, float]], list[tuple[int, int, int, float]]]:
    """Return T by columns, and per coordinate where its column is and what counts as a unit of it."""
    columns: list[list[tuple[int, float]]] = [[] for _ in shared.drawing]
    for z, row in enumerate(shared.T):
        for q, c in row.items():
            columns[q].append((z, c))
    last = list(accumulate(map(len, columns)))
    sizes = shared.sizes(shared.coordinates.L).tolist()
    every = zip(columns, last, sizes, strict=True)
    where = [(q, end - len(column), end, size) for q, (column, end, size) in enumerate(every)]
    return [entry for column in columns for entry in column], where


def retimed(compiled: NaturalCompiled, time_scale: float) -> Records:
    """Return the table of rows with another T in the regularisation."""
    scale = Scale(compiled.scale.length, compiled.scale.mass, time_scale)
    return table(list(zip(*regularisation(scale, compiled.rows), strict=True)), ROW)
