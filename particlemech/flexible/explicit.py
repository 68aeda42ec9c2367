"""The explicit road of a chain: explicit.March for its system."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from particlemech._jit import Book
from particlemech.flexible import march
from particlemech.flexible.workplace import Workplace
from particlemech.steps import Walker, walk
from particlemech.system import Array

if TYPE_CHECKING:
    from particlemech.flexible.equations import FlexibleSystem


class FlexibleMarch(Walker):
    """One march."""

    def __init__(self, system: FlexibleSystem, rtol: float, times: Array) -> None:
        self.rtol, self.clamp, self.densified = rtol, math.inf, -1
        page = walk(system.n, system.n, times, notes=1)
        self.w = page.part
        place = Workplace(system.compiled)
        self.book = Book(system.compiled.page, place.desk, page)
        T, M, L = system.scale.time, system.scale.mass, system.scale.length
        self.w.atol[:] = rtol * np.concatenate([system.size_q, system.size_v / T, [M * (L / T) ** 2]])

    def _do(self, task: int, t: float = 0.0, stop: float = 0.0, most: int = 0, done: int = 0) -> int:
        return int(march.do(task, t, stop, self.clamp, self.rtol, most, done, self.book.address))

    def put(self, y: Array) -> None:
        """Take another state."""
        self.w.y[:] = y

    def begin(self, t: float, stop: float, clamp: float) -> bool:
        """Set out from the present state at time t; there are no rows to satisfy."""
        self.clamp = clamp
        self._do(march.BEGIN, t, stop)
        return True

    def go(self, stop: float, most: int, done: int) -> int:
        """Go on; see explicit.March."""
        return self._do(march.MARCH, 0.0, stop, most, done)

    def at(self, t: float) -> Array:
        """Return the state (n,) at a time within the last step."""
        if t == self.t:
            return self.w.y.copy()
        look = len(self.w.times)
        self._do(march.SAMPLE, t, 0.0, int(self.densified == self.steps), look)
        self.densified = self.steps
        return self.w.samples[look].copy()
