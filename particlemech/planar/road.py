"""Compiled -> Road: the tables of the explicit kernels, with their order of elimination."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech._jit import Records, table
from particlemech._poly import Poly
from particlemech.planar import accelerations
from particlemech.planar.accelerations import Road
from particlemech.planar.compiled import Compiled
from particlemech.planar.elimination import Indices, Schedule, schedule
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
    columns: list[list[int]] = [[] for _ in c.rows]
    for r, rod in enumerate(rods):
        if rod is not None:
            columns[r] = [q + k for q in rod[:2] if q >= 0 for k in (0, 1)]
    for e, q in cells:
        columns[held[e]].append(q)
    i, j, mass = observed.mass_entries
    plan = schedule(n_q, tuple(zip(i.tolist(), j.tolist(), strict=True)), tuple(map(tuple, columns)))
    slot = plan.slot
    base = np.zeros(len(plan.row))
    base[[slot[pair] for pair in zip(i.tolist(), j.tolist(), strict=True)]] = mass
    strength = _strength(c, plan, mass[i == j], rods, held, term, cells)
    multipliers = plan.place[n_q:]
    base[plan.column[multipliers]] = -SOFT / strength[multipliers]
    names = ("body", "body1", "body2")
    forced = {int(b) for kind in c.force for name in names if name in (kind.dtype.names or ()) for b in kind[name]}
    loads, torques, springs, torsions = c.force
    made = Road(
        place=plan.place[:n_q],
        column=plan.column,
        row=plan.row,
        target=plan.target,
        base=base,
        strength=strength,
        weight=observed.weight,
        gravity=c.gravity,
        rod=table([_rod_record(r, rod, plan, n_q) for r, rod in enumerate(rods) if rod is not None], accelerations.ROD),
        term=term,
        cell=table([(e, q, slot[q, n_q + held[e]]) for e, q in cells], accelerations.CELL),
        held=table([(plan.place[n_q + r], c.row[r]["drive"]) for r in held], accelerations.HELD),
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
    return made, multipliers


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
    slots = [plan.slot[q + k, n_q + r] if q >= 0 else -1 for q in (a, b) for k in (0, 1)]
    return (a, b, plan.place[n_q + r], *slots, x, y, length)


def _in_q(c: Compiled, T: list[Records], held: list[int]) -> tuple[Records, list[tuple[int, int]]]:
    """Return the term table of the held rows written in q, and their cells (row, q)."""
    if not held:
        return table([], TERM), []
    combined = [_combination(c, T, k) for k in range(len(c.coord))]
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


def _combination(c: Compiled, T: list[Records], k: int) -> Poly:
    poly = Poly.constant(float(c.coord[k]["start"]))
    for e in T[k]:
        poly = poly + Poly.variable(int(e["q"])) * float(e["c"])
    return poly


def _strength(c: Compiled, plan: Schedule, mass: Array, rods: Any, held: Any, term: Any, cells: Any) -> Array:
    """Return 1/(c M^-1 c^T) of every row as drawn, with the diagonal of M, in the order of elimination."""
    n_q, light = len(c.drawing), 1.0 / mass
    size = np.zeros(len(c.rows))
    for r, rod in enumerate(rods):
        if rod is not None:
            size[r] = sum(0.5 * (light[q] + light[q + 1]) for q in rod[:2] if q >= 0)
    if held:
        slope = np.zeros((len(held), n_q))
        for p in term:
            x, y = (float(c.drawing[k]) if k >= 0 else 1.0 for k in (p["i"], p["j"]))
            if p["i"] >= 0:
                slope[p["row"], p["i"]] += p["c"] * y
            if p["j"] >= 0:
                slope[p["row"], p["j"]] += p["c"] * x
        size[held] = slope**2 @ light
    result = np.zeros(len(plan.place))
    result[plan.place[n_q:]] = 1.0 / np.maximum(size, 1e-300)
    return result
