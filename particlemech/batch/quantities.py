"""What is kept of a result in a sweep: quantities of all points or bodies, columns, or what a function makes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from particlemech.batch.dataset import DIMS, TAKEN, Wanted
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.spec import shown
from particlemech.result.plane import PlanarResult


def kept(result: Any, wanted: Wanted, names: dict[str, tuple[str, ...]]) -> dict[str, Array]:
    """Return the quantities to keep of a result, by name."""
    if not callable(wanted):
        columns = cache(result.columns)
        return {name: quantity(result, name, names, columns) for name in wanted}
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


def quantity(
    result: Any, name: str, names: dict[str, tuple[str, ...]], columns: Callable[[], dict[str, Array]]
) -> Array:
    """Return one quantity by its name, (K, ...); columns that cost nothing are not taken from the table of all."""
    kind = result.system.mechanism.kind
    if name in DIMS[kind]:
        return _of_all(result, name, names[DIMS[kind][name][1]])
    owner, _, what = name.rpartition(".")
    lay = result.system.layout
    if kind != "planar":
        pass
    elif owner in lay.points and what in ("x", "y", "vx", "vy"):
        return (result.velocity(owner) if what[0] == "v" else result[owner])[:, "xy".index(what[-1])]
    elif owner in lay.bodies and what in ("angle", "omega"):
        return getattr(result, what)(owner)
    if name not in columns():
        if len(result.t) > 1 and name in (more := result.measures().columns()):
            return np.asarray(more[name])
        raise ModelError(f'quantity "{name}" unknown{suggestion(name, [*DIMS[kind], *columns()])}')
    return columns()[name]


def _of_all(result: Any, name: str, who: tuple[str, ...]) -> Array:
    """Return a quantity of points or bodies, (K, n, ...)."""
    if isinstance(result, PlanarResult):
        return result.whole(name, who)
    of = getattr(result, name, result.__getitem__)  # places are what a result is asked for by square brackets
    return np.stack([of(part) for part in who], axis=1) if who else np.zeros((len(result.t), 0, 3))
