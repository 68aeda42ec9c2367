"""AbsoluteCompiled: the mechanism as tables of measures, with the pattern of the Jacobian.

Names become integers here, once. Lengths count from the drawing's centroid, angles from the drawing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import readonly, table
from particlemech.engine.absolute import drivers, forces, joints, kernels
from particlemech.engine.absolute.measures import (
    ANGLE,
    FIELDS,
    STRAND,
    SWING,
    Measure,
    Place,
    Sum,
    acting,
    coordinate,
    measured,
)
from particlemech.engine.elements import inputs
from particlemech.engine.friction import drags, numbers
from particlemech.engine.system import EPS, Array, Row, Scale
from particlemech.errors import part
from particlemech.model.mechanism import Mechanism, centroid
from particlemech.model.rubbing import rubbing
from particlemech.model.signals import Segment, SignalSpec
from particlemech.model.tapes import CONSTANT, PIECES

SOFT = 1e-12  # rounding off of a distance, in units of L
NO_TURNS = ((-1, 0.0), (-1, 0.0))  # of bodies that count none
Integers = NDArray[np.int32]


@dataclass(frozen=True)
class Pattern:
    """Where the entries of the Jacobian are, by compressed columns."""

    indptr: Integers  # (n + 1,)
    indices: Integers  # (nnz,)
    constant: Array  # (nnz + 1,) entries dF/dy that never change; the last place is for entries that do not exist
    rate: Array  # (nnz + 1,) entries dF/dyp
    row_slots: Integers  # (n_row, ROW_SLOTS)
    law_slots: Integers  # (n_law, LAW_SLOTS)
    rub_slots: Integers  # (n_rub, RUB_SLOTS)
    call_slots: Integers  # (n_call, 4, 2 n_q) balance of the body and work, by q and v


@dataclass(frozen=True)
class AbsoluteCompiled:
    """Numbers of one mechanism; all arrays read-only."""

    mechanism: Mechanism
    scale: Scale
    origin: Place  # m, global
    rows: Any  # (n_term,) measures whose sums stay at offset + s(t)
    begin: NDArray[np.int64]  # (n_row,) the first measure of each row
    laws: Any  # (n_law,) measures with a force law
    rubs: Any  # (n_rub,) measures with friction, and which rows load it
    rub_measures: Any  # (n_rub,) the measures alone
    segments: Array  # (n_segment, 8) of all signals
    calls: tuple[tuple[str, Any, int], ...]  # name, shape of the answer and first coordinate of called forces
    mass: Array  # (2, n_q) diagonal of M and weight
    drawing: Array  # (n_q,)
    row_dof: NDArray[np.int64]  # (n_term, 6) coordinates of both bodies, n_q: ground
    names: tuple[Row, ...]  # of the rows
    ends: tuple[tuple[str, str, str], ...]  # joint or driver of each row, its first and second body
    signals: tuple[SignalSpec, ...]
    point_at: NDArray[np.int64]  # (n_point,) body of each point, n_body: ground
    point_b: Array  # (n_point, 2) place in the body, m
    pattern: Pattern


def tabulate(mechanism: Mechanism, scale: Scale) -> AbsoluteCompiled:
    """Return the tables of a mechanism."""
    index = {b: i for i, b in enumerate(mechanism.bodies)}
    origin, n_q = centroid(mechanism), 3 * len(index)
    local = _Local(mechanism, index, origin)
    sums, ends, names = _rows(mechanism)
    rows = [m for every in sums for m in every]
    of_row = [r for r, every in enumerate(sums) for _ in every]
    laws = [
        m
        for f in mechanism.forces.values()
        if not f.called
        for m in forces.LAWS.get(type(f), forces.on_coordinate)(f, mechanism)
    ]
    laws += [acting(drag, mechanism) for drag in drags(mechanism)]
    segments: list[Segment] = []
    row_table = _table(rows, local, segments, scale, of_row)
    law_table = _table(laws, local, segments, scale, range(len(laws)))
    sides = [(row.part, *ends[k][1:]) for k, row in enumerate(names)]
    rub_measures, rub_table = _rubs(mechanism, local, segments, scale, sides)
    segment_array = readonly(np.array(segments, float).reshape(-1, 8))
    calls = tuple(
        (name, shape, 3 * index[body])
        for name, f in mechanism.forces.items()
        if f.called
        for body, shape in f.actions(mechanism)  # type: ignore[attr-defined]
        if body in index
    )
    mass = np.zeros((2, n_q))
    for b, i in index.items():
        m = mechanism.bodies[b].mass
        mass[0, 3 * i : 3 * i + 3] = m, m, mechanism.inertia(b)
        mass[1, 3 * i : 3 * i + 2] = m * mechanism.gravity[0], m * mechanism.gravity[1]
    drawing = np.zeros(n_q)
    drawing.reshape(-1, 3)[:, :2] = np.array([mechanism.centre(b) for b in index]) - origin
    carriers = [mechanism.carrier(p) for p in mechanism.points]
    places = [local(mechanism.place(p, b), b) for p, b in zip(mechanism.points, carriers, strict=True)]
    return AbsoluteCompiled(
        mechanism=mechanism,
        scale=scale,
        origin=origin,
        rows=row_table,
        begin=np.searchsorted(of_row, np.arange(len(sums))),
        laws=law_table,
        rubs=rub_table,
        rub_measures=rub_measures,
        segments=segment_array,
        calls=calls,
        mass=readonly(mass),
        drawing=readonly(drawing),
        row_dof=dof_of(row_table, n_q),
        names=names,
        ends=ends,
        signals=(*(m.signal for m in [*rows, *laws] if m.signal is not None), *inputs(mechanism)),
        point_at=np.array([index.get(b, len(index)) for b in carriers], int),
        point_b=readonly(np.array(places).reshape(-1, 2)),
        pattern=_pattern(
            row_table, law_table, rub_table, rub_measures, segment_array, [at for *_, at in calls], mass[0], scale
        ),
    )


class _Local:
    """Places of the drawing in the axes of a body."""

    def __init__(self, mechanism: Mechanism, index: dict[str, int], origin: Place) -> None:
        self.index = index
        self._zero = {b: mechanism.centre(b) for b in index}
        self._origin = origin

    def __call__(self, place: Place, body: str) -> Place:
        zero = self._zero.get(body, self._origin)
        return place[0] - zero[0], place[1] - zero[1]


def _rows(mechanism: Mechanism) -> tuple[list[Sum], tuple[tuple[str, str, str], ...], tuple[Row, ...]]:
    rows: list[Sum] = []
    ends: list[tuple[str, str, str]] = []
    names: list[Row] = []
    sections: tuple[tuple[str, Any, Any], ...] = (
        ("joint", mechanism.joints, joints.ROWS),
        ("driver", mechanism.drivers, drivers.ROWS),
    )
    for word, section, kinds in sections:
        for name, spec in section.items():
            with part(f'{word} "{name}"'):
                for row in kinds[type(spec)](spec, mechanism):
                    first: Measure = row[0] if isinstance(row, tuple) else row
                    names.append(Row(f'{word} "{name}"', first.kind == ANGLE, len(rows)))
                    ends.append((name, first.first, first.second))
                    rows.append(row if isinstance(row, tuple) else (row,))
    return rows, tuple(ends), tuple(names)


def _table(measures: list[Measure], local: _Local, segments: list[Segment], scale: Scale, of_row: Sequence[int]) -> Any:
    records: list[tuple[Any, ...]] = []
    for m, row in zip(measures, of_row, strict=True):
        soft = 0.0 if records and records[-1][-2] == row else EPS * scale.time  # once per row
        own, steps = _curve(m.signal)  # steps may be followed by segments that they mention
        per = scale.length**2 if m.kind == ANGLE else 1.0
        line = m.kind in (SWING, STRAND)
        lift: list[Segment] = [] if m.contact is None else m.contact.segments()
        form, *numbers = (0, *(0.0,) * 6) if m.contact is None else m.contact[1:8]
        (c1, w1), (c2, w2) = (*((local.index[b], w) for b, w in m.counter if b in local.index), *NO_TURNS)[:2]
        records.append(
            (
                *(m.kind, local.index.get(m.first, -1), local.index.get(m.second, -1)),
                *(*local(m.P, m.first), *local(m.Q, m.second), *m.e),
                *(m.offset, SOFT * scale.length, len(segments), -steps if steps else len(own)),
                *(soft / scale.mass / per, soft / per),
                *(m.rho, m.angle if line else 0.0, c1, c2, w1, w2, m.reel),
                *(form, len(segments) + len(own), len(lift), *numbers),
                *(m.stiffness, m.damping, row, m.factor),
            )
        )
        segments += [*own, *lift]
    return table(records, FIELDS)


def _rubs(
    mechanism: Mechanism, local: _Local, segments: list[Segment], scale: Scale, ends: Sequence[tuple[str, ...]]
) -> tuple[Any, Any]:
    """Return the places of dry friction: measures, numbers of the law, and the rows whose multipliers are the load.

    `ends` are the part and the two bodies of each row, either of which may be the second of the link, for pins have the
    ground as their hub. A contact that is open has none: no load, no friction.
    """
    rubs = [rub for rub in rubbing(mechanism) if rub.dry]
    table_of = _table([coordinate(rub.of, mechanism) for rub in rubs], local, segments, scale, range(len(rubs)))
    records = []
    for rub, record in zip(rubs, table_of, strict=True):
        own, loads = f'joint "{rub.joint}"', mechanism.joints[rub.joint].loads
        at = [r for r, end in enumerate(ends) if loads and end[0] == own and (rub.rows or rub.link in end[1:])]
        at = [at[k] for k in rub.rows] or at
        records.append((*record.tolist(), *numbers(rub), *[*at, -1, -1][:2]))
    return table_of, table(records, kernels.RUBS)


def _curve(signal: SignalSpec | None) -> tuple[list[Segment], int]:
    """Return the segments of a signal, or the steps of its tape as rows like these, and how many steps these are."""
    if signal is None:
        return [], 0
    tape = signal.tape()
    if tape is None:
        return signal.segments(), 0
    steps: list[Segment] = []
    pieces: list[Segment] = []
    for op, i, j, c in tape:
        if op == PIECES:
            i, j = len(tape) + len(pieces), len(c)
            pieces += c
        steps.append((float(op), float(i), float(j), c if op == CONSTANT else 0.0, 0.0, 0.0, 0.0, 0.0))
    return [*steps, *pieces], len(steps)


def work_of(*tables: Any) -> Array:
    """Return scratch for the longest function of time of some tables, (n_step, 3)."""
    return np.zeros((max([1, *(-int(n) for table in tables for n in table["seg_n"])]), 3))


def dof_of(measures: Any, n_q: int) -> NDArray[np.int64]:
    """Return the six coordinates of each measure, (n, 6), n_q for ground."""
    first = np.stack([measures["b1"], measures["b2"]], axis=1).astype(np.int64)
    dof = 3 * first[:, :, None] + np.arange(3)
    dof[first < 0] = n_q
    return dof.reshape(-1, 6)


def probe(measures: Any, segments: Array, t: float, q: Array) -> tuple[Array, Array, Array, Array]:
    """Return values (n,), signals (n, 3), gradients (n, 6) and curvatures (n, 6, 6) of a table."""
    n = len(measures)
    out = np.empty(n), np.empty((n, 3)), np.empty((n, 6)), np.empty((n, 6, 6))
    measured(measures, segments, float(t), readonly(np.ascontiguousarray(q, float)), *out, work_of(measures))
    return out


def _somewhere(measures: Any, segments: Array, n_q: int, scale: Scale) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which entries of gradients and curvatures are ever nonzero, judged at random places."""
    random = np.random.default_rng(0)
    g, h = np.zeros((len(measures), 6), bool), np.zeros((len(measures), 6, 6), bool)
    for _ in range(2):
        q = random.normal(size=(n_q // 3, 3)) * (scale.length, scale.length, 1.0)
        _, _, gradient, curvature = probe(measures, segments, 0.0, q.ravel())
        g |= gradient != 0.0
        h |= curvature != 0.0
    return g, h


Entries = Iterator[tuple[Any, Any, Any]]  # row, column, whether it exists; arrays that broadcast to (n, width)


def _row_entries(
    dof: NDArray[np.int64], g: NDArray[np.bool_], h: NDArray[np.bool_], n_q: int, of_row: NDArray[np.int32], n_row: int
) -> Entries:
    """Yield the entries of the rows in the order of the ROW_ slots."""
    e = of_row.astype(np.int64)[:, None]
    lines, columns, curved = np.repeat(dof, 6, axis=1), np.tile(dof, 6), h.reshape(-1, 36)
    kinematics, position = n_q + n_row, 2 * n_q + n_row
    yield lines, columns, curved
    yield kinematics + lines, columns, curved
    yield dof, 2 * n_q + e, g
    yield n_q + e, dof, h.any(axis=1)
    yield n_q + e, n_q + dof, g
    yield kinematics + dof, 2 * n_q + n_row + e, g
    yield position + e, dof, g
    yield 2 * n_q + 2 * n_row, 2 * n_q + e, True


def _law_entries(dof: NDArray[np.int64], g: NDArray[np.bool_], h: NDArray[np.bool_], n_q: int, laws: Any) -> Entries:
    """Yield the entries of the laws in the order of the LAW_ slots, but for the row of the work, which is -1."""
    lines, columns = np.repeat(dof, 6, axis=1), np.tile(dof, 6)
    crossed = (g[:, :, None] & g[:, None, :]).reshape(-1, 36)
    damped = (laws["damping"] != 0.0)[:, None]
    elastic = (laws["stiffness"] != 0.0)[:, None] | damped
    yield lines, columns, h.reshape(-1, 36) | (elastic & crossed)
    yield lines, n_q + columns, damped & crossed
    powered = damped | (laws["seg_n"] > 0)[:, None]
    yield -1, dof, h.any(axis=1) & powered
    yield -1, n_q + dof, g & powered


def _rub_entries(dof: NDArray[np.int64], g: NDArray[np.bool_], h: NDArray[np.bool_], n_q: int, rubs: Any) -> Entries:
    """Yield the entries of friction in the order of the RUB_ slots; the row of the work is -1."""
    g, mates = g.copy(), np.flatnonzero(rubs["rod"] > 0.0)
    g[mates] |= g[mates + 1]  # (3) of engine/friction.py: by what both pins of a rod depend on
    g[mates + 1] = g[mates]
    lines, columns = np.repeat(dof, 6, axis=1), np.tile(dof, 6)
    crossed, lams = (g[:, :, None] & g[:, None, :]).reshape(-1, 36), [rubs[of][:, None] for of in ("lx", "ly")]
    yield lines, columns, h.reshape(-1, 36) | crossed
    yield lines, n_q + columns, crossed
    yield -1, dof, h.any(axis=1)
    yield -1, n_q + dof, g
    for lam in lams:
        yield dof, 2 * n_q + lam, g & (lam >= 0)
    for lam in lams:
        yield -1, 2 * n_q + lam, lam >= 0


def _keys(entries: Entries, dof: NDArray[np.int64], n_q: int, n: int) -> NDArray[np.int64]:
    """Return column * n + row of all entries, -1 where there is none."""
    blocks = []
    grounded = np.repeat(dof == n_q, 6, axis=1) | np.tile(dof == n_q, 6)
    for line, column, exists in entries:
        line, column, exists = np.broadcast_arrays(line, column, exists)
        width = line.shape[1]
        missing = grounded if width == 36 else dof == n_q if width == 6 else False
        blocks.append(np.where(exists & ~np.asarray(missing), column * n + line % n, -1))
    return np.concatenate(blocks, axis=1)


def _pattern(
    rows: Any, laws: Any, rubs: Any, rub_measures: Any, segments: Array, calls: list[int], mass: Array, scale: Scale
) -> Pattern:
    n_q, n_row = len(mass), int(rows["row"].max(initial=-1)) + 1
    n = 2 * n_q + 2 * n_row + 1
    row_dof, law_dof = dof_of(rows, n_q), dof_of(laws, n_q)
    somewhere = _somewhere(rows, segments, n_q, scale)
    row_keys = _keys(_row_entries(row_dof, *somewhere, n_q, rows["row"], n_row), row_dof, n_q, n)
    law_keys = _keys(_law_entries(law_dof, *_somewhere(laws, segments, n_q, scale), n_q, laws), law_dof, n_q, n)
    rub_dof = dof_of(rubs, n_q)
    rub_keys = _keys(_rub_entries(rub_dof, *_somewhere(rub_measures, segments, n_q, scale), n_q, rubs), rub_dof, n_q, n)
    called = np.array([[at, at + 1, at + 2, n - 1] for at in calls], int).reshape(-1, 4, 1)
    call_keys = np.arange(2 * n_q) * n + called
    # entries that never change: row, column, dF/dy, dF/dyp
    i, e = np.arange(n_q), np.arange(n_row)
    eps_v, eps_p = (rows[eps][np.searchsorted(rows["row"], e)] for eps in ("eps_v", "eps_p"))
    fixed: list[tuple[Any, Any, Any, Any]] = [
        (i, n_q + i, 0.0, mass),
        (n_q + e, 2 * n_q + e, eps_v, 0.0),
        (n_q + n_row + i, i, 0.0, 1.0),
        (n_q + n_row + i, n_q + i, -1.0, 0.0),
        (2 * n_q + n_row + e, 2 * n_q + n_row + e, -eps_p, 0.0),
        (np.array([n - 1]), np.array([n - 1]), 0.0, 1.0),
    ]
    fixed_keys = [column * n + line for line, column, _, _ in fixed]
    every = np.concatenate([k.ravel() for k in (row_keys, law_keys, rub_keys, call_keys, *fixed_keys)])
    present = np.unique(every[every >= 0])

    def slots(keys: NDArray[np.int64]) -> Integers:
        found = np.where(keys >= 0, np.searchsorted(present, keys), len(present))
        return readonly(found.astype(np.int32))

    constant, rate = np.zeros(len(present) + 1), np.zeros(len(present) + 1)
    for keys, (_, _, by_y, by_yp) in zip(fixed_keys, fixed, strict=True):
        constant[slots(keys)] += by_y
        rate[slots(keys)] += by_yp
    return Pattern(
        indptr=readonly(np.searchsorted(present, np.arange(n + 1) * n).astype(np.int32)),
        indices=readonly((present % n).astype(np.int32)),
        constant=readonly(constant),
        rate=readonly(rate),
        row_slots=slots(row_keys),
        law_slots=slots(law_keys),
        rub_slots=slots(rub_keys),
        call_slots=slots(call_keys),
    )


def breaks(signals: tuple[SignalSpec, ...], struck: set[float]) -> tuple[tuple[float, ...], float]:
    """Return the times at which signals jump or impulses act, and the time up to which all signals are defined."""
    times = sorted({t for s in signals for t in s.breaks() if t > 0.0} | struck)
    return tuple(times), min((s.until() for s in signals), default=math.inf)
