"""A number that keeps the expression it was given as."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any


class Quantity(float):
    """A number that was given as an expression, which it keeps: `said` is evaluated again when a parameter changes."""

    __slots__ = ("component", "said", "wanted")
    said: Any  # the Expression
    wanted: Any  # the dimension of its key; None: any
    component: int | None  # of the place, where the expression is a construction of one

    @classmethod
    def of(cls, value: float, said: Any, wanted: Any = None, component: int | None = None) -> Quantity:
        """Return a value with its expression."""
        made = cls(value)
        made.said, made.wanted, made.component = said, wanted, component
        return made

    def __reduce__(self) -> Any:
        return Quantity.of, (float(self), self.said, self.wanted, self.component)


def quantities(value: Any) -> Iterator[Quantity]:
    """Give the numbers within a value that keep an expression."""
    if isinstance(value, Quantity):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from quantities(one)
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from quantities(one)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from quantities(getattr(value, field.name))


def plain(value: Any) -> Any:
    """Return a value without expressions: the numbers they give. Whole parts keep theirs."""
    if isinstance(value, Quantity):
        return float(value)
    if isinstance(value, tuple):
        return tuple([plain(one) for one in value])
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return value
