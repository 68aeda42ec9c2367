"""Signals that are made of others: sums, products, multiples, what is delayed, shaped or repeated.

They are tapes (tapes.py) whose leaves are lists of segments, so that their derivatives are exact too:

    sum         u + v + ...          product     u v ...           scaled      offset + factor u                  (1)
    delayed     u(t - delay), before it as at t = 0                periodic    u(t modulo period)                 (2)
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from particlemech.errors import ModelError
from particlemech.model.elementary import MOST_PASSES, MOST_POINTS, WHOLE, signal
from particlemech.model.segments import Segment, SignalSpec, Steps, values
from particlemech.model.spec import key, kind_name, not_negative, number, numbers, positive, sequence
from particlemech.model.tapes import CONSTANT, LONGEST, NUMBER, PIECES, TIME, Step

RAMP: Segment = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # the time itself


def steps_of(spec: SignalSpec) -> Steps:
    """Return a signal as a tape, of one step where it is a list of segments."""
    return spec.tape() or ((PIECES, 0, 0, tuple(spec.segments())),)


def joined(word: str, tapes: Sequence[Steps]) -> Steps:
    """Return the tape that combines some tapes, from the first on, by one operation."""
    known: dict[Step, int] = {}  # equal steps are taken once
    ends: list[int] = []

    def put(op: int, i: int, j: int, c: Any) -> int:
        return known.setdefault((op, i, j, c), len(known))

    for tape in tapes:
        at: list[int] = []
        for op, i, j, c in tape:
            at.append(put(op, 0, 0, c) if op in (CONSTANT, TIME, PIECES) else put(op, at[i], at[j], c))
        ends.append(at[-1])
    last = ends[0]
    for end in ends[1:]:
        last = put(NUMBER[word], last, end, 0.0)
    if last < len(known) - 1:  # it was known before: a tape ends with its result
        put(NUMBER["add"], last, put(CONSTANT, 0, 0, 0.0), 0.0)
    if len(known) > LONGEST:
        raise ModelError(f"a function of time may have {LONGEST} operations, this one has {len(known)}; give a table")
    return tuple(known)


def mapped(steps: Steps, change: Callable[[tuple[Segment, ...]], tuple[Segment, ...]]) -> Steps:
    """Return a tape in another time: `change` does to lists of segments what is to be done, also to the time itself."""

    def leaf(step: Step) -> Step:
        op, _, _, c = step
        if op == TIME:
            return (PIECES, 0, 0, change((RAMP,)))
        return (PIECES, 0, 0, change(c)) if op == PIECES else step

    return tuple(map(leaf, steps))


def started(segments: Sequence[Segment], t: float) -> Segment:
    """Return the segment that is valid at a time, counted from there on."""
    chosen = [s for s in segments if s[0] <= t] or [segments[0]]
    return _later(chosen[-1], 1.0, t)


def put_off(segments: Sequence[Segment], delay: float) -> tuple[Segment, ...]:
    """Return segments that begin later, and before as at t = 0, (2)."""
    first = started(segments, 0.0)
    held = first[1] + first[5] * math.sin(first[7])
    later = [first, *(s for s in segments if s[0] > 0.0)]
    return ((-math.inf, held, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), *((s[0] + delay, *s[1:]) for s in later))


def repeated(segments: Sequence[Segment], period: float, passes: int) -> tuple[Segment, ...]:
    """Return what segments are from 0 to a period, again and again, (2)."""
    once = [started(segments, 0.0), *(s for s in segments if 0.0 < s[0] < period)]
    return tuple((s[0] + k * period, *s[1:]) for k in range(passes) for s in once)


def passes_of(steps: Steps) -> int:
    """Return how often a tape is repeated: its longest list of segments counts."""
    longest = max([1, *(len(c) for op, _, _, c in steps if op == PIECES)])
    return max(1, min(MOST_PASSES, MOST_POINTS // longest))


def signal_list(value: Any) -> tuple[SignalSpec, ...]:
    """Two or more signals, each a number, a table or an expression."""
    result = tuple(signal(v) for v in sequence(value))
    if len(result) < 2:
        raise ModelError(f"expected two or more signals, got {len(result)}")
    return result


signal_list.of_signals = signal  # type: ignore[attr-defined]


class Composed(SignalSpec):
    """Base of the signals that are made of others, or in several parts."""

    def steps(self) -> Steps:
        """Return it as a tape."""
        raise TypeError(f"{type(self).__name__} does not list its steps")

    @cached_property
    def _steps(self) -> Steps:
        return self.steps()

    def tape(self) -> Steps | None:
        """Return its steps, unless it is a list of segments."""
        return None if len(self._steps) == 1 and self._steps[0][0] == PIECES else self._steps

    def segments(self) -> list[Segment]:
        """Return the segments that it is."""
        if self.tape() is not None:
            raise ModelError(f"a {kind_name(type(self))} of these is no list of cubics, which this needs; give a table")
        return list(self._steps[0][3])


class _Several(Composed):
    """Base of sums and products."""

    @property
    def of(self) -> tuple[SignalSpec, ...]:
        """What it is made of."""
        raise TypeError(f"{type(self).__name__} does not say what it is made of")

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        """Whether all are."""
        return all(part.smooth for part in self.of)

    def breaks(self) -> tuple[float, ...]:
        """Return those of all."""
        return tuple(sorted({b for part in self.of for b in part.breaks()}))

    def until(self) -> float:
        """Return the first end."""
        return min(part.until() for part in self.of)


@dataclass(frozen=True, kw_only=True)
class Sum(_Several):
    """The sum of signals."""

    parts: tuple[SignalSpec, ...] = key(signal_list, "two or more signals", dimension="value")

    @property
    def of(self) -> tuple[SignalSpec, ...]:
        """The parts."""
        return self.parts

    def followed(self) -> Sum:
        """Return the sum of the parts as drivers take them."""
        return replace(self, parts=tuple(part.followed() for part in self.parts))

    def steps(self) -> Steps:
        """Return (1)."""
        return joined("add", [steps_of(part) for part in self.parts])


@dataclass(frozen=True, kw_only=True)
class Product(_Several):
    """The product of signals, such as a sine and its envelope."""

    factors: tuple[SignalSpec, ...] = key(signal_list, "two or more signals", dimension="any")

    @property
    def of(self) -> tuple[SignalSpec, ...]:
        """The factors."""
        return self.factors

    def followed(self) -> Product:
        """Return the product of the factors as drivers take them."""
        return replace(self, factors=tuple(factor.followed() for factor in self.factors))

    def steps(self) -> Steps:
        """Return (1)."""
        return joined("mul", [steps_of(factor) for factor in self.factors])


@dataclass(frozen=True, kw_only=True)
class Scaled(_Several):
    """offset + factor times a signal."""

    signal: SignalSpec = key(signal, "the signal", dimension="value")
    factor: float = key(number, "what it is multiplied by", dimension="number")
    offset: float = key(number, "what is added then", 0.0, dimension="value")

    @property
    def of(self) -> tuple[SignalSpec, ...]:
        """The signal."""
        return (self.signal,)

    def followed(self) -> Scaled:
        """Return the same multiple of the signal as drivers take it."""
        return replace(self, signal=self.signal.followed())

    def steps(self) -> Steps:
        """Return (1)."""
        steps = steps_of(self.signal)
        if len(steps) > 1:
            number = [((CONSTANT, 0, 0, float(value)),) for value in (self.factor, self.offset)]
            return joined("add", [joined("mul", [steps, number[0]]), number[1]])
        own = [_later(s, self.factor, s[0]) for s in steps[0][3]]
        return ((PIECES, 0, 0, tuple((s[0], s[1] + self.offset, *s[2:]) for s in own)),)


@dataclass(frozen=True, kw_only=True)
class Delayed(_Several):
    """A signal that begins later; until then it is as at its t = 0."""

    signal: SignalSpec = key(signal, "the signal", dimension="value")
    delay: float = key(not_negative, "s", dimension="time")

    @property
    def of(self) -> tuple[SignalSpec, ...]:
        """The signal."""
        return (self.signal,)

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        """Whether the signal is, and sets off from rest."""
        value, rate, second = values(self.signal, 0.0)
        return self.signal.smooth and (not self.delay or abs(rate) <= WHOLE * (abs(value) + abs(rate) + abs(second)))

    def followed(self) -> Delayed:
        """Return the same delay of the signal as drivers take it."""
        return replace(self, signal=self.signal.followed())

    def steps(self) -> Steps:
        """Return (2)."""
        return mapped(steps_of(self.signal), lambda segments: put_off(segments, self.delay))

    def breaks(self) -> tuple[float, ...]:
        """Return its begin, and where the signal breaks."""
        return tuple(sorted({self.delay, *(b + self.delay for b in self.signal.breaks())}))

    def until(self) -> float:
        """Return the end of the signal."""
        return self.signal.until() + self.delay


@dataclass(frozen=True, kw_only=True)
class Periodic(_Several):
    """What a signal is up to a period, again and again, up to 1000 times."""

    signal: SignalSpec = key(signal, "the signal", dimension="value")
    period: float = key(positive, "s", dimension="time")

    def verify(self) -> None:
        """Check that the signal lasts for a period."""
        if self.signal.until() < self.period * (1.0 - WHOLE):
            raise ModelError(
                f"the signal ends at {self.signal.until():g} s, before its period of {self.period:g} s; shorten that"
            )

    @property
    def of(self) -> tuple[SignalSpec, ...]:
        """The signal."""
        return (self.signal,)

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        """Whether the signal is, and ends with the value and the rate with which it begins."""
        before, after = (values(self.signal, t) for t in (self.period, 0.0))
        size = [max(abs(values(self.signal, self.period * k / 16.0)[n]) for k in range(17)) for n in (0, 1)]
        return self.signal.smooth and all(abs(before[n] - after[n]) <= 1e-6 * size[n] for n in (0, 1))

    def followed(self) -> Periodic:
        """Return the same of the signal as drivers take it."""
        return replace(self, signal=self.signal.followed())

    @cached_property
    def _passes(self) -> int:
        return passes_of(steps_of(self.signal))

    def steps(self) -> Steps:
        """Return (2)."""
        return mapped(steps_of(self.signal), lambda segments: repeated(segments, self.period, self._passes))

    def breaks(self) -> tuple[float, ...]:
        """Return where it begins anew, and where the signal breaks within a period."""
        inner = [0.0, *(b for b in self.signal.breaks() if 0.0 < b < self.period)]
        return tuple(b + k * self.period for k in range(self._passes) for b in inner)[1:]

    def until(self) -> float:
        """Return the end of the last pass."""
        return self._passes * self.period


@dataclass(frozen=True, kw_only=True)
class Shaped(SignalSpec):
    """A signal in parts, one after the other, as a shaper gives it to a flexible mechanism.

    s = sum of share_k u(t - delay_k),   u before its begin as at its begin                (2)

    Half of a motion, and the other half half a period later, leave no vibration of that period behind. Sines of one
    frequency add up to one sine, so that (1) holds again.
    """

    signal: SignalSpec = key(signal, "the signal u as a whole", dimension="value")
    delays: tuple[float, ...] = key(numbers, "s, increasing, not negative", dimension="time")
    shares: tuple[float, ...] = key(numbers, "one per delay; their sum is 1", dimension="number")

    def verify(self) -> None:
        """Check that there is one share per delay, that delays increase and that the shares are a whole."""
        if len(self.delays) != len(self.shares) or not self.delays:
            n, m = len(self.delays), len(self.shares)
            raise ModelError(f'keys "delays" and "shares" need the same length, at least 1, got {n} and {m}')
        if self.delays[0] < 0.0:
            raise ModelError(f'key "delays": expected numbers that are not negative, got {self.delays[0]:g}')
        for before, after in zip(self.delays, self.delays[1:], strict=False):
            if after <= before:
                raise ModelError(f'key "delays": must increase, but {after:g} follows {before:g}')
        whole = math.fsum(self.shares)
        if abs(whole - 1.0) > WHOLE:
            raise ModelError(f'key "shares": their sum is {whole:.12g}, not 1; divide them by it')

    def followed(self) -> Shaped:
        """Return the same parts of the signal as drivers take it."""
        whole = self.signal.followed()
        return self if whole is self.signal else replace(self, signal=whole)

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        """Whether the signal is, also where its parts begin."""
        _, _, c1, c2, _, a, w, phase = self.signal.segments()[0]
        kinked = abs(c1 + a * w * math.cos(phase)) > WHOLE * (abs(c1) + abs(a * w))
        jumps = abs(2.0 * c2 - a * w * w * math.sin(phase)) > WHOLE * (abs(2.0 * c2) + abs(a * w * w))
        return self.signal.smooth and (self.delays == (0.0,) or not (kinked or jumps))

    def segments(self) -> list[Segment]:
        """Return a segment from each time on at which one of a part begins."""
        own = self.signal.segments()
        if math.isfinite(own[0][0]):
            own = [(-math.inf, values(self.signal, own[0][0])[0], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), *own]
        starts = sorted({s[0] + d for s in own for d in self.delays})
        result = []
        for start in starts:
            parts = []
            for delay, share in zip(self.delays, self.shares, strict=True):
                chosen = [s for s in own if s[0] + delay <= start][-1]
                parts.append(_later(chosen, share, start - delay))
            result.append(_sum(start, parts))
        return result

    def breaks(self) -> tuple[float, ...]:
        """Return the times at which a part begins or breaks."""
        return tuple(sorted({b + d for b in (0.0, *self.signal.breaks()) for d in self.delays}))

    def until(self) -> float:
        """Return the time up to which the first part is defined."""
        return self.signal.until() + self.delays[0]


def _later(segment: Segment, share: float, t: float) -> Segment:
    """Return a share of a segment, its time counted from t on."""
    start, c0, c1, c2, c3, a, w, phase = segment
    d = t - start if math.isfinite(start) else 0.0
    cubic = c0 + d * (c1 + d * (c2 + d * c3)), c1 + d * (2.0 * c2 + d * 3.0 * c3), c2 + 3.0 * d * c3, c3
    return (t, *(share * c for c in cubic), share * a, w, w * d + phase)  # type: ignore[return-value]


def _sum(start: float, parts: Sequence[Segment]) -> Segment:
    """Return the sum of segments that begin together; all their sines have one frequency."""
    cubic = (math.fsum(p[k] for p in parts) for k in range(1, 5))
    sines = [p for p in parts if p[5] != 0.0]
    sine = sum(a * cmath.exp(1j * phase) for *_, a, _, phase in sines)
    w = sines[0][6] if sines else 0.0
    return (start, *cubic, abs(sine), w, cmath.phase(sine))  # type: ignore[return-value]
