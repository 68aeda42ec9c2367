"""Designs of sweeps: which values of parameters are tried, as a grid, together, or as a sample of what lies between.

    grid         every value of each with every value of all others; a parameter is a dimension
    together     the first values of all, the second of all, and so on; one dimension, "case"
    latin        `count` cases between bounds, each `count`th part of each range met once (Latin hypercube)
    sobol        `count` cases between bounds, a power of two, that fill the box evenly (Sobol's sequence, scrambled)

In a grid several parameters may go together: their names in a tuple, and tuples of their values. Values are numbers in
the units of the mechanism, texts such as "60 mm", or "30 mm : 80 mm : 50", 50 values from the first to the last.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError, part, suggestion
from particlemech.model.description import Description
from particlemech.model.expressions import parsed
from particlemech.model.scope import Scope
from particlemech.model.spec import shown

SAMPLINGS = ("grid", "together", "latin", "sobol")
SAMPLED = ("latin", "sobol")
CASE = "case"
MOST = 10_000_000  # cases
TOGETHER = "_"  # between the names of parameters that share a dimension


@dataclass(frozen=True)
class Design:
    """The cases of a sweep: values of parameters, and where each stands in the dataset."""

    table: Array  # (N, n) values of parameters, in the units of the mechanism
    groups: tuple[tuple[str, ...], ...]  # the parameters of each dimension
    shape: tuple[int, ...]  # whose product is N, the last dimension first to change
    sampling: str

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters, in the order of the table."""
        return tuple(name for group in self.groups for name in group)

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the dimensions: of a parameter, of several that go together, or "case"."""
        return tuple(TOGETHER.join(group) for group in self.groups) if self.sampling == "grid" else (CASE,)

    @property
    def coords(self) -> dict[str, tuple[str, Any]]:
        """The values of each parameter along its dimension."""
        found: dict[str, tuple[str, Any]] = {}
        if self.dims == (CASE,):
            found[CASE] = CASE, np.arange(len(self.table))
        columns = iter(self.table.T)
        for at, (dim, group) in enumerate(zip(self.dims, self.groups, strict=True)):
            first = tuple(slice(None) if j == at else 0 for j in range(len(self.shape)))
            found |= {name: (dim, next(columns).reshape(self.shape)[first]) for name in group}
        return found


def number(m: Description, name: str, value: Any) -> float:
    """Return the value of a parameter as a number in the units of a mechanism; a text has its own unit."""
    if name not in m.parameters:
        if not m.parameters:
            raise ModelError("the mechanism has no parameters to vary; name its numbers in [parameters]")
        raise ModelError(f'parameter "{name}" unknown{suggestion(name, m.parameters)}')
    with part(f'parameter "{name}"'):
        if isinstance(value, str):
            wanted = getattr(m.parameters[name].value, "wanted", None)
            found = float(Scope(m.parameters, m.points, m.units).quantity(parsed(value.strip()), wanted)[0])
        elif isinstance(value, bool) or not hasattr(value, "__float__"):
            raise ModelError(f'expected a number or a text such as "60 mm", got {shown(value)}')
        else:
            found = float(value)
        if not math.isfinite(found):
            raise ModelError(f"expected a finite number, got {shown(value)}")
        return found


def values(m: Description, name: str, given: Any) -> Array:
    """Return the values of a parameter, (n,): of a list, a number, or a text "first : last : count"."""
    if isinstance(given, str) and ":" in given:
        first, last, count, *rest = (*(word.strip() for word in given.split(":")), "")
        if not count.isdigit() or int(count) < 2 or rest != [""]:
            raise ModelError(
                f'parameter "{name}": a range is "first : last : count", at least 2, such as "30 mm : 80 mm : 50", '
                f'got "{given}"'
            )
        if int(count) > MOST:
            raise ModelError(f'parameter "{name}": {count} values are too many; {MOST} are the most')
        return np.linspace(number(m, name, first), number(m, name, last), int(count))
    if isinstance(given, str):
        given = [word for word in given.split(",")]
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        given = [given]
    if isinstance(given, Sized) and len(given) > MOST:
        raise ModelError(f'parameter "{name}": {len(given)} values are too many; {MOST} are the most')
    found = np.array([number(m, name, value) for value in given], dtype=float)
    if not len(found):
        raise ModelError(f'parameter "{name}": no values; give a list of numbers, or "first : last : count"')
    return found


def design(
    m: Description,
    over: Mapping[Any, Any],
    sampling: str = "grid",
    count: int | None = None,
    seed: int = 0,
) -> Design:
    """Return the cases of a sweep.

    Parameters
    ----------
    m
        The mechanism.
    over
        Values by parameter; by a tuple of parameters tuples of values. Where the cases are a sample: lower and upper
        bound, or None for those that the parameter has.
    sampling
        One of SAMPLINGS.
    count, seed
        How many cases a sample has, and what its random numbers begin with.
    """
    if sampling not in SAMPLINGS:
        raise ModelError(f"sampling {shown(sampling)} unknown{suggestion(sampling, SAMPLINGS)}")
    if not over:
        raise ModelError(f"nothing varies; name parameters and their values, such as {_example(m)}")
    if sampling in SAMPLED:
        return _sample(m, over, sampling, count, seed)
    if count is not None:
        raise ModelError('count is that of samples: leave it out, or say sampling="latin" or "sobol"')
    axes = [_axis(m, names, given) for names, given in over.items()]
    every = [name for names, _ in axes for name in names]
    _check_once(every)
    if sampling == "together":
        sizes = {name: len(table) for names, table in axes for name in names}
        if len(set(sizes.values())) > 1:
            said = ", ".join(f"{name} has {size}" for name, size in sizes.items())
            raise ModelError(f"what goes together needs as many values each: {said}")
        table = np.concatenate([table for _, table in axes], axis=1)
        return Design(table, (tuple(every),), (len(table),), sampling)
    total = math.prod(len(table) for _, table in axes)
    if total > MOST:
        raise ModelError(f"the grid has {total} cases, the most are {MOST}; take fewer values, or a sample")
    places = np.indices([len(table) for _, table in axes]).reshape(len(axes), -1)
    table = np.concatenate([table[at] for (_, table), at in zip(axes, places, strict=True)], axis=1)
    return Design(table, tuple(names for names, _ in axes), tuple(len(table) for _, table in axes), sampling)


def _example(m: Description) -> str:
    name = next(iter(m.parameters), "length")
    return f'{name}=[0.1, 0.2] or "{name}=30mm:80mm:50"'


def _check_once(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f'parameter "{name}": is varied twice; name it once')


def _axis(m: Description, names: Any, given: Any) -> tuple[tuple[str, ...], Array]:
    """Return parameters that share a dimension, and their values, (n, number of them)."""
    if not isinstance(names, tuple):
        return (names,), values(m, names, given)[:, None]
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ModelError(f"{', '.join(names)} go together: give a list of tuples, got {shown(given)}")
    rows = [tuple(row) if isinstance(row, Iterable) and not isinstance(row, str) else (row,) for row in given]
    if not rows or any(len(row) != len(names) for row in rows):
        raise ModelError(f"{', '.join(names)} go together: give tuples of {len(names)} values")
    return names, np.array([[number(m, n, x) for n, x in zip(names, row, strict=True)] for row in rows], dtype=float)


def _sample(m: Description, over: Mapping[Any, Any], sampling: str, count: Any, seed: Any) -> Design:
    """Return a sample of the box between bounds."""
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST:
        raise ModelError(f'sampling "{sampling}" needs count, how many cases, got {shown(count)}')
    if sampling == "sobol" and count & (count - 1):
        near = 2 ** round(math.log2(count))
        raise ModelError(f'sampling "sobol": count must be a power of two, got {count}; say {near}, or take "latin"')
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ModelError(f"seed must be a whole number from 0 on, got {shown(seed)}")
    names = tuple(over)
    bounds = np.array([_bounds(m, name, given) for name, given in over.items()])
    from scipy.stats import qmc

    engine = {"latin": qmc.LatinHypercube, "sobol": qmc.Sobol}[sampling](d=len(names), seed=np.random.default_rng(seed))
    low, high = bounds.T
    return Design(low + engine.random(count) * (high - low), (names,), (count,), sampling)


def _bounds(m: Description, name: Any, given: Any) -> tuple[float, float]:
    """Return between what values of a parameter a sample lies."""
    if isinstance(name, tuple):
        raise ModelError(f"{', '.join(name)}: samples have no dimensions to share; give bounds for each")
    if given is None:
        number(m, name, 0.0)
        one = m.parameters[name]
        if one.min is None or one.max is None:
            raise ModelError(f'parameter "{name}": has no bounds; give (low, high), or its min and max in [parameters]')
        return float(one.min), float(one.max)
    ends = given.split(":") if isinstance(given, str) else given
    if not isinstance(ends, Sequence | np.ndarray) or len(ends) != 2:
        raise ModelError(f'parameter "{name}": a sample lies between two bounds, (low, high), got {shown(given)}')
    low, high = (number(m, name, end) for end in ends)
    if not low < high:
        raise ModelError(f'parameter "{name}": the lower bound {low:.6g} is not below the upper one {high:.6g}')
    return low, high
