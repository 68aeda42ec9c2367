"""The best variant of a mechanism: figures as aims and conditions, numbers of the mechanism as variables.

    minimise  max over pieces of the aim,   subject to   margins >= 0,  equalities = 0,  bounds                     (1)

Extremes of curves come in pieces (asking.py), which have derivatives where the extreme itself has kinks: methods with
derivatives get (1) with one variable more, z >= every piece. Derivatives are those of `sensitivities`, from two
variants per variable; where one side of a variant cannot be assembled, from one.

A variant that cannot be assembled, does not go through its cycle or whose run ends early has no figures. Methods get
finite numbers in their place: worse than all that was seen, and the worse the farther from the last variant that was
one, so that line searches turn back and populations move away:

    piece = worst + (1 + |u - u_last|) spread,    margin = -(1 + |u - u_last|)                                     (2)

No derivative is ever taken of these. They are in the history with what was wrong.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from particlemech.analyses.text_table import table
from particlemech.analyses.verbs import save
from particlemech.design import seeking
from particlemech.design.asking import Asked, Values
from particlemech.design.conditions import Condition, Side, conditions, side
from particlemech.design.differences import ROUNDING, Differences
from particlemech.design.sensitivities import Smooth
from particlemech.design.variables import Variable, unbounded, variables, varied
from particlemech.engine.system import Array
from particlemech.errors import ModelError, SimulationError, part, suggestion
from particlemech.model.description import Description
from particlemech.model.evaluation import units_of
from particlemech.model.scope import Scope
from particlemech.model.spec import shown
from particlemech.view.units import Wanted

FULFILLED = 1e-6  # of what a condition compares: a gap this small is none
ACTIVE = 1e-4  # the same: a condition that is just fulfilled
RTOL = 1e-9  # of runs, unless the model asks for more
AT = 1e-9  # of the room between bounds: what is at one of them
GOOD = 1e-5  # of a derivative: an error that a search does not feel
ONE_SIDE = 1e-6  # of the size of a variable: step of a derivative where one side is no mechanism
MOST = 2000  # variants that are looked at, those of derivatives left out


class Entry(NamedTuple):
    """One variant of an optimisation."""

    number: int
    parameters: dict[str, float]
    aim: float  # NaN where it is no mechanism
    fulfilled: bool
    best: float  # of all so far, NaN while none fulfils all conditions
    said: str  # what is wrong with it, or nothing


class Seen(NamedTuple):
    """What a method sees of a variant."""

    pieces: Array  # of the aim, which is to be small
    margins: Array  # of conditions, beside what they compare
    equal: Array
    violation: float
    whole: bool  # whether it is a mechanism
    smooth: Any  # of its derivatives


class Problem:
    """A mechanism with variables u from 0 to 1 where they have bounds, an aim and conditions."""

    def __init__(
        self,
        verb: str,
        mechanism: Description,
        chosen: tuple[Variable, ...],
        aim: tuple[Side, float],
        demands: Sequence[Condition],
        what: str,
        options: Mapping[str, Any],
        most: int = MOST,
        progress: Callable[[Entry], None] | None = None,
        watched: Sequence[Side] = (),
    ) -> None:
        self.mechanism, self.free, self.chosen = mechanism, unbounded(mechanism), chosen
        self.aim, self.sign = aim
        self.demands, self.what, self.options, self.most, self.progress = demands, what, options, most, progress
        sides = [self.aim, *watched, *(one for demand in demands for one in demand.sides)]
        wanted = {one.text: one.quantity for one in sides if one.quantity is not None}
        self.asked = Asked(verb, wanted, what, options, parted=True) if wanted else None
        self.unit = np.array([one.high - one.low if one.bounded else one.size for one in chosen])
        self.zero = np.array([one.low if one.bounded else 0.0 for one in chosen])
        self.low = (np.array([one.low for one in chosen]) - self.zero) / self.unit
        self.high = (np.array([one.high for one in chosen]) - self.zero) / self.unit
        self.start = (np.array([one.value for one in chosen]) - self.zero) / self.unit
        self.history: list[Entry] = []
        self.variants = 0  # with those of derivatives
        self.scale = 0.0  # of the aim
        self.sizes: list[float] = []  # of what conditions compare
        self.best: tuple[float, float, Array, Seen] | None = None  # violation, aim, u
        self._seen: dict[bytes, Seen] = {}
        self._last: tuple[Array, Seen] | None = None
        self._sloped: tuple[Array, tuple[Array, Array, Array]] | None = None  # where derivatives were asked for last
        self._worst, self._least = -math.inf, math.inf

    def values(self, u: Array) -> Array:
        """Return the numbers of the mechanism, within their bounds; what is as good as at one is there."""
        found = self.zero + self.unit * np.clip(u, self.low, self.high)
        for bound in ([one.low for one in self.chosen], [one.high for one in self.chosen]):
            found = np.where(np.abs(found - bound) <= AT * self.unit, bound, found)
        return np.asarray(found)

    def at(self, u: Array) -> Seen:
        """Return a variant, finite in any case."""
        u = np.clip(u, self.low, self.high)
        key = u.tobytes()
        if key not in self._seen:
            if len(self.history) >= self.most:
                raise Enough(f"{self.most} variants were looked at")
            if len(self._seen) > 64:
                self._seen.pop(next(iter(self._seen)))
            self._seen[key] = self._looked(u)
        return self._seen[key]

    def _looked(self, u: Array) -> Seen:
        self.variants += 1
        try:
            variant = varied(self.free, self.chosen, self.values(u))
            smooth = Smooth(variant, self.asked, RTOL) if self.asked else None
            values = smooth.values if smooth else {}
            terms = self.terms(variant, values)
            if not self.sizes:
                self._sized(variant, values, terms)
            seen = self._judged(terms, smooth)
        except (ModelError, SimulationError) as error:
            if not self.history:
                raise
            self._entered(u, math.nan, math.inf, str(error))
            return self._instead(u)
        aim = self.sign * float(np.max(seen.pieces))
        self._worst, self._least = (
            max(self._worst, float(seen.pieces.max())),
            min(self._least, float(seen.pieces.max())),
        )
        self._last = u, seen
        self._note(u, seen)
        self._entered(u, aim, seen.violation, "")
        return seen

    def terms(self, variant: Description, values: Values) -> Values:
        """Return pieces of the aim and all margins, not yet beside anything."""
        scope = Scope(variant.parameters, variant.points, variant.units)
        found = {"aim": self.aim.upper(self.sign, values, scope)}
        for k, demand in enumerate(self.demands):
            with part(f'condition "{demand.text}"'):
                found[f"{k}"] = demand.margins(values, scope, variant)
        return found

    def _sized(self, variant: Description, values: Values, terms: Values) -> None:
        """Note what aim and conditions are measured by: their sizes in the first variant."""
        scope = Scope(variant.parameters, variant.points, variant.units)
        self.scale = float(np.max(np.abs(terms["aim"]))) or 1.0
        self.sizes = [demand.size(values, scope, variant) for demand in self.demands] or [1.0]

    def _judged(self, terms: Values, smooth: Any) -> Seen:
        each = [terms[f"{k}"] for k in range(len(self.demands))]
        least = self._joined(each, False)
        equal = self._joined(each, True)
        violation = max(0.0, -float(np.min(least, initial=0.0)), float(np.max(np.abs(equal), initial=0.0)))
        return Seen(terms["aim"], least, equal, violation, True, smooth)

    def _joined(self, each: Sequence[Array], equal: bool) -> Array:
        """Return the margins of conditions, or of equalities, beside their sizes; rows where these are derivatives."""
        chosen = zip(each, self.sizes, self.demands, strict=False)
        found = [margins / size for margins, size, demand in chosen if demand.equal == equal]
        return np.concatenate(found) if found else np.zeros(0)

    def _instead(self, u: Array) -> Seen:
        """Return (2)."""
        assert self._last is not None
        at, seen = self._last
        far = 1.0 + float(np.linalg.norm(u - at))
        spread = max(self._worst - self._least, 0.1 * self.scale)
        margins, equal = -far + 0.0 * seen.margins, far + 0.0 * seen.equal
        return Seen(self._worst + far * spread + 0.0 * seen.pieces, margins, equal, far, False, None)

    def _note(self, u: Array, seen: Seen) -> None:
        rank = (seen.violation if seen.violation > FULFILLED else 0.0), float(np.max(seen.pieces))
        if self.best is None or rank < self.best[:2]:
            self.best = *rank, u.copy(), seen

    def _entered(self, u: Array, aim: float, violation: float, said: str) -> None:
        names = [one.name for one in self.chosen]
        parameters = dict(zip(names, self.values(u).tolist(), strict=True))
        best = self.sign * self.best[1] if self.best is not None and self.best[0] == 0.0 else math.nan
        self.history.append(Entry(len(self.history), parameters, aim, violation <= FULFILLED, best, said))
        if self.progress is not None:
            self.progress(self.history[-1])

    def valued(self, one: Side) -> float:
        """Return the value of a side of the best variant."""
        assert self.best is not None
        _, _, u, seen = self.best
        variant = varied(self.free, self.chosen, self.values(u))
        found = one.value(_values(seen), Scope(variant.parameters, variant.points, variant.units))
        return float(found[0])

    def slopes(self, u: Array) -> tuple[Array, Array, Array]:
        """Return the derivatives by u of pieces, margins and equalities, (n, n_u) each."""
        u = np.clip(u, self.low, self.high)
        if self._sloped is None or not np.array_equal(self._sloped[0], u):
            self._sloped = u.copy(), self._slopes(u)
        return self._sloped[1]

    def _slopes(self, u: Array) -> tuple[Array, Array, Array]:
        seen, x = self.at(u), self.values(u)
        if not seen.whole:
            return tuple(np.zeros((len(of), len(u))) for of in seen[:3])  # type: ignore[return-value]
        smooth = seen.smooth
        rule = Differences(2, smooth.noise if smooth else ROUNDING, GOOD)
        if smooth:
            every = zip(self.chosen, x.tolist(), strict=True)
            smooth.look([((one,), (at,)) for one, mid in every for at in rule.around(mid, one.size)])
        base = varied(self.free, self.chosen, x)
        f0 = self.terms(base, smooth.values if smooth else {})
        columns = [self._slope(base, smooth, rule, f0, one, float(x[k])) for k, one in enumerate(self.chosen)]
        each = [np.stack([column[name] for column in columns], axis=1) * self.unit for name in f0]
        least, equal = (self._joined(each[1:], which).reshape(-1, len(u)) for which in (False, True))
        return each[0], least, equal

    def _slope(self, base: Description, smooth: Any, rule: Differences, f0: Values, one: Variable, x: float) -> Values:
        """Return the derivatives by one variable: from both sides, from one, or none where neither is a mechanism."""

        def f(value: float) -> Values:
            self.variants += 1
            variant = varied(base, (one,), (value,))
            return self.terms(variant, smooth.at((one,), (value,)) if smooth else {})

        try:
            return {name: found.value for name, found in rule.of(f, f0, x, one.size).items()}
        except (ModelError, SimulationError):
            h = ONE_SIDE * one.size
        for step in (h, -h):
            try:
                return {name: (value - f0[name]) / step for name, value in f(x + step).items()}
            except (ModelError, SimulationError):
                continue
        return {name: np.zeros_like(value) for name, value in f0.items()}


class Enough(Exception):
    """No more variants are looked at."""


class Optimum:
    """What an optimisation has found.

    Attributes
    ----------
    mechanism, before : Mechanism
        The best variant, and what it began with.
    parameters : dict
        The numbers of the best by name.
    value, first : float
        Of the aim, of the best and of what it began with (NaN where that has none).
    aim, unit : str
        In words; its unit, as far as it is known.
    fulfilled : bool
        Whether all conditions hold.
    conditions : dict
        By text, what is left of each, beside what it compares: below ACTIVE it is active.
    history : list of Entry
        Every variant that a method looked at, in order: number, parameters, aim, fulfilled, best so far, what is wrong.
    failed : int
        How many were no mechanism.
    variants : int
        How many were evaluated, with those of derivatives.
    said, method : str
        How it ended, and by what.
    seconds : float
    """

    def __init__(self, problem: Problem, said: str, method: str, seconds: float) -> None:
        if problem.best is None:
            raise SimulationError(
                f"no variant of {len(problem.history)} could be looked at: {problem.history[-1].said}"
            )
        violation, aim, u, seen = problem.best
        names = [one.name for one in problem.chosen]
        self.parameters = dict(zip(names, problem.values(u).tolist(), strict=True))
        self.before = problem.mechanism
        self.mechanism = varied(problem.mechanism, problem.chosen, list(self.parameters.values()))
        self.value, self.first = problem.sign * aim, problem.history[0].aim
        self.aim, self.fulfilled = problem.aim.text, violation == 0.0
        self.unit = problem.aim.unit(problem.mechanism)
        terms = problem.terms(varied(problem.free, problem.chosen, problem.values(u)), _values(seen))
        self.conditions = {
            demand.text: float(np.min(-np.abs(terms[f"{k}"]) if demand.equal else terms[f"{k}"])) / problem.sizes[k]
            for k, demand in enumerate(problem.demands)
        }
        self._told = {demand.text: demand.said for demand in problem.demands}
        self.history, self.variants = problem.history, problem.variants
        self.failed = sum(bool(one.said) for one in self.history)
        broken = [f'"{self._told[text]}"' for text, left in self.conditions.items() if left < -FULFILLED]
        self.said = f"no variant fulfils {' and '.join(broken)} ({said})" if broken else said
        self.method, self.seconds = method, seconds

    def columns(self, units: Iterable[str] = ()) -> dict[str, Array]:
        """Return the history by columns: number, aim, whether all conditions hold, best so far, parameters.

        Numbers are in the units of the mechanism, or in others such as ("mm", "deg").
        """
        rows, factors = self.history, [factor for factor, _ in self._in(units)]
        found = {"number": [one.number for one in rows], self.aim: [one.aim for one in rows]}
        found |= {"fulfilled": [one.fulfilled for one in rows], "best": [one.best for one in rows]}
        found |= {name: [one.parameters[name] for one in rows] for name in self.parameters}
        return {name: f * np.array(of, dtype=float) for f, (name, of) in zip(factors, found.items(), strict=True)}

    def units(self, units: Iterable[str] = ()) -> list[str]:
        """Return the unit of each column."""
        return [unit for _, unit in self._in(units)]

    def _in(self, units: Iterable[str]) -> list[tuple[float, str]]:
        """Return the factor and the unit of each column."""
        wanted, known = Wanted(units), units_of(self.before)
        labels = ["", self.unit, "", self.unit, *(known.get(name, "") for name in self.parameters)]
        return [wanted.of_label(label) for label in labels]

    def save(self, path: Any) -> Path:
        """Write the best variant to a model file."""
        return save(self.mechanism, path)

    def __repr__(self) -> str:
        return f"<Optimum: {self.aim} = {self.value:.6g} (before: {self.first:.6g}), {self.said}>"

    def __str__(self) -> str:
        return self.told()

    def told(self, units: Iterable[str] = ()) -> str:
        """Return all of it as a table in units such as ("mm", "deg"); default: those of the mechanism."""
        first, (_, aim, _, _, *each) = self.history[0].parameters, self._in(units)
        every = [(name, first[name], x, *of) for (name, x), of in zip(self.parameters.items(), each, strict=True)]
        every.append((self.aim, self.first, self.value, *aim))
        rows = [(name, f"{f * old:.6g}", f"{f * best:.9g}", unit) for name, old, best, f, unit in every]
        lines = list(table("", ("parameter", "before", "best", "unit"), rows))
        for text, left in self.conditions.items():
            said = "broken" if left < -FULFILLED else "just holds" if abs(left) < ACTIVE else "holds"
            lines.append(f"{self._told[text]}: {said}")
        looked = f"{len(self.history)} variants looked at, {self.variants} with those of derivatives"
        lost = f", {self.failed} no mechanism" if self.failed else ""
        return "\n".join([*lines[1:], f"{self.said}; {self.method}, {looked}{lost}, {self.seconds:.1f} s"])


def _values(seen: Seen) -> Values:
    return seen.smooth.values if seen.smooth else {}


def wanted(verb: str, minimise: Any, maximise: Any, what: str) -> tuple[Side, float]:
    """Return the one aim, and 1 if it is to be small, -1 if large."""
    if (minimise is None) == (maximise is None):
        raise ModelError(f'{verb}: say one of minimise and maximise, such as minimise="motor.effort.peak"')
    aim, sign = (minimise, 1.0) if maximise is None else (maximise, -1.0)
    with part(f"{verb}: {'minimise' if maximise is None else 'maximise'}"):
        if isinstance(aim, (int, float)):
            raise ModelError(f"expected a figure, an expression or a function, got {shown(aim)}, which does not change")
        return side(aim, what), sign


def optimise(
    mechanism: Description,
    parameters: Any,
    minimise: Any = None,
    maximise: Any = None,
    subject_to: Any = (),
    method: str = "auto",
    what: str = "run",
    starts: int = 1,
    seed: int = 0,
    tolerance: float = 1e-8,
    most: int = MOST,
    progress: Callable[[Entry], None] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Optimum:
    """Return the best variant; see verbs_of_design.py."""
    verb = "optimise"
    chosen = variables(verb, mechanism, parameters)
    aim = wanted(verb, minimise, maximise, what)
    demands = conditions(verb, mechanism, subject_to, what, options or {})
    if method not in seeking.METHODS:
        raise ModelError(f"{verb}: method {shown(method)} unknown{suggestion(method, seeking.METHODS)}")
    for name, number in (("starts", starts), ("most", most)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ModelError(f"{verb}: {name} must be a whole number from 1 on, got {shown(number)}")
    problem = Problem(verb, mechanism, chosen, aim, demands, what, options or {}, most, progress)
    return solved(problem, method, starts, seed, tolerance)


def solved(problem: Problem, method: str, starts: int = 1, seed: int = 0, tolerance: float = 1e-8) -> Optimum:
    """Return the best variant of a problem; an interruption ends the search with what was found so far."""
    began = time.perf_counter()
    try:
        said = seeking.sought(problem, method, starts, seed, tolerance)
    except Enough as end:
        said = str(end)
    except KeyboardInterrupt:
        if problem.best is None:
            raise
        said = "interrupted"
    return Optimum(problem, said, method, time.perf_counter() - began)
