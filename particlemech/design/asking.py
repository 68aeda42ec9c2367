"""What is asked of many variants of a mechanism: figures by name, and functions, of a run or an analysis.

Extremes are those of the curve between samples, not of the samples: these jump from one to the next while a length
changes. Around the extreme sample a polynomial goes through seven; one through five tells whether it may be believed,
which it may not where a curve has a corner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from particlemech.batch.asking import RUN
from particlemech.batch.asking import VERBS as OTHERS
from particlemech.engine.system import Array
from particlemech.errors import ModelError, SimulationError, suggestion
from particlemech.model.description import Description
from particlemech.model.spec import shown
from particlemech.result.figures import SUBJECTS, Curves, Figure, figure, reduced
from particlemech.run.simulate import simulate

AROUND = 3  # samples either side of an extreme
BELIEVED = 0.1  # of what seven samples add to an extreme: more of it between seven and five is a corner
EXTREMES: dict[str, tuple[tuple[float, float], ...]] = {  # reduction -> sum of (factor, sign): factor * max(sign * x)
    "min": ((-1.0, -1.0),),
    "max": ((1.0, 1.0),),
    "range": ((1.0, 1.0), (1.0, -1.0)),
}
WINDOWS = 24  # of a curve, for its pieces
PIECES: dict[str, Callable[[Array, Array], float]] = {  # reduction -> what counts of a piece of a curve
    "max": lambda t, x: highest(t, x),
    "min": lambda t, x: -highest(t, -x),
    "peak": lambda t, x: max(highest(t, x), highest(t, -x)),
}
VERBS: dict[str, Callable[..., Any]] = {RUN: simulate, **OTHERS}

Quantity = str | Callable[[Any], Any]
Values = dict[str, Array]  # of quantities by name: (), or (K,) of a curve


def highest(t: Array, x: Array) -> float:
    """Return the largest value of a curve through samples x (K,) at times t (K,), between them too."""
    k, n = int(np.argmax(x)), len(x)
    best = [_peak(t, x, k, around) for around in (AROUND, AROUND - 1) if n > 2 * around]
    if len(best) < 2:
        return float(x[k])
    added = best[0] - float(x[k])
    return best[0] if abs(best[0] - best[1]) <= BELIEVED * abs(added) else float(x[k])


def _peak(t: Array, x: Array, k: int, around: int) -> float:
    """Return the largest value near sample k of the polynomial through it and `around` samples either side."""
    first = min(max(k - around, 0), len(x) - 2 * around - 1)
    part = slice(first, first + 2 * around + 1)
    unit = max(float(t[min(k + 1, len(t) - 1)] - t[k]), float(t[k] - t[max(k - 1, 0)]))
    u = (t[part] - t[k]) / unit
    c = np.linalg.solve(np.vander(u, increasing=True), x[part] - x[k])
    poly = np.polynomial.Polynomial(c)
    roots = poly.deriv().roots()
    real = roots.real[np.abs(roots.imag) < 1e-9]
    inside = real[(real >= max(-1.0, float(u[0]))) & (real <= min(1.0, float(u[-1])))]
    return float(x[k] + max(0.0, *poly(inside))) if len(inside) else float(x[k])


def fine(reduction: str, t: Array, x: Array) -> float:
    """Return a curve (K,) at times (K,) as one number, with its extremes between samples."""
    known = np.isfinite(x)
    if not known.all() or reduction not in (*EXTREMES, "peak"):
        return reduced(reduction, t, x)
    if reduction == "peak":
        return max(highest(t, x), highest(t, -x))
    return sum(factor * highest(t, sign * x) for factor, sign in EXTREMES[reduction])


def pieces(reduction: str, t: Array, x: Array) -> Array:
    """Return the extreme of each part of a curve (K,), parts that overlap by a sample: (n,).

    The largest of them is the largest of all. It has a kink where another part takes over, the parts have none as long
    as each has one hill: so each can be a condition of its own for methods that need derivatives.
    """
    count = max(1, min(WINDOWS, len(t) // (2 * AROUND)))
    ends = np.linspace(0, len(t) - 1, count + 1).round().astype(int)
    spans = [slice(a, b + 1) for a, b in pairwise(ends)]
    return np.array([PIECES[reduction](t[span], x[span]) for span in spans])


class Asked:
    """Figures and functions, and what they are asked of.

    Parameters
    ----------
    verb
        Who asks, for messages.
    quantities
        Text of a figure, or a function of the answer; several; or a mapping of names to them.
    what
        Figures without a subject, and functions, are asked of it: "run", "cycle", "modes" or "equilibrium".
    options
        Of that verb.
    parted
        Whether extremes of curves are kept as `pieces`.
    """

    def __init__(self, verb: str, quantities: Any, what: str, options: Mapping[str, Any], parted: bool = False) -> None:
        if what not in SUBJECTS:
            raise ModelError(f"{verb}: what {shown(what)} unknown{suggestion(what, SUBJECTS)}")
        self.parted = parted
        self.verb, self.what, self.options = verb, what, dict(options)
        self.figures: dict[str, Figure] = {}
        self.functions: dict[str, Callable[[Any], Any]] = {}
        for name, one in _named(verb, quantities).items():
            if callable(one):
                self.functions[name] = one
            else:
                self.figures[name] = figure(one, what)

    @property
    def names(self) -> tuple[str, ...]:
        """The quantities."""
        return *self.figures, *self.functions

    @property
    def subjects(self) -> tuple[str, ...]:
        """What is to be done with each variant."""
        wanted = [one.subject for one in self.figures.values()] + ([self.what] if self.functions else [])
        return tuple(dict.fromkeys(wanted))

    def answers(self, mechanism: Description, run: Callable[[Description], Any] | None = None) -> dict[str, Any]:
        """Return what each verb says of a mechanism; `run` takes the place of `simulate` with its options."""
        found = {}
        for subject in self.subjects:
            options = self.options if subject == self.what else {}
            found[subject] = run(mechanism) if run and subject == RUN else VERBS[subject](mechanism, **options)
        return found

    def read(self, answers: Mapping[str, Any]) -> Values:
        """Return the quantities of answers by name."""
        curves = {subject: Curves(found) for subject, found in answers.items()}
        found: dict[str, Any] = {name: self._figure(one, curves[one.subject]) for name, one in self.figures.items()}
        found |= {name: function(answers[self.what]) for name, function in self.functions.items()}
        return {name: self._array(name, value) for name, value in found.items()}

    def _figure(self, one: Figure, curves: Curves) -> Any:
        if not (one.reduction and curves.moves):
            return one.read(curves)
        t, x = curves.t, curves[one.curve]
        if self.parted and one.reduction in PIECES and len(t) > 1:
            return pieces(one.reduction, t, x)
        return fine(one.reduction, t, x)

    def of_variant(self, mechanism: Description, run: Callable[[Description], Any] | None = None) -> Values:
        """Return the quantities of a mechanism by name.

        Raises
        ------
        ModelError, SimulationError
            If it cannot be assembled, does not go through its cycle or run, or has no such quantity.
        """
        return self.read(self.answers(mechanism, run))

    def _array(self, name: str, value: Any) -> Array:
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            array = np.full((2, 2), np.nan)
        if array.ndim > 1:
            raise ModelError(f'{self.verb}: "{name}" must be a number, or an array (K,) of numbers, got {shown(value)}')
        if not np.isfinite(array).all():
            raise SimulationError(f'{self.verb}: "{name}" is not known there: {shown(value)}')
        return array


def _named(verb: str, quantities: Any) -> dict[str, Quantity]:
    """Return quantities by name."""
    if isinstance(quantities, Mapping):
        return {str(name): one for name, one in quantities.items()}
    several = [quantities] if isinstance(quantities, str) or callable(quantities) else quantities
    if not isinstance(several, Sequence) or not several:
        raise ModelError(
            f'{verb}: a quantity is a text such as "motor.effort.max" or a function of the answer, '
            f"got {shown(quantities)}"
        )
    found: dict[str, Quantity] = {}
    for one in several:
        name = one if isinstance(one, str) else getattr(one, "__name__", "function")
        if name in found:
            raise ModelError(f'{verb}: "{name}" is asked for twice; give them names: {{"one": ..., "two": ...}}')
        found[name] = one
    return found
