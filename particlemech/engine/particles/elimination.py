"""A fixed order of elimination for the symmetric system of accelerations, found once and kept as a flat schedule.

    | M    C^T | | a   |   |  f     |
    |          | |     | = |        |        M constant and positive, one column of C^T per constraint row         (1)
    | C   -eps | | -lam|   | -gamma |

A row's multiplier is eliminated after all coordinates of that row. Its pivot is then -(eps + c P c^T) with P the
inverse mass that the rows before it leave: the square of a Cholesky pivot of C M^-1 C^T. So the order needs no
numbers and no pivoting; among those allowed, the unknown with fewest neighbours goes next (minimum degree).

The factors L D L^T lie column by column in one array, each column its diagonal first; eliminating column k is

    L_ij -= (L_ik/d_k) L_jk   for i >= j > k,   places of L_ij listed one after the other                           (2)
"""

from __future__ import annotations

import heapq
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.uint32]  # unsigned: else kernels would look at every index for counting from the end


class Schedule(NamedTuple):
    """What the kernels of elimination read, and where values lie."""

    place: Indices  # (n,) unknown -> its place in the order
    column: Indices  # (n + 1,) where each column starts
    row: Indices  # (n_val,) place of the row of each value
    target: Indices  # places of L_ij of (2)
    slot: dict[tuple[int, int], int]  # (i, j) and (j, i), unknowns that meet in (1) -> where their value lies


@lru_cache(maxsize=256)
def schedule(n_q: int, mass: tuple[tuple[int, int], ...], rows: tuple[tuple[int, ...], ...]) -> Schedule:
    """Return the schedule of (1); variants of one mechanism share it.

    Parameters
    ----------
    n_q
        Number of coordinates; multipliers are the unknowns n_q, n_q + 1, ...
    mass
        Places (i, j) of the entries of M.
    rows
        Coordinates of every constraint row.
    """
    n = n_q + len(rows)
    pairs = {(i, j) for i, j in mass if i != j} | {(q, n_q + r) for r, row in enumerate(rows) for q in row}
    near: list[set[int]] = [set() for _ in range(n)]
    for i, j in pairs:
        near[i].add(j)
        near[j].add(i)
    order, columns = _ordered(n_q, near, rows)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    return _flat(place, [sorted(place[list(c)].tolist()) for c in columns], pairs)


def _ordered(n_q: int, near: list[set[int]], rows: tuple[tuple[int, ...], ...]) -> tuple[list[int], list[set[int]]]:
    """Return the order, and for each step the unknowns that its column still reaches; `near` is used up."""
    waiting = [len(coordinates) for coordinates in rows]
    of: list[list[int]] = [[] for _ in range(n_q)]  # rows of every coordinate
    for r, coordinates in enumerate(rows):
        for q in coordinates:
            of[q].append(r)
    heap = [(len(near[k]), k) for k in range(n_q)]
    heap += [(0, n_q + r) for r, w in enumerate(waiting) if w == 0]
    heapq.heapify(heap)
    done: set[int] = set()
    order: list[int] = []
    columns: list[set[int]] = []
    while heap:
        degree, k = heapq.heappop(heap)
        if k in done or degree != len(near[k]):
            continue
        done.add(k)
        order.append(k)
        columns.append(near[k])
        for r in of[k] if k < n_q else ():
            waiting[r] -= 1
        for i in near[k]:
            near[i] |= near[k]
            near[i] -= {i, k}
            if i < n_q or waiting[i - n_q] == 0:
                heapq.heappush(heap, (len(near[i]), i))
    return order, columns


def _flat(place: NDArray[np.int64], columns: list[list[int]], pairs: set[tuple[int, int]]) -> Schedule:
    starts = np.cumsum([0, *(1 + len(c) for c in columns)])
    at = [{k: int(starts[k])} | {i: int(starts[k]) + 1 + e for e, i in enumerate(c)} for k, c in enumerate(columns)]
    row = [i for k, c in enumerate(columns) for i in (k, *c)]
    target = [at[j][i] for c in columns for e, j in enumerate(c) for i in c[e:]]
    slot = {(i, i): int(starts[k]) for i, k in enumerate(place)}
    for i, j in pairs:
        first, last = sorted((int(place[i]), int(place[j])))
        slot[i, j] = slot[j, i] = at[first][last]
    flat = [np.array(a, dtype=np.uint32) for a in (place, starts, row, target)]
    return Schedule(flat[0], flat[1], flat[2], flat[3], slot)
