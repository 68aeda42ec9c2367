"""Forms of the keys of gears, belts and what rolls."""

from __future__ import annotations

from math import pi
from typing import Any

from particlemech.errors import ModelError
from particlemech.model.spec import names, not_negative, number, positive, sequence, shown


def module(value: Any) -> tuple[float, ...]:
    """The module of both gears, a positive number, or that of each."""
    several_ones = hasattr(value, "__iter__") and not isinstance(value, str)
    one = tuple(positive(v) for v in sequence(value)) if several_ones else (positive(value),)
    if len(one) > 2 or len({*one}) > 1:
        raise ModelError(f"modules {' and '.join(f'{m:g}' for m in one)} differ; gears mesh with one module only")
    return one[:1]


def tilt(value: Any) -> float:
    """An angle from 0 to below pi/3."""
    result = not_negative(value)
    if result > pi / 3:
        raise ModelError(f"must be at most pi/3, got {shown(value)}; angles are in radians, 20 degrees are 0.349066")
    return result


def efficiency(value: Any) -> float:
    """A number above 0, at most 1."""
    result = number(value)
    if not 0.0 < result <= 1.0:
        raise ModelError(f"must be above 0 and at most 1, got {shown(value)}; 0.97 loses 3 % of the power")
    return result


def reversed_ones(value: Any) -> bool | tuple[str, ...]:
    """True or false, or a list of names."""
    return value if isinstance(value, bool) else names(1)(value)


def several(form: Any, least: int, what: str) -> Any:
    """Return the form of a list of some values of one form."""

    def values(value: Any) -> tuple[Any, ...]:
        result = tuple(form(v) for v in sequence(value))
        if len(result) < least:
            raise ModelError(f"expected {least} or more {what}, got {len(result)}")
        return result

    values.each = form  # type: ignore[attr-defined]
    values.__doc__ = f"A list of {least} or more {what}; each: {(form.__doc__ or '').strip()}"
    return values
