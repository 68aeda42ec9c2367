"""Where rows go in the elimination: which frames they pass, and at which they are eliminated.

A row ties two frames together. Its wrenches go inward from both, until they meet: at the *top* of its loop, the frame
that both hang on, the row is eliminated, and no frame farther in knows of it. So loops that share no frame but their
tops never meet, and a ladder of n loops costs n times one of them.

A loop through the ground may be closed *early*: where one of its sides is a leg, whose frames no other row passes and
which has no fewer free stages than there are rows, the leg is eliminated first. Then its rows act on one frame only,
that at its end, and are eliminated there. So the six legs of a platform never meet either. Whether the leg can move its
end in all these ways is seen by the pivots (closing.py); where it cannot, its rows go on to the ground.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from particlemech.engine.recursive.forms import TIED

Paths = tuple[list[int], list[int]]


class Way(NamedTuple):
    """The frames that a row passes on its two sides, from its ends, and the frame at which it is eliminated."""

    sides: Paths
    top: int


class Leg(NamedTuple):
    """Rows that are eliminated early: first and last, the side that is a leg, and the frame at its end."""

    first: int
    last: int
    side: int
    end: int


class Courses(NamedTuple):
    """Rows of the tables COURSE, PASSING, CLOSING and PAIR."""

    course: list[Any]
    passing: list[Any]
    closing: list[Any]
    pair: list[Any]


def inward(i: int, parent: Sequence[int]) -> list[int]:
    """Return frame i and all that it hangs on, the ground last."""
    found = [i]
    while found[-1]:
        found.append(parent[found[-1]])
    return found


def way(tie: Any, parent: Sequence[int], of_stage: Sequence[int]) -> Way:
    """Return the way of a row; `parent` by frame, and the frame that each stage moves."""
    if tie.form != TIED:
        return met(inward(tie.first, parent), inward(tie.second, parent))
    one, other = (inward(of_stage[e], parent) if e >= 0 else [] for e in (tie.stage1, tie.stage2))
    # coordinates move their frames against the parents of these
    if not one or (other and one[0] in other):
        last = other.index(one[0]) if one else 0
        return Way(([], other[: last + 1]), other[last + 1])
    if not other or other[0] in one:
        last = one.index(other[0]) if other else 0
        return Way((one[: last + 1], []), one[last + 1])
    return met(one, other)


def met(one: list[int], other: list[int]) -> Way:
    """Return the way of a row whose wrenches meet."""
    top = next(i for i in one if i in other)
    return Way((one[: one.index(top)], other[: other.index(top)]), top)


def legs(ties: Sequence[Any], ways: Sequence[Way], passed: Sequence[set[int]], free: Sequence[int]) -> list[Leg]:
    """Return what may be closed early; `passed` are the rows that pass each frame, `free` how many stages it has."""
    found, first = [], 0
    for (_, ends), rows in groupby(ties, key=lambda tie: (tie.form == TIED, (tie.first, tie.second))):
        last = first + len(list(rows))
        able = []
        for side, path in enumerate(ways[first].sides):
            stages, end = sum(free[i] for i in path), ends[1 - side]
            alone = all(passed[i] <= set(range(first, last)) for i in path)
            if ways[first].top == 0 and ties[first].form != TIED and end and alone and stages >= last - first:
                able.append((stages, Leg(first, last, side, end)))
        found += [min(able)[1]] if able else []
        first = last
    return found


def order(parent: Sequence[int], waits: dict[int, set[int]]) -> list[int]:
    """Return all frames but the ground in an order in which children and what a frame `waits` for come before it."""
    left = [set(waits.get(i, ())) for i in range(len(parent))]
    for i in range(1, len(parent)):
        left[parent[i]].add(i)
    after: list[list[int]] = [[] for _ in parent]
    for i, others in enumerate(left):
        for k in others:
            after[k].append(i)
    ready, found = [-i for i in range(1, len(parent)) if not left[i]], []
    heapq.heapify(ready)
    while ready:
        i = -heapq.heappop(ready)
        found.append(i)
        for k in after[i]:
            left[k].discard(i)
            if k and not left[k]:
                heapq.heappush(ready, -k)
    return found


def courses(
    ties: Sequence[Any], parent: Sequence[int], of_stage: Sequence[int], free: Sequence[int], section: Sequence[bool]
) -> Courses:
    """Return the tables of the elimination; by frame its parent, how many free stages, and whether it is a section."""
    ways, n = [way(tie, parent, of_stage) for tie in ties], len(parent)
    passed: list[set[int]] = [set() for _ in parent]
    for r, of in enumerate(ways):
        for i in (*of.sides[0], *of.sides[1]):
            passed[i].add(r)
    early = legs(ties, ways, passed, free)
    leg_of = {r: leg for leg in early for r in range(leg.first, leg.last)}
    passing: list[list[Any]] = [[] for _ in parent]  # (row, where its wrench begins, whether it passes only if late)
    bending: list[dict[int, Any]] = [{} for _ in parent]
    closing: list[list[Any]] = [[] for _ in parent]
    for r, of in enumerate(ways):
        leg = leg_of.get(r)
        for side, frames in enumerate(of.sides):
            for i in frames:
                passing[i].append((r, 6 * side, leg is not None and side != leg.side))
        closing[of.top].append((r, 0, False, r, r))
        if leg is not None:
            closing[leg.end].append((r, 6 * (1 - leg.side), True, leg.first, leg.last))
    for i in range(1, n):
        if section[i]:
            for entry in passing[i]:
                r, k = entry[0], parent[i]
                bending[k][r] = entry if r in passed[k] else (r, 0, entry[2])
    waits: dict[int, set[int]] = {}
    for leg in early:
        waits.setdefault(leg.end, set()).update(ways[leg.first].sides[leg.side])
    found, flat, ends = [], list[Any](), list[Any]()
    for i, nth in enumerate([*order(parent, waits), 0]):
        numbers = [nth]
        for several, into in ((passing[i], flat), (sorted(bending[i].values()), flat), (closing[i], ends)):
            numbers += [len(into), len(into) + len(several)]
            into += several
        found.append(tuple(numbers))
    pairs = set[tuple[int, int]]()
    for i in range(n):
        for rows in ({e[0] for e in (*passing[i], *closing[i])}, set(bending[i])):
            pairs |= {(r, q) for r in rows for q in rows if q <= r}
    return Courses(found, flat, ends, sorted(pairs))
