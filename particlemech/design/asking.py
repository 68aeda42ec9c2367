"""What is asked of many variants of a mechanism: figures by name, and functions, of a run or an analysis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from particlemech.batch.asking import RUN
from particlemech.batch.asking import VERBS as OTHERS
from particlemech.engine.system import Array
from particlemech.errors import ModelError, SimulationError, suggestion
from particlemech.model.description import Description
from particlemech.model.spec import shown
from particlemech.result.extremes import AROUND
from particlemech.result.figures import SCALARS, SUBJECTS, Curves, Figure, figure, reduced
from particlemech.run.simulate import simulate

WINDOWS = 24  # of a curve, for its pieces
PIECES = ("max", "min", "peak")  # reductions of a curve that may be taken piece by piece
VERBS: dict[str, Callable[..., Any]] = {RUN: simulate, **OTHERS}

Quantity = str | Callable[[Any], Any]
Values = dict[str, Array]  # of quantities by name: (), or (K,) of a curve


def pieces(reduction: str, t: Array, x: Array) -> Array:
    """Return the extreme of each part of a curve (K,), parts that overlap by a sample or more: (n,).

    The largest of them is the largest of all. It has a kink where another part takes over, the parts have none as long
    as each has one hill: so each can be a condition of its own for methods that need derivatives.
    """
    count = max(1, min(WINDOWS, len(t) // (2 * AROUND)))
    ends = np.linspace(0, len(t) - 1, count + 1).round().astype(int)
    size = int(np.max(np.diff(ends))) + 1
    part = np.minimum(ends[:-1], len(t) - size)[:, None] + np.arange(size)
    return reduced(reduction, t[part], x[part])


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
        found = self.figured({subject: Curves(found) for subject, found in answers.items()})
        return found | {name: self._array(name, of(answers[self.what])) for name, of in self.functions.items()}

    def figured(self, curves: Mapping[str, Any]) -> Values:
        """Return the figures by name, from the curves of each subject."""
        return {name: self._array(name, self._figure(one, curves[one.subject])) for name, one in self.figures.items()}

    @property
    def curves(self) -> tuple[str, ...] | None:
        """The curves of runs that all quantities are figures of; None where some are not."""
        every = self.figures.values()
        plain = not self.functions and all(one.subject == RUN and one.curve not in SCALARS for one in every)
        return tuple(dict.fromkeys(one.curve for one in every)) if plain else None

    def _figure(self, one: Figure, curves: Any) -> Any:
        if self.parted and one.reduction in PIECES and curves.moves and len(curves.t) > 1:
            return pieces(one.reduction, curves.t, curves[one.curve])
        return one.read(curves)

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
