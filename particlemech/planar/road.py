"""Compiled -> Road: the tables of the explicit kernels, with their order of elimination."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech._jit import Records, table
from particlemech._poly import Poly
from particlemech.planar import accelerations
from particlemech.planar.accelerations import Indices, Road
from particlemech.planar.compiled import Compiled
from particlemech.planar.elimination import Schedule, schedule
from particlemech.planar.observed import Observed
from particlemech.planar.rows import TERM
from particlemech.system import Array

SOFT = 1e-12  # of c M^-1 c^T: regularisation of rows


def road(c: Compiled, observed: Observed) -> tuple[Road, Indices]:
    """Return the tables, and the place of every multiplier in the order of elimination."""
    T = [c.entry[int(z["first"]) : int(z["last"])] for z in c.coord]
    rods = [_rod(c, T, b) for b in c.distances]
    held = [r for r in range(len(c.rows)) if r >= len(rods) or rods[r] is None]
    term, cells = _in_q(c, T, held)
    n_q = len(c.drawing)
    entries = [(int(i), int(j), float(x)) for i, j, x in zip(*observed.mass_entries, strict=True)]
    columns: list[list[int]] = [[] for _ in c.rows]
    for r, rod in enumerate(rods):
        if rod is not None:
            columns[r] = [q + k for q in rod[:2] if q >= 0 for k in (0, 1)]
    for e, q in cells:
        columns[held[e]].append(q)
    plan = schedule(n_q, ((i, j) for i, j, _ in entries), columns)
    base = np.zeros(len(plan.row))
    for i, j, x in entries:
        base[plan.slot(i, j)] = x
    strength = _strength(c, plan, entries, rods, held, term, cells)
    for r in range(len(c.rows)):
        k = int(plan.place[n_q + r])
        base[plan.column[k]] = -SOFT / strength[k]
    force = [
        int(b)
        for kind in c.force
        for name in ("body", "body1", "body2")
        if name in kind.dtype.names
        for b in kind[name]
    ]
    loads, torques, springs, torsions = c.force
    # unsigned: else every index would be looked at for counting from the end
    place, column, row, target = (np.asarray(a, dtype=np.uint32) for a in plan)
    made = Road(
        place=place[:n_q],
        column=column,
        row=row,
        target=target,
        base=base,
        strength=strength,
        weight=observed.weight,
        rod=table([_rod_record(r, rod, plan, n_q) for r, rod in enumerate(rods) if rod is not None], accelerations.ROD),
        term=term,
        cell=table([(e, q, plan.slot(q, n_q + held[e])) for e, q in cells], accelerations.CELL),
        held=table([(plan.place[n_q + r], c.row[r]["drive"]) for r in held], accelerations.HELD),
        body=c.body,
        coord=c.coord,
        entry=c.entry,
        forced=np.array(sorted({b for b in force if b >= 0}), dtype=np.int64),
        segment=c.segment,
        signal=c.signal,
        loads=loads,
        torques=torques,
        springs=springs,
        torsions=torsions,
    )
    return made, place[n_q:]


def _rod(c: Compiled, T: list[Records], b: int) -> tuple[int, int, float, float, float] | None:
    """Return (a, b, x, y, length) of a distance between two particles, or None where one of them is a combination."""
    ends: list[tuple[int, float, float]] = []
    for k in (4 * b, 4 * b + 2):
        x, y = T[k], T[k + 1]
        if not len(x) and not len(y):
            ends.append((-1, float(c.coord[k]["start"]), float(c.coord[k + 1]["start"])))
        elif len(x) == len(y) == 1 and x[0]["c"] == y[0]["c"] == 1.0:
            ends.append((int(x[0]["q"]), 0.0, 0.0))
        else:
            return None
    fixed, moving = sorted(ends, key=lambda e: e[0] >= 0)
    return fixed[0], moving[0], fixed[1], fixed[2], float(c.body[b]["length"])


def _rod_record(r: int, rod: tuple[int, int, float, float, float], plan: Schedule, n_q: int) -> tuple[Any, ...]:
    a, b, x, y, length = rod
    slots = [plan.slot(q + k, n_q + r) if q >= 0 else -1 for q in (a, b) for k in (0, 1)]
    return (a, b, plan.place[n_q + r], *slots, x, y, length)


def _in_q(c: Compiled, T: list[Records], held: list[int]) -> tuple[Records, list[tuple[int, int]]]:
    """Return the term table of the held rows written in q, and their cells (row, q)."""
    number = {r: e for e, r in enumerate(held)}
    polys = [Poly.constant(0.0) for _ in held]
    combined = [_combination(c, T, k) for k in range(len(c.coord))] if held else []
    one = Poly.constant(1.0)
    for p in c.term:
        if int(p["row"]) in number:
            left = combined[p["i"]] if p["i"] >= 0 else one
            right = combined[p["j"]] if p["j"] >= 0 else one
            product = left * right * float(p["c"])
            if p["s"] > 0:
                product = product * Poly.signal(int(p["s"]))
            polys[number[int(p["row"])]] += product
    terms: list[tuple[Any, ...]] = []
    cells: list[tuple[int, int]] = []
    for e, poly in enumerate(polys):
        at: dict[int, int] = {}
        for (i, j, s), value in poly.terms.items():
            if abs(value) == 0.0:
                continue
            for q in (i, j):
                if q >= 0 and q not in at:
                    at[q] = len(cells)
                    cells.append((e, q))
            terms.append((e, i, j, s, at.get(i, -1), at.get(j, -1), value))
    return table(terms, TERM), cells


def _combination(c: Compiled, T: list[Records], k: int) -> Poly:
    poly = Poly.constant(float(c.coord[k]["start"]))
    for e in T[k]:
        poly = poly + Poly.variable(int(e["q"])) * float(e["c"])
    return poly


def _strength(c: Compiled, plan: Schedule, entries: Any, rods: Any, held: Any, term: Any, cells: Any) -> Array:
    """Return 1/(c M^-1 c^T) of every row as drawn, with the diagonal of M, in the order of elimination."""
    n_q = len(c.drawing)
    light = np.ones(n_q)
    for i, j, x in entries:
        if i == j:
            light[i] = 1.0 / x
    size = np.zeros(len(c.rows))
    for r, rod in enumerate(rods):
        if rod is not None:
            size[r] = sum(0.5 * (light[q] + light[q + 1]) for q in rod[:2] if q >= 0)
    result = np.zeros(len(plan.place))
    for e, q in cells:
        g = 0.0
        for p in term:
            if p["row"] == e:
                g += p["c"] * ((p["i"] == q) * (c.drawing[p["j"]] if p["j"] >= 0 else 1.0))
                g += p["c"] * ((p["j"] == q) * (c.drawing[p["i"]] if p["i"] >= 0 else 1.0))
        size[held[e]] += light[q] * g * g
    for r, x in enumerate(size):
        result[plan.place[n_q + r]] = 1.0 / max(x, 1e-300)
    return result
