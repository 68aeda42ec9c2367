"""Compiled: the mechanism as tables of numbers. Names become integers here, once.

Numbers are relative to the drawing's centroid, so that far-away drawings lose no digits.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import accumulate
from typing import Any

from particlemech import _tape
from particlemech._jit import Records, table
from particlemech.engine.elements import Elements, inputs, instants
from particlemech.engine.friction import drags
from particlemech.engine.particles import drivers, forces, joints
from particlemech.engine.particles.chain import BODY, FREE
from particlemech.engine.particles.coordinates import Combination, Coordinates
from particlemech.engine.particles.forces import friction, governed
from particlemech.engine.particles.forces.geometry import Emission
from particlemech.engine.particles.frames import Frame, Free, Place, RowPoly
from particlemech.engine.particles.kernels import ROW
from particlemech.engine.particles.particles import inertia_form
from particlemech.engine.particles.shared import Shared
from particlemech.engine.particles.topology import Edge, Topology, edges
from particlemech.engine.particles.turns import NO_TURNS, Turn
from particlemech.engine.particles.turns import Tables as Turning
from particlemech.engine.particles.turns import tabulated as turned
from particlemech.engine.particles.views import View
from particlemech.engine.polynomials import Poly
from particlemech.engine.signal_tables import SEGMENT, SIGNAL, Signals
from particlemech.engine.system import Array, Row, Scale, regularisation
from particlemech.engine.terms import COORD, ENTRY, shifted, tabulated
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.impulses import times
from particlemech.model.mechanism import Mechanism, extent
from particlemech.model.rubbing import rubbing


@dataclass(frozen=True)
class Compiled:
    """All numbers of a planar mechanism; arrays are read-only."""

    mechanism: Mechanism
    scale: Scale
    origin: Place  # the drawing's centroid, m
    order: tuple[str, ...]  # bodies as numbered here: parents first
    index: Mapping[str, int]
    frames: tuple[Frame, ...]  # per body
    forms: tuple[tuple[float, ...], ...]  # records of BODY in plain numbers
    body: Records  # BODY (n_body,)
    T: tuple[Combination, ...]  # (4 n_body,) by rows, in plain numbers; as tables in coord and entry
    start: tuple[float, ...]  # (4 n_body,) m
    coord: Records  # COORD (4 n_body,), T by rows
    entry: Records  # ENTRY
    drawing: Array  # (n_q,) m, as drawn
    draft: tuple[float, ...]  # the same in plain numbers
    drawn: Array  # (4 n_body,) m, particles as drawn on each body
    distances: tuple[int, ...]  # bodies whose particles are kept apart by a row: the first rows, in this order
    balances: tuple[tuple[float, ...], ...]  # records of FREE
    others: tuple[Poly, ...]  # the rows after the distances
    turns: tuple[Turn, ...]  # angles and strands that rows hold besides
    rows: tuple[Row, ...]
    drives: tuple[int, ...]  # signal that drives each row, or -1
    view: View
    segment: Records  # SEGMENT
    signal: Records  # SIGNAL (n_signal,)
    force: tuple[Records, ...]  # a table per force kind
    rubbed: tuple[friction.Rubbed, ...]  # where joints have friction
    rub: Records  # friction.TABLE, of these
    emissions: tuple[Emission, ...]  # of all forces and of friction, in the order of their places in D and P
    n_lam: int
    gravity: Array  # (2,) m/s^2
    breaks: tuple[float, ...]
    until: float
    cuts: tuple[str, ...]
    even: bool = False  # whether joints that rub hold each other nowhere, as far as counts tell; shared.py

    # what only one integrator needs, or only results, is tabulated when asked for

    @cached_property
    def elements(self) -> Elements:
        """Return the motors and controllers that own states."""
        return Elements(self.mechanism)

    @cached_property
    def governed(self) -> tuple[Records, Records, Array]:
        """Return GAUGE, ELEMENT and numbers of motors and controllers that own states."""
        return governed.tables(self.elements, self.view)

    def poly(self, r: int) -> Poly:
        """Return constraint row r in body coordinates."""
        if r >= len(self.distances):
            return self.others[r - len(self.distances)]
        b = self.distances[r]
        return _distance_row(b, _tape.dist(*self.frames[b].drawn))

    @cached_property
    def free(self) -> Records:
        """Return FREE (n_free,), balance rows."""
        return table(list(self.balances), FREE)

    @cached_property
    def row(self) -> Records:
        """Return ROW (n_row,)."""
        eps_v, eps_p = regularisation(self.scale, self.rows)
        lams = [row.lam for row in self.rows]
        return table(list(zip(lams, self.drives, eps_v, eps_p, strict=True)), ROW)

    @cached_property
    def _terms(self) -> tuple[Records, Records, Turning]:
        return self._tabulated([self.poly(r) for r in range(len(self.rows))], self.turns)

    def _tabulated(self, polys: list[Poly], turns: tuple[Turn, ...]) -> tuple[Records, Records, Turning]:
        """Return TERM and CELL of rows, and TURN, ARM and SPOT."""
        along: dict[int, list[int]] = {}
        for row, swing in turns:
            along[row] = list(dict.fromkeys([*along.get(row, ()), *(arm[0] for arm in swing.arms()[0])]))
        term, cell = tabulated(polys, along)
        if not turns:
            return term, cell, NO_TURNS
        at = {(int(c["row"]), int(c["z"])): e for e, c in enumerate(cell)}
        return term, cell, turned(turns, lambda row, z: [(at[row, z], 1.0)])

    @property
    def term(self) -> Records:
        """Return TERM, constraint rows."""
        return self._terms[0]

    @property
    def cell(self) -> Records:
        """Return CELL, constraint rows."""
        return self._terms[1]

    @property
    def turning(self) -> Turning:
        """Return TURN, ARM and SPOT, constraint rows."""
        return self._terms[2]

    @cached_property
    def _booked(self) -> list[tuple[str, Edge, RowPoly]]:
        return _booked_rows(self.mechanism, self.view)

    @cached_property
    def reaction_rows(self) -> tuple[tuple[str, Edge, bool], ...]:
        """Return (joint or driver, edge, angle) per booked row: all joints, then drivers, for reactions."""
        return tuple((name, edge, poly.angle) for name, edge, poly in self._booked)

    @cached_property
    def reaction_tables(self) -> tuple[Records, Records, Turning]:
        """Return TERM and CELL of the booked rows, and TURN, ARM and SPOT."""
        turns = tuple((r, swing) for r, (_, _, poly) in enumerate(self._booked) for swing in poly.swings)
        return self._tabulated([poly.poly for _, _, poly in self._booked], turns)


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
    layout = Coordinates(mechanism, topology, *extent(mechanism), second or {})
    tree = [(edge, False) for edge in topology.tree.values() if not joints.OF_LINK[type(edge.spec)].shares]
    return _tabulated(mechanism, layout, [*tree, *((edge, True) for edge in topology.cut)], time_scale, topology)


def tabulate_shared(mechanism: Mechanism, time_scale: float = 1.0) -> Compiled:
    """Return the tables of a mechanism whose pins are all shared particles (shared.py): for explicit steps."""
    layout = Shared(mechanism, *extent(mechanism))
    if layout.unclear:  # joints whose load no balance gives keep their rows
        layout = Shared(mechanism, *extent(mechanism), layout.unclear)
    return _tabulated(mechanism, layout, [(edge, True) for edge in layout.held], time_scale)


def _tabulated(
    mechanism: Mechanism,
    layout: Coordinates | Shared,
    held: list[tuple[Edge, bool]],
    time_scale: float,
    topology: Topology | None = None,
) -> Compiled:
    """Return all tables; `held` are the joints that keep their rows, and whether these have multipliers.

    Without a topology nothing is cut: then there are no balance rows, and all distances have multipliers.
    """
    origin, order = layout.origin, layout.order
    scale = Scale(layout.L, sum(b.mass for b in mechanism.bodies.values()), time_scale)
    index = {name: b for b, name in enumerate(order)}
    frames = layout.frames
    signals = Signals()
    at = View(mechanism, frames, index, origin, signals)
    above = {n: index.get(p or "", -1) for n, p in topology.parent.items()} if topology else {}
    body = [_body(mechanism, name, frames[b], above.get(name, -1), origin) for b, name in enumerate(order)]
    free = _balance_rows(topology, at, frames, index) if topology else []
    every = _constraint_rows(mechanism, held, at, layout, topology is None)
    rows = _numbered(every)
    rubbed = _rubbed(mechanism, layout, held, at)
    force, rub, emissions = _forces(mechanism, at, rubbed, rows)
    for signal in inputs(mechanism):
        signals.add(signal)
    entries = [entry for z in layout.T for entry in (sorted(z.items()) if len(z) > 1 else z.items())]
    last = list(accumulate(map(len, layout.T)))
    return Compiled(
        mechanism=mechanism,
        scale=scale,
        origin=origin,
        order=order,
        index=index,
        frames=tuple(frames),
        forms=tuple(body),
        body=table(body, BODY),
        T=tuple(layout.T),
        start=tuple(layout.start),
        coord=table(list(zip([0, *last[:-1]], last, layout.start, strict=True)), COORD),
        entry=table(entries, ENTRY),
        drawing=_tape.filled(layout.drawing),
        draft=tuple(layout.drawing),
        drawn=_tape.filled([c for f in frames for p in f.drawn for c in p]),
        distances=tuple(layout.own_distance),
        balances=tuple(free),
        others=tuple(row.poly for _, row, _, _ in every if row is not None),
        turns=tuple((r, swing) for r, (_, row, _, _) in enumerate(every) if row is not None for swing in row.swings),
        rows=rows,
        drives=tuple(drive for _, _, _, drive in every),
        view=at,
        segment=table(signals.segments, SEGMENT) if signals.known or signals.curves else _constant()[0],
        signal=table(signals.signals, SIGNAL) if signals.known else _constant()[1],
        force=force,
        rubbed=rubbed,
        rub=rub,
        emissions=emissions,
        n_lam=sum(row.lam >= 0 for row in rows),
        gravity=_tape.filled(mechanism.gravity),
        breaks=_breaks(signals, mechanism),
        until=min((s.until() for s, *_ in signals.known), default=math.inf),
        cuts=tuple(dict.fromkeys(e.joint for e in topology.cut)) if topology else (),
        even=isinstance(layout, Shared) and bool(rubbed) and layout.even,
    )


def _breaks(signals: Signals, mechanism: Mechanism) -> tuple[float, ...]:
    """Return when signals jump, impulses act and sampled controllers measure."""
    jumps = {b for s, *_ in signals.known for b in s.breaks() if b > 0.0}
    return tuple(sorted(jumps | times(mechanism) | instants(mechanism)))


def _body(mechanism: Mechanism, name: str, frame: Frame, parent: int, origin: Place) -> tuple[float, ...]:
    (x1, y1), (x3, y3) = frame.drawn
    xG, yG = mechanism.centre(name)
    mass, r_3 = mechanism.bodies[name].mass, (x3 - x1, y3 - y1)
    form = inertia_form(mass, mechanism.inertia(name), (xG - origin[0] - x1, yG - origin[1] - y1), r_3)
    return mass, *form, _tape.hypot(*r_3), _tape.atan2(r_3[1], r_3[0]), parent


@cache
def _constant() -> tuple[Records, Records]:
    """Return SEGMENT and SIGNAL of a mechanism without signals: index 0 is the constant 1."""
    return table(Signals().segments, SEGMENT), table(Signals().signals, SIGNAL)


def _balance_rows(
    topology: Topology, at: View, frames: list[Frame], index: Mapping[str, int]
) -> list[tuple[float, ...]]:
    """Return the balance rows: the free directions of tree joints, and three per floating root."""
    rows: list[tuple[float, ...]] = []
    for name in topology.order:
        b = index[name]
        edge = topology.tree.get(name)
        if edge is not None:
            free = joints.OF_LINK[type(edge.spec)].free(at(edge))
        else:
            ground = at.frame(GROUND)
            free = [
                Free(False, ground.along((1.0, 0.0))),
                Free(False, ground.along((0.0, 1.0))),
                Free(True, frames[b].at(frames[b].drawn[0])),
            ]
        rows += [(int(f.moment), b, *f.on) for f in free]
    return rows


def _distance_row(b: int, length: float) -> Poly:
    """Return the row that keeps a body's particles apart, (d.d - l^2)/(2 l), [A00] (4)."""
    half = 0.5 / length
    terms: dict[tuple[int, int, int], float] = {}
    for k in (4 * b, 4 * b + 1):
        terms |= {(k + 2, k + 2, 0): half, (k, k + 2, 0): -2.0 * half, (k, k, 0): half}
    terms[-1, -1, 0] = -(length**2) * half  # last, and squared: so the row is nothing where that is drawn exactly
    return Poly(terms)


