"""What a sweep asks of each variant: figures by name of a run or an analysis, and functions of a user.

    variant  --run | cycle | modes | equilibrium-->  what was found  --figures, functions-->  numbers and arrays

A run or an analysis is made once for each variant, and only if something is asked of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from particlemech.analyses.interface import cycle
from particlemech.analyses.verbs_of_vibration import equilibrium, modes
from particlemech.batch.dataset import TAKEN
from particlemech.batch.quantities import known, made, of_figure
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import Description
from particlemech.model.spec import shown
from particlemech.result.figures import SUBJECTS, Curves, Figure, figure

RUN = "run"
VERBS: dict[str, Callable[..., Any]] = {"cycle": cycle, "modes": modes, "equilibrium": equilibrium}  # all but runs

Function = Callable[[Any], Any]


@dataclass(frozen=True)
class Asking:
    """What is asked of each variant; it travels with every chunk."""

    what: str  # one of SUBJECTS: what functions are given, and figures that name no other
    options: Mapping[str, Any]  # keywords of its verb; those of runs are elsewhere
    figures: tuple[Figure, ...]
    functions: tuple[tuple[str, Function], ...]
    names: Mapping[str, tuple[str, ...]]

    @property
    def subjects(self) -> tuple[str, ...]:
        """What must be run or analysed."""
        wanted = {one.subject for one in self.figures} | ({self.what} if self.functions else set())
        return tuple(subject for subject in SUBJECTS if subject in wanted)

    @property
    def runs(self) -> bool:
        """Whether it takes a run."""
        return RUN in self.subjects

    @property
    def together(self) -> tuple[str, ...] | None:
        """Names of what is kept, where a batch may know them all."""
        return None if self.functions or self.subjects != (RUN,) else tuple(one.text for one in self.figures)

    def found(self, mechanism: Description, result: Any) -> dict[str, Any]:
        """Return what the quantities are of, by subject."""
        every: dict[str, Any] = {}
        for subject in self.subjects:
            options = self.options if subject == self.what else {}
            every[subject] = result if subject == RUN else VERBS[subject](mechanism, **options)
        return every

    def kept(self, found: dict[str, Any]) -> dict[str, Array]:
        """Return the quantities of a variant by name."""
        curves = {subject: Curves(of) for subject, of in found.items()}
        values = {one.text: of_figure(curves[one.subject], one) for one in self.figures}
        for name, function in self.functions:
            said = function(found[self.what])
            named = said if isinstance(said, Mapping) else {name: said}
            values |= {own: made(own, value) for own, value in named.items()}
        return values

    def check(self, found: dict[str, Any]) -> None:
        """Raise where a name is unknown."""
        curves = {subject: Curves(of) for subject, of in found.items()}
        for one in self.figures:
            known(curves[one.subject], one)


def asking(quantities: Any, what: Any, options: Any) -> tuple[Asking, dict[str, str]]:
    """Return what is asked, and the name in the dataset of each quantity that has another there.

    Parameters
    ----------
    quantities
        A figure by name, a function, a list of these, or a mapping of names to them.
    what
        One of SUBJECTS.
    options
        Keywords of its verb.
    """
    if what not in SUBJECTS:
        raise ModelError(f"what {shown(what)} unknown{suggestion(what, SUBJECTS)}")
    if options is not None and not isinstance(options, Mapping):
        raise ModelError(f"options must be a mapping of keywords of {what}, got {shown(options)}")
    figures: dict[str, Figure] = {}
    functions: dict[str, Function] = {}
    labels: dict[str, str] = {}
    for label, one in _each(quantities):
        if callable(one):
            name = label or getattr(one, "__name__", "quantity").strip("<>")
            functions[name] = one
        else:
            found = figure(one, what)
            figures[found.text] = found
            name = found.text
        if label and label != name:
            labels[name] = label
        if (label or name) in TAKEN:
            raise ModelError(f'quantity "{label or name}": this is a name of the dataset itself; choose another')
    if not figures and not functions:
        raise ModelError('nothing is asked for; name quantities, such as "motor.effort.max" or "B.x"')
    return Asking(what, dict(options or {}), tuple(figures.values()), tuple(functions.items()), {}), labels


def _each(quantities: Any) -> Iterator[tuple[str, Any]]:
    """Give the quantities, each with the name that it was given."""
    if isinstance(quantities, Mapping):
        yield from ((str(label), one) for label, one in quantities.items())
    elif isinstance(quantities, str) or callable(quantities):
        yield "", quantities
    elif quantities is not None:
        if not hasattr(quantities, "__iter__"):
            raise ModelError(f'quantities are texts such as "B.x.max", or functions, got {shown(quantities)}')
        yield from (("", one) for one in quantities)


def padded(outcomes: list[Any], name: str, least: int = 0) -> tuple[Array, tuple[int, ...]]:
    """Return a quantity of all cases, (N, ...), NaN where one has none or less, and its shape in one case.

    `least` is how many samples a curve has at least.
    """
    found = [outcome.values[name] for outcome in outcomes if name in outcome.values]
    rank = max((value.ndim for value in found), default=0)
    if any(value.ndim != rank for value in found):
        raise ModelError(f'quantity "{name}" is a number in some cases and an array in others; return one of them')
    shape = tuple(max(least, *(value.shape[axis] for value in found)) for axis in range(rank))
    whole = len(found) == len(outcomes) and all(value.shape == shape for value in found)
    kinds = [value.dtype for value in found] + ([] if whole and found else [np.dtype(float)])
    array = np.empty((len(outcomes), *shape), dtype=np.result_type(*kinds))
    if not whole:
        array.fill(np.nan)
    for k, outcome in enumerate(outcomes):
        if name in outcome.values:
            value = outcome.values[name]
            array[k, ...][tuple(slice(0, n) for n in value.shape)] = value
    return array, shape
