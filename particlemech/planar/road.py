"""Compiled -> Road: the tables of the explicit kernels, with their order of elimination."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import Records, table
from particlemech._poly import Poly
from particlemech.planar.accelerations import CELL, HELD, ROD, Road
from particlemech.planar.compiled import Compiled
from particlemech.planar.elimination import Indices, Schedule, schedule
from particlemech.planar.observed import Observed
from particlemech.system import Array
from particlemech.terms import TERM

SOFT = 1e-15  # of c M^-1 c^T: regularisation of rows
IDLE = 1e-6  # of what a unit row does to all mass, squared: a row with less asks for nothing


Rod = tuple[int, int, float, float, float]  # a, b, x, y, length of accelerations.ROD
Pairs = tuple[tuple[int, int], ...]


def road(c: Compiled, observed: Observed) -> tuple[Road, Indices]:
    """Return the tables, and the place of every multiplier in the order of elimination."""
    lengths = c.body["length"].tolist()
    rods = [_rod(c, b, lengths[b]) for b in c.distances]
    held = [r for r in range(len(c.rows)) if r >= len(rods) or rods[r] is None]
    term, cells = _in_q(c, held)
    i, j, mass = observed.mass_entries
    ends = tuple([rod and rod[:2] for rod in rods])
    at = _arranged(len(c.drawing), i.tobytes(), j.tobytes(), len(c.rows), ends, tuple(held), tuple(cells))
    plan = at.plan
    base = np.zeros(len(plan.row))
    base[at.mass] = mass
    strength = _strength(c, at, mass[at.diagonal], rods, held, term)
    base[plan.column[at.multipliers]] = -SOFT / strength[at.multipliers]
    names = ("body", "body1", "body2")
    acting = [kind for kind in c.force if len(kind)]
    forced = {int(b) for kind in acting for name in names if name in (kind.dtype.names or ()) for b in kind[name]}
    loads, torques, springs, torsions = c.force
    made = Road(
        place=at.coordinates,
        column=plan.column,
        row=plan.row,
        target=plan.target,
        base=base,
        strength=strength,
        weight=observed.weight,
        gravity=c.gravity,
        rod=table([(*whole, *rod[2:]) for whole, rod in zip(at.rods, filter(None, rods), strict=True)], ROD),
        term=term,
        cell=at.cell,
        held=table([(place, c.drives[r]) for place, r in zip(at.held, held, strict=True)], HELD),
        body=c.body,
        coord=c.coord,
        entry=c.entry,
        forced=np.array(sorted(forced - {-1}), dtype=np.int64),
        segment=c.segment,
        signal=c.signal,
        loads=loads,
        torques=torques,
        springs=springs,
        torsions=torsions,
    )
    return made, at.multipliers


class _Arrangement(NamedTuple):
    """What a road needs no numbers for."""

    plan: Schedule
    coordinates: Indices  # (n_q,) place in the order of elimination
    multipliers: Indices  # (n_row,) the same
    mass: NDArray[np.intp]  # where the entries of M lie among the values
    diagonal: NDArray[np.intp]  # which of these entries are M_kk
    rods: list[tuple[int, ...]]  # the whole numbers of accelerations.ROD
    held: list[int]  # place of the multiplier of each held row
    cell: Records


@lru_cache(maxsize=256)
def _arranged(
    n_q: int, i: bytes, j: bytes, n_row: int, rods: tuple[Any, ...], held: tuple[int, ...], cells: Pairs
) -> _Arrangement:
    """Return the arrangement of a structure; variants of one mechanism share it.

    Parameters
    ----------
    n_q, n_row
        Numbers of coordinates and of rows.
    i, j
        Rows and columns of the entries of M, whole numbers.
    rods
        The coordinates (a, b) of each rod, None where a distance is held otherwise.
    held, cells
        The rows that are no rods, and their (place among these, coordinate).
    """
    columns: list[list[int]] = [[] for _ in range(n_row)]
    for r, rod in enumerate(rods):
        if rod is not None:
            columns[r] = [q + k for q in rod if q >= 0 for k in (0, 1)]
    for e, q in cells:
        columns[held[e]].append(q)
    pairs = tuple(zip(np.frombuffer(i, dtype=int).tolist(), np.frombuffer(j, dtype=int).tolist(), strict=True))
    plan = schedule(n_q, pairs, tuple(map(tuple, columns)))
    slot, place = plan.slot, plan.place.tolist()
    whole = []
    for r, rod in enumerate(rods):
        if rod is not None:
            slots = [slot[q + k, n_q + r] if q >= 0 else -1 for q in rod for k in (0, 1)]
            whole.append((*rod, place[n_q + r], *slots))
    return _Arrangement(
        plan,
        plan.place[:n_q],
        plan.place[n_q:],
        np.array([slot[pair] for pair in pairs], dtype=np.intp),
        np.flatnonzero([a == b for a, b in pairs]),
        whole,
        [place[n_q + r] for r in held],
        table([(e, q, slot[q, n_q + held[e]]) for e, q in cells], CELL),
    )


def _rod(c: Compiled, b: int, length: float) -> Rod | None:
    """Return the rod between a body's particles, or None where one of them is a combination."""
    ends: list[tuple[int, float, float]] = []
    for k in (4 * b, 4 * b + 2):
        x, y = c.T[k], c.T[k + 1]
        if not x and not y:
            ends.append((-1, c.start[k], c.start[k + 1]))
        elif len(x) == len(y) == 1 and {*x.values(), *y.values()} == {1.0}:
            ends.append((next(iter(x)), 0.0, 0.0))
        else:
            return None
    fixed, moving = sorted(ends, key=lambda e: e[0] >= 0)
    return fixed[0], moving[0], fixed[1], fixed[2], length


