"""Guards: what ends a stretch of a run whose mechanism changes: a gap that closes, a force that would pull.

For each element one number is kept above zero:

    open                g, + max(0, b g'/k) of what gives way its gap                              (1)
    closed, rigid       f = s lam                             the force of its row                 (2)
                        or, of a line with ends, how far it is to the nearest, if that falls to zero first
    closed, giving way  f = -k g - b g'                       that of its law                      (3)

and its first zero within a step ends the stretch. By (1) what has been let go while it is still pressed in, as its
damper would pull, is pressed again only where (3) is above zero. What is a rounding error below zero where a leg begins
counts from there; what is farther below, as after a load that jumps, ends the stretch at once. A gap that is open at
both ends of a step but may have closed in between, by the cubic through its ends and rates, is looked at where that is
least. What rests takes very long steps, whatever loads do meanwhile: while something is held these are looked at in
parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.run.events import UNTOLD, Event, Watch
from particlemech.run.sticking import Sticking
from particlemech.run.touching import Measuring

TOUCHED = 1e-13  # of the size of a gap: what is below zero by less is rounding
BELOW = 1e-9  # of the size of a gap: what is farther below a line with ends is below it
ROUNDED = 1e-9  # of the size of a gap, and of the largest force: what is below zero by less where a leg begins
LONG, PARTS = 0.05, 500  # of the mechanism's time; of the run: steps are looked at in parts that are no longer
LOOKS, PIECES = 72, 10_000  # parts for each turn of a cam whose follower flies; of one step
SMALL = 0.25  # of a step that ends below zero: where it is looked for above, and of that again
TRUE = 1e-6  # of what a condition changes in a step: what has just become true and is below zero by less is so
NEXT, MOST = 1e-8, 100  # of a step: corrections of a zero that are the last; rounds
FIRES = 10.0  # times the noise of what sticks: what is farther below zero where a leg begins
WATCHED = Event(lambda t, state: 0.0, True, -1)  # of what sticks: its value is Sticking.margin
ENDED = "\0switch"  # in place of a message: the stretch ended here

Forces = Callable[[float, Array], Array]  # t, y -> multipliers of all rows of the present system (n_row,)


class Guards(Watch):
    """Watches elements and the events of the user."""

    def __init__(
        self, of: Measuring, system: Any, events: Mapping[str, Event], duration: float, sticking: Sticking
    ) -> None:
        for name in sticking.on:
            if name in events:
                raise ModelError(f'event "{name}": a joint that sticks has this name, and so its events; rename it')
        self.events: dict[str, Event] = {**events, **{name: WATCHED for name in sticking.on}}
        super().__init__(system, self.events)
        self.longest = min(LONG * system.scale.time, duration / PARTS)
        self.acting = set(sticking.on)  # events after which the mechanism is another
        self.acted: list[str] = []
        self.just: set[str] = set()  # of these, where the present leg begins
        self.sticking = sticking
        self.under: dict[str, float] = {}  # of what sticks: values below zero that are noise
        self.measure(of)

    def _value(self, name: str, t: float, y: Array) -> float:
        if name not in self.sticking.on:
            return super()._value(name, t, y)
        return self.sticking.margin(name, self.system, t, y)[0] - self.under.get(name, 0.0)

    def _looked_into(self, name: str) -> bool:
        """Whether values may turn round within a step; what rests is looked at in parts."""
        slip = self.sticking.slips.get(name)
        return name not in self.sticking.on or (slip is not None and slip.sense != 0.0 and not slip.led)

    def measure(self, of: Measuring) -> None:
        """Take other elements."""
        self.of, self.closed = of, frozenset[int]()
        self.fired: list[int] = []
        n = len(of.elements)
        self.least = np.zeros(n)
        self.places = np.full(n, -1)
        self.laws = np.array([e.side.law is not None for e in of.elements], dtype=bool)
        self.stiff, self.damped = np.array([e.side.law or (0.0, 0.0) for e in of.elements], float).reshape(-1, 2).T
        self.aside = np.zeros(n, dtype=bool)  # with ends: came from beyond them, below, and is no contact
        self.slow = np.array([e.side.law[1] / e.side.law[0] if e.side.law else 0.0 for e in of.elements], float)
        self.first = np.zeros(n), np.zeros(n)  # values and rates where the present step began
        self.zero = np.zeros(n)  # of each value
        self.largest = 0.0  # force

    def _said(self, name: str, t: float) -> str:
        if name not in self.acting:
            return super()._said(name, t)
        self.acted.append(name)
        if name not in self.sticking.on:
            self.just.add(name)
        return ENDED

    def __bool__(self) -> bool:
        return True

    def enter(self, system: Any, closed: frozenset[int], forces: Forces, least: float) -> None:
        """Watch another system, in which some elements are closed; by `least` of their size gaps are noise."""
        self.least = least * self.of.sizes
        self.system, self.closed, self.forces, self.fired = system, closed, forces, []
        places: dict[str, list[int]] = {}
        for k, row in enumerate(system.layout.rows):
            places.setdefault(row.part, []).append(k)
        self.places[:] = -1
        for e, element in enumerate(self.of.elements):
            spec = system.mechanism.joints[element.part]
            if element.side.name in spec.mode:
                self.places[e] = places[f'joint "{element.part}"'][spec.mode.index(element.side.name)]
        self.pressed = np.array([e in closed and bool(self.laws[e]) for e in range(len(self.places))], dtype=bool)
        self.rigid = self.places >= 0
        self.held = self.places[self.rigid]

    def values(self, t: float, y: Array) -> tuple[Array, Array]:
        """Return (1) to (3) of all elements, and the rates of open gaps, (n_e,) each."""
        lay = self.system.layout
        gap, rate, beyond, _ = self.of.gaps(t, y[lay.q], y[lay.v], y[lay.x])
        free = np.where(self.aside, self.of.sizes, gap + self.slow * np.maximum(rate, 0.0))
        value = np.where(self.pressed, -self.stiff * gap - self.damped * rate, free)
        if len(self.held):
            forces = self.forces(t, y)
            self.largest = float(np.max(np.abs(forces)))
            value[self.rigid] = self.of.signs[self.rigid] * forces[self.held]
        if self.of.ended.any():
            s = self.system.scale
            k = self.of.ended & self.rigid
            value[k] = np.minimum(value[k], s.mass / s.time**2 * -beyond[k])
        return value - self.zero, rate

    def begin(self, t: float, y: Array) -> tuple[float, str, Array] | None:
        """Note the values where a leg begins; see Watch."""
        self.zero[:], self.told = 0.0, UNTOLD
        self._look_aside(t, y)
        value, rate = self.values(t, y)
        slack = ROUNDED * np.where(self.rigid, self.largest, self.of.sizes)
        self.fired = [int(e) for e in np.flatnonzero((value < -slack) & ~self.pressed)]
        if self.fired:
            return t, ENDED, y
        self.zero = np.minimum(value, 0.0)
        self.first = value - self.zero, rate
        for name in self.sticking.slips:
            margin, noise = self.sticking.margin(name, self.system, t, y)
            if margin < -FIRES * noise:
                self.acted.append(name)
                return t, ENDED, y
            self.under[name] = min(margin, 0.0) - noise  # so that it is above zero where it begins
        watched = {name: wide for name, wide in self.ranges.items() if name in self.acting & set(self.events)}
        near = [name for name, wide in watched.items() if abs(self._value(name, t, y)) <= TRUE * wide]
        for name in [*self.just, *near]:  # what has just changed has changed, whatever rounding says
            self.before[name] = 0.0
        struck = super().begin(t, y)
        for name in self.just & set(self.events):
            way = self.events[name].direction
            least = TRUE * self.ranges.get(name, 0.0)
            if way * self.before[name] > -least:
                self.before[name] = way * max(way * self.before[name], least)
        self.just.clear()
        self.ranges.clear()
        return struck

    def step(self, first: float, last: float, at: Callable[[float], Array]) -> tuple[float, str, Array] | None:
        """Look at a step, by parts if it is long; return time, message and state of what ends the run or stretch."""
        n = max(1, math.ceil((last - first) / self.longest)) if len(self.held) or self.sticking.holds else 1
        ends = [first + (last - first) * k / n for k in range(1, n)]
        sure = 0  # how many of the first parts need no look
        if ends and not len(self.held):
            sure = self.sticking.sure(self.system, np.array(ends), np.array([*map(at, ends)]))
        lay, states = self.system.layout, [(t, at(t)) for t in (first, last)] if self.of.profiles else []
        turns = [self.of.swept(t, y[lay.q], y[lay.v], y[lay.x], self.closed) for t, y in states]
        more = min(PIECES, math.ceil((last - first) * max(turns, default=0.0) * LOOKS))
        if more > n:
            ends = [first + (last - first) * k / more for k in range(1, more)]
        elif sure == len(ends) and more <= 1:
            ends = []
        elif more <= 1:
            ends = ends[max(0, sure - 1) :]
        for low, high in pairwise([first, *ends, last]):
            struck = self._part(low, high, at)
            if struck is not None:
                return struck
        return None

    def _part(self, first: float, last: float, at: Callable[[float], Array]) -> tuple[float, str, Array] | None:
        end = self.values(last, at(last))
        hits = [(self._zero(int(e), first, last, at, end), int(e)) for e in np.flatnonzero(end[0] < -self._least())]
        hits += self._grazed(first, last, at, end)
        if hits and self.of.ended.any():
            hits = self._beside(hits, at)
        if hits:
            t = min(t for t, _ in hits)
            last, self.fired = t, [e for s, e in hits if s == t]
        struck = super().step(first, last, at) if self.events else None
        if struck is not None:
            self.fired = []
            return struck
        if self.fired:
            return last, ENDED, at(last)
        if self.of.ended.any():
            self._look_aside(last, at(last))
            end = self.values(last, at(last))
        self.first = end
        return None

    def _look_aside(self, t: float, y: Array) -> None:
        """Note what is beside a line with ends, or below: from where its gap closes beyond them until it is open."""
        if not self.of.ended.any():
            return
        lay = self.system.layout
        gap, _, _, on = self.of.gaps(t, y[lay.q], y[lay.v], y[lay.x])
        level = BELOW * self.of.sizes
        low = (gap <= level) & (~on | (self.aside & (gap < -level)))
        self.aside = self.of.ended & ~self.rigid & low

    def _beside(self, hits: list[tuple[float, int]], at: Callable[[float], Array]) -> list[tuple[float, int]]:
        """Return the hits but those of gaps that close beyond the ends of a line; what comes there is beside it."""
        lay = self.system.layout
        kept: list[tuple[float, int]] = []
        for t, e in sorted(hits):
            y = at(t)
            if self.rigid[e] or self.of.gaps(t, y[lay.q], y[lay.v], y[lay.x]).on[e]:
                kept.append((t, e))
            elif not kept:
                self.aside[e] = True
        return kept

    def _least(self) -> Array:
        return np.where(self.rigid | self.pressed, 0.0, self.least)

    def _one(self, e: int, t: float, at: Callable[[float], Array]) -> float:
        return float(self.values(t, at(t))[0][e])

    def _met(self, e: int, first: float, last: float, at: Callable[[float], Array], end: tuple[Array, Array]) -> float:
        """Return the time at which a gap closes: by Newton's method from the cubic through the ends of the step.

        Rates are those of the motion, not of what is interpolated: each round leaves some 1e-8 of the error before.
        """
        low, high, h = first, last, last - first
        (g0, r0), (g1, r1) = ((float(of[e]) for of in ends) for ends in (self.first, end))
        t = first + h * crossing(g0, h * r0, g1, h * r1)
        for _ in range(MOST):
            gap, rate = (float(of[e]) for of in self.values(t, at(t)))
            low, high = (t, high) if gap > 0.0 else (low, t)
            then = t - gap / rate if rate < 0.0 else low
            if abs(then - t) <= NEXT * h and low <= then <= high:
                return then
            t = then if low < then < high else 0.5 * (low + high)
            if t in (low, high):
                return t
        return t

    def _zero(self, e: int, first: float, last: float, at: Callable[[float], Array], end: tuple[Array, Array]) -> float:
        """Return the time at which a value that ends below zero goes below; `end`: values and rates there."""
        low, h = first, last - first
        if self.first[0][e] <= self._least()[e]:  # it begins at zero: somewhere it is above, or it never was
            while self._one(e, first + SMALL * h, at) <= 0.0:
                h *= SMALL
                if first + SMALL * h == first or h < 1e-14 * (last - first):
                    return first
            low, last = first + SMALL * h, first + h
            if h < SMALL * SMALL * (last - first):
                last = first + h
        elif not (self.rigid[e] or self.pressed[e]):
            return self._met(e, first, last, at, end)
        from scipy.optimize import brentq

        found: float = brentq(
            lambda t: self._one(e, t, at), low, last, xtol=1e-15 * max(abs(last), self.system.scale.time), rtol=1e-15
        )
        return found

    def _grazed(
        self, first: float, last: float, at: Callable[[float], Array], end: tuple[Array, Array]
    ) -> list[tuple[float, int]]:
        """Return the hits of gaps that are open at both ends of a step and were closed in between."""
        (g0, r0), (g1, r1), h = self.first, end, last - first
        g1 = g1 - self.slow * np.maximum(r1, 0.0)  # the gap itself
        found = []
        for e in np.flatnonzero(~self.rigid & ~self.pressed & (r1 > 0.0) & (g0 >= 0.0) & (g1 >= 0.0)):
            s = lowest(g0[e], h * r0[e], g1[e], h * r1[e])
            if s is not None and s[1] < 0.5 * min(g0[e], g1[e]):
                middle = first + s[0] * h
                for _ in range(3):  # Newton's method on the rate
                    there = self.values(middle, at(middle))
                    value, rate = (part[e] for part in there)
                    if value < -self._least()[e]:
                        found.append((self._zero(int(e), first, middle, at, there), int(e)))
                        break
                    near = middle + 1e-4 * h
                    slope = (self.values(near, at(near))[1][e] - rate) / (near - middle)
                    middle = min(max(middle - rate / slope, first), last) if slope > 0.0 else middle
        return found


def crossing(g0: float, r0: float, g1: float, r1: float) -> float:
    """Return where the cubic with these ends and slopes on [0, 1] falls through zero; g0 > 0 > g1."""
    a, b = 2.0 * (g0 - g1) + r0 + r1, 3.0 * (g1 - g0) - 2.0 * r0 - r1
    low, high, s = 0.0, 1.0, g0 / (g0 - g1)
    for _ in range(20):
        value, slope = g0 + s * (r0 + s * (b + s * a)), r0 + s * (2.0 * b + 3.0 * s * a)
        low, high = (s, high) if value > 0.0 else (low, s)
        then = s - value / slope if slope < 0.0 else low
        then = then if low < then < high else 0.5 * (low + high)
        if abs(then - s) <= 1e-12:
            return then
        s = then
    return s


def lowest(g0: float, r0: float, g1: float, r1: float) -> tuple[float, float] | None:
    """Return where the cubic with these ends and slopes on [0, 1] is least inside, and its value there; or None."""
    a, b = 2.0 * (g0 - g1) + r0 + r1, 3.0 * (g1 - g0) - 2.0 * r0 - r1
    inside = b * b - 3.0 * a * r0
    if inside < 0.0:
        return None
    s = (-b + math.sqrt(inside)) / (3.0 * a) if abs(a) > 1e-12 * abs(b) else (-r0 / (2.0 * b) if b else -1.0)
    return (s, g0 + s * (r0 + s * (b + s * a))) if 0.0 < s < 1.0 else None