def driver_edges(mechanism: Mechanism) -> list[tuple[str, Edge, Any]]:
    """Return (driver, the two bodies it acts between, the keys its file reads)."""
    result: list[tuple[str, Edge, Any]] = []
    for name, driver in mechanism.drivers.items():
        keys: Any = driver if driver.joint is None else mechanism.coordinate(driver.joint, driver.coordinate)
        result.append((name, Edge(name, None, *driver.between(mechanism)), keys))
    return result


def _constraint_rows(
    mechanism: Mechanism, held: list[tuple[Edge, bool]], at: View, particles: Coordinates | Shared, all_held: bool
) -> list[tuple[str, RowPoly | None, bool, int]]:
    """Return (part, row, has a multiplier, signal that drives it) of all constraint rows; None stands for a distance.

    Distances of particles and rows of tree joints have no multiplier (unless `all_held`), cut joints and drivers do.
    """
    result: list[tuple[str, RowPoly | None, bool, int]] = []
    for b in particles.own_distance:
        result.append((f'body "{particles.order[b]}"', None, all_held, -1))
    for edge, has_lam in held:
        rows = joints.OF_LINK[type(edge.spec)].rows(at(edge))
        result += [(f'joint "{edge.joint}"', row, has_lam, -1) for row in rows]
    for name in mechanism.couplings:
        spec = mechanism.joints[name]
        rows = joints.BY_SPEC[type(spec)].rows(at.sides(name, spec))
        result += [(f'joint "{name}"', row, True, -1) for row in rows]
    for name, edge, keys in driver_edges(mechanism):
        driver = mechanism.drivers[name]
        drive = at.signals.add(driver.motion)
        rows = drivers.ROWS[type(driver)](at(edge, keys, driver.motion))
        result += [(f'driver "{name}"', row, True, drive) for row in rows]
    return result


