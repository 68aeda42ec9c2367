"""The explicit road of a system without rows: explicit.March for trees and for chains of flexible links.

Their compiled loops stand in each family: a kernel that is given another as an argument cannot be kept on disk.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech._jit import Book
from particlemech.steps import Walker, walk
from particlemech.system import Array

if TYPE_CHECKING:
    from particlemech.system import Instant

BEGIN, MARCH, SAMPLE = range(3)  # tasks of a compiled loop


class FreeMarch(Walker):
    """One march: `do` is the compiled loop of a family, `pages` the tables and the desk that it finds in its book."""

    def __init__(
        self, system: Instant, do: Callable[..., Any], pages: tuple[Any, Any], rtol: float, times: Array
    ) -> None:
        self.rtol, self.clamp, self.densified = rtol, math.inf, -1
        page = walk(system.n, system.n, times, notes=1)
        self.do, self.w, self.book = do, page.part, Book(*pages, page)
        T, M, L = system.scale.time, system.scale.mass, system.scale.length
        self.w.atol[:] = rtol * np.concatenate([system.size_q, system.size_v / T, [M * (L / T) ** 2]])

    def _do(self, task: int, t: float = 0.0, stop: float = 0.0, most: int = 0, done: int = 0) -> int:
        return int(self.do(task, t, stop, self.clamp, self.rtol, most, done, self.book.address))

    def put(self, y: Array) -> None:
        """Take another state."""
        self.w.y[:] = y

    def begin(self, t: float, stop: float, clamp: float) -> bool:
        """Set out from the present state at time t; there are no rows to satisfy."""
        self.clamp = clamp
        self._do(BEGIN, t, stop)
        return True

    def go(self, stop: float, most: int, done: int) -> int:
        """Go on; see explicit.March."""
        return self._do(MARCH, 0.0, stop, most, done)

    def at(self, t: float) -> Array:
        """Return the state (n,) at a time within the last step."""
        if t == self.t:
            return self.w.y.copy()
        look = len(self.w.times)
        self._do(SAMPLE, t, 0.0, int(self.densified == self.steps), look)
        self.densified = self.steps
        return self.w.samples[look].copy()
