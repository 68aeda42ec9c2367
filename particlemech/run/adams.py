"""System -> samples by Adams' multistep method of variable order, up to twelve (SUNDIALS CVODE): a second integrator.

Beside explicit steps of Runge and Kutta it shares no coefficient, does not project and controls its steps by other
errors; beside IDA it stays cheap where a motion vibrates thousands of times (a rod of steel, 16 kHz for 0.1 s at 1e-11:
2 s, where IDA's method of fifth order needs minutes). Stiff forces are not for it. Every step is measured (along.py).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from particlemech.engine.system import Array, Instant, owned
from particlemech.run.along import Along
from particlemech.run.start import Start
from particlemech.run.trajectory import Status, Trajectory, stops, struck

BLOCK = 200  # steps that are measured together
MARGIN = 0.1  # of rtol: the tolerance of one step, for errors add up over its many small steps
FLOOR = 1e-13  # below it there is nothing but rounding
WORK = 0.1  # of the tolerance of the others: that of the work, whose errors add up along the run


class Rated(Instant, Protocol):
    """A system whose states need no multipliers."""

    def rates(self) -> Callable[[float, Array, Array], float]:
        """Return what fills the rates of a state (n,) at a time, (n,), with work arrays of its own."""


def run(system: Rated, start: Start, times: Array, rtol: float, most: int) -> Trajectory:
    """Return the samples of a motion at `times` (K,), s, the first is the start, in at most `most` steps."""
    return _Run(system, times, max(MARGIN * rtol, FLOOR), most).go(start)


class _Run:
    """One integration, with its counters."""

    def __init__(self, system: Rated, times: Array, step: float, most: int) -> None:
        self.system, self.times, self.step, self.most = system, times, step, most
        self.stats: dict[str, Any] = {"steps": 0, "evaluations": 0, "size": system.n}
        self.along, self.samples = Along(system), list[Array]()

    def go(self, start: Start) -> Trajectory:
        """Return the whole run."""
        began, times, t = time.perf_counter(), self.times, float(self.times[0])
        y = np.concatenate([start.q, start.v, start.x])
        self.samples.append(y)
        self.along.begin(t, y)
        every, near = stops(self.system.breaks, times)
        said = ""
        for stop in every if len(times) > 1 else []:
            y, said = self._leg(t, y, stop)
            if said:
                break
            t, y = stop, struck(self.system, stop, near, y) if stop < times[-1] else y
        self.stats["seconds"] = time.perf_counter() - began
        status, K = Status.STEP_LIMIT if said else Status.COMPLETED, len(self.samples)
        samples, measured = np.array(self.samples), self.along.certificate()
        return Trajectory(times[:K], samples, status, said or "completed", self.stats, certificate=measured)

    def _leg(self, t: float, y: Array, stop: float) -> tuple[Array, str]:
        """Run from t to a stop without a jump; return the state there, or the last and why there are no more."""
        solver, evaluations = self._solver(t, y, stop), self.stats["evaluations"]
        block_t, block, idle, said = [t], [y], 0, ""
        while t < stop and not said:
            found = solver.step(stop, "onestep", stop)
            idle = idle + 1 if found.t <= t else 0  # once after each sample that was read off a step
            if not found.success or idle > 1:
                return y, f"no step could be made at t = {t:.6g} s (CVODE says: {found.message})"
            if idle:
                continue
            while len(self.samples) < len(self.times) and (at := self.times[len(self.samples)]) <= found.t:
                self.samples.append(found.y if at == found.t else solver.step(at, "normal").y)
            t, y = found.t, found.y
            block_t.append(t)
            block.append(y)
            self.stats["steps"] += 1
            self.stats["evaluations"] = evaluations + int(found.nfev)
            if self.stats["steps"] >= self.most:
                said = f"{self.most} steps at t = {t:g} s; loosen rtol, or shorten the run"
            if len(block) == BLOCK or t >= stop or said:
                self.along.block(np.array(block_t), np.array(block))
                block_t, block = [], []
        return y, said

    def _solver(self, t: float, y: Array, stop: float) -> Any:
        """Return CVODE at a state; raise where it is not installed."""
        from sksundae.cvode import CVODE

        system, scale = self.system, self.system.scale
        # a signal that jumps at the stop still has its old value there
        clamp, rates = math.nextafter(stop, -math.inf) if stop in system.breaks else math.inf, system.rates()

        own = np.empty(len(y))  # CVODE's states are read-only, for which kernels would be compiled once more

        def slopes(at: float, y: Array, out: Array) -> None:
            own[:] = y
            rates(min(at, clamp), own, out)

        units = scale.deflection * system.size_q, scale.pace * system.size_v, owned(system), [WORK * scale.energy]
        atol = self.step * np.concatenate(units)
        solver = CVODE(slopes, method="Adams", rtol=self.step, atol=atol)
        solver.init_step(t, y)
        return solver
