"""Motion programs: one move after the other, each by a law; pulses, and moves with a trapezoid of speed.

A move by d within T from its begin on is d s(u), u = tau/T, where the law s goes from 0 to 1 (Norton, Cam Design and
Manufacturing Handbook, 2002, chapters 3 and 4):

    harmonic              s'' = pi^2/2 cos(pi u)                                                                   (1)
    cycloidal             s'' = 2 pi sin(2 pi u)                                                                   (2)
    modified sine         s'' = C sin(4 pi u), C sin(pi/3 + 4 pi u/3), C sin(4 pi u - 2 pi);  C = 4 pi^2/(4 + pi)  (3)
                          from 0, 1/8, 7/8 on
    modified trapezoid    s'' = C sin(4 pi u), C, C cos(4 pi u - 3 pi/2), -C, C sin(4 pi u);  C = 8 pi/(2 + pi)    (4)
                          from 0, 1/8, 3/8, 5/8, 7/8 on
    3-4-5                 s = 10 u^3 - 15 u^4 + 6 u^5                                                              (5)
    4-5-6-7               s = 35 u^4 - 84 u^5 + 70 u^6 - 20 u^7                                                    (6)

Accelerations of (1) jump at both ends, those of all others are 0 there. (1) to (4) are segments of signals; (5) and (6)
are tapes over u(t) and d(t), which are segments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from particlemech.errors import ModelError
from particlemech.model.composed import Composed, joined, mapped, passes_of, repeated
from particlemech.model.elementary import WHOLE
from particlemech.model.segments import Segment, SignalSpec, Steps
from particlemech.model.spec import choice, key, not_negative, number, numbers, positive, sequence
from particlemech.model.tapes import CONSTANT, PIECES

Piece = tuple[float, float, float, float, float]  # begin in u, and s'' = k + A sin(w (u - begin) + phase)

SINE, TRAPEZOID = 4.0 * math.pi**2 / (4.0 + math.pi), 8.0 * math.pi / (2.0 + math.pi)
PIECEWISE: dict[str, tuple[Piece, ...]] = {
    "harmonic": ((0.0, 0.0, 0.5 * math.pi**2, math.pi, 0.5 * math.pi),),
    "cycloidal": ((0.0, 0.0, 2.0 * math.pi, 2.0 * math.pi, 0.0),),
    "modified sine": (
        (0.0, 0.0, SINE, 4.0 * math.pi, 0.0),
        (0.125, 0.0, SINE, 4.0 * math.pi / 3.0, 0.5 * math.pi),
        (0.875, 0.0, SINE, 4.0 * math.pi, 1.5 * math.pi),
    ),
    "modified trapezoid": (
        (0.0, 0.0, TRAPEZOID, 4.0 * math.pi, 0.0),
        (0.125, TRAPEZOID, 0.0, 0.0, 0.0),
        (0.375, 0.0, TRAPEZOID, 4.0 * math.pi, 0.5 * math.pi),
        (0.625, -TRAPEZOID, 0.0, 0.0, 0.0),
        (0.875, 0.0, TRAPEZOID, 4.0 * math.pi, 1.5 * math.pi),
    ),
}
POLYNOMIAL: dict[str, tuple[float, ...]] = {  # (5), (6): coefficients of u^3, u^4, ...
    "3-4-5": (10.0, -15.0, 6.0),
    "4-5-6-7": (0.0, 35.0, -84.0, 70.0, -20.0),
}
LAWS = (*PIECEWISE, *POLYNOMIAL)


def move(law: str, begin: float, duration: float, first: float, last: float) -> list[Segment]:
    """Return the segments of one move by a law of (1) to (4), integrated twice from rest."""
    found: list[Segment] = []
    s, rate, d = 0.0, 0.0, last - first
    pieces = PIECEWISE[law]
    ends = [*(piece[0] for piece in pieces[1:]), 1.0]
    for (u0, k, A, w, phase), end in zip(pieces, ends, strict=True):
        # s = c0 + c1 u + k/2 u^2 - A/w^2 sin(w u + phase), with value s and rate `rate` at its begin
        a = -A / (w * w) if w else 0.0
        c0, c1, h = s - a * math.sin(phase), rate - a * w * math.cos(phase), end - u0
        own = (d * c1 / duration, 0.5 * d * k / duration**2, 0.0, d * a, w / duration, phase)
        found.append((begin + u0 * duration, first + d * c0, *own))
        s = c0 + c1 * h + 0.5 * k * h * h + a * math.sin(w * h + phase)
        rate = c1 + k * h + a * w * math.cos(w * h + phase)
    return found


def flat(begin: float, value: float, slope: float = 0.0) -> Segment:
    """Return a straight segment."""
    return (begin, value, slope, 0.0, 0.0, 0.0, 0.0, 0.0)


def laws(value: Any) -> tuple[str, ...]:
    """One of the laws of motion, or one for each move."""
    one = choice(*LAWS)
    return (one(value),) if isinstance(value, str) else tuple(one(v) for v in sequence(value))


def durations(value: Any) -> tuple[float, ...]:
    """A list of one or more numbers above zero."""
    result = tuple(positive(v) for v in sequence(value))
    if not result:
        raise ModelError("expected one or more durations, got none")
    return result


durations.each = positive  # type: ignore[attr-defined]


@dataclass(frozen=True, kw_only=True)
class Program(Composed):
    """A motion program: from `start` to each value of `to` within its time, by a law; equal values are a dwell.

    extend = "repeat" begins anew where it ends, up to 1000 times; a driver must end at its start.
    """

    start: float = key(number, "value at t = 0", 0.0, dimension="value")
    to: tuple[float, ...] = key(numbers, "value at the end of each move", dimension="value")
    times: tuple[float, ...] = key(durations, "how long each move takes, s", dimension="time")
    law: tuple[str, ...] = key(laws, f"of all moves, or one of each: {', '.join(LAWS)}", ("cycloidal",))
    extend: str = key(choice("hold", "repeat"), "after the last move", "hold")

    def verify(self) -> None:
        """Check that there is one time for each move."""
        if len(self.to) != len(self.times):
            raise ModelError(f'keys "to" and "times" need the same length, got {len(self.to)} and {len(self.times)}')
        if len(self.law) not in (1, len(self.to)):
            raise ModelError(f'key "law": one of all moves, or {len(self.to)}, one of each, got {len(self.law)}')

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        """Whether it ends where it begins, if it repeats."""
        size = max(abs(value) for value in (self.start, *self.to))
        return self.extend == "hold" or abs(self.to[-1] - self.start) <= WHOLE * size

    @property
    def period(self) -> float:
        """The time of all moves."""
        return math.fsum(self.times)

    @cached_property
    def _moves(self) -> list[tuple[str, float, float, float, float]]:
        """The moves as `move` takes them."""
        begins, firsts = accumulate(self.times, initial=0.0), (self.start, *self.to)
        each = self.law * len(self.to) if len(self.law) == 1 else self.law
        return list(zip(each, begins, self.times, firsts, self.to, strict=False))

    def _once(self) -> Steps:
        """Return one pass: base(t) + sum of d(t) s(u(t)) over the polynomial laws."""
        base: list[Segment] = []
        clock: list[Segment] = []
        way: dict[str, list[Segment]] = {law: [] for law, *_ in self._moves if law in POLYNOMIAL}
        for law, begin, duration, first, last in self._moves:
            dwell = law in POLYNOMIAL or first == last
            base += [flat(begin, first)] if dwell else move(law, begin, duration, first, last)
            clock.append(flat(begin, 0.0, 1.0 / duration))
            for name, own in way.items():
                own.append(flat(begin, last - first if name == law else 0.0))
        base.append(flat(self.period, self.to[-1]))
        tapes: list[Steps] = [((PIECES, 0, 0, tuple(base)),)]
        for name, own in way.items():
            own.append(flat(self.period, 0.0))
            u = ((PIECES, 0, 0, (*clock, flat(self.period, 0.0))),)
            tapes.append(joined("mul", [_polynomial(POLYNOMIAL[name], u), ((PIECES, 0, 0, tuple(own)),)]))
        return joined("add", tapes) if len(tapes) > 1 else tapes[0]

    def steps(self) -> Steps:
        """Return all passes."""
        once = self._once()
        if self.extend == "hold":
            return once
        return mapped(once, lambda segments: repeated(segments, self.period, passes_of(once)))

    def breaks(self) -> tuple[float, ...]:
        """Return where moves begin and end, and where the pieces of their laws meet."""
        inner = {
            begin + (piece[0] * duration)
            for law, begin, duration, first, last in self._moves
            for piece in (PIECEWISE.get(law, ((0.0,),)) if first != last else ((0.0,),))
        }
        passes = passes_of(self._once()) if self.extend == "repeat" else 1
        found = {b + k * self.period for k in range(passes) for b in inner}
        return tuple(sorted({*found, passes * self.period} - {0.0}))

    def until(self) -> float:
        """Return the end of the last pass."""
        return math.inf if self.extend == "hold" else passes_of(self._once()) * self.period


def _polynomial(coefficients: Sequence[float], u: Steps) -> Steps:
    """Return u^3 (c0 + u (c1 + u (c2 + ...)))."""
    tape: Steps = ((CONSTANT, 0, 0, coefficients[-1]),)
    for c in coefficients[-2::-1]:
        tape = joined("add", [joined("mul", [tape, u]), ((CONSTANT, 0, 0, c),)])
    return joined("mul", [tape, u, u, u])


@dataclass(frozen=True, kw_only=True)
class Pulse(SignalSpec):
    """From `before` to a value and back, with straight edges; what jumps is for forces only, as all of them is."""

    smooth = False
    value: float = key(number, "value of the pulse", dimension="value")
    start: float = key(not_negative, "when it begins, s", 0.0, dimension="time")
    width: float = key(positive, "how long it lasts, with its edges, s", dimension="time")
    before: float = key(number, "value before and after", 0.0, dimension="value")
    rise: float = key(not_negative, "how long its first edge takes, s; 0: it jumps", 0.0, dimension="time")
    fall: float = key(not_negative, "how long its last edge takes, s; 0: it jumps", 0.0, dimension="time")

    def verify(self) -> None:
        """Check that the edges fit."""
        if self.rise + self.fall > self.width * (1.0 + WHOLE):
            raise ModelError(
                f"edges of {self.rise:g} s and {self.fall:g} s do not fit into a width of {self.width:g} s; widen it"
            )

    def segments(self) -> list[Segment]:
        """Return the value before, the edges, the value and the value after."""
        high, end = self.value - self.before, self.start + self.width
        found = [flat(-math.inf, self.before)]
        if self.rise:
            found.append(flat(self.start, self.before, high / self.rise))
        found.append(flat(self.start + self.rise, self.value))
        if self.fall:
            found.append(flat(end - self.fall, self.value, -high / self.fall))
        return [*found, flat(end, self.before)]

    def breaks(self) -> tuple[float, ...]:
        """Return where its edges begin and end."""
        return tuple(sorted({s[0] for s in self.segments()[1:]} - {0.0}))


@dataclass(frozen=True, kw_only=True)
class Trapezoid(SignalSpec):
    """From start to end: evenly faster during `ramp`, at constant speed, evenly slower during `ramp`."""

    start: float = key(number, "value before and at t = 0", 0.0, dimension="value")
    end: float = key(number, "value after the duration", dimension="value")
    duration: float = key(positive, "s", dimension="time")
    ramp: float = key(positive, "how long it gets faster, and slower, s; at most half of all", dimension="time")

    def verify(self) -> None:
        """Check that it is not longer than half of the move."""
        if self.ramp > 0.5 * self.duration * (1.0 + WHOLE):
            raise ModelError(f'key "ramp": {self.ramp:g} s is more than half of the duration, {self.duration:g} s')

    def segments(self) -> list[Segment]:
        """Return the three parts of the move, and the rest after it."""
        speed = (self.end - self.start) / (self.duration - self.ramp)
        bend, last = 0.5 * speed / self.ramp, self.duration - self.ramp
        halfway = 0.5 * speed * self.ramp
        return [
            (0.0, self.start, 0.0, bend, 0.0, 0.0, 0.0, 0.0),
            flat(self.ramp, self.start + halfway, speed),
            (last, self.end - halfway, speed, -bend, 0.0, 0.0, 0.0, 0.0),
            flat(self.duration, self.end),
        ]

    def breaks(self) -> tuple[float, ...]:
        """Return the times at which its acceleration jumps."""
        return tuple(sorted({self.ramp, self.duration - self.ramp, self.duration}))
