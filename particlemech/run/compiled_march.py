"""explicit.March of any engine: what Python does with the compiled loop of march.py."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from particlemech._jit import ArgumentBlock
from particlemech.engine.system import Array
from particlemech.run.march import BEGIN, FAR, GAP, MARCH, SAMPLE
from particlemech.run.steps import (
    ASTRAY,
    AT_SAFE,
    BEGAN,
    EVALUATIONS,
    HIGH,
    KINETIC,
    LIMIT,
    LOST,
    LOST_AT,
    LOW,
    NEXT,
    OPEN,
    REJECTED,
    SAFE_TIME,
    STEPS,
    MarchState,
    T,
)
from particlemech.run.trajectory import Certificate


class CompiledMarch:
    """One march.

    Parameters
    ----------
    do
        Entry of the engine, which calls `perform`.
    block
        Argument block: tables, work arrays and the state of the march, in the order in which `do` expects them.
    state
        The state of the march in it.
    atol
        (n_y,) absolute tolerances of what is integrated.
    rtol
        Relative tolerance.
    length
        Size of the mechanism, m.
    """

    def __init__(
        self, do: Callable[..., Any], block: ArgumentBlock, state: MarchState, atol: Array, rtol: float, length: float
    ) -> None:
        self.do, self.block, self.w, self.rtol, self.length = do, block, state, rtol, length
        self.clamp, self.densified = math.inf, -1
        self.measured = state.now[LOST:BEGAN].copy()  # of energies, before the last `go`
        self.steep = np.zeros(2)  # largest slope of what bends, and when: engines that know put theirs
        state.atol[:] = atol
        state.now[LIMIT] = FAR * rtol * length

    def _do(self, task: int, t: float = 0.0, stop: float = 0.0, most: int = 0, done: int = 0) -> float:
        return float(self.do(task, t, stop, self.clamp, self.rtol, most, done, self.block.address))

    @property
    def t(self) -> float:
        """Present time, s."""
        return float(self.w.now[T])

    @property
    def steps(self) -> int:
        """Steps taken."""
        return int(self.w.now[STEPS])

    @property
    def samples(self) -> Array:
        """States at the times of the run, (K, n), as far as they are filled."""
        return self.w.samples[: len(self.w.times)]

    def put(self, y: Array) -> None:
        """Take another state; where samples hold more than is integrated the engine sorts it out."""
        self.w.y[:] = y

    def begin(self, t: float, stop: float, clamp: float) -> bool:
        """Set out from the present state at time t, projected; return whether all rows can be satisfied there."""
        self.clamp = clamp
        return self._do(BEGIN, t, stop) <= GAP * self.length

    def note(self, ends: Array) -> None:
        """Note where steps end; see explicit.March."""
        self.block.put(MarchState, "noted", ends)
        self.w.now[NEXT] = 0.0

    def tell(self, ends: Array) -> None:
        """Take steps that end there in the leg that begins next; see explicit.March."""
        self.block.put(MarchState, "told", ends)
        self.w.now[NEXT] = 1.0

    def go(self, stop: float, most: int, done: int) -> int:
        """Go on; see explicit.March."""
        self.measured = self.w.now[LOST:BEGAN].copy()
        return int(self._do(MARCH, 0.0, stop, most, done))

    def cut(self, t: float, kinetic: float, potential: float, work: float) -> None:
        """Count the last step up to a time only; see explicit.March."""
        now = self.w.now
        now[LOST:BEGAN] = self.measured
        now[ASTRAY] = kinetic + potential - work - now[BEGAN]
        if abs(now[ASTRAY]) > now[LOST]:
            now[LOST], now[LOST_AT] = abs(now[ASTRAY]), t
        now[KINETIC] = max(now[KINETIC], kinetic)
        now[LOW], now[HIGH] = min(now[LOW], potential), max(now[HIGH], potential)

    def at(self, t: float) -> Array:
        """Return the state (n,) at a time within the last step."""
        spare = len(self.w.times)
        self._do(SAMPLE, t, 0.0, int(self.densified == self.steps), spare)
        if t != self.t:
            self.densified = self.steps
        return self.w.samples[spare].copy()

    def safe(self) -> tuple[float, Array]:
        """Return time and state from which another integrator should go on."""
        return float(self.w.now[SAFE_TIME]), self.w.samples[-1].copy()

    def certificate(self, safe: bool = False) -> Certificate:
        """Return what was measured along all steps, or along those up to the state of `safe`."""
        first = OPEN + (AT_SAFE if safe else 0)
        opened, at, opening, opening_at, lost, lost_at, kinetic, low, high = self.w.now[first : first + 9].tolist()
        return Certificate(opened, opening, lost, kinetic, low, high, at, opening_at, lost_at, *self.steep.tolist())

    def stats(self) -> dict[str, Any]:
        """Return counters."""
        now = self.w.now
        return {"steps": self.steps, "rejected": int(now[REJECTED]), "evaluations": int(now[EVALUATIONS])}
