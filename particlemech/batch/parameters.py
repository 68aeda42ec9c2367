"""The numbers of a mechanism for many values of its parameters at once, by the expressions that it keeps.

    values of parameters (N, n)  --expressions, column by column-->  numbers of the structure (N, m)              (1)

Each row has the digits that the mechanism with these parameters has. What is no number of the structure, such as the
duration of the run or a function of time, must not depend on what varies: then each variant is made by itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from particlemech.batch.structure import Parametrised
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import Description
from particlemech.model.expressions import Expression, parsed
from particlemech.model.quantity import Quantity
from particlemech.model.scope import Scope


def varied_numbers(base: Parametrised, varied: Sequence[str], cases: Sequence[Sequence[float]]) -> Array | None:
    """Return the numbers of all cases by (1), NaN in rows of cases that are refused; None where (1) does not do.

    Parameters
    ----------
    base
        The mechanism with its own values.
    varied, cases
        Names of parameters, and the values of each case in this order, in the units of the mechanism.
    """
    m = base.mechanism
    if _elsewhere(base, needing(m, varied)):
        return None
    table = np.array(cases, dtype=float)
    values = {
        name: (np.ascontiguousarray(column), _dimension(m, name)) for name, column in zip(varied, table.T, strict=True)
    }
    scope = Scope(m.parameters, m.points, m.units, values)
    numbers = np.empty((len(table), len(base.numbers)))
    numbers[:] = base.numbers
    try:
        with np.errstate(all="ignore"):  # what is no number is refused, and each case says why
            for k, number in enumerate(base.numbers):
                if isinstance(number, Quantity) and number.said is not None:
                    numbers[:, k] = _again(number, scope)
        numbers[~_within(m, scope, len(table))] = np.nan
    except ModelError:  # one that holds for all: each case will tell
        return None
    return numbers


def _again(number: Quantity, scope: Scope) -> Any:
    """Return a number for all values: a column, or as it is."""
    if number.component is not None:
        return scope.construct(number.said)[number.component]
    return scope.quantity(number.said, number.wanted)[0]


def _dimension(m: Description, name: str) -> Any:
    """Return the dimension of a parameter as expressions see it."""
    return Scope(m.parameters, m.points, m.units).parameter(name)[1]


def _within(m: Description, scope: Scope, count: int) -> Any:
    """Return which rows keep all parameters within their bounds, (N,)."""
    good = np.ones(count, dtype=bool)
    for name, one in m.parameters.items():
        value = scope.parameter(name)[0]
        for bound, sign in ((one.min, 1.0), (one.max, -1.0)):
            if bound is not None:
                said = getattr(bound, "said", None)
                edge = float(bound) if said is None else scope.quantity(said, None)[0]
                good &= np.broadcast_to(sign * (value - edge) >= 0.0, (count,))
    return good


# -- what depends on what --------------------------------------------------------------------------------------------


def needing(m: Description, varied: Sequence[str]) -> set[str]:
    """Return the names of parameters and points that depend on some parameters, these included."""
    said = {name: _mentioned([one.value]) for name, one in m.parameters.items()}
    said |= {name: _mentioned([place]) for name, place in m.points.items()}
    found = set(varied)
    while more := {name for name, names in said.items() if name not in found and names & found}:
        found |= more
    return found


def _mentioned(values: Any) -> set[str]:
    """Return the names that expressions within some values mention."""
    return {name for said in _expressions(values) for name in said.names}


def _expressions(value: Any, taken: Collection[int] = ()) -> Iterator[Expression]:
    """Give the expressions within a value, functions of time too; not those of numbers that are taken."""
    if isinstance(value, Quantity):
        if value.said is not None and id(value) not in taken:
            yield value.said
    elif hasattr(value, "bound"):
        yield parsed(value.value)
    elif isinstance(value, Mapping):
        yield from _expressions(tuple(value.values()), taken)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _expressions(one, taken)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _expressions(getattr(value, field.name), taken)


def _elsewhere(base: Parametrised, needing: set[str]) -> bool:
    """Return whether what is no number of the structure depends on some names."""
    m, taken = base.mechanism, {id(number) for number in base.numbers}
    fields = [field.name for field in dataclasses.fields(m) if field.name != "parameters"]
    return any(said.names & needing for name in fields for said in _expressions(getattr(m, name), taken))
