"""What is kept of a result in a sweep: quantities of all points or bodies, figures by name, what a function makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from particlemech.batch.dataset import DIMS, TAKEN, Wanted
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.spec import shown
from particlemech.result.figures import Curves, figure
from particlemech.result.plane import PlanarResult


def kept(result: Any, wanted: Wanted, names: dict[str, tuple[str, ...]]) -> dict[str, Array]:
    """Return the quantities to keep of a result, by name."""
    if not callable(wanted):
        curves = Curves(result)
        return {name: quantity(result, name, names, curves) for name in wanted}
    said = wanted(result)
    if not isinstance(said, Mapping):
        raise ModelError(f"quantities: the function must return a mapping of names to numbers, got {shown(said)}")
    values = {name: np.array(value) for name, value in said.items()}
    for name, value in values.items():
        if not isinstance(name, str) or not name or name in TAKEN:
            raise ModelError(f"quantities: {shown(name)} cannot name a quantity here; choose another name")
        if value.dtype.kind not in "biufc":
            raise ModelError(f'quantities: "{name}" must be a number or an array of numbers, got {shown(said[name])}')
    return values


def quantity(result: Any, name: str, names: dict[str, tuple[str, ...]], curves: Curves) -> Array:
    """Return one quantity by its name: (K, ...), or (K,) of a column, or () of a figure."""
    kind = result.system.mechanism.kind
    if name in DIMS[kind]:
        return _of_all(result, name, names[DIMS[kind][name][1]])
    return np.asarray(figure(name).read(curves), dtype=float)


def _of_all(result: Any, name: str, who: tuple[str, ...]) -> Array:
    """Return a quantity of points or bodies, (K, n, ...)."""
    if isinstance(result, PlanarResult):
        return result.whole(name, who)
    of = getattr(result, name, result.__getitem__)  # places are what a result is asked for by square brackets
    return np.stack([of(part) for part in who], axis=1) if who else np.zeros((len(result.t), 0, 3))
