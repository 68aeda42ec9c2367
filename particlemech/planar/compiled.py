"""Compiled: the mechanism as tables of numbers. Names become integers here, once.

Every body has four coordinates Z = (x1, y1, x2, y2), its two particles; the unknowns q are the free ones among them.

    Z = start + T q          T mostly picks; a pin shared with a parent picks the parent's particle, or combines
                             the parent's two particles where the pin is a further point of it         (1)

Numbers are relative to the drawing's centroid, so that far-away drawings lose no digits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from particlemech._jit import table
from particlemech._poly import Poly
from particlemech.mechanism import GROUND, Mechanism, centroid, size
from particlemech.planar import drivers, forces, joints
from particlemech.planar.chain import BODY, FREE
from particlemech.planar.forces.where import Emission
from particlemech.planar.frames import Affine, At, Frame, Free, Place, RowPoly
from particlemech.planar.particles import inertia_form
from particlemech.planar.rows import CELL, COORD, ENTRY, SEGMENT, SIGNAL, TERM
from particlemech.planar.topology import Edge, Topology
from particlemech.signals import SignalSpec
from particlemech.system import Array, Row, Scale, regularisation

NEAR = 0.05  # two particles of a body are never closer than this fraction of the mechanism's length
ROW = [("lam", "i4"), ("drive", "i4"), ("eps_v", "f8"), ("eps_p", "f8")]

Combination = dict[int, float]  # q index -> coefficient


@dataclass(frozen=True)
class Compiled:
    """All numbers of a planar mechanism; arrays are read-only."""

    mechanism: Mechanism
    scale: Scale
    origin: Place  # the drawing's centroid, m
    order: tuple[str, ...]  # bodies as numbered here: parents first
    index: Mapping[str, int]
    frames: tuple[Frame, ...]  # per body
    body: Array  # BODY (n_body,)
    coord: Array  # COORD (4 n_body,), T by rows
    entry: Array  # ENTRY
    drawing: Array  # (n_q,) m, as drawn
    drawn: Array  # (4 n_body,) m, particles as drawn on each body
    free: Array  # FREE (n_free,), balance rows
    term: Array  # TERM, constraint rows
    cell: Array  # CELL
    row: Array  # ROW (n_row,)
    rows: tuple[Row, ...]
    book_term: Array  # TERM, rows of all joints, then drivers: for reactions
    book_cell: Array  # CELL
    book: tuple[tuple[str, Edge, bool], ...]  # (joint or driver, edge, angle) per booked row
    segment: Array  # SEGMENT
    signal: Array  # SIGNAL (n_signal,)
    force: tuple[Array, ...]  # a table per force kind
    emissions: tuple[Emission, ...]  # of all forces, in the order of their places in D and P
    n_lam: int
    gravity: Array  # (2,) m/s^2
    breaks: tuple[float, ...]
    until: float
    cuts: tuple[str, ...]


@dataclass
class _Signals:
    """Collects the signals; index 0 is the constant 1."""

    segments: list[tuple[float, ...]] = field(default_factory=lambda: [(0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)])
    signals: list[tuple[int, int, int]] = field(default_factory=lambda: [(0, 1, 0)])
    known: dict[tuple[SignalSpec, int], int] = field(default_factory=dict)

    def add(self, spec: SignalSpec, form: int = 0) -> int:
        """Return the index of a signal (form 0), its cosine (1) or its sine (2)."""
        if (spec, form) not in self.known:
            first = len(self.segments)
            self.segments += spec.segments()
            self.signals.append((first, len(self.segments), form))
            self.known[spec, form] = len(self.signals) - 1
        return self.known[spec, form]


def tabulate(
    mechanism: Mechanism,
    topology: Topology,
    time_scale: float = 1.0,
    second: Mapping[str, Place] | None = None,
) -> Compiled:
    """Return the tables of a mechanism.

    Parameters
    ----------
    mechanism, topology
        What the user said, and how it is cut.
    time_scale
        T of the regularisation, s.
    second
        Global places for the second particle of some bodies; any place will do, the motion does not depend on it.
    """
    origin = centroid(mechanism)
    scale = Scale(size(mechanism), sum(b.mass for b in mechanism.bodies.values()), time_scale)
    index = {name: b for b, name in enumerate(topology.order)}
    layout = _Particles(mechanism, topology, origin, scale.length, second or {})
    frames = layout.frames
    signals = _Signals()
    at = _Edges(mechanism, frames, index, origin, signals)
    body = [_body(mechanism, name, frames[index[name]], topology, index, origin) for name in topology.order]
    free = _balance_rows(topology, at, frames, index)
    every = _constraint_rows(mechanism, topology, at, layout)
    rows = _numbered(every)
    term, cell = _terms([poly.poly for _, poly, _, _ in every])
    book = _booked_rows(mechanism, topology, at)
    book_term, book_cell = _terms([poly.poly for _, _, poly in book])
    force, emissions = _forces(mechanism, _Where(mechanism, frames, index, origin, signals))
    entries = [(q, c) for z in layout.T for q, c in sorted(z.items())]
    ends = np.cumsum([0, *(len(z) for z in layout.T)])
    return Compiled(
        mechanism=mechanism,
        scale=scale,
        origin=origin,
        order=topology.order,
        index=index,
        frames=tuple(frames),
        body=table(body, BODY),
        coord=table([(ends[k], ends[k + 1], s) for k, s in enumerate(layout.start)], COORD),
        entry=table(entries, ENTRY),
        drawing=np.array(layout.drawing),
        drawn=np.array([c for f in frames for p in f.drawn for c in p]),
        free=table(free, FREE),
        term=term,
        cell=cell,
        row=_row_table(rows, scale, [drive for _, _, _, drive in every]),
        rows=rows,
        book_term=book_term,
        book_cell=book_cell,
        book=tuple((name, edge, poly.angle) for name, edge, poly in book),
        segment=table(signals.segments, SEGMENT),
        signal=table(signals.signals, SIGNAL),
        force=force,
        emissions=emissions,
        n_lam=sum(row.lam >= 0 for row in rows),
        gravity=np.array(mechanism.gravity),
        breaks=tuple(sorted({b for s, _ in signals.known for b in s.breaks() if b > 0.0})),
        until=min((s.until() for s, _ in signals.known), default=math.inf),
        cuts=tuple(dict.fromkeys(e.joint for e in topology.cut)),
    )


class _Particles:
    """Chooses the particles of every body and builds T of (1)."""

    def __init__(self, mechanism: Mechanism, topology: Topology, origin: Place, L: float, second: Mapping[str, Place]):
        self.T: list[Combination] = []
        self.start: list[float] = []
        self.drawing: list[float] = []
        self.frames: list[Frame] = []
        self.own_distance: list[int] = []  # bodies with a distance row
        self.mechanism, self.topology, self.origin, self.L = mechanism, topology, origin, L
        self.index = {name: b for b, name in enumerate(topology.order)}
        self.weight = _outboard_count(topology)
        for b, name in enumerate(topology.order):
            edge = topology.tree.get(name)
            shares = joints.BY_SPEC[type(edge.spec)].shares if edge is not None else 0
            parent = topology.parent[name]
            if shares == 2 and parent is not None:
                self._weld(b, parent)
                continue
            if shares == 1 and parent is not None and edge is not None:
                first = self._drawn(edge.spec.point, name)  # type: ignore[attr-defined]
                there = self._drawn(edge.spec.point, parent)  # type: ignore[attr-defined]
                self._shared(parent, there)
            else:
                first = self._first(name)
                self._new(first)
            place = self._second(name, first)
            if name in second:
                place = (second[name][0] - origin[0], second[name][1] - origin[1])
            self._new(place)
            self.frames.append(Frame(b, (first, place)))
            self.own_distance.append(b)

    def _drawn(self, point: str, body: str) -> Place:
        x, y = self.mechanism.place(point, body)
        return x - self.origin[0], y - self.origin[1]

    def _new(self, place: Place) -> None:
        for c in place:
            self.T.append({len(self.drawing): 1.0})
            self.start.append(0.0)
            self.drawing.append(c)

    def _shared(self, parent: str, place: Place) -> None:
        """Append a particle that is a point of the parent, or of the ground."""
        if parent == GROUND:
            for c in place:
                self.T.append({})
                self.start.append(c)
            return
        p = self.index[parent]
        a, b = self.frames[p].at(place)[1:3]
        a, b = (round(c) if abs(c - round(c)) < 1e-12 else c for c in (a, b))
        z = 4 * p
        for mix in ({z: 1 - a, z + 1: b, z + 2: a, z + 3: -b}, {z: -b, z + 1: 1 - a, z + 2: b, z + 3: a}):
            row: Combination = {}
            start = 0.0
            for k, c in mix.items():
                if c:
                    start += c * self.start[k]
                    for q, d in self.T[k].items():
                        row[q] = row.get(q, 0.0) + c * d
            self.T.append(row)
            self.start.append(start)

    def _weld(self, b: int, parent: str) -> None:
        """Take over both particles of the parent; on the ground two fixed ones."""
        if parent == GROUND:
            drawn = ((0.0, 0.0), (self.L, 0.0))
            for c in (*drawn[0], *drawn[1]):
                self.T.append({})
                self.start.append(c)
        else:
            p = self.index[parent]
            drawn = self.frames[p].drawn
            self.T += [dict(z) for z in self.T[4 * p : 4 * p + 4]]
            self.start += self.start[4 * p : 4 * p + 4]
        self.frames.append(Frame(b, drawn))

    def _first(self, name: str) -> Place:
        """Return the place of the first particle of a body that shares none: where most bodies hang on it."""
        points = self.mechanism.bodies[name].points
        best = max(points, key=lambda p: self.weight.get((name, p), 0))
        return self._drawn(best, name)

    def _second(self, name: str, first: Place) -> Place:
        """Return the place of the second particle: the pin with most bodies beyond it, else the farthest point."""
        points = self.mechanism.bodies[name].points
        far = [p for p in points if math.dist(self._drawn(p, name), first) >= NEAR * self.L]
        if not far:
            return first[0] + self.L, first[1]
        best = max(far, key=lambda p: (self.weight.get((name, p), 0), math.dist(self._drawn(p, name), first)))
        return self._drawn(best, name)


def _outboard_count(topology: Topology) -> dict[tuple[str, str], int]:
    """Return how many bodies lie beyond each (body, pin point) of the tree."""
    below = dict.fromkeys(topology.order, 1)
    for name in reversed(topology.order):
        parent = topology.parent[name]
        if parent is not None and parent != GROUND:
            below[parent] += below[name]
    count: dict[tuple[str, str], int] = {}
    for name, edge in topology.tree.items():
        point, parent = getattr(edge.spec, "point", None), topology.parent[name]
        if point is not None and parent is not None:
            count[parent, point] = count.get((parent, point), 0) + below[name]
    return count


def _body(mechanism: Mechanism, name: str, frame: Frame, topology: Topology, index: Mapping[str, int], origin: Place) -> tuple[float, ...]:  # fmt: skip
    z1, z2 = (np.array(p) for p in frame.drawn)
    r_G = np.array(mechanism.centre(name)) - np.array(origin) - z1
    r_3 = z2 - z1
    mass = mechanism.bodies[name].mass
    form = inertia_form(mass, mechanism.inertia(name), r_G, r_3)
    parent = topology.parent[name]
    above = index[parent] if parent is not None and parent != GROUND else -1
    return mass, *form, float(np.hypot(*r_3)), math.atan2(r_3[1], r_3[0]), above


class _Edges:
    """Makes the view (At) that the file of a joint or driver has of its two bodies."""

    def __init__(self, mechanism: Mechanism, frames: list[Frame], index: Mapping[str, int], origin: Place, signals: _Signals):
        self.mechanism, self.frames, self.index, self.origin, self.signals = mechanism, frames, index, origin, signals
        self.drives: dict[str, int] = {}

    def frame(self, name: str) -> Frame:
        """Return the frame of a body or of the ground."""
        return self.frames[self.index[name]] if name != GROUND else Frame(-1, ((0.0, 0.0), (1.0, 0.0)))

    def __call__(self, edge: Edge, spec: Any = None, motion: SignalSpec | None = None) -> At:
        """Return the view of one edge."""
        bodies = (edge.first, edge.second)

        def place(point: str, on_second: bool) -> Place:
            x, y = self.mechanism.place(point, bodies[on_second])
            return x - self.origin[0], y - self.origin[1]

        def signal(form: str) -> Poly:
            if motion is None:
                raise TypeError("a joint has no motion")
            return Poly.signal(self.signals.add(motion, ("value", "cos", "sin").index(form)))

        def drawn(point: str) -> Place:
            x, y = self.mechanism.points[point]
            return x - self.origin[0], y - self.origin[1]

        pair = edge.spec.bodies if edge.spec is not None else bodies
        x, y = self.mechanism.centre(pair[1] if pair[1] != GROUND else pair[0])
        middle = (x - self.origin[0], y - self.origin[1])
        return At(self.frame(edge.first), self.frame(edge.second), spec or edge.spec, place, drawn, middle, signal)


def _balance_rows(topology: Topology, at: _Edges, frames: list[Frame], index: Mapping[str, int]) -> list[tuple[float, ...]]:
    """Return the balance rows: the free directions of tree joints, and three per floating root."""
    rows = []
    for name in topology.order:
        b = index[name]
        edge = topology.tree.get(name)
        if edge is not None:
            free = joints.BY_SPEC[type(edge.spec)].free(at(edge))
        else:
            ground = at.frame(GROUND)
            free = [
                Free(False, ground.along((1.0, 0.0))),
                Free(False, ground.along((0.0, 1.0))),
                Free(True, frames[b].at(frames[b].drawn[0])),
            ]
        rows += [(int(f.moment), b, *f.on) for f in free]
    return rows


def _distance_row(b: int, length: float) -> RowPoly:
    """Return the row that keeps a body's particles apart, (d.d - l^2)/(2 l), [A00] (4)."""
    dx = Poly.variable(4 * b + 2) - Poly.variable(4 * b)
    dy = Poly.variable(4 * b + 3) - Poly.variable(4 * b + 1)
    return RowPoly((dx * dx + dy * dy - Poly.constant(length**2)) * (0.5 / length))


