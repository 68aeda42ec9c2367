"""System -> samples by explicit steps: a compiled march from jump to jump, and what happens when it cannot go on.

The march takes eighth-order steps (steps.py) and projects after each, so samples satisfy all rows. Beside
singular poses and stiff forces it stops and says so; `integrator = "auto"` then goes on with IDA (simulate.py).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from particlemech.engine.system import Array, Instant, counted
from particlemech.run.ends import AHEAD, barred, jammed, judged, locked, tired
from particlemech.run.events import Event, Watch
from particlemech.run.lobes import NARROW, Lobes
from particlemech.run.start import Start
from particlemech.run.trajectory import Certificate, Status, Trajectory, stops, struck

REACHED, PAUSED, TOO_SMALL, NOT_FINITE, STIFF, SINGULAR, TOO_LONG = range(7)  # how a march ends
STEP_LIMIT = 1_000_000
# steps after which slow headway is asked for its reason: before a driver that is at its limit speeds grow without
# bounds, and where masses differ 1e7 times rounding cuts steps short of it, by the million
MANY = 1000
FARTHER = 10.0  # times the headway in these steps: how far ahead it is asked
GLANCE = 0.1  # s between two looks at Ctrl-C and progress


class March(Protocol):
    """A compiled march of one system; times in s, states y as in the system's layout."""

    @property
    def t(self) -> float:
        """Return the present time, s."""

    @property
    def steps(self) -> int:
        """Return how many steps were taken."""

    def put(self, y: Array) -> None:
        """Take another state (n,); `begin` comes next."""

    def begin(self, t: float, stop: float, clamp: float) -> bool:
        """Set out from the present state at time t; return whether all rows can be satisfied there."""

    def note(self, ends: Array) -> None:
        """Put the ends of the next steps that count into an array, (n_noted,), s, as far as there is room."""

    def tell(self, ends: Array) -> None:
        """Take steps that end there in the leg that begins next: (n_told,), s, of which the first is its beginning."""

    @property
    def samples(self) -> Array:
        """Return the states (K, n) at the times of the run, as far as they are filled."""

    def go(self, stop: float, most: int, done: int) -> int:
        """Go on to `stop` or for `most` steps; fill the samples in between, `done` are filled; return a code above."""

    def at(self, t: float) -> Array:
        """Return the state (n,) at a time within the last step."""

    def cut(self, t: float, kinetic: float, potential: float, work: float) -> None:
        """Count the last step, the only one of the last `go`, up to a time within it; with the energies there, J."""

    def safe(self) -> tuple[float, Array]:
        """Return time and state from which another integrator should go on."""

    def stats(self) -> dict[str, Any]:
        """Return counters."""

    def certificate(self, safe: bool = False) -> Certificate | None:
        """Return what was measured along all steps, or along those up to the state of `safe`, if anything was."""


Pace = Callable[[March], March]


class Marching(Instant, Protocol):
    """A system that can be marched by explicit steps."""

    def singular(self, t: float, y: Array) -> str:
        """Return what comes too close to what, where steps lead nowhere, for the message."""

    def march(self, rtol: float, times: Array) -> March:
        """Return a march that fills samples at `times` (K,), once it is put somewhere."""


def run(
    system: Marching,
    start: Start,
    times: Array,
    rtol: float,
    events: Mapping[str, Event] | None = None,
    progress: Callable[[float], None] | None = None,
    most: int = STEP_LIMIT,
    pace: Pace | None = None,
) -> Trajectory:
    """Return the samples of a motion at `times` (the first is the start), in at most `most` steps.

    `pace` puts something between the run and its march that sees, or says, how long each step is (paces.py).
    """
    return Integration(system, times, rtol, Watch(system, events or {}), progress, most, pace).run(start)


