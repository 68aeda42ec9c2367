"""Fronts of two aims: variants of which none is better in one without being worse in the other.

Each aim alone gives an end; ties are broken by the other. Between, the first is made as good as it can while the second
is held to values evenly spaced between the ends, one after the other, each from the variant before: this finds what
lies in hollows of the front too, where sums of both with weights find nothing.                                    (1)
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from particlemech.analyses.text_table import table
from particlemech.design.conditions import Compared, Condition, Side, conditions, side
from particlemech.design.optimising import Optimum, Problem, solved
from particlemech.design.seeking import METHODS
from particlemech.design.variables import Variable, variables
from particlemech.engine.system import Array
from particlemech.errors import ModelError, SimulationError, part, suggestion
from particlemech.model.description import Description
from particlemech.model.spec import shown

POINTS = 11
TIE = 1e-6  # of an aim: what may be lost of it for the other
BETTER = 1e-9  # of the range of an aim: what counts as better


class Front:
    """Variants between two aims.

    Attributes
    ----------
    aims : tuple of str
        In words; `senses` 1 where one is to be small, -1 where it is to be large, `units` as far as they are known.
    values : array, shape (N, 2)
        Of the aims, from the best of the first to the best of the second.
    parameters : list of dict
        The numbers of each variant by name.
    mechanisms : list of Mechanism
    variants : int
        How many were evaluated.
    said : str
        How it ended.
    seconds : float
    """

    def __init__(
        self, aims: Sequence[tuple[Side, float]], found: Sequence[tuple[Optimum, Array]], seconds: float
    ) -> None:
        self.aims = tuple(one.text for one, _ in aims)
        self.senses = tuple(sign for _, sign in aims)
        self.units = tuple(one.unit(found[0][0].before) for one, _ in aims)
        kept = _undominated([(best, values) for best, values in found if best.fulfilled], np.array(self.senses))
        if not kept:
            raise SimulationError(f"pareto: no variant fulfils all conditions: {found[0][0].said}")
        self.values = np.array([values for _, values in kept])
        self.parameters = [best.parameters for best, _ in kept]
        self.mechanisms = [best.mechanism for best, _ in kept]
        self.variants = sum(best.variants for best, _ in found)
        self.said = f"{len(kept)} of {len(found)} searches lead to the front"
        self.seconds = seconds

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<Front: {len(self)} variants between {self.aims[0]} and {self.aims[1]}>"

    def __str__(self) -> str:
        rows = [
            (*(f"{x:.6g}" for x in values), *(f"{x:.6g}" for x in numbers.values()))
            for values, numbers in zip(self.values, self.parameters, strict=True)
        ]
        lines = list(table("", (*self.aims, *self.parameters[0]), rows))
        return "\n".join([*lines[1:], f"{self.said}; {self.variants} variants in {self.seconds:.1f} s"])


def _undominated(found: list[tuple[Optimum, Array]], senses: Array) -> list[tuple[Optimum, Array]]:
    """Return what nothing else is better than in both, in the order of the first aim."""
    if not found:
        return []
    every = np.array([senses * values for _, values in found])
    near = BETTER * np.maximum(np.ptp(every, axis=0), 1e-300)
    kept: list[int] = []
    for k in np.lexsort((every[:, 1], every[:, 0])):
        if not kept or every[k, 1] < every[kept[-1], 1] - near[1]:
            kept.append(int(k))
    return [found[k] for k in kept]


class Fronting:
    """The searches of one front."""

    def __init__(
        self,
        mechanism: Description,
        chosen: tuple[Variable, ...],
        aims: Sequence[tuple[Side, float]],
        demands: Sequence[Condition],
        what: str,
        options: Mapping[str, Any],
        method: str,
    ) -> None:
        self.mechanism, self.chosen, self.aims, self.demands = mechanism, chosen, aims, demands
        self.what, self.options, self.method = what, options, method

    def best(self, first: int, limit: float | None, start: Mapping[str, float] | None) -> tuple[Optimum, Array]:
        """Return the best of one aim, with a limit on the other, and the values of both."""
        (aim, sign), (other, turned) = self.aims[first], self.aims[1 - first]
        demands = list(self.demands)
        if limit is not None:
            demands.append(Compared(other.text, other, "<=" if turned > 0.0 else ">=", side(limit, self.what)))
        problem = Problem(
            "pareto", self.mechanism, self.chosen, (aim, sign), demands, self.what, self.options, watched=(other,)
        )
        if start is not None:
            problem.start = (np.array([*start.values()]) - problem.zero) / problem.unit
        found = solved(problem, self.method)
        return found, self.both(problem, found, first)

    def both(self, problem: Problem, found: Optimum, first: int) -> Array:
        """Return the values of both aims, in their order."""
        assert problem.best is not None
        values = [found.value, problem.valued(self.aims[1 - first][0])]
        return np.array(values if first == 0 else values[::-1])


def pareto(
    mechanism: Description,
    parameters: Any,
    minimise: Any = (),
    maximise: Any = (),
    points: int = POINTS,
    subject_to: Any = (),
    method: str = "auto",
    what: str = "run",
    options: Mapping[str, Any] | None = None,
) -> Front:
    """Return the front of two aims; see verbs_of_design.py."""
    verb, began = "pareto", time.perf_counter()
    if isinstance(points, bool) or not isinstance(points, int) or points < 2:
        raise ModelError(f"{verb}: points must be a whole number of at least 2, got {shown(points)}")
    if method not in METHODS:
        raise ModelError(f"{verb}: method {shown(method)} unknown{suggestion(method, METHODS)}")
    aims = [(one, 1.0) for one in _sides(verb, "minimise", minimise, what)]
    aims += [(one, -1.0) for one in _sides(verb, "maximise", maximise, what)]
    if len(aims) != 2 or aims[0][0].text == aims[1][0].text:
        raise ModelError(f'{verb}: say two aims, such as minimise=("motor.effort.peak", "B.x.range"); got {len(aims)}')
    chosen = variables(verb, mechanism, parameters)
    work = Fronting(
        mechanism,
        chosen,
        aims,
        conditions(verb, mechanism, subject_to, what, options or {}),
        what,
        options or {},
        method,
    )
    return Front(aims, _searched(work, points), time.perf_counter() - began)


def _sides(verb: str, word: str, given: Any, what: str) -> list[Side]:
    several = [given] if isinstance(given, str) or callable(given) else given
    with part(f"{verb}: {word}"):
        return [side(one, what) for one in several or ()]


def _searched(work: Fronting, points: int) -> list[tuple[Optimum, Array]]:
    """Return the variants of (1)."""
    ends = []
    for first in range(2):
        alone, values = work.best(first, None, None)
        slack = work.aims[first][1] * TIE * abs(float(values[first]))
        ends.append(work.best(1 - first, float(values[first]) + slack, alone.parameters))
    found, before = [ends[0]], ends[0][0].parameters
    for limit in np.linspace(ends[0][1][1], ends[1][1][1], points)[1:-1]:
        found.append(work.best(0, float(limit), before))
        before = found[-1][0].parameters
    return [*found, ends[1]]
