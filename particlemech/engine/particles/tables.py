"""Compiled -> ExplicitTables: the tables of the explicit kernels, with their order of elimination."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from particlemech._jit import Records, readonly, table
from particlemech._tape import filled
from particlemech.engine.friction import width
from particlemech.engine.particles.accelerations import CELL, HELD, ROD, ExplicitTables
from particlemech.engine.particles.chain import BODY
from particlemech.engine.particles.compiled import Compiled
from particlemech.engine.particles.elimination import Indices, Schedule, schedule
from particlemech.engine.particles.forces.motor import ANGLE
from particlemech.engine.particles.frames import Swing
from particlemech.engine.particles.observed import Observed
from particlemech.engine.particles.rubbing import ITEM, PART, PULL
from particlemech.engine.particles.turns import NO_TURNS, Arms
from particlemech.engine.particles.turns import Tables as Turning
from particlemech.engine.particles.turns import slope as swung
from particlemech.engine.particles.turns import tabulated as turned
from particlemech.engine.polynomials import Poly
from particlemech.engine.terms import TERM

LENGTH = [name for name, _ in BODY].index("length")  # where a record of BODY has it
SOFT = 1e-15  # of c M^-1 c^T: regularisation of rows
IDLE = 1e-6  # of what a unit row does to all mass, squared: a row with less asks for nothing


Rod = tuple[int, int, float, float, float]  # a, b, x, y, length of accelerations.ROD
Pairs = tuple[tuple[int, int], ...]


def explicit_tables(c: Compiled, observed: Observed) -> tuple[ExplicitTables, Indices]:
    """Return the tables, and the place of every multiplier in the order of elimination."""
    rods = [_rod(c, b, c.forms[b][LENGTH]) for b in c.distances]
    held = [r for r in range(len(c.rows)) if r >= len(rods) or rods[r] is None]
    terms, cells = _in_q(c, held)
    turn, arm, spot = _turning(c, held, cells)
    pairs, mass = observed.mass_entries
    ends = tuple([rod and rod[:2] for rod in rods])
    at = _arranged(len(c.drawing), pairs, len(c.rows), ends, tuple(held), tuple(cells))
    plan = at.plan
    base = [0.0] * len(plan.row)
    for place, value in zip(at.mass, mass, strict=True):
        base[place] = value
    strength = [0.0] * len(plan.place)
    strengths = _strengths(c, at, mass, rods, held, _slopes(c, held, terms))
    for own, first, value in zip(at.own, at.first, strengths, strict=True):
        strength[own] = value
        base[first] = -SOFT / value
    names = ("body", "body1", "body2")
    acting = [kind for kind in (*c.force, c.governed[0]) if len(kind)]
    forced = {int(b) for kind in acting for name in names if name in (kind.dtype.names or ()) for b in kind[name]}
    loads, torques, springs, motors = c.force
    made = ExplicitTables(
        place=at.coordinates,
        column=plan.column,
        row=plan.row,
        target=plan.target,
        base=filled(base),
        strength=filled(strength),
        weight=observed.weight,
        gravity=c.gravity,
        rod=table([(*whole, *rod[2:]) for whole, rod in zip(at.rods, filter(None, rods), strict=True)], ROD),
        term=table(terms, TERM),
        cell=at.cell,
        held=table([(place, c.drives[r]) for place, r in zip(at.held, held, strict=True)], HELD),
        turn=turn,
        arm=arm,
        spot=spot,
        body=c.body,
        coord=c.coord,
        entry=c.entry,
        forced=np.array(sorted(forced - {-1}), dtype=np.int64),
        segment=c.segment,
        signal=c.signal,
        loads=loads,
        torques=torques,
        springs=springs,
        motors=motors,
        gauge=c.governed[0],
        element=c.governed[1],
        numbers=c.governed[2],
        **_rubbing(c, observed, at),
    )
    return made, at.multipliers


def _rubbing(c: Compiled, observed: Observed, at: _Arrangement) -> dict[str, Any]:
    """Return the tables of rubbing.py: what loads each place where joints rub."""
    if not c.rubbed:
        return {}
    items: list[tuple[int, int, float]] = []
    pulled: dict[tuple[int, int], list[tuple[int, float]]] = {}  # (row, body coordinate) -> items that it is in
    parts: list[tuple[Any, ...]] = []
    rows_at = _pulling(c)
    place = at.coordinates.tolist()
    pull = 2 * tuple(c.mechanism.gravity)
    for j, one in enumerate(c.rubbed):
        for axis in (0, 1):
            to = 2 * j + axis
            if one.balance is None:
                if one.rows[axis] >= 0:
                    items.append((to, at.own[one.rows[axis]], -1.0))
                continue
            bodies, k, sign = one.balance
            for b in bodies:
                z, inertia = 4 * b + 2 * k + axis, observed.blocks[b][2 * k + axis]
                total: dict[int, float] = {}
                for i, mass in enumerate(inertia):
                    for q, factor in c.T[4 * b + i].items() if mass else ():
                        total[q] = total.get(q, 0.0) + sign * mass * factor
                items += [(to, place[q], factor) for q, factor in total.items()]
                for row in rows_at.get(z, ()):
                    pulled.setdefault((row, z), []).append((len(items), sign))
                    items.append((to, at.own[row], 0.0))
                weight = sum(mass * g for mass, g in zip(inertia, pull, strict=True))
                parts.append((to, z, sign, sign * weight))
    made = {"rub": c.rub, "item": table(items, ITEM), "part": table(parts, PART)}
    made |= _senses(c)
    if not pulled:
        return made
    pulls = [
        (item, s, other, sign * factor)
        for row in range(len(c.rows))
        for (i, j, s), factor in c.poly(row).terms.items()
        for z, other in ((i, j), (j, i))
        for item, sign in pulled.get((row, z), ())
    ]
    turns, arms, spots = turned(c.turns, lambda row, z: pulled.get((row, z), ()))
    return made | {"pulls": table(pulls, PULL), "turned": turns, "turned_arms": arms, "turned_items": spots}


def _pulling(c: Compiled) -> dict[int, dict[int, None]]:
    """Return the rows that pull at each body coordinate, in their order."""
    found: dict[int, dict[int, None]] = {}
    for row in range(len(c.rows)):
        for pair in c.poly(row).terms:
            for z in pair[:2]:
                found.setdefault(z, {})[row] = None
    for row, swing in c.turns:
        for z, _, _, _ in swing.arms()[0]:
            found.setdefault(z, {})[row] = None
    return found


def _senses(c: Compiled) -> dict[str, Any]:
    """Return e of rubbing.py (3) by bodies, and the places to which it does not apply."""
    sense, slips = np.zeros((len(c.forms), width(len(c.rub)))), []
    pairs = (c.rub[name].tolist() for name in ("turn", "body1", "body2"))
    for k, (turn, first, second) in enumerate(zip(*pairs, strict=True)):
        if turn != ANGLE:
            slips.append(k)
            continue
        for body, e in ((first, -1.0), (second, 1.0)):
            if body >= 0:
                sense[body, k] = e
    return {"sense": readonly(sense), "slips": readonly(np.array(slips, dtype=np.int64))}


class _Arrangement(NamedTuple):
    """What of the explicit tables needs no numbers."""

    plan: Schedule
    coordinates: Indices  # (n_q,) place in the order of elimination
    multipliers: Indices  # (n_row,) the same
    own: list[int]  # the same as plain numbers
    first: list[int]  # where the pivot of each multiplier lies among the values
    mass: list[int]  # where the entries of M lie among the values
    diagonal: list[int]  # which of these entries are M_kk
    rods: list[tuple[int, ...]]  # the whole numbers of accelerations.ROD
    held: list[int]  # place of the multiplier of each held row
    cell: Records


@lru_cache(maxsize=256)
def _arranged(
    n_q: int, pairs: Pairs, n_row: int, rods: tuple[Any, ...], held: tuple[int, ...], cells: Pairs
) -> _Arrangement:
    """Return the arrangement of a structure; variants of one mechanism share it.

    Parameters
    ----------
    n_q, n_row
        Numbers of coordinates and of rows.
    pairs
        Rows and columns of the entries of M.
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
        place[n_q:],
        plan.column[plan.place[n_q:]].tolist(),
        [slot[pair] for pair in pairs],
        [k for k, (a, b) in enumerate(pairs) if a == b],
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


