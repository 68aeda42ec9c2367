"""All rest positions that a search finds: from where a mechanism stands, over its assembly, and on all others.

Newton's method goes from the start past all that is known, chart.py (6), until that brings no more; then from poses
spread evenly over the freedoms, to which the mechanism is led in short steps, so that it stays on its assembly; and,
where loops allow several, from poses at random whose loops are closed, wherever these are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from particlemech.analyses.kinematics.driving import world
from particlemech.analyses.vibration.balance import Balance
from particlemech.analyses.vibration.chart import OPEN, Chart, Pose
from particlemech.analyses.vibration.rest import NOTHING, held_by
from particlemech.engine.system import Array
from particlemech.errors import ModelError

STARTS = 10  # poses from which a search begins, for each freedom
WORK = 120  # and at most so many over the number of freedoms
AGAIN = 3  # times as many, while a position was found but once
TRIES = 3  # past all that is known that bring nothing
HALF = np.pi  # rad: how far they go to either side; travels by a length of the mechanism
SHORT = 0.2  # rad or lengths: steps on the way to them
SAME = 1e-6  # rad or lengths: poses nearer than this are one
ASIDE = 0.1  # rad or lengths: where Newton's method begins to pass what is known
ROUNDS = 60  # of Newton's method that closes loops


class Found(NamedTuple):
    """Rest positions and how they were looked for."""

    charts: list[Chart]
    own: tuple[bool, ...]  # which are on the assembly that the search began on
    searched: str


class _Search:
    """What has been found so far."""

    def __init__(self, balance: Balance) -> None:
        self.balance, self.first = balance, balance.chart
        self.found: list[Chart] = []
        self.loose: list[Array] = []  # ways that nothing holds, of each
        self.hits: list[int] = []
        self.own: list[bool] = []
        self.lost = 0

    def take(self, rest: Chart | None, own: bool) -> bool:
        """Enter what a start has led to; return whether it is new."""
        if rest is None:
            self.lost += 1
            return False
        gaps = [_gap(rest, other) for other in self.found]
        for k, gap in enumerate(gaps):
            if np.max(np.abs(gap), initial=0.0) < SAME:
                self.hits[k] += 1
                self.own[k] |= own
                return False
        loose = _loose(rest)
        for k, gap in enumerate(gaps):
            if loose.shape[1] and _beside(rest, loose, gap, self.loose[k]):
                self.hits[k] += 1
                self.own[k] |= own
                return False
        self.found.append(rest)
        self.loose.append(loose)
        self.hits.append(1)
        self.own.append(own)
        return True

    def pass_by(self, begun: Chart) -> None:
        """Enter what is met on the way downhill, where something may come into touch."""
        for rest in self.balance.below(begun):
            self.take(rest, True)

    def enough(self, number: int, most: int) -> bool:
        """Whether so many starts are enough: all positions have come twice, or patience is at an end."""
        return number >= (most if all(n > 1 for n in self.hits) else AGAIN * most)


def search(balance: Balance) -> Found:
    """Return all poses in balance that are found, and in words how they were searched."""
    of, first = _Search(balance), balance.chart
    of.take(balance.settled(first, True), True)
    of.pass_by(first)
    if not first.f:
        return Found(of.found, tuple(of.own), "nothing moves")
    most, number = min(STARTS * first.f, max(WORK // first.f, 4)), 0
    deflated = _deflated(of, most)
    while not of.enough(number, most):
        number += 1
        begun = _led(balance, first, _spread(first.f, number))
        of.take(balance.settled(begun, True), True)
        of.pass_by(begun)
    told = [f"{number} over its assembly"]
    rng, others = np.random.default_rng(0), 0
    while first.system.cuts and not first.soft.any() and not of.enough(others, most):
        others += 1
        tried = _scattered(first, rng)
        of.take(None if tried is None else balance.settled(tried, True), False)
    told += [f"{others} at random, on any assembly"] if others else []
    if not of.found:
        raise ModelError(
            f"the mechanism finds no balance from any of {1 + number + others} starts; what could hold it?"
        )
    where = f"the start, deflated {deflated} times, {', '.join(told)}"
    said = f"Newton's method from {where}; {of.lost} led nowhere; hits: {', '.join(map(str, of.hits))}"
    return Found(of.found, tuple(of.own), said)


def _deflated(of: _Search, most: int) -> int:
    """Search from the start past all that is known, at most so many times; return how many."""
    tries, missed, chart = 0, 0, of.first
    while missed < TRIES and tries < most:
        tries += 1
        aside = _led(of.balance, chart, ASIDE * _spread(chart.f, tries)) if of.found else chart
        rest = of.balance.settled(aside, True, tuple(of.found))
        new = rest is not None and of.take(rest, True)
        missed = 0 if new else missed + 1
    return tries


def _spread(f: int, number: int) -> Array:
    """Return a point of the unit cube (f,), -1 to 1: an additive sequence of irrational steps."""
    base = 2.0
    for _ in range(30):
        base = (1.0 + base) ** (1.0 / (f + 1))
    return np.asarray(2.0 * ((0.5 + number * base ** -np.arange(1.0, f + 1.0)) % 1.0) - 1.0)


def _led(balance: Balance, chart: Chart, to: Array) -> Chart:
    """Return a chart whose home is as near to a point of the cube as joints and stops let it come in short steps."""
    turns = np.array([chart.system.named[k].turn for k in chart.which], dtype=bool)
    goal = to * np.where(turns, HALF, chart.unit)
    steps = int(np.ceil(np.max(np.abs(goal) / chart.unit, initial=0.0) / SHORT))
    for _ in range(steps):
        way = goal / steps
        ahead = chart.pose(way, chart.led(chart.motion(chart.home), way))
        if not (chart.gap(ahead) < OPEN and balance.within(ahead)):
            break
        chart = chart.rehomed(ahead)
    return chart


def _scattered(chart: Chart, rng: np.random.Generator) -> Chart | None:
    """Return a chart whose home is a pose at random in which all loops are closed, of what does not bend."""
    system: Any = chart.system
    ground = world(system.mechanism).Ground
    q = ground.scattered(system, chart.home.q, rng)
    at = Pose(q, system.recounted(q, chart.home.x))
    for _ in range(ROUNDS):
        rows = chart.levels(at)
        step = -np.linalg.lstsq(rows.phi_q, rows.phi, rcond=1e-9)[0]
        far = float(np.max(np.abs(step), initial=0.0))
        at = chart.moved(at, chart.size * step * min(1.0, 0.5 / max(far, 1e-300)))
        if far < 1e-14 or not np.isfinite(far):
            break
    if not chart.gap(at) < OPEN or not ground.upright(system, at.q, chart.t):
        return None
    return chart.rehomed(at, anew=True)


def _gap(one: Chart, other: Chart) -> Array:
    """Return how far the home of a chart is from that of another in all named coordinates, full turns left out."""
    system = one.system
    gap = system.away(one.home, other.home, list(range(len(system.named)))) / [of.size for of in system.named]
    turns = np.array([of.turn and not of.deflects for of in system.named], dtype=bool)
    gap[turns] -= 2.0 * np.pi * np.round(gap[turns] / (2.0 * np.pi))
    return np.asarray(gap)


def _beside(one: Chart, loose: Array, gap: Array, other: Array) -> bool:
    """Return whether a gap leads only along ways that nothing holds."""
    if loose.shape[1] == one.f and other.shape[1] == len(other):
        return True  # nothing holds it anywhere
    system = one.system
    B = system.along(one.home.q, np.zeros(system.n_v), one.home.x, list(range(len(system.named))))[0]
    ways = (B @ (one.motion(one.home).N * one.unit) @ loose) / np.array([of.size for of in system.named])[:, None]
    left = gap - ways @ np.linalg.lstsq(ways, gap, rcond=1e-9)[0]
    return bool(np.max(np.abs(left), initial=0.0) < SAME)


def _loose(chart: Chart) -> Array:
    """Return ways from home that nothing holds, (f, n), in units."""
    K = chart.stiffness() * np.outer(chart.unit, chart.unit)
    _, s, Vt = np.linalg.svd(K)
    return np.asarray(Vt[int(np.sum(s > NOTHING * max(float(s.max(initial=0.0)), held_by(chart)))) :].T)
