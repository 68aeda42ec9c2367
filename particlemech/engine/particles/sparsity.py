"""Where each derivative goes: the Jacobian's pattern and the tables that scatter values into it.

The Jacobian kernel computes plain values once (val: gradients, second derivatives, constants; D: derivatives of body
wrenches) and two flat loops write them:

    J[slot] += coef val[source]                            everything but the balance     (1)
    J[slot] += coef proj[row].D[source]                    balance rows, by (row, body) pairs (2)

coef carries the chain rule Z = start + T q. A slot is an address in a dense matrix or in compressed columns, so the
same kernel serves both.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import table
from particlemech.engine.particles.compiled import Compiled
from particlemech.engine.particles.kernels import PAIR, SCATTER, Targets


@dataclass(frozen=True)
class Places:
    """Start addresses of the unknowns in y, of the equations in the residual, of the values in val and D."""

    n_q: int
    n_lam: int
    n_row: int
    n_free: int
    n_body: int
    n_z: int  # states of elements, before the work
    # val: cy, cp, eps_v and eps_p per row, then
    g: int
    h: int
    bend: int  # c s mu per term
    swing: int  # derivative of the projections, 4 per balance row
    spin: int  # derivative of omega, 8 per body
    power: int
    rate: int  # of drivers, per row
    coil: int  # second derivatives of angles and strands times mu, one per pair of their arms
    n_val: int
    # D: 8 per body (momentum), then
    reach: int  # unit reactions, per cell
    curl: int  # second derivatives of reactions, 2 per term
    force: int
    twist: int  # second derivatives of the reactions of angles and strands, one per pair of arms
    n_D: int

    @property
    def n(self) -> int:
        """Return the size of y."""
        return 2 * self.n_q + self.n_lam + self.n_row + self.n_body + self.n_z + 1

    @property
    def lam(self) -> int:
        """Return where the multipliers start in y."""
        return 2 * self.n_q

    @property
    def mu(self) -> int:
        """Return where the stabilising multipliers start in y."""
        return 2 * self.n_q + self.n_lam

    @property
    def theta(self) -> int:
        """Return where the angles start in y."""
        return 2 * self.n_q + self.n_lam + self.n_row


def places(compiled: Compiled, n_z: int = 0) -> Places:
    """Return the addresses of a compiled mechanism whose elements own n_z states."""
    n_cell, n_term, n_row = len(compiled.cell), len(compiled.term), len(compiled.row)
    n_body, n_free = len(compiled.body), len(compiled.free)
    sizes = [2 + 2 * n_row, n_cell, n_cell, n_term, 4 * n_free, 8 * n_body]
    n_power = sum(len(e.power) for e in compiled.emissions)
    n_turn = sum(len(arms) ** 2 for _, arms in _arms(compiled))
    at = np.cumsum([*sizes, n_power, n_row, n_turn])
    D = np.cumsum([8 * n_body, n_cell, 2 * n_term, sum(len(e.wrench) for e in compiled.emissions), n_turn])
    return Places(
        len(compiled.drawing), compiled.n_lam, n_row, n_free, n_body, n_z, *(int(k) for k in at), *(int(k) for k in D)
    )


def _arms(compiled: Compiled) -> list[tuple[int, list[int]]]:
    """Return the row and the body coordinates of each angle and strand that rows hold."""
    turn, arm, _ = compiled.turning
    return [(int(p["row"]), arm["z"][p["arm"] : p["arms"]].tolist()) for p in turn]


@dataclass(frozen=True)
class SparsityPattern:
    """The pattern in compressed columns, and the scatter tables for both kinds of matrix."""

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    dense: Targets
    sparse: Targets


class _Entries:
    """Collects (equation, unknown, source, coef) before slots are known."""

    def __init__(self) -> None:
        self.scatter: list[tuple[int, int, int, float]] = []
        self.pair: list[tuple[int, int, int, int, float]] = []


def pattern(compiled: Compiled, p: Places, dense_entries: list[tuple[int, int]]) -> SparsityPattern:
    """Return pattern and tables; `dense_entries` are further (equation, unknown) places that must exist."""
    found = _Entries()
    T = [[(int(e["q"]), float(e["c"])) for e in compiled.entry[c["first"] : c["last"]]] for c in compiled.coord]
    _kinematics(found, compiled, p, T)
    _rows(found, compiled, p, T)
    _following(found, compiled, p, T)
    _balance(found, compiled, p, T)
    keys = [(e[0], e[1]) for e in found.scatter] + [(e[0], e[1]) for e in found.pair] + dense_entries
    rows, cols = np.array(keys, dtype=np.int64).T
    code, slot = np.unique(cols * p.n + rows, return_inverse=True)
    indptr = np.searchsorted(code, np.arange(p.n + 1) * p.n).astype(np.int32)

    def tables(address: NDArray[np.int64]) -> Targets:
        m = len(found.scatter)
        scatter = [(a, e[2], e[3]) for a, e in zip(address[:m], found.scatter, strict=True)]
        pair = [(a, e[2], e[3], e[4]) for a, e in zip(address[m : m + len(found.pair)], found.pair, strict=True)]
        return Targets(table(scatter, SCATTER), table(pair, PAIR))

    return SparsityPattern(indptr, (code % p.n).astype(np.int32), tables(rows * p.n + cols), tables(slot.ravel()))


def _kinematics(found: _Entries, compiled: Compiled, p: Places, T: list[list[tuple[int, float]]]) -> None:
    """q' - v + phi_q^T mu."""
    for q in range(p.n_q):
        found.scatter += [(q, q, 1, 1.0), (q, p.n_q + q, 0, -1.0)]
    for e, cell in enumerate(compiled.cell):
        found.scatter += [(q, p.mu + int(cell["row"]), p.g + e, c) for q, c in T[cell["z"]]]
    for e, term in enumerate(compiled.term):
        if term["i"] >= 0 and term["j"] >= 0:
            for q, c in T[term["i"]]:
                for r, d in T[term["j"]]:
                    found.scatter += [(q, r, p.bend + e, c * d), (r, q, p.bend + e, c * d)]
    source = p.coil
    for _, arms in _arms(compiled):
        for i, j in product(arms, arms):
            found.scatter += [(q, r, source, c * d) for q, c in T[i] for r, d in T[j]]
            source += 1


