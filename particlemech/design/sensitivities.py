"""How results change with the numbers of a mechanism: derivatives of a run, a cycle, modes or a rest position.

    quantities(p):  mechanism(p) -> assembled, started, run or analysed -> figures                                 (1)
    d quantities/dp by central differences of (1), differences.py, once it is a smooth function of p

What makes it smooth: assemblies, cycles, rest positions and modes are solved to rounding, so differences of them are
what the implicit function theorem gives. A run takes the steps of the mechanism as it is (run/paces.py): then it is a
fixed map of its start and its numbers, whose derivative is that of the motion to the tolerance of its steps. Variants
in the plane that differ in numbers only, and are asked for curves of their motion or efforts, go together in a batch
(batch/together.py), with the same digits to the last bit.

Measured: relative errors, the largest by torque, stiffness, a mass and two places, and CPU time per parameter, where a
run of Andrews' mechanism at 1e-9 counts 1 (1.2 ms) and the run of the mechanism as it is, 1.4, comes once to all:

    way                                     pendulum, period     Andrews, crank angle after 16 rad  time    time, one
                                            by length            off by       said                  in batch  by one
    frozen steps at 1e-10, order 2          1e-10                4e-8         8e-8                  1.7       2.6  (a)
    frozen steps at 1e-11, order 2          5e-11                7e-9         7e-8                  1.9       2.9  (b)
    frozen steps at 1e-9, order 2           8e-9                 5e-8         2e-7                  1.5       2.4  (c)
    frozen steps at 1e-11, order 4          7e-12                8e-10        3e-9                  3.3       5.7  (d)
    runs at 1e-9 as they come, order 4      7e-10                4e-6                                         4.2  (e)
    slopes of one variant, (2)                                   1e-6                                              (f)

(a) is the default, (d) for who wants nine digits; (b) is no more exact than it says where runs are long, because then
rounding leaves more than 1e-8 (a gyroscope, 500 steps: 6e-9 where 2e-9 would have been said). Other mechanisms by (a):
four-bar by lengths 2.0, Theo Jansen's leg, largest effort by lengths, 2.1, both in a batch; in space, one by one, a
gyroscope 2.9, RSSR 2.6. A batch takes its tables from a tape, 2 variants' time when it is first met; one by one a
third of a variant is the mechanism with other numbers and its tables. (e) is what is left where IDA runs: rounding
decides how long its steps are, and which of them are refused.

One variant instead of two: a one-sided difference of whole runs leaves h f''/2 + noise/h, 1e-6 of Andrews' angle at
the best h. (f) carries the derivative D of the motion along as a vector of its own, by differences at each stage,

    D' = (f(Y + e D; p + e) - f(Y; p))/e,   projected with the rows of the variant at the end of each step          (2)

which saves one march of two. It leaves e f''/2 + noise/e with the noise of single accelerations, 1e-13 of them: at
e = 1e-6 of the number 2e-7 to 1e-6, at 1e-7 4e-8 to 1e-7 by torque, stiffness and places but 2e-6 by the mass, at 1e-8
7e-7 to 7e-6; without projection 3 to 50 times more than at 1e-7. With the sign of e alternating from step to step, or
as Thue and Morse have it, the first term is 4 to 30 times as large; both signs at each stage cost two marches.

Forward differentiation of the kernels would need each law, row and projection a second time, in dual numbers (complex
steps stop at the first abs, atan2 or comparison), 10 to 60 s more of compilation for each engine, and two to three
times the arithmetic per parameter: the time of (a), whose digits it could not use, for the motion itself is known to
the tolerance only.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from particlemech.analyses.text_table import table
from particlemech.design.asking import Asked, Values
from particlemech.design.differences import ROUNDING, Derivative, Differences
from particlemech.design.frozen import Steps
from particlemech.design.variables import Variable, following, held, unbounded, variables, varied
from particlemech.engine.system import Array
from particlemech.errors import ModelError, part
from particlemech.model.columns import unit_of
from particlemech.model.description import Description
from particlemech.run.simulate import simulate
from particlemech.view.units import Wanted

RTOL = {2: 1e-10, 4: 1e-11}  # order -> of runs, unless the model or the caller wants less
STEPPED = 100.0  # times rtol: what steps of a run leave of its derivatives, as a fraction (seen: 43 of Andrews')
FLOOR = 1e-9  # rtol of runs whose steps are not frozen, unless the caller wants less: IDA gains nothing below it
WHOLE = 10.0  # times rtol: noise of a value where steps are not frozen
OF_RUNS = ("duration", "samples", "rtol", "integrator", "max_steps", "cut")

Point = tuple[tuple[Variable, ...], tuple[float, ...]]  # variables, and the values of a variant


class Smooth:
    """The quantities of variants of a mechanism, as smooth functions of its numbers as they can be.

    Attributes
    ----------
    values
        Of the mechanism as it is.
    noise, stepped
        Of a value, and what the steps of a run leave of its derivatives, as fractions.
    method
        How, in words.
    """

    def __init__(self, mechanism: Description, asked: Asked, rtol: float) -> None:
        self._made: dict[Point, Description] = {}
        self._known: dict[Point, Values] = {}
        self.mechanism, self.asked = unbounded(mechanism), asked
        self.run: Callable[[Description], Any] | None = None
        self.steps: Steps | None = None  # where they are frozen
        self.noise, self.stepped, self.method = ROUNDING, 0.0, "poses solved to rounding"
        if "run" in asked.subjects:
            self._frozen(rtol)
        self.values = self.asked.of_variant(self.mechanism, self._first)

    def _frozen(self, rtol: float) -> None:
        given = dict(self.asked.options) if self.asked.what == "run" else {}
        events = given.pop("events", None)
        strange = sorted(set(given) - set(OF_RUNS))
        if strange:
            raise ModelError(f'{self.asked.verb}: option "{strange[0]}" does not apply to runs here; leave it out')
        given = {key: value for key, value in given.items() if value is not None}
        usual = min(rtol, self.mechanism.run.rtol)
        self._usual = steps = Steps(self.mechanism, {"rtol": usual, **given}, events)
        self.stepped = STEPPED * max(steps.rtol, rtol)  # tighter steps leave as much by their rounding
        if steps.result is not None:
            self.run, self.steps, self.method = steps.run, steps, f"{steps.count} frozen steps at rtol = {steps.rtol:g}"
            return
        loose = given.setdefault("rtol", max(usual, FLOOR))
        self.run, self.noise = partial(simulate, events=events, **given), WHOLE * loose
        self.stepped = STEPPED * loose
        self.method = f"whole runs at rtol = {loose:g} ({steps.why})"

    def _first(self, mechanism: Description) -> Any:
        """Return the run of the mechanism as it is, which has been made."""
        result = self._usual.result
        return result if result is not None else self.run(mechanism)  # type: ignore[misc]

    def look(self, points: Sequence[Point]) -> None:
        """Work together on variants that will be asked for, as far as they can go in a batch."""
        if self.steps is None:
            return
        self._made = {}
        for chosen, values in points:
            with contextlib.suppress(ModelError):  # it is told when it is asked for
                self._made[chosen, values] = varied(self.mechanism, chosen, values)
        found = self.steps.together(self.asked, list(self._made.values()))
        self._known = {point: found[k] for k, point in enumerate(self._made) if k in found}

    def at(self, chosen: tuple[Variable, ...], values: tuple[float, ...]) -> Values:
        """Return the quantities of a variant."""
        if (chosen, values) in self._known:
            return self._known[chosen, values]
        made = self._made.get((chosen, values))
        return self.asked.of_variant(varied(self.mechanism, chosen, values) if made is None else made, self.run)


class Sensitivities:
    """Derivatives of quantities by parameters.

    Attributes
    ----------
    values : dict
        The quantities of the mechanism as it is, by name.
    quantities, parameters : tuple of str
        Their names.
    method : str
        How the derivatives were made.
    variants : int
        How many variants that took, besides the mechanism itself.
    seconds : float
        How long.
    """

    def __init__(
        self,
        values: Values,
        chosen: tuple[Variable, ...],
        of: Mapping[tuple[str, str], Derivative],
        mechanism: Description,
        units: Mapping[str, str],
        method: str,
        variants: int,
        seconds: float,
    ) -> None:
        self.values, self.quantities = dict(values), tuple(values)
        self.parameters, self._variables = tuple(one.name for one in chosen), chosen
        self._of, self._mechanism, self._units = dict(of), mechanism, dict(units)
        self.method, self.variants, self.seconds = method, variants, seconds

    def _derivative(self, quantity: str, parameter: str) -> Derivative:
        if (quantity, parameter) not in self._of:
            known = ", ".join(f"[{q!r}, {p!r}]" for q, p in list(self._of)[:4])
            raise ModelError(f"sensitivities: [{quantity!r}, {parameter!r}] was not asked for; known: {known}")
        return self._of[quantity, parameter]

    @cached_property
    def held(self) -> dict[str, str]:
        """What follows each parameter and what stays as it is, by parameter, in words."""
        free = unbounded(self._mechanism)
        near = {one.name: varied(free, (one,), (one.value + 1e-3 * one.size,)) for one in self._variables}
        return {one.name: held(self._mechanism, one, following(free, near[one.name], one)) for one in self._variables}

    def __getitem__(self, names: tuple[str, str]) -> Any:
        value = self._derivative(*names).value
        return float(value) if value.ndim == 0 else value

    def error(self, quantity: str, parameter: str) -> float:
        """Return what a derivative may be off by, the largest along a curve."""
        return self._derivative(quantity, parameter).error

    def relative(self, quantity: str, parameter: str) -> Any:
        """Return by how many parts of itself a quantity changes per part of the parameter."""
        size = self._variables[self.parameters.index(parameter)].value
        with np.errstate(divide="ignore", invalid="ignore"):
            return self[quantity, parameter] * size / self.values[quantity]

    @property
    def matrix(self) -> Array:
        """The derivatives of the quantities that are single numbers, (n_quantity, n_parameter), in order."""
        single = [name for name in self.quantities if self.values[name].ndim == 0]
        return np.array([[float(self._of[q, p].value) for p in self.parameters] for q in single])

    def __repr__(self) -> str:
        return f"<Sensitivities: {len(self.quantities)} quantities by {len(self.parameters)} parameters>"

    def __str__(self) -> str:
        return self.told()

    def told(self, units: Iterable[str] = ()) -> str:
        """Return all of it as a table in units such as ("mm", "deg"); default: those of the mechanism."""
        wanted = Wanted(units)
        by = [wanted.of_label(one.unit) for one in self._variables]
        per = [f"by {name}{unit and f' in {unit}'}" for name, (_, unit) in zip(self.parameters, by, strict=True)]
        rows = []
        for q in self.quantities:
            factor, unit = wanted.of_label(self._units.get(q, ""))
            each = [(factor / size, self._of[q, p]) for p, (size, _) in zip(self.parameters, by, strict=True)]
            found = [_short(size * one.value) for size, one in each]
            off = max(size * one.error for size, one in each)
            rows.append((q, _short(factor * self.values[q]), unit, *found, f"{off:.1e}"))
        heads = ("quantity", "value", "unit", *per, "error at most")
        lines = list(table("", heads, rows))[1:]
        lines += [f"{name}: {self.held[name]}" for name in self.parameters]
        return "\n".join([*lines, f"{self.method}; {self.variants} variants in {self.seconds:.2f} s"])


def _short(value: Array) -> str:
    """Return a number, or the number of largest size of a curve, in words."""
    if value.ndim == 0:
        return f"{float(value):.9g}"
    return f"{float(value[np.argmax(np.abs(value))]):.4g} at most, of {value.size}"


def sensitivities(
    mechanism: Description,
    quantities: Any,
    parameters: Any,
    what: str = "run",
    order: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Sensitivities:
    """Return derivatives of quantities; see verbs_of_design.py."""
    began = time.perf_counter()
    chosen = variables("sensitivities", mechanism, parameters)
    asked = Asked("sensitivities", quantities, what, options or {})
    smooth = Smooth(mechanism, asked, RTOL.get(order or 2, FLOOR))
    rule = Differences(order if order is not None else 2 if smooth.noise <= ROUNDING else 4, smooth.noise)
    smooth.look([((one,), (x,)) for one in chosen for x in rule.around(one.value, one.size)])
    found: dict[tuple[str, str], Derivative] = {}
    for one in chosen:
        with part(f'sensitivities: parameter "{one.name}"'):
            each = rule.of(lambda x, one=one: smooth.at((one,), (x,)), smooth.values, one.value, one.size)  # type: ignore[misc]
            for name, (value, error) in each.items():
                found[name, one.name] = Derivative(value, error + smooth.stepped * float(np.max(np.abs(value))))
    seconds = time.perf_counter() - began
    known = {name: unit_of(mechanism, one.curve) for name, one in asked.figures.items()}
    units = {name: "" if unit == "1" else unit for name, unit in known.items()}
    return Sensitivities(smooth.values, chosen, found, mechanism, units, smooth.method, rule.asked, seconds)
