"""Which reactions to release so that the others are determined, and the order of elimination of these.

Self-stresses live in loops: a body at which parts of the mechanism hang together, but for it apart, is in equilibrium
with each of these parts alone. So the null space of equilibrium is the sum of those of the blocks (biconnected
components) of the graph of bodies and ground, and each is small however long a chain is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from particlemech.engine.particles.elimination import schedule
from particlemech.engine.particles.equilibrium import Plan
from particlemech.engine.statics import RANK
from particlemech.engine.system import Array

Pair = tuple[int, int]


@lru_cache(maxsize=256)
def blocks(pairs: tuple[Pair, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the blocks of a graph as the places of their edges in `pairs`, by Tarjan's depth-first search."""
    near: dict[int, list[Pair]] = defaultdict(list)
    for e, (a, b) in enumerate(pairs):
        near[a].append((b, e))
        near[b].append((a, e))
    reached: dict[int, int] = {}
    low: dict[int, int] = {}
    found: list[tuple[int, ...]] = []
    for root in near:
        if root in reached:
            continue
        reached[root] = low[root] = len(reached)
        edges: list[int] = []
        way = [(root, -1, iter(near[root]))]
        while way:
            at, by, rest = way[-1]
            for other, e in rest:
                if other not in reached:
                    reached[other] = low[other] = len(reached)
                    edges.append(e)
                    way.append((other, e, iter(near[other])))
                    break
                if e != by and reached[other] < reached[at]:
                    edges.append(e)
                    low[at] = min(low[at], reached[other])
            else:
                way.pop()
                if way:
                    above = way[-1][0]
                    low[above] = min(low[above], low[at])
                    if low[at] >= reached[above]:
                        cut = edges.index(by)
                        found.append(tuple(edges[cut:]))
                        del edges[cut:]
    return tuple(found)


def released(own: Array, meet: Sequence[Pair], pairs: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """Return reactions to release, as many as there are self-stresses.

    Parameters
    ----------
    own
        (n_meet, 3) what unit reactions do to their bodies, equilibrium.py (1).
    meet
        Reaction and body of each of these.
    pairs
        The bodies of every reaction, two or more, -1 for the ground.
    """
    # the bodies of one reaction hang together in a ring, so that they are in one block
    rings = [[(min(p), max(p)) for p in zip(every, (*every[1:], every[0]), strict=True)] for every in pairs]
    graph = tuple(dict.fromkeys(edge for ring in rings for edge in ring))
    reactions: dict[Pair, list[int]] = defaultdict(list)
    for r, ring in enumerate(rings):
        reactions[ring[0]].append(r)
    meets: dict[int, list[int]] = defaultdict(list)
    for e, (r, _) in enumerate(meet):
        meets[r].append(e)
    result: list[int] = []
    for block in blocks(graph):
        columns = [r for e in block for r in reactions[graph[e]]]
        bodies = {b: k for k, b in enumerate(sorted({b for e in block for b in graph[e] if b >= 0}))}
        B = np.zeros((len(bodies), 3, len(columns)))
        for k, r in enumerate(columns):
            for e in meets[r]:
                B[bodies[meet[e][1]], :, k] = own[e]
        result += [columns[k] for k in _dependent(B.reshape(-1, len(columns)))]
    return tuple(sorted(result))


def _dependent(B: Array) -> list[int]:
    """Return columns without which those of B are independent, and as far from dependent as may be."""
    _, s, Vt = np.linalg.svd(B)
    N = Vt[int(np.sum(s > RANK * s[0])) :].copy()
    result: list[int] = []
    for k in range(len(N)):
        row, column = np.unravel_index(np.argmax(np.abs(N[k:])), N[k:].shape)
        N[[k, k + int(row)]] = N[[k + int(row), k]]
        N[k + 1 :] -= np.outer(N[k + 1 :, column] / N[k, column], N[k])
        N[k + 1 :, column] = 0.0
        result.append(int(column))
    return result


@lru_cache(maxsize=256)
def plan(n_body: int, meet: tuple[Pair, ...], n_reaction: int, without: tuple[int, ...]) -> Plan:
    """Return the order of elimination of all reactions but those released; variants of one mechanism share it."""
    n = 3 * n_body
    kept = [r for r in range(n_reaction) if r not in set(without)]
    number = {r: k for k, r in enumerate(kept)}
    rows: list[list[int]] = [[] for _ in kept]
    for r, b in meet:
        if r in number:
            rows[number[r]] += [3 * b, 3 * b + 1, 3 * b + 2]
    found = schedule(n, tuple((k, k) for k in range(n)), tuple(map(tuple, rows)))
    slot = np.full((len(meet), 3), -1)
    for e, (r, b) in enumerate(meet):
        if r in number:
            slot[e] = [found.slot[3 * b + c, n + number[r]] for c in range(3)]
    at = np.full(n_reaction, -1)
    at[kept] = found.place[n:]
    place = np.ascontiguousarray(found.place[:n])
    return Plan(place, found.column, found.row, found.target, at, slot, np.array(without, dtype=np.int64))
