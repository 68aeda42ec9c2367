"""Elementary signals: functions of time, for drivers and forces, that are lists of segments.

Every such signal is a list of segments of one common form, valid from `start` on, tau = t - start:

    s(t) = c0 + c1 tau + c2 tau^2 + c3 tau^3 + a sin(w tau + phase)                       (1)

so the kernels know one formula, with exact derivatives, whatever the kind. An expression in t that is none, and what is
made of several signals, is a tape (functions.py, composed.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech.errors import Expressed, ModelError, part, warn
from particlemech.model.functions import Expression as Expression
from particlemech.model.interpolation import LINEAR, OPEN, REST, ROUND, cubics, extremes
from particlemech.model.number_files import read
from particlemech.model.segments import Segment as Segment
from particlemech.model.segments import SignalSpec as SignalSpec
from particlemech.model.spec import choice, key, number, numbers, positive, shown, text

SWING = 0.05  # of the range of a table's points: a sine given by 8 points a period swings beyond them by 0.04
MOST_PASSES, MOST_POINTS = 1000, 50_000  # of a table that repeats
WHOLE = 1e-9  # how far the shares of a shaped signal may be from 1


@dataclass(frozen=True, kw_only=True)
class Constant(SignalSpec):
    """The same value at all times; in a file simply a number."""

    value: float = key(number, "the value", 0.0, dimension="value")

    def written(self) -> float:
        """Return the number."""
        return self.value

    def segments(self) -> list[Segment]:
        """Return one segment."""
        return [(0.0, self.value, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)]


@dataclass(frozen=True, kw_only=True)
class Linear(SignalSpec):
    """offset + rate t."""

    rate: float = key(number, "change per second", dimension="value/time")
    offset: float = key(number, "value at t = 0", 0.0, dimension="value")

    def segments(self) -> list[Segment]:
        """Return one segment."""
        return [(0.0, self.offset, self.rate, 0.0, 0.0, 0.0, 0.0, 0.0)]


@dataclass(frozen=True, kw_only=True)
class Sine(SignalSpec):
    """offset + amplitude sin(2 pi frequency t + phase)."""

    amplitude: float = key(number, "largest deviation", dimension="value")
    frequency: float = key(number, "Hz", dimension="frequency")
    phase: float = key(number, "rad", 0.0, dimension="angle")
    offset: float = key(number, "mean value", 0.0, dimension="value")

    def segments(self) -> list[Segment]:
        """Return one segment."""
        return [(0.0, self.offset, 0.0, 0.0, 0.0, self.amplitude, 2.0 * math.pi * self.frequency, self.phase)]


@dataclass(frozen=True, kw_only=True)
class Cycloid(SignalSpec):
    """From start to end within duration, speed and acceleration zero at both ends [P72] (5.1).

    s = start + (end - start) (t/T - sin(2 pi t/T)/(2 pi)),  0 <= t <= T
    """

    start: float = key(number, "value before and at t = 0", 0.0, dimension="value")
    end: float = key(number, "value after the duration", dimension="value")
    duration: float = key(positive, "s", dimension="time")

    def segments(self) -> list[Segment]:
        """Return the move and the rest after it."""
        rise, w = self.end - self.start, 2.0 * math.pi / self.duration
        return [
            (0.0, self.start, rise / self.duration, 0.0, 0.0, -rise / (2.0 * math.pi), w, 0.0),
            (self.duration, self.end, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        ]

    def breaks(self) -> tuple[float, ...]:
        """Return the end of the move, where the third derivative jumps."""
        return (self.duration,)


@dataclass(frozen=True, kw_only=True)
class Step(SignalSpec):
    """Jump from before to after at a time; for forces only."""

    smooth = False
    time: float = key(number, "s", dimension="time")
    before: float = key(number, "value before", 0.0, dimension="value")
    after: float = key(number, "value after", dimension="value")

    def segments(self) -> list[Segment]:
        """Return the value before and the value after."""
        zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return [(-math.inf, self.before, *zero), (self.time, self.after, *zero)]

    def breaks(self) -> tuple[float, ...]:
        """Return the time of the jump."""
        return (self.time,)


@dataclass(frozen=True, kw_only=True)
class Table(SignalSpec):
    """A curve through points.

    interpolation = "smooth" is the cubic spline, twice differentiable, which may swing beyond its points; the default
    of drivers, with a warning where it does. "monotone" stays between the two points beside; its accelerations jump at
    the points, and a driver restarts there; the default of forces. "linear" is for forces only.
    extend = "error": the run must end with the table. "hold": it arrives at its last value with no rate (a linear one
    just stops) and keeps it. "repeat": it begins anew where it ends, up to 1000 times, with the rate of one pass that
    joins the next; a driver must end at the value at which it begins.
    """

    t: tuple[float, ...] = key(numbers, "s, increasing", dimension="time")
    value: tuple[float, ...] = key(numbers, "one value per time", dimension="value")
    interpolation: str | None = key(
        choice("smooth", "monotone", LINEAR),
        "between the points; default: smooth for drivers, monotone for forces",
        None,
    )
    extend: str = key(choice("error", "hold", "repeat"), "after the last point", "error")

    def verify(self) -> None:
        """Check that there is one value per time and that time increases."""
        if len(self.t) != len(self.value):
            raise ModelError(f'keys "t" and "value" need the same length, got {len(self.t)} and {len(self.value)}')
        if len(self.t) < 2:
            raise ModelError(f'key "t": a table needs at least 2 times, got {len(self.t)}')
        if self.t[0] > 0.0:
            raise ModelError(f'key "t": a table must begin at t = 0 or before, this one begins at {self.t[0]:g}')
        for before, after in zip(self.t, self.t[1:], strict=False):
            if after <= before:
                raise ModelError(f'key "t": times must increase, but {after:g} follows {before:g}')
        if self.extend == "repeat" and self.t[-1] <= 0.0:
            raise ModelError(f'key "t": a table that repeats must end after t = 0, this one ends at {self.t[-1]:g}')
        with np.errstate(all="ignore"):
            try:
                usable = bool(np.isfinite(self.cubics).all())
            except ZeroDivisionError:
                usable = False
        if not usable:
            raise ModelError("no curve passes through this table; its times lie too close for its values")

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        """Whether a driver can follow it: value and rate do not jump."""
        return self.interpolation != LINEAR and self.gap == 0.0

    @property
    def gap(self) -> float:
        """Jump of the value where a table that repeats begins anew."""
        gap = self.value[0] - self.value[-1] if self.extend == "repeat" else 0.0
        return gap if abs(gap) > WHOLE * max(map(abs, self.value)) else 0.0

    @cached_property
    def cubics(self) -> NDArray[np.float64]:
        """Coefficients c0 to c3 from each point to the next, (n - 1, 4)."""
        end = {"error": OPEN, "hold": REST, "repeat": OPEN if self.gap else ROUND}[self.extend]
        return cubics(self.interpolation or "monotone", self.t, self.value, end)

    @property
    def passes(self) -> int:
        """How often it is passed through."""
        return max(1, min(MOST_PASSES, MOST_POINTS // len(self.t))) if self.extend == "repeat" else 1

    @cached_property
    def _segments(self) -> list[Segment]:
        rows = self.cubics.tolist()
        period = self.t[-1] - self.t[0]
        result: list[Segment] = [
            (t + k * period, *c, 0.0, 0.0, 0.0)
            for k in range(self.passes)
            for t, c in zip(self.t[:-1], rows, strict=True)
        ]
        if self.extend == "hold":
            result.append((self.t[-1], self.value[-1], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        return result

    def segments(self) -> list[Segment]:
        """Return the cubics."""
        return self._segments

    def breaks(self) -> tuple[float, ...]:
        """Return the times at which it, its rate or, where asked to be monotone, its second derivative jumps."""
        starts = tuple(s[0] for s in self._segments[1:])
        if self.interpolation in ("monotone", LINEAR):
            return starts
        if self.gap:
            return starts[len(self.t) - 2 :: len(self.t) - 1]
        return starts[-1:] if self.extend == "hold" else ()

    def until(self) -> float:
        """Return the time up to which the table lasts."""
        if self.extend == "hold":
            return math.inf
        return self.t[0] + self.passes * (self.t[-1] - self.t[0])

    def followed(self) -> Table:
        """Return the same table as drivers take it: smooth unless it says otherwise; warn where it swings."""
        if self.interpolation == LINEAR:
            raise ModelError(
                f"the rates of a linear table jump at its {len(self.t)} points, which nothing with mass can follow; "
                'use interpolation = "smooth" or "monotone"'
            )
        if self.gap:
            raise ModelError(
                f"the table ends at {self.value[-1]:g} and would jump to {self.value[0]:g} to repeat, which nothing "
                'can follow; let it end where it begins, or use extend = "hold"'
            )
        if self.interpolation is not None:
            return self
        result = replace(self, interpolation="smooth")
        low, high = min(self.value), max(self.value)
        least, most = extremes(result.cubics, result.t)
        if max(low - least, most - high) > SWING * (high - low):
            warn(
                f"the smooth curve through a table swings from {least:.3g} to {most:.3g}, while its points lie between "
                f'{low:.3g} and {high:.3g}; use interpolation = "monotone" to stay there, "smooth" to keep it'
            )
        return result


@dataclass(frozen=True, kw_only=True)
class File(SignalSpec):
    """A table in a CSV file beside the model: a first line of names, if any, then lines of numbers with commas.

    A mechanism reads it once and keeps its numbers as a table.
    """

    path: str = key(text, "of the file, from the folder of the model")
    column: str | None = key(text, "name of the column of values; default: the second", None)
    time: str | None = key(text, "name of the column of times, s, increasing; default: the first", None)
    interpolation: str | None = key(
        choice("smooth", "monotone", LINEAR), "between the points, as of a table; default: as there", None
    )
    extend: str = key(choice("error", "hold", "repeat"), "after the last point, as of a table", "error")

    def taken(self) -> Table:
        """Return the table that the file holds."""
        return self._table

    @cached_property
    def _table(self) -> Table:
        names, rows = read(self.path)
        t, value = (self._column(names, rows, *of) for of in ((self.time, 0), (self.column, 1)))
        with part(f'file "{self.path}"'):
            return Table(t=t, value=value, interpolation=self.interpolation, extend=self.extend)

    def _column(
        self, names: tuple[str, ...], rows: list[list[float]], name: str | None, usual: int
    ) -> tuple[float, ...]:
        if name is not None and name not in names:
            known = f"; its columns: {', '.join(names)}" if names else "; its first line holds no names"
            raise ModelError(f'file "{self.path}": no column "{name}"{known}')
        k = usual if name is None else names.index(name)
        if any(len(row) <= k for row in rows):
            raise ModelError(f'file "{self.path}": a line has fewer than {k + 1} numbers; write time and value in each')
        return tuple(row[k] for row in rows)

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        """Whether the table is."""
        return self._table.smooth

    def segments(self) -> list[Segment]:
        """Return those of the table."""
        return self._table.segments()

    def breaks(self) -> tuple[float, ...]:
        """Return those of the table."""
        return self._table.breaks()

    def until(self) -> float:
        """Return that of the table."""
        return self._table.until()


def signal(value: Any) -> SignalSpec:
    """A number, a signal such as {type = "sine", amplitude = 1.0, frequency = 2.0}, or an expression in t."""
    if isinstance(value, SignalSpec):
        if value.unsettled:
            raise Expressed("its expressions wait for the mechanism")
        return value.taken()
    if isinstance(value, str):
        raise Expressed(f"expected a number or a signal, got {shown(value)}")
    if isinstance(value, (bytes, list, tuple, dict)):
        raise ModelError(f"expected a number or a signal, got {shown(value)}")
    return Constant(value=number(value))


def motion(value: Any) -> SignalSpec:
    """A number, a signal such as {type = "cycloid", end = 1.0, duration = 2.0}, or an expression."""
    return signal(value).followed()


signal.takes_time = motion.takes_time = Expression  # type: ignore[attr-defined]
