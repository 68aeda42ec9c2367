"""What is asked for what it exerts: Python functions, and motors and controllers that own states (elements.py).

Kernels know the laws of all but functions (answering.py), for which the interpreter is called once per residual.
Derivatives are difference quotients over all positions, velocities and states z, since a function may look at any part
of the mechanism:

    states       z' - g(t, q, v, z) = 0                                                                          (1)
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from particlemech.engine.elements import STEP, Elements
from particlemech.engine.plane import custom_wrench
from particlemech.engine.system import Array
from particlemech.model.description import GROUND


class CustomForces:
    """All of a mechanism; false where there is none."""

    def __init__(self, system: Any) -> None:
        c = system.compiled
        self.system = system
        self.elements: Elements = system.elements
        self.acting = [
            (name, [(c.index[body], shape) for body, shape in force.actions(c.mechanism) if body != GROUND])
            for name, force in self.elements.specs.items()
        ]
        self.asked = [one for one in self.acting if not self.elements.specs[one[0]].in_file]

    def __bool__(self) -> bool:
        return bool(self.acting)

    @cached_property
    def _answers(self) -> Any:
        from particlemech.engine.particles.forces.answering import Answers  # a kernel that most mechanisms do not need

        return Answers(self.system)

    def apply(self, t: float, q: Array, v: Array, x: Array, extra: Array) -> Array:
        """Fill extra (n_body + 1, 3), wrenches about the origin and, last, their power; return the rates of z."""
        s, rates = self.system, np.zeros(self.elements.n)
        extra[:] = 0.0
        if len(self.asked) < len(self.acting):
            self._answers.apply(t, q, v, x, rates, extra)
        if not self.asked:
            return rates
        state, (x0, y0) = s.state_of(t, q, v, x), s.compiled.origin
        for name, bodies in self.asked:
            given, own = self.elements.answer(name, t, state, x)
            rates[self.elements.place[name]] = own
            for b, shape in bodies:
                fx, fy, px, py, couple = custom_wrench(shape(given, state), name)
                px, py = px - x0, py - y0
                extra[b] += fx, fy, px * fy - py * fx + couple
                extra[-1, 0] += s.observed.power(b, q, v, (fx, fy), (px, py), couple)
        return rates

    def not_finite(self, t: float, y: Array) -> str | None:
        """Return the one that gives a value that is not finite, if one does."""
        state, x = self.system.state(t, y), y[self.system.layout.x]
        for name, bodies in self.acting:
            given, own = self.elements.answer(name, t, state, x)
            numbers = [custom_wrench(shape(given, state), name) for _, shape in bodies]
            if not (np.all(np.isfinite(numbers)) and np.all(np.isfinite(own))):
                return f'force "{name}"'
        return None

    def _rows(self) -> list[tuple[int, int]]:
        """Return (equation, balance row) of all bodies that are acted on; -1: the work."""
        p, c = self.system.places, self.system.compiled
        inboard: set[int] = set()
        for _, bodies in self.acting:
            for b, _ in bodies:
                while b >= 0:
                    inboard.add(b)
                    b = int(c.body[b]["parent"])
        rows = [(p.n_q + r, r) for r, free in enumerate(c.free) if int(free["body"]) in inboard]
        return [*rows, (p.n - 1, -1)]

    @property
    def _unknowns(self) -> list[int]:
        """The unknowns by which answers change."""
        p = self.system.places
        return [*range(2 * p.n_q), *range(p.n - 1 - self.elements.n, p.n - 1)]

    def pattern(self) -> list[tuple[int, int]]:
        """Return the (equation, unknown) places that the difference quotients need."""
        if not self:
            return []
        p = self.system.places
        rows = [*(row for row, _ in self._rows()), *range(p.n - 1 - self.elements.n, p.n - 1)]
        return [(row, k) for row in rows for k in self._unknowns]

    def differentiate(self, t: float, y: Array, s: Any, cj: float, sparse: bool, J: Array) -> None:
        """Add the derivatives by difference quotients to J (flat)."""
        system = self.system
        lay, c, n_z, first = system.layout, system.compiled, self.elements.n, system.n - 1 - self.elements.n
        sizes = [*[system.scale.length] * system.n_q, *[system.scale.length / system.scale.time] * system.n_q]
        base, moved = np.zeros_like(s.extra), np.zeros_like(s.extra)
        before = self.apply(t, y[lay.q], y[lay.v], y[lay.x], base)
        rows = self._rows()
        for k, size in zip(self._unknowns, [*sizes, *self.elements.sizes], strict=True):
            step = STEP * size
            shifted = y.copy()
            shifted[k] += step
            after = self.apply(t, shifted[lay.q], shifted[lay.v], shifted[lay.x], moved)
            change = (moved - base) / step
            # sum over everything outboard
            outboard = -change[:-1]
            for b in range(len(c.body) - 1, -1, -1):
                if c.body[b]["parent"] >= 0:
                    outboard[c.body[b]["parent"]] += outboard[b]
            for equation, r in rows:
                value = -change[-1, 0] if r < 0 else float(s.proj[r] @ outboard[c.free[r]["body"]])
                J[self._slot(equation, k, sparse)] += value
            for e in range(n_z):  # (1)
                J[self._slot(first + e, k, sparse)] -= (after[e] - before[e]) / step
        for e in range(first, first + n_z):
            J[self._slot(e, e, sparse)] += cj

    def _slot(self, equation: int, unknown: int, sparse: bool) -> int:
        if not sparse:
            return equation * self.system.n + unknown
        first, last = self.system.indptr[unknown], self.system.indptr[unknown + 1]
        return int(first + np.searchsorted(self.system.indices[first:last], equation))
