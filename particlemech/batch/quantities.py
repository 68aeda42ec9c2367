"""What is kept of a result in a sweep: quantities of all points or bodies, figures by name, what a function makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from particlemech.batch.dataset import DIMS, TAKEN, Wanted
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import Description
from particlemech.model.spec import shown
from particlemech.result.figures import SCALARS, Curves, Figure, figure
from particlemech.result.plane import PlanarResult
from particlemech.run.trajectory import Status


@dataclass(frozen=True)
class OfRuns:
    """What is kept of runs: names of quantities, or what a function makes of a result."""

    wanted: Wanted
    names: dict[str, tuple[str, ...]]  # of points and bodies, in the order of the dataset
    runs = True

    @property
    def together(self) -> tuple[str, ...] | None:
        """Return the names of quantities that a batch may know without results."""
        return None if callable(self.wanted) else self.wanted

    def found(self, mechanism: Description, result: Any) -> Any:
        """Return the result of the run."""
        return result

    def kept(self, result: Any) -> dict[str, Array]:
        """Return the quantities of a result, by name."""
        if callable(self.wanted):
            said = self.wanted(result)
            if not isinstance(said, Mapping):
                raise ModelError(f"quantities: a function must return a mapping of names to numbers, got {shown(said)}")
            return {name: made(name, value) for name, value in said.items()}
        curves = Curves(result)
        return {name: quantity(curves, name, self.names) for name in self.wanted}

    def check(self, result: Any) -> None:
        """Raise where a name is unknown."""
        if not callable(self.wanted):
            curves = Curves(result)
            for name in self.wanted:
                if name not in DIMS[result.system.mechanism.kind]:
                    known(curves, figure(name))


def made(name: Any, value: Any) -> Array:
    """Return what a user's function has made, as an array of numbers."""
    if not isinstance(name, str) or not name or name in TAKEN:
        raise ModelError(f"quantities: {shown(name)} cannot name a quantity here; choose another name")
    array = np.array(value)
    if array.dtype.kind not in "biufc":
        raise ModelError(f'quantities: "{name}" must be a number or an array of numbers, got {shown(value)}')
    return array


def known(curves: Curves, one: Figure) -> None:
    """Raise where there is no such curve."""
    if not (curves.moves and one.curve in SCALARS):
        curves[one.curve]


def of_figure(curves: Curves, one: Figure) -> Array:
    """Return the value of a figure; one number of a motion that has not come to its end is none."""
    ended = getattr(curves.found, "status", Status.COMPLETED) is not Status.COMPLETED
    if ended and one.single and one.curve not in SCALARS:
        return np.array(np.nan)
    return np.asarray(one.read(curves), dtype=float)


def quantity(curves: Curves, name: str, names: dict[str, tuple[str, ...]]) -> Array:
    """Return one quantity of a result by its name: (K, ...), or (K,) of a column, or () of a figure."""
    kind = curves.found.system.mechanism.kind
    if name in DIMS[kind]:
        return _of_all(curves.found, name, names[DIMS[kind][name][1]])
    return of_figure(curves, figure(name))


def _of_all(result: Any, name: str, who: tuple[str, ...]) -> Array:
    """Return a quantity of points or bodies, (K, n, ...)."""
    if isinstance(result, PlanarResult):
        return result.whole(name, who)
    of = getattr(result, name, result.__getitem__)  # places are what a result is asked for by square brackets
    return np.stack([of(part) for part in who], axis=1) if who else np.zeros((len(result.t), 0, 3))
