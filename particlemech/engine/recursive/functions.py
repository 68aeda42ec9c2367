"""Python functions as forces of a mechanism in space: what they give, and how that changes with the state."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from particlemech.engine.elements import STEP, Elements
from particlemech.engine.recursive import entry_points
from particlemech.engine.recursive.compiled import Compiled
from particlemech.engine.recursive.workspace import Workspace
from particlemech.engine.system import Array
from particlemech.model.space.forces.custom import Custom, answer
from particlemech.result.state import State


class AsksFunctions:
    """Members of TreeSystem."""

    compiled: Compiled
    elements: Elements
    n: int
    n_q: int
    n_v: int
    bare: Any
    observed: Any

    @cached_property
    def _customs(self) -> tuple[tuple[int, str, Custom], ...]:
        """Return the forces that are Python functions, with their rows in the table of what is called."""
        called = enumerate(self.elements.specs.items())
        return tuple((row, name, f) for row, (name, f) in called if not f.in_file)

    def give(self, s: Any, t: float, y: Array) -> None:
        """Fill given and own[1] of work arrays by what Python functions give; they are told no accelerations."""
        if not self._customs:
            return
        unknown = np.full((1, len(self.compiled.coordinates)), np.nan)
        y = self.bare(np.array(y))
        now = State(self.observed(np.array([t]), y[None], unknown, told=False))
        for row, name, force in self._customs:
            given, rates = self.elements.answer(name, t, now, y[self.n_q + self.n_v :])
            s.given[row] = answer(name, force, given)
            s.own[1, self.elements.place[name]] = rates

    def not_finite(self, t: float, y: Array) -> str:
        """Return the part whose law gives a value that is not finite."""
        place = Workspace(self.compiled)
        self.give(place.s, t, y)
        for row, name, _ in self._customs:
            if not np.isfinite([*place.s.given[row], *place.s.own[1, self.elements.place[name]]]).all():
                return f'force "{name}", which is told places and speeds but no accelerations or forces,'
        return "the motion"

    def _add_given(self, t: float, y: Array, yp: Array, size: Array, place: Workspace, J: Array) -> None:
        """Add to J what the answers of Python functions change with the state, by differences."""
        if not self._customs:
            return
        before, after, z = np.zeros(self.n), np.zeros(self.n), np.array(y)
        given, own = place.s.given.copy(), place.s.own.copy()
        entry_points.residual(t, y, yp, before, place.address)
        for j in range(self.n - 1):
            h = STEP * max(abs(y[j]), size[j])
            z[j] = y[j] + h
            self.give(place.s, t, z)
            z[j] = y[j]
            entry_points.residual(t, y, yp, after, place.address)
            J[:, j] += (after - before) / h
        place.s.given[:], place.s.own[:] = given, own