def _in_q(c: Compiled, held: list[int]) -> tuple[list[tuple[Any, ...]], list[tuple[int, int]]]:
    """Return the records TERM of the held rows written in q, and their cells (row, q)."""
    if not held:
        return [], []
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
    return terms, cells


def _turning(c: Compiled, held: list[int], cells: list[tuple[int, int]]) -> Turning:
    """Return TURN, ARM and SPOT of the held rows, written in q; add the cells that they need."""
    if not c.turns:
        return NO_TURNS
    at = {cell: k for k, cell in enumerate(cells)}

    def goal(row: int, q: int) -> list[tuple[int, float]]:
        if (row, q) not in at:
            at[row, q] = len(cells)
            cells.append((row, q))
        return [(at[row, q], 1.0)]

    def arms(swing: Swing) -> Arms:
        own, left = swing.arms()
        rest: list[float] = list(left)
        found: dict[tuple[int, int], tuple[float, float]] = {}
        for z, k, x, y in own:
            rest[2 * k], rest[2 * k + 1] = rest[2 * k] + x * c.start[z], rest[2 * k + 1] + y * c.start[z]
            for q, factor in c.T[z].items():
                more = found.get((q, k), (0.0, 0.0))
                found[q, k] = more[0] + x * factor, more[1] + y * factor
        return [(*place, *by) for place, by in found.items()], tuple(rest)

    place = {r: e for e, r in enumerate(held)}
    return turned([(place[row], swing) for row, swing in c.turns], goal, arms)