def _numbered(every: list[tuple[str, RowPoly | None, bool, int]]) -> tuple[Row, ...]:
    """Return the rows with their multipliers counted."""
    rows: list[Row] = []
    lams = 0
    for part, poly, has_lam, _ in every:
        rows.append(Row(part, poly is not None and poly.angle, lams if has_lam else -1))
        lams += has_lam
    return tuple(rows)


def _booked_rows(mechanism: Mechanism, at: View) -> list[tuple[str, Edge, RowPoly]]:
    """Return (name, edge, row) of every joint and of every driver, in model order."""
    result = []
    for edge in edges(mechanism):
        result += [(edge.joint, edge, row) for row in joints.OF_LINK[type(edge.spec)].rows(at(edge))]
    for name in mechanism.couplings:
        spec = mechanism.joints[name]
        of = spec.tied(mechanism)[1]
        edge = Edge(name, None, of.first, of.second)
        result += [(name, edge, row) for row in joints.BY_SPEC[type(spec)].rows(at.sides(name, spec))]
    for name, edge, keys in driver_edges(mechanism):
        driver = mechanism.drivers[name]
        for row in drivers.ROWS[type(driver)](at(edge, keys, driver.motion)):
            result.append((name, edge, row))
    return result


def _rubbed(
    mechanism: Mechanism, layout: Coordinates | Shared, held: list[tuple[Edge, bool]], where: View
) -> tuple[friction.Rubbed, ...]:
    """Return where joints rub, and which rows, or whose balance, carry their load there; none do of open contacts."""
    rubs = [rub for rub in rubbing(mechanism) if rub.dry]
    if not rubs:
        return ()
    starts: dict[Any, int] = {}
    first = len(layout.own_distance)
    for edge, _ in held:
        starts[edge.joint, edge.second] = first
        starts.setdefault(edge.joint, first)  # of all its links
        first += len(joints.OF_LINK[type(edge.spec)].rows(where(edge)))
    found = []
    for rub in rubs:
        key, spec = (rub.joint, rub.link), mechanism.joints[rub.joint]
        rows: tuple[int, ...] = (-1, -1)
        balance = layout.balance_of(*key) if isinstance(layout, Shared) and key not in starts else None
        if balance is None and key not in starts:
            raise ModelError(
                f'joint "{rub.joint}": its bodies "{rub.of.first}" and "{rub.of.second}" are one already, so its load '
                "is not determined; take its friction out, or the joint"
            )
        if balance is None and spec.loads and (spec.mode or not spec.sides(mechanism)):
            # of a pin: x and y; of a slide: turn and across; of a slot: across; of teeth and rods: the one they have
            at = starts[key]
            pin = rub.pin and not rub.rod
            rows = (at, at + 1) if pin else (at + 1, at) if spec.moment else (at, -1)
            if rub.rows:
                rows = tuple([*(starts[rub.joint] + k for k in rub.rows), -1][:2])
        found.append(friction.Rubbed(rub, rows, balance))
    return tuple(found)