class Integration:
    """One integration."""

    def __init__(
        self,
        system: Marching,
        times: Array,
        rtol: float,
        watch: Watch,
        progress: Any,
        most: int,
        pace: Pace | None,
    ) -> None:
        self.system, self.times, self.progress, self.most = system, times, progress, most
        self.rtol, self.watch = rtol, watch
        self.stops, self.near = stops(system.breaks, times)
        self.march = system.march(rtol, self._snapped())
        if pace is not None:
            self.march = pace(self.march)
        self.samples = self.march.samples
        self.done = 1  # samples filled
        self.ended: float | None = None  # by a terminal event
        self.lobes = Lobes(system, NARROW)

    def _snapped(self) -> Array:
        """Return the times of samples, those an ulp before a stop at it: a step cannot be made from there."""
        times = self.times.copy()
        for stop in self.stops[:-1]:  # the last is a sample
            last = int(np.searchsorted(times, stop)) - 1
            if last > 0 and stop - times[last] <= self.near:
                times[last] = stop
        return times

    def run(self, start: Start) -> Trajectory:
        """Return the whole run."""
        began = time.perf_counter()
        times = self.times
        self.samples[0] = np.concatenate([start.q, start.v, start.x])
        self.march.put(self.samples[0])
        status, message = self.onward(float(times[0]))
        stats = self.march.stats() | {"size": self.system.n, "seconds": time.perf_counter() - began}
        t = times[: self.done]
        if self.ended is not None:
            t = np.append(times[: self.done - 1], self.ended)
        # another integrator goes on from the safe state, so steps beyond it do not count
        measured = self.march.certificate(safe=status in (Status.SINGULAR, Status.STIFF, Status.STEP_LIMIT))
        found, safe = self.watch.found, self.march.safe()
        return Trajectory(t, self.samples[: self.done], status, message, stats, found, True, safe, measured)

    def onward(self, t: float) -> tuple[Status, str]:
        """Go on from the present state at time t to the end; return how it ended."""
        try:
            for stop in self.stops:
                if stop <= t:
                    continue
                end = self._leg(t, stop)
                if end is not None:
                    return end
                t = stop
                if stop < self.times[-1]:
                    self.march.put(struck(self.system, stop, self.near, self.march.at(stop)))
        except KeyboardInterrupt:
            return Status.INTERRUPTED, f"interrupted at t = {self.march.t:g} s"
        return Status.COMPLETED, "completed"

    def _leg(self, t: float, stop: float) -> tuple[Status, str] | None:
        """Run from t to the next stop without a jump; return None, or status and message of an early end."""
        march, times = self.march, self.times
        # a signal that jumps at the stop still has its old value there
        clamp = math.nextafter(stop, -math.inf) if stop in self.system.breaks else math.inf
        if not march.begin(t, stop, clamp):
            return self._jumped(t)
        while self.done < len(times) and times[self.done] - t <= self.near:
            self.samples[self.done] = march.at(t)
            self.done += 1
        if self.watch:
            struck = self.watch.begin(t, march.at(t))
            if struck is not None:
                return self._ended(*struck)
        most, mark, marked = 1 if self.watch else 100, march.steps + MANY, t
        self.lobes.begin(t)
        while True:
            first, began = march.t, time.perf_counter()
            goal = min(stop, self.lobes.until(first, march.steps, lambda: march.at(march.t))) if self.lobes else stop
            code = march.go(goal, max(1, min(most, mark - march.steps, self.most - march.steps)), self.done)
            if self.watch and march.t > first:
                end = self.watch.step(first, march.t, march.at)
                if end is not None:
                    self._cut(end[0], end[2])
                    return self._ended(*end)
            while self.done < len(times) and times[self.done] <= march.t:
                self.done += 1
            if self.progress is not None:
                self.progress(march.t)
            if code == REACHED and goal == stop:
                return None
            if code not in (PAUSED, REACHED):
                return self._stopped(code)
            if march.steps == mark:
                near = self._ahead(march.t - marked)
                if near is not None:
                    return near
                mark, marked = mark + MANY, march.t
            if march.steps >= self.most:
                return Status.STEP_LIMIT, tired(self.system, march.t, march.at(march.t), march.steps)
            if not (self.watch or self.lobes) and time.perf_counter() - began < GLANCE:
                most *= 2

    def _ahead(self, headway: float) -> tuple[Status, str] | None:
        """Return status and message where a driver is at its limit a little ahead of steps that make little headway."""
        ahead = FARTHER * headway
        if ahead >= AHEAD * self.system.scale.time:
            return None
        y = self.march.at(self.march.t)
        end = locked(counted(self.system, y), self.march.t, y[self.system.layout.q], ahead)
        return None if end is None else (end.status, end.message)

    def _jumped(self, t: float) -> tuple[Status, str]:
        """Return status and message where rows stay open at the beginning of a leg."""
        y = self.march.at(t)
        end = locked(counted(self.system, y), t, y[self.system.layout.q])
        if end is not None:
            return end.status, end.message
        return Status.LOCKED, f"the joints cannot follow the jump at t = {t:.6g} s; change the motion or the lengths"

    def _drop(self, t: float) -> None:
        """Drop what comes after a time: steps may go past a limit by what tolerances leave open."""
        self.done = min(self.done, max(1, int(np.searchsorted(self.times, t, side="right"))))
        for name, found in self.watch.found.items():
            self.watch.found[name] = [zero for zero in found if zero[0] <= t]

    def _cut(self, t: float, y: Array) -> None:
        """Leave what comes after an event within the last step out of what is measured."""
        kinetic, potential = (float(part[0]) for part in self.system.energies(np.array([t]), y[None]))
        self.march.cut(t, kinetic, potential, float(y[self.system.layout.x.stop - 1]))

    def _ended(self, t: float, message: str, y: Array) -> tuple[Status, str]:
        """End the run at an event."""
        self.done = int(np.searchsorted(self.times, t))
        self.samples[self.done] = y
        self.done += 1
        self.ended = t
        return Status.COMPLETED, message

    def _stopped(self, code: int) -> tuple[Status, str]:
        """Return status and message where steps lead nowhere; what stands in their way is judged by the pose."""
        t, y, lay = self.march.t, self.march.at(self.march.t), self.system.layout
        if code == TOO_LONG:
            return Status.STEP_LIMIT, f"the step from t = {t:.6g} s is too long: it was chosen for other numbers"
        cure = 'integrator = "auto" goes on with ida there'
        if code == STIFF:
            return Status.STIFF, f"forces are stiff at t = {t:.6g} s: stability keeps explicit steps small; {cure}"
        end = jammed(self.system, t, y) or judged(counted(self.system, y), t, y[lay.q], y[lay.v], cure)
        if end is not None:
            self._drop(end.t)
            return end.status, end.message
        end = barred(self.system, t, y) if code == NOT_FINITE else None
        if end is not None:
            return end.status, end.message
        if code == NOT_FINITE:
            culprit = self.system.not_finite(t, y)
            return (
                Status.NOT_A_NUMBER,
                f"{culprit} gave a value that is not a number at t = {t:.6g} s; check its numbers there",
            )
        if not self.system.n_row:
            return Status.SINGULAR, f"{self.system.singular(t, y)} at t = {t:.6g} s for explicit steps; {cure}"
        return (
            Status.STEP_LIMIT,
            f"no step is small enough at t = {t:.6g} s for rtol = {self.rtol:g}: rounding hides what it asks for; "
            f"loosen rtol, or {cure}",
        )