def driver_edges(mechanism: Mechanism) -> list[tuple[str, Edge, Any]]:
    """Return (driver, the two bodies it acts between, the keys its file reads)."""
    result: list[tuple[str, Edge, Any]] = []
    for name, driver in mechanism.drivers.items():
        joint = mechanism.joints.get(getattr(driver, "joint", ""))
        bodies = getattr(driver, "bodies", None) or (joint.bodies if joint else None)
        keys: Any = driver
        if joint is not None:
            keys = SimpleNamespace(point=joint.point, direction=joint.direction)  # type: ignore[attr-defined]
        if bodies is None:
            bodies = (GROUND, driver.body or mechanism.carrier(driver.point))  # type: ignore[attr-defined]
        result.append((name, Edge(name, joint, bodies[0], bodies[1]), keys))  # type: ignore[arg-type]
    return result


def _constraint_rows(mechanism: Mechanism, topology: Topology, at: _Edges, particles: _Particles) -> list[tuple[str, RowPoly, bool, int]]:  # fmt: skip
    """Return (part, row, has a multiplier, signal that drives it) of all constraint rows.

    Distances of particles and rows of tree joints have no multiplier; cut joints and drivers have one.
    """
    result: list[tuple[str, RowPoly, bool, int]] = []
    for b in particles.own_distance:
        name, frame = topology.order[b], particles.frames[b]
        result.append((f'body "{name}"', _distance_row(b, math.dist(*frame.drawn)), False, -1))
    for edge in topology.tree.values():
        kind = joints.BY_SPEC[type(edge.spec)]
        if not kind.shares:
            result += [(f'joint "{edge.joint}"', row, False, -1) for row in kind.rows(at(edge))]
    for edge in topology.cut:
        result += [(f'joint "{edge.joint}"', row, True, -1) for row in joints.BY_SPEC[type(edge.spec)].rows(at(edge))]
    for name, edge, keys in driver_edges(mechanism):
        driver = mechanism.drivers[name]
        drive = at.signals.add(driver.motion)
        rows = drivers.BY_SPEC[type(driver)].rows(at(edge, keys, driver.motion))
        result += [(f'driver "{name}"', row, True, drive) for row in rows]
    return result