def _slopes(c: Compiled, held: list[int], terms: list[Any]) -> dict[tuple[int, int], float]:
    """Return the gradients of the held rows as drawn, by (place among them, coordinate)."""
    slope: dict[tuple[int, int], float] = {}
    for e, i, j, _, _, _, factor in terms:
        x, y = (c.draft[k] if k >= 0 else 1.0 for k in (i, j))
        if i >= 0:
            slope[e, i] = slope.get((e, i), 0.0) + factor * y
        if j >= 0:
            slope[e, j] = slope.get((e, j), 0.0) + factor * x
    place = {r: e for e, r in enumerate(held)}
    for r, swing in c.turns:
        by = swung(swing)
        for z, k, x, y in swing.arms()[0]:
            fx, fy = by[2 * k], by[2 * k + 1]
            for q, share in c.T[z].items():
                key = place[r], q
                slope[key] = slope.get(key, 0.0) + share * (x * fx + y * fy)
    return slope


def _combination(c: Compiled, k: int) -> Poly:
    poly = Poly.constant(c.start[k])
    for q, factor in sorted(c.T[k].items()):
        poly = poly + Poly.variable(q) * factor
    return poly


def _strengths(
    c: Compiled, at: _Arrangement, mass: list[float], rods: list[Rod | None], held: list[int],
    slope: dict[tuple[int, int], float],
) -> list[float]:  # fmt: skip
    """Return 1/(c M^-1 c^T) of every row as drawn, with the diagonal of M."""
    light = [1.0 / mass[k] for k in at.diagonal]
    size = [0.0] * len(c.rows)
    for r, rod in enumerate(rods):
        if rod is not None:
            size[r] = sum([0.5 * (light[q] + light[q + 1]) for q in rod[:2] if q >= 0])
    for (e, q), value in slope.items():
        size[held[e]] = size[held[e]] + value * value * light[q]
    # a row that holds by itself is left as a rounding error, whose size must not be scaled up to that of a unit row
    unit = [c.scale.length if row.angle else 1.0 for row in c.rows]
    least = [IDLE / (c.scale.mass * (each * each)) for each in unit]
    return [1.0 / max(each, idle) for each, idle in zip(size, least, strict=True)]