def _rows(found: _Entries, compiled: Compiled, p: Places, T: list[list[tuple[int, float]]]) -> None:
    """phi_q v + phi_t + eps_v lam, and phi - eps_p mu."""
    velocity, position = p.n_q + p.n_free, p.n_q + p.n_free + p.n_row
    for e, cell in enumerate(compiled.cell):
        row = int(cell["row"])
        for q, c in T[cell["z"]]:
            found.scatter.append((velocity + row, q, p.h + e, c))
            found.scatter.append((velocity + row, p.n_q + q, p.g + e, c))
            found.scatter.append((position + row, q, p.g + e, c))
    for r, row in enumerate(compiled.row):
        if row["lam"] >= 0:
            found.scatter.append((velocity + r, p.lam + int(row["lam"]), 2 + r, 1.0))
        found.scatter.append((position + r, p.mu + r, 2 + p.n_row + r, -1.0))


def _following(found: _Entries, compiled: Compiled, p: Places, T: list[list[tuple[int, float]]]) -> None:
    """theta' - omega, and W' - power."""
    for b in range(p.n_body):
        found.scatter.append((p.theta + b, p.theta + b, 1, 1.0))
        for k in range(8):
            for q, c in T[4 * b + k % 4]:
                found.scatter.append((p.theta + b, q + p.n_q * (k // 4), p.spin + 8 * b + k, -c))
    work = p.n - 1
    found.scatter.append((work, work, 1, 1.0))
    source = p.power
    for emission in compiled.emissions:
        for level, k in emission.power:
            if k >= 0 and level == 2:  # by a multiplier
                found.scatter.append((work, p.lam + k, source, -1.0))
            elif k >= 0:
                found.scatter += [(work, q + p.n_q * level, source, -c) for q, c in T[k]]
            source += 1
    for r, row in enumerate(compiled.row):
        if row["drive"] >= 0:
            found.scatter.append((work, p.lam + int(row["lam"]), p.rate + r, -1.0))


def _balance(found: _Entries, compiled: Compiled, p: Places, T: list[list[tuple[int, float]]]) -> None:
    """Balance rows: derivatives of the projections, and pairs of (row, wrench of an outboard body)."""
    above: list[list[int]] = [[] for _ in range(p.n_body)]  # balance rows that feel a body
    for r, free in enumerate(compiled.free):
        above[free["body"]].append(r)
        if free["on"] >= 0:
            for k in range(4):
                for q, c in T[4 * free["on"] + k]:
                    found.scatter.append((p.n_q + r, q, p.swing + 4 * r + k, c))
    for b, body in enumerate(compiled.body):
        if body["parent"] >= 0:
            above[b] = above[b] + above[body["parent"]]

    def add(body: int, source: int, unknowns: list[tuple[int, float]]) -> None:
        for r in above[body]:
            found.pair += [(p.n_q + r, u, r, source, c) for u, c in unknowns]

    def by_level(level: int, k: int) -> list[tuple[int, float]]:
        if level == 2:  # by a multiplier
            return [(p.lam + k, 1.0)]
        return [(q + p.n_q * (level > 0), c) for q, c in T[k]]

    for b in range(p.n_body):
        for k in range(4):
            add(b, 8 * b + k, by_level(0, 4 * b + k))
            add(b, 8 * b + 4 + k, by_level(1, 4 * b + k))
    for e, cell in enumerate(compiled.cell):
        lam = int(compiled.row[cell["row"]]["lam"])
        if lam >= 0:
            add(cell["z"] // 4, p.reach + e, [(p.lam + lam, 1.0)])
    for e, term in enumerate(compiled.term):
        i, j = int(term["i"]), int(term["j"])
        if i >= 0 and j >= 0 and compiled.row[term["row"]]["lam"] >= 0:
            add(i // 4, p.curl + 2 * e, by_level(0, j))
            add(j // 4, p.curl + 2 * e + 1, by_level(0, i))
    source = p.twist
    for r, arms in _arms(compiled):
        for i, j in product(arms, arms):
            if compiled.row[r]["lam"] >= 0:
                add(i // 4, source, by_level(0, j))
            source += 1
    source = p.force
    for emission in compiled.emissions:
        for body, level, k in emission.wrench:
            if body >= 0 and k >= 0:
                add(body, source, by_level(level, k))
            source += 1