def _numbered(every: list[tuple[str, RowPoly, bool, int]]) -> tuple[Row, ...]:
    """Return the rows with their multipliers counted."""
    rows: list[Row] = []
    lams = 0
    for part, poly, has_lam, _ in every:
        rows.append(Row(part, poly.angle, lams if has_lam else -1))
        lams += has_lam
    return tuple(rows)


def _row_table(rows: tuple[Row, ...], scale: Scale, drives: list[int]) -> Array:
    eps_v, eps_p = regularisation(scale, rows)
    return table([(r.lam, d, v, p) for r, d, v, p in zip(rows, drives, eps_v, eps_p, strict=True)], ROW)


def _booked_rows(mechanism: Mechanism, topology: Topology, at: _Edges) -> list[tuple[str, Edge, RowPoly]]:
    """Return (name, edge, row) of every joint, in or out of the tree, and of every driver, in model order."""
    every = {id(e): e for e in (*topology.tree.values(), *topology.cut)}
    position = {name: k for k, name in enumerate(mechanism.joints)}
    result = []
    for edge in sorted(every.values(), key=lambda e: position[e.joint]):
        result += [(edge.joint, edge, row) for row in joints.BY_SPEC[type(edge.spec)].rows(at(edge))]
    for name, edge, keys in driver_edges(mechanism):
        driver = mechanism.drivers[name]
        for row in drivers.BY_SPEC[type(driver)].rows(at(edge, keys, driver.motion)):
            result.append((name, edge, row))
    return result