@cache
def _no_terms() -> Records:
    return table([], TERM)


def _in_q(c: Compiled, held: list[int]) -> tuple[Records, list[tuple[int, int]]]:
    """Return the term table of the held rows written in q, and their cells (row, q)."""
    if not held:
        return _no_terms(), []
    combined = [_combination(c, k) for k in range(len(c.T))]
    one = Poly.constant(1.0)
    terms: list[tuple[Any, ...]] = []
    cells: list[tuple[int, int]] = []
    for e, r in enumerate(held):
        total = Poly.constant(0.0)
        for (i, j, s), value in c.poly(r).terms.items():
            product = (combined[i] if i >= 0 else one) * (combined[j] if j >= 0 else one) * value
            total = total + (product * Poly.signal(s) if s > 0 else product)
        at: dict[int, int] = {}
        for (i, j, s), value in total.terms.items():
            if value == 0.0:
                continue
            for q in (i, j):
                if q >= 0 and q not in at:
                    at[q] = len(cells)
                    cells.append((e, q))
            terms.append((e, i, j, s, at.get(i, -1), at.get(j, -1), value))
    return table(terms, TERM), cells


def _combination(c: Compiled, k: int) -> Poly:
    poly = Poly.constant(c.start[k])
    for q, factor in sorted(c.T[k].items()):
        poly = poly + Poly.variable(q) * factor
    return poly


def _strength(
    c: Compiled, at: _Arrangement, mass: Array, rods: list[Rod | None], held: list[int], term: Records
) -> Array:
    """Return 1/(c M^-1 c^T) of every row as drawn, with the diagonal of M, in the order of elimination."""
    n_q, light = len(c.drawing), 1.0 / mass
    each, size = light.tolist(), np.zeros(len(c.rows))
    for r, rod in enumerate(rods):
        if rod is not None:
            size[r] = sum([0.5 * (each[q] + each[q + 1]) for q in rod[:2] if q >= 0])
    if held:
        slope = np.zeros((len(held), n_q))
        for p in term:
            x, y = (float(c.drawing[k]) if k >= 0 else 1.0 for k in (p["i"], p["j"]))
            if p["i"] >= 0:
                slope[p["row"], p["i"]] += p["c"] * y
            if p["j"] >= 0:
                slope[p["row"], p["j"]] += p["c"] * x
        size[held] = slope**2 @ light
    result = np.zeros(len(at.plan.place))
    # a row that holds by itself is left as a rounding error, whose size must not be scaled up to that of a unit row
    unit = np.array([c.scale.length if row.angle else 1.0 for row in c.rows])
    result[at.multipliers] = 1.0 / np.maximum(size, IDLE / (c.scale.mass * unit**2))
    return result
