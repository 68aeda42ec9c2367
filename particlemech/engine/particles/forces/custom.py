"""Custom forces: Python functions f(t, state) -> (force, place, couple) on a body.

The interpreter is called once per residual. Their derivatives are difference quotients over all positions and
velocities, since a function may look at any part of the mechanism.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.plane import custom_wrench
from particlemech.engine.system import Array
from particlemech.model import forces
from particlemech.model.description import GROUND

spec = forces.Custom
STEP = 1e-7  # of the difference quotients, in units of L and L/T


class CustomForces:
    """All custom forces of a mechanism; false where there is none."""

    def __init__(self, system: Any) -> None:
        c = system.compiled
        self.system = system
        self.specs: list[tuple[str, int, Any]] = [
            (name, c.index[body], function)
            for name, force in c.mechanism.forces.items()
            if type(force) is spec
            for body, function in force.actions(c.mechanism)
            if body != GROUND
        ]

    def __bool__(self) -> bool:
        return bool(self.specs)

    def apply(self, t: float, y: Array, extra: Array) -> None:
        """Fill extra (n_body + 1, 3): wrenches about the origin; last row: their power."""
        s, lay = self.system, self.system.layout
        state = s.state(t, y)
        extra[:] = 0.0
        x0, y0 = s.compiled.origin
        for name, b, function in self.specs:
            fx, fy, px, py, couple = custom_wrench(function(t, state), name)
            px, py = px - x0, py - y0
            extra[b] += fx, fy, px * fy - py * fx + couple
            extra[-1, 0] += s.observed.power(b, y[lay.q], y[lay.v], (fx, fy), (px, py), couple)

    def not_finite(self, t: float, y: Array) -> str | None:
        """Return the custom force that gives a value that is not finite, if one does."""
        state = self.system.state(t, y)
        for name, _, function in self.specs:
            if not np.all(np.isfinite(custom_wrench(function(t, state), name))):
                return f'force "{name}"'
        return None

    def _rows(self) -> list[tuple[int, int]]:
        """Return (equation, balance row) of all bodies that a custom force acts on; -1: the work."""
        p, c = self.system.places, self.system.compiled
        inboard: set[int] = set()
        for _, b, _ in self.specs:
            while b >= 0:
                inboard.add(b)
                b = int(c.body[b]["parent"])
        rows = [(p.n_q + r, r) for r, free in enumerate(c.free) if int(free["body"]) in inboard]
        return [*rows, (p.n - 1, -1)]

    def pattern(self) -> list[tuple[int, int]]:
        """Return the (equation, unknown) places that the difference quotients need."""
        if not self:
            return []
        return [(row, k) for row, _ in self._rows() for k in range(2 * self.system.n_q)]

    def differentiate(self, t: float, y: Array, s: Any, sparse: bool, J: Array) -> None:
        """Add the derivatives by difference quotients to J (flat)."""
        system = self.system
        n, n_q, c = system.n, system.n_q, system.compiled
        base, moved = np.zeros_like(s.extra), np.zeros_like(s.extra)
        self.apply(t, y, base)
        rows = self._rows()
        for k in range(2 * n_q):
            step = STEP * system.scale.length / (1.0 if k < n_q else system.scale.time)
            shifted = y.copy()
            shifted[k] += step
            self.apply(t, shifted, moved)
            change = (moved - base) / step
            # sum over everything outboard
            outboard = -change[:-1]
            for b in range(len(c.body) - 1, -1, -1):
                if c.body[b]["parent"] >= 0:
                    outboard[c.body[b]["parent"]] += outboard[b]
            for equation, r in rows:
                value = -change[-1, 0] if r < 0 else float(s.proj[r] @ outboard[c.free[r]["body"]])
                J[self._slot(equation, k, sparse, n)] += value

    def _slot(self, equation: int, unknown: int, sparse: bool, n: int) -> int:
        if not sparse:
            return equation * n + unknown
        first, last = self.system.indptr[unknown], self.system.indptr[unknown + 1]
        return int(first + np.searchsorted(self.system.indices[first:last], equation))