def _terms(polys: list[Poly]) -> tuple[Array, Array]:
    """Return the term and cell tables of rows."""
    terms, cells = [], []
    for r, poly in enumerate(polys):
        cell: dict[int, int] = {}
        for (i, j, s), c in poly.terms.items():
            if c == 0.0:
                continue
            for z in (i, j):
                if z >= 0 and z not in cell:
                    cell[z] = len(cells)
                    cells.append((r, z))
            terms.append((r, i, j, s, cell.get(i, -1), cell.get(j, -1), c))
    return table(terms, TERM), table(cells, CELL)


class _Where:
    """Names to numbers for the force files (see forces/where.py)."""

    def __init__(self, mechanism: Mechanism, frames: list[Frame], index: Mapping[str, int], origin: Place, signals: _Signals):
        self.mechanism, self.frames, self.index, self.origin, self.signals = mechanism, frames, index, origin, signals

    def body(self, name: str) -> int:
        return -1 if name == GROUND else self.index[name]

    def coordinates(self, body: int) -> list[int]:
        return [-1] * 4 if body < 0 else [4 * body + k for k in range(4)]

    def length(self, body: int) -> float:
        return 1.0 if body < 0 else math.dist(*self.frames[body].drawn)

    def angle(self, body: int) -> float:
        if body < 0:
            return 0.0
        (x1, y1), (x2, y2) = self.frames[body].drawn
        return math.atan2(y2 - y1, x2 - x1)

    def _frame(self, name: str) -> Frame:
        return Frame(-1, ((0.0, 0.0), (1.0, 0.0))) if name == GROUND else self.frames[self.index[name]]

    def end(self, body: str, point: str | None, at: Place | None) -> Affine:
        x, y = self.mechanism.place(point, body) if point is not None else at  # type: ignore[misc]
        return self._frame(body).at((x - self.origin[0], y - self.origin[1]))

    def direction(self, body: str, u: Place) -> Affine:
        return self._frame(body).along(u)

    def signal(self, spec: SignalSpec) -> int:
        return self.signals.add(spec)


def _forces(mechanism: Mechanism, where: _Where) -> tuple[tuple[Array, ...], tuple[Emission, ...]]:
    """Return a table per kind; D and P of each record say where its derivatives go."""
    tables, emissions = [], []
    at_D = at_P = 0
    for kind in forces.KINDS:
        records = []
        for spec in mechanism.forces.values():
            if type(spec) is not kind.spec:
                continue
            record, emission = kind.record(spec, where)  # type: ignore[arg-type]
            records.append((*record, at_D, at_P))
            emissions.append(emission)
            at_D += len(emission.wrench)
            at_P += len(emission.power)
        tables.append(table(records, kind.TABLE))
    return tuple(tables), tuple(emissions)


def retimed(compiled: Compiled, time_scale: float) -> Compiled:
    """Return the same tables with another T in the regularisation."""
    scale = replace(compiled.scale, time=time_scale)
    row = _row_table(compiled.rows, scale, [int(r["drive"]) for r in compiled.row])
    return replace(compiled, row=row, scale=scale)
