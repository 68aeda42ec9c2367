"""Where each derivative goes: the pattern of the Jacobian and the tables that scatter values into it.

The Jacobian kernel computes plain values once (val) and writes them,

    J[slot] += c val[source]                                  rows, kinematics, momentum                    (1)
    J[slot] -= change of a force or the power                 by the columns of what is perturbed                (2)

A slot is an address in a dense matrix or in compressed columns, so the same kernel serves both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import ArgumentGroup, Records, described, table
from particlemech.engine.natural.tables import LANDING, PERTURBED, SCATTER, Rows, Targets


@dataclass(frozen=True)
class NaturalPlaces:
    """Start addresses of the unknowns in y, and of the values in val."""

    n_q: int
    n_row: int
    n_theta: int
    n_z: int  # states of motors and controllers
    # val: 1, cj, eps_v and eps_p per row, then
    g: int
    h: int
    bend: int  # c s mu per term, then c s lam
    drive: int  # lam times the rate of a term by its first, then by its second coordinate
    rate: int  # phi_t per row
    outer: int  # of threads
    n_val: int

    @property
    def n(self) -> int:
        """Return the size of y."""
        return 2 * self.n_q + 2 * self.n_row + self.n_theta + self.n_z + 1

    @property
    def lam(self) -> int:
        """Return where the multipliers start in y."""
        return 2 * self.n_q

    @property
    def mu(self) -> int:
        """Return where the stabilising multipliers start in y."""
        return 2 * self.n_q + self.n_row

    @property
    def theta(self) -> int:
        """Return where the angles start in y."""
        return 2 * self.n_q + 2 * self.n_row


def places(n_q: int, n_theta: int, n_z: int, rows: Rows) -> NaturalPlaces:
    """Return the addresses of a mechanism."""
    n_row, n_cell = (int(k) for k in rows.n)
    n_term = len(rows.term)
    sizes = [
        2 + 2 * n_row,
        n_cell,
        n_cell,
        2 * n_term,
        2 * n_term,
        n_row,
        2 * sum(int(p["n"]) ** 2 for p in rows.thread),
    ]
    return NaturalPlaces(n_q, n_row, n_theta, n_z, *accumulate(sizes))


@dataclass(frozen=True)
class SparsityPattern:
    """The pattern in compressed columns, and where values go in both kinds of matrix."""

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    dense: ArgumentGroup
    sparse: ArgumentGroup


Entry = tuple[int, int, int, float]  # equation, unknown, source, coefficient
Columns = list[tuple[int, int, int, float]]  # of T: coordinate, where its entries are, and its unit


def pattern(
    p: NaturalPlaces,
    rows: Rows,
    mass: Records,
    columns: Columns,
    acting: list[set[int]],
    besides: list[tuple[int, int]],
) -> SparsityPattern:
    """Return pattern and tables.

    `acting` are the coordinates that each force touches; `besides` are further (equation, unknown) places to keep.
    """
    scatter = [*_rows(p, rows), *_terms(p, rows), *_threads(p, rows), *_rest(p, mass)]
    scatter += [(equation, unknown, 0, 0.0) for equation, unknown in besides]
    by_column: dict[int, set[tuple[int, int]]] = {q: set() for q, *_ in columns}  # -> equation, place in `out`
    for touched in acting:
        rows_of = {(p.n_q + k, k) for k in touched} | {(p.n - 1, p.n_q + p.n_theta + p.n_z)}
        for q in touched:
            by_column[q] |= rows_of
    columns = [column for column in columns if by_column[column[0]]]
    landings = [[(e, q + p.n_q * level, o) for e, o in sorted(by_column[q])] for q, *_ in columns for level in (0, 1)]
    flat = [landing for some in landings for landing in some]
    keys = [(e[0], e[1]) for e in scatter] + [(e[0], e[1]) for e in flat]
    where, cols = np.array(keys, dtype=np.int64).T
    code, slot = np.unique(cols * p.n + where, return_inverse=True)
    indptr = np.searchsorted(code, np.arange(p.n + 1) * p.n).astype(np.int32)
    ends = list(accumulate(len(some) for some in landings))
    perturbed = [(*column, ends[2 * c], ends[2 * c + 1]) for c, column in enumerate(columns)]

    def targets(address: NDArray[np.int64]) -> ArgumentGroup:
        m = len(scatter)
        to = [(a, e[2], e[3]) for a, e in zip(address[:m], scatter, strict=True)]
        land = [(a, e[2]) for a, e in zip(address[m:], flat, strict=True)]
        return described(Targets(table(to, SCATTER), table(perturbed, PERTURBED), table(land, LANDING)))

    return SparsityPattern(indptr, (code % p.n).astype(np.int32), targets(where * p.n + cols), targets(slot.ravel()))


def _rows(p: NaturalPlaces, rows: Rows) -> Iterator[Entry]:
    """Give the gradients of rows, kernels.py (1) to (4), and what is constant in them."""
    for e in range(int(rows.n[1])):
        r, z = int(rows.cell[e]["row"]), int(rows.cell[e]["z"])
        yield z, p.mu + r, p.g + e, 1.0
        yield p.n_q + z, p.lam + r, p.g + e, -1.0
        yield p.lam + r, z, p.h + e, 1.0
        yield p.lam + r, p.n_q + z, p.g + e, 1.0
        yield p.mu + r, z, p.g + e, 1.0
    for r in range(p.n_row):
        yield p.lam + r, p.lam + r, 2 + r, 1.0
        yield p.mu + r, p.mu + r, 2 + p.n_row + r, -1.0


def _terms(p: NaturalPlaces, rows: Rows) -> Iterator[Entry]:
    """Give the second derivatives of rows, and the power of drivers."""
    n, work = len(rows.term), p.n - 1
    driven = set()
    for e, term in enumerate(rows.term):
        i, j = int(term["i"]), int(term["j"])
        if i >= 0 and j >= 0:
            # a square has twice the second derivative, and comes here once
            for a, b in ((i, j), (j, i)):
                yield a, b, p.bend + e, 1.0
                yield p.n_q + a, b, p.bend + n + e, -1.0
        if term["s"] > 0:
            driven.add(int(term["row"]))
            if i >= 0:
                yield work, i, p.drive + e, 1.0
            if j >= 0:
                yield work, j, p.drive + n + e, 1.0
    for r in sorted(driven):
        yield work, p.lam + r, p.rate + r, 1.0


def _threads(p: NaturalPlaces, rows: Rows) -> Iterator[Entry]:
    """Give the second derivatives of threads by sine and cosine."""
    source = p.outer
    for thread in rows.thread:
        along = [int(rows.cell[thread["cell"] + k]["z"]) for k in range(thread["n"])]
        for first, sign in ((0, 1.0), (p.n_q, -1.0)):
            for a in along:
                for b in along:
                    yield first + a, b, source, sign
                    source += 1


def _rest(p: NaturalPlaces, mass: Records) -> Iterator[Entry]:
    """Give kinematics and momentum without rows, and what stands for the rates of angles and work."""
    for q in range(p.n_q):
        yield q, q, 1, 1.0
        yield q, p.n_q + q, 0, -1.0
    for m in mass:
        yield p.n_q + int(m["i"]), p.n_q + int(m["j"]), 1, float(m["c"])
    for k in range(p.theta, p.n):
        yield k, k, 1, 1.0
