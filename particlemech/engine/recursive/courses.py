"""Where rows go in the elimination: which frames they pass, and at which they are eliminated.

A row ties two frames together. Its wrenches go inward from both, until they meet: at the *top* of its loop, the frame
that both hang on, the row is eliminated, and no frame farther in knows of it. So loops that share no frame but their
tops never meet, and a ladder of n loops costs n times one of them.

A loop through the ground may be closed *early*: where one of its sides is a leg, whose frames no other row passes and
which has no fewer free stages than there are rows, the leg is eliminated first. Then its rows act on one frame only,
that at its end, and are eliminated there, each leg by itself. So the six legs of a platform never meet either. Whether
the leg can move its end in all these ways is seen by the pivots (closing.py); where it cannot, its rows go on to the
ground.
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
        return met(tie.first, tie.second, parent)
    one, other = (inward(of_stage[e], parent) if e >= 0 else [] for e in (tie.stage1, tie.stage2))
    # coordinates move their frames against the parents of these
    if not one or (other and one[0] in other):
        last = other.index(one[0]) if one else 0
        return Way(([], other[: last + 1]), other[last + 1])
    if not other or other[0] in one:
        last = one.index(other[0]) if other else 0
        return Way((one[: last + 1], []), one[last + 1])
    return met(one[0], other[0], parent)


def met(i: int, k: int, parent: Sequence[int]) -> Way:
    """Return the way of a row whose wrenches on frames i and k meet; no farther inward than they do."""
    one, other = [i], [k]
    while one[-1] not in other and other[-1] not in one:
        for path in (one, other):
            if path[-1]:
                path.append(parent[path[-1]])
    top = one[-1] if one[-1] in other else other[-1]
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


def apart(rows: Sequence[int], marks: Sequence[set[int]]) -> list[list[int]]:
    """Return rows in sets that share no mark: what they pass on their ways."""
    found: list[tuple[list[int], set[int]]] = []
    for r in rows:
        meets = [other for other in found if other[1] & marks[r]]
        found = [other for other in found if other not in meets]
        together = [one for of, _ in meets for one in of]
        found.append(([*together, r], marks[r].union(*(passed for _, passed in meets))))
    return sorted(sorted(of) for of, _ in found)


class _Courses:
    """Collects which rows pass, and which end, at every frame."""

    def __init__(
        self, ties: Sequence[Any], parent: Sequence[int], of_stage: Sequence[int], free: Sequence[int]
    ) -> None:
        self.ways = [way(tie, parent, of_stage) for tie in ties]
        self.passed: list[set[int]] = [set() for _ in parent]
        for r, of in enumerate(self.ways):
            for i in (*of.sides[0], *of.sides[1]):
                self.passed[i].add(r)
        self.early = legs(ties, self.ways, self.passed, free)
        self.leg_of = {r: leg for leg in self.early for r in range(leg.first, leg.last)}
        # (row, its side there, whether it passes only if late)
        self.passing: list[list[Any]] = [[] for _ in parent]
        self.bending: list[dict[int, Any]] = [{} for _ in parent]
        self.closing: list[list[Any]] = [[] for _ in parent]
        self.pairs: dict[tuple[int, int], bool] = {}  # whether they meet only if late
        for r, of in enumerate(self.ways):
            leg = self.leg_of.get(r)
            for side, frames in enumerate(of.sides):
                for i in frames:
                    self.passing[i].append((r, side, leg is not None and side != leg.side))

    def bend(self, parent: Sequence[int], section: Sequence[bool]) -> None:
        """Have rows that pass a section act on the modes of its part."""
        for i in range(1, len(parent)):
            if section[i]:
                for entry in self.passing[i]:
                    r, k = entry[0], parent[i]
                    self.bending[k][r] = entry if r in self.passed[k] else (r, 0, entry[2])

    def close(self) -> None:
        """Find where rows end, those that may meet one after the other."""
        marks: list[set[int]] = [set() for _ in self.ways]
        for i, rows in enumerate(self.passed):
            for r in rows:
                marks[r].add(i)
            for r in self.bending[i]:
                marks[r].add(-i)
        for leg in self.early:
            self._end(leg.end, range(leg.first, leg.last), 1 - leg.side, True)
        for i in range(len(self.passed)):
            for ending in apart([r for r, of in enumerate(self.ways) if of.top == i], marks):
                self._end(i, ending, 0, False)
                self._meet([*ending, *self.passed[i]], set(self.leg_of))
            self._meet([e[0] for e in self.passing[i]], {e[0] for e in self.passing[i] if e[2]})
            self._meet(list(self.bending[i]), {e[0] for e in self.bending[i].values() if e[2]})

    def _end(self, i: int, rows: Sequence[int], side: int, early: bool) -> None:
        until = len(self.closing[i]) + len(rows)
        self.closing[i] += [(r, side, early, until) for r in rows]

    def _meet(self, rows: Sequence[int], late: set[int]) -> None:
        """Note that rows meet; if one of them is among `late`, only if that is."""
        for r in rows:
            for q in rows:
                if q <= r:
                    self.pairs[r, q] = self.pairs.get((r, q), True) and (r in late or q in late)


def courses(
    ties: Sequence[Any], parent: Sequence[int], of_stage: Sequence[int], free: Sequence[int], section: Sequence[bool]
) -> Courses:
    """Return the tables of the elimination; by frame its parent, how many free stages, and whether it is a section."""
    of = _Courses(ties, parent, of_stage, free)
    of.bend(parent, section)
    of.close()
    waits: dict[int, set[int]] = {}
    for leg in of.early:
        waits.setdefault(leg.end, set()).update(of.ways[leg.first].sides[leg.side])
    found, flat, ends = [], list[Any](), list[Any]()
    for i, nth in enumerate([*order(parent, waits), 0]):
        numbers = [nth]
        for rows in (of.passing[i], sorted(of.bending[i].values())):
            numbers += [len(flat), len(flat) + len(rows)]
            flat += rows
        begin = len(ends)
        ends += [(r, side, early, begin + until) for r, side, early, until in of.closing[i]]
        found.append((*numbers, begin, len(ends)))
    pairs = sorted((late, r, q) for (r, q), late in of.pairs.items())
    return Courses(found, flat, ends, [(r, q, late) for late, r, q in pairs])
