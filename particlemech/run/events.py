"""Events: functions of time and state whose zeros a run finds; the same for every integrator."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from particlemech.engine.system import Array, Instant
from particlemech.errors import ModelError

EDGE = 1e-3  # of a step: over so much of its ends values are told to rise or fall
FOUND = 1e-6  # of a step: where a value turns round
SAME = 1e-12  # of the mechanism's time: zeros of two events that are no farther apart are at one instant
UNTOLD = (None, 0.0, None, None)


@dataclass(frozen=True)
class Event:
    """A function g(t, state) whose zero is found.

    A change of sign within one step of the integrator is found, and so are two zeros within one step where the
    function turns round once between them; those of functions that turn round more often there may be passed over.

    Attributes
    ----------
    function : callable
        Called as g(t, state) with the time, s, and the motion at this time by names of the model; it returns one
        number. In the plane state["B"] is the position of a point, (2,), m, state.velocity("B") its velocity, (2,),
        m/s, state.angle("rod") and state.omega("rod") the angle of a body since t = 0, rad, and its angular velocity,
        rad/s. `particlemech info state` tells all of it, also in space.
    terminal : bool
        Whether the run ends at the zero.
    direction : int
        +1 or -1 counts only rising or falling zeros, 0 both.

    Examples
    --------
    >>> ground = Event(lambda t, state: state["B"][1], terminal=True, direction=-1)  # point B comes down to y = 0
    >>> ground.terminal
    True
    """

    function: Callable[[float, Any], float]
    terminal: bool = False
    direction: int = 0

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError(f"an event is a function f(t, state) -> number, got {self.function!r}")
        if self.direction not in (-1, 0, 1):
            raise ModelError(f"the direction of an event is -1, 0 or 1, got {self.direction!r}")


class Watch:
    """Looks for zeros of events between the steps of a run, and keeps what it found."""

    def __init__(self, system: Instant, events: Mapping[str, Event]) -> None:
        self.system, self.events = system, events
        self.found: dict[str, list[tuple[float, Array]]] = {name: [] for name in events}
        self.before: dict[str, float] = {}
        self.told: tuple[Any, float, Any, Any] = UNTOLD  # system, t, y and its state
        self.ranges: dict[str, float] = {}  # how far values went in the step that ended a leg

    def __bool__(self) -> bool:
        return bool(self.events)

    def begin(self, t: float, y: Array) -> tuple[float, str, Array] | None:
        """Note the values where a leg begins; an impulse may have carried some across zero: then as `step`."""
        self.told = UNTOLD
        last, self.before = self.before, self._values(t, y)
        for name, event in self.events.items():
            old, new = last.get(name, 0.0), self.before[name]
            if old * new < 0.0 and event.direction * (new - old) >= 0.0:
                self.found[name].append((t, y))
                if event.terminal:
                    return t, self._said(name, t), y
        return None

    def _said(self, name: str, t: float) -> str:
        return f'event "{name}" ended the run at t = {t:.9g} s'

    def _state(self, t: float, y: Array) -> Any:
        """Return what functions are told; the same for all that ask at one instant, which is worked out once."""
        system, then, seen, state = self.told
        if system is not self.system or then != t or seen is not y:
            state = self.system.state(t, y)
            self.told = self.system, t, y, state
        return state

    def _value(self, name: str, t: float, y: Array) -> float:
        value = self.events[name].function(t, self._state(t, y))
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise ModelError(f'event "{name}": its function must return a finite number, it returned {value!r}')
        return number

    def step(self, first: float, last: float, at: Callable[[float], Array]) -> tuple[float, str, Array] | None:
        """Find zeros within a step, at(t) giving its states; return time, message and state of a terminal one."""
        ends = self._values(last, at(last))
        for low, high in pairwise([first, *self._turns(first, last, at, ends), last]):
            struck = self._between(low, high, at, ends if high == last else self._values(high, at(high)))
            if struck is not None:
                return struck
        return None

    def _looked_into(self, name: str) -> bool:
        """Whether values may turn round within a step."""
        return True

    def _values(self, t: float, y: Array, names: Iterable[str] | None = None) -> dict[str, float]:
        return {name: self._value(name, t, y) for name in (self.events if names is None else names)}

    def _turns(self, first: float, last: float, at: Callable[[float], Array], ends: Mapping[str, float]) -> list[float]:
        """Return where values turn round beyond zero that have one sign at both ends of a step: between two zeros."""
        found, h = set(), last - first
        names = [n for n in self.events if self._looked_into(n) and ends[n] != 0.0 and self.before[n] * ends[n] >= 0.0]
        near = self._values(last - EDGE * h, at(last - EDGE * h), names)
        names = [name for name in names if abs(near[name]) < abs(ends[name]) or near[name] * ends[name] < 0.0]
        begin = self._values(first, at(first), names)
        names = [name for name in names if begin[name] * ends[name] >= 0.0]
        soon = self._values(first + EDGE * h, at(first + EDGE * h), names)
        for name in names:
            side = math.copysign(1.0, ends[name])
            if side * (soon[name] - begin[name]) >= 0.0:
                continue

            def value(t: float, name: str = name) -> float:
                return self._value(name, t, at(t))

            from scipy.optimize import minimize_scalar

            turn = minimize_scalar(
                lambda t, of=value, side=side: side * of(t),
                bounds=(first, last),
                method="bounded",
                options={"xatol": FOUND * h},
            )
            if turn.fun < 0.0:
                found.add(float(turn.x))
        return sorted(found)

    def _between(
        self, first: float, last: float, at: Callable[[float], Array], ends: Mapping[str, float]
    ) -> tuple[float, str, Array] | None:
        zeros, values = [], dict(self.before)
        for name, event in self.events.items():
            old, new = self.before[name], ends[name]
            self.before[name] = new
            if old == 0.0 or old * new > 0.0 or event.direction * (new - old) < 0.0:
                continue
            from scipy.optimize import brentq

            def value(t: float, name: str = name) -> float:
                return self._value(name, t, at(t))

            t = brentq(value, first, last, xtol=1e-15 * max(abs(last), self.system.scale.time), rtol=1e-15)
            zeros.append((t, name, at(t)))
        zeros.sort(key=lambda zero: zero[0])
        for k, (t, name, y) in enumerate(zeros):
            self.found[name].append((t, y))
            if self.events[name].terminal:
                said = self._said(name, t)
                for later, other, _ in zeros[k + 1 :]:
                    if later - t <= SAME * self.system.scale.time:
                        self.found[other].append((t, y))
                        self._said(other, t)
                self.ranges = {other: abs(self.before[other] - values[other]) for other in self.events}
                self.before = self._values(t, y)
                return t, said, y
        return None