def _forces(
    mechanism: Mechanism, where: View, rubbed: tuple[friction.Rubbed, ...], rows: tuple[Row, ...]
) -> tuple[tuple[Records, ...], Records, tuple[Emission, ...]]:
    """Return a table per kind, and one of friction; D and P of each record say where its derivatives go."""
    tables, emissions = [], []
    at_D = at_P = 0
    every: list[Any] = [*mechanism.forces.values(), *drags(mechanism)]
    for kind in forces.KINDS:
        records = []
        for spec in every:
            if not forces.takes(kind, spec):
                continue
            record, emission = kind.record(spec, where)
            records.append((*record, at_D, at_P))
            emissions.append(emission)
            at_D += len(emission.wrench)
            at_P += len(emission.power)
        tables.append(table(records, kind.TABLE))
    records = []
    for one in rubbed:
        x, y = (rows[r].lam if r >= 0 else -1 for r in one.rows)
        record, emission = friction.record(one, (x, y), where)
        records.append(friction.row(record, at_D, at_P, one, (x, y), where))
        emissions.append(emission)
        at_D += len(emission.wrench)
        at_P += len(emission.power)
    return tuple(tables), table(records, friction.TABLE), tuple(emissions)


def with_rows_moved(compiled: Compiled, by: Mapping[int, float]) -> Compiled:
    """Return the same tables where some rows, by number, hold what they hold at other places."""
    other, (term, cell, turning) = copy.copy(compiled), compiled._terms
    other.__dict__["_terms"] = shifted(term, {row: -more for row, more in by.items()}), cell, turning
    return other


def retimed(compiled: Compiled, time_scale: float) -> Compiled:
    """Return the same tables with another T in the regularisation."""
    other = copy.copy(compiled)  # with all that was tabulated so far
    object.__setattr__(other, "scale", replace(compiled.scale, time=time_scale))
    other.__dict__.pop("row", None)
    return other
