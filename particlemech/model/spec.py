"""Specs: frozen dataclasses whose fields are the keys of the model file.

A field states its *form*: a function that checks a value and returns it in the one shape the library
uses (tuples of floats, names as strings). The same forms serve the file reader, Python callers,
`info` and the writer, so a key is described in exactly one place.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections.abc import Callable, Collection, ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, ClassVar, TypeVar

from particlemech.errors import Expressed, ModelError, part, suggestion
from particlemech.model import old_words
from particlemech.model.quantity import Quantity

Value = TypeVar("Value")
Form = Callable[[Any], Any]
Vector = tuple[float, float]
Vector3 = tuple[float, float, float]
Given = tuple[float, ...] | Mapping[str, float]  # values of the coordinates of a joint: all in order, or some by name

PARALLEL = 1e-6  # rad
IN_SPACE = 'say kind = "spatial"'  # what a planar file is told


class FrozenMapping(Mapping[str, Value]):
    """A read-only mapping that keeps its order, compares by content and can be hashed."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Value] | None = None) -> None:
        self._items: dict[str, Value] = dict(items or {})

    def __getitem__(self, key: str) -> Value:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    # what Mapping offers of itself, several times faster

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def keys(self) -> KeysView[str]:
        """Return the names."""
        return self._items.keys()

    def values(self) -> ValuesView[Value]:
        """Return the values."""
        return self._items.values()

    def items(self) -> ItemsView[str, Value]:
        """Return names and values."""
        return self._items.items()

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)


def kind_name(kind: type) -> str:
    """Return the TOML `type` of a kind: its class name in snake case, unless it has a `word` of its own."""
    return vars(kind).get("word") or re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def key(form: Form, about: str, default: Any = dataclasses.MISSING, *, dimension: str = "") -> Any:
    """Describe one key: its form, one line of explanation, its default, and the dimension of its numbers.

    A dimension is written as "length" or "mass length^2" (dimensions.py). "freedom" is an angle or a length, as the
    coordinate of a joint is that the part names, "effort" what works on it; "value" in signals is what the signal is
    for, "followed" what a part follows that an event names, "column" what a column shows that the number is said of;
    "any" is not held to one.
    """
    metadata = {"form": form, "about": about, "dimension": dimension}
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


class _Made(type):
    """Makes specs: a call whose words are wrong is bad input like any other, not a TypeError of Python's."""

    def __call__(cls, *values: Any, **keys: Any) -> Any:
        try:
            return super().__call__(*values, **keys)
        except TypeError:
            fields = fields_of(cls)
            with part(kind_name(cls)):
                if values:
                    raise ModelError(f"takes its keys by name, such as {fields[0].name} = ...") from None
                check_keys(keys, fields)
            raise


def fields_of(kind: Any) -> tuple[dataclasses.Field[Any], ...]:
    """Return the keys of a kind of spec."""
    return dataclasses.fields(kind)


def check_keys(
    given: Collection[str], fields: Collection[dataclasses.Field[Any]], besides: Collection[str] = ()
) -> None:
    """Refuse keys that are neither fields nor `besides`, then required ones that are missing."""
    known = [*(f.name for f in fields), *besides]
    for word in given:
        if word not in known:
            raise unknown_key(word, known)
    for field in fields:
        if field.default is dataclasses.MISSING and field.name not in given:
            raise ModelError(f'key "{field.name}" is missing; add it ({field.metadata["about"]})')


def unknown_key(word: str, known: Collection[str]) -> ModelError:
    """Return the error of a key that is not known: its new name if it is an old word, else the nearest one."""
    return ModelError(
        old_words.renamed(old_words.KEYS, "key", word, known) or f'key "{word}" unknown{suggestion(word, known)}'
    )


class Spec(metaclass=_Made):
    """Base of all specs: values are checked and brought into shape when the spec is made."""

    unsettled: ClassVar[tuple[str, ...]] = ()  # keys whose expressions wait for the mechanism, of a part that has some
    says_type: ClassVar[bool] = False  # written with its "type" wherever it stands, not in sections of kinds only

    def __post_init__(self) -> None:
        waiting: tuple[str, ...] = ()
        for name, form, optional in _forms(type(self)):
            value = getattr(self, name)
            if value is None and optional:
                continue
            try:
                shaped = form(value)
            except Expressed:
                waiting = (*waiting, name)
                continue
            except ModelError as error:
                raise ModelError(f'key "{name}": {error}') from None
            if shaped is not value:
                object.__setattr__(self, name, shaped)
        if waiting:
            object.__setattr__(self, "unsettled", waiting)
            self.settle()
        else:
            self.verify()

    def settle(self) -> None:
        """Give numbers to keys that are expressions; parts wait for their mechanism to do so."""

    def verify(self) -> None:
        """Check what involves more than one key; kinds override it."""


@functools.cache
def _forms(kind: Any) -> tuple[tuple[str, Form, bool], ...]:
    """Return name and form of all keys of a kind, and whether None is their default."""
    return tuple((f.name, f.metadata["form"], f.default is None) for f in dataclasses.fields(kind))


def shown(value: Any) -> str:
    """Return a value as it stands in a message, shortened."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # whole numbers of thousands of digits, tables in tables without end
        text = f"a {type(value).__name__} too long to show"
    return text if len(text) <= 40 else text[:37] + "..."


def number(value: Any) -> float:
    """Any finite number."""
    if type(value) is float and -1e150 <= value <= 1e150:  # most are
        return value
    if isinstance(value, str):
        raise Expressed(f"expected a number, got the text {shown(value)}; write it without quotes")
    if isinstance(value, bool) or (not isinstance(value, (int, float)) and not hasattr(value, "__float__")):
        raise ModelError(f"expected a number, got {shown(value)}")
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"expected a number, got {shown(value)}") from None
    if not math.isfinite(result):
        raise ModelError(f"expected a finite number, got {shown(value)}")
    if abs(result) > 1e150:
        raise ModelError(f"{shown(value)} is too large to compute with; use SI units of ordinary size")
    return value if isinstance(value, Quantity) else result


def positive(value: Any) -> float:
    """A number above zero."""
    result = number(value)
    if result <= 0.0:
        raise ModelError(f"must be above zero, got {shown(value)}")
    return result


def not_negative(value: Any) -> float:
    """A number that is zero or above."""
    result = number(value)
    if result < 0.0:
        raise ModelError(f"must not be negative, got {shown(value)}")
    return result


def share(value: Any) -> float:
    """A number from 0 to 1."""
    result = not_negative(value)
    if result > 1.0:
        raise ModelError(f"must lie between 0 and 1, got {shown(value)}")
    return result


def whole(least: int) -> Form:
    """A whole number, at least `least`."""

    def form(value: Any) -> int:
        if isinstance(value, bool) or (not isinstance(value, int) and not hasattr(value, "__index__")):
            raise ModelError(f"expected a whole number, got {shown(value)}")
        result = int(value)
        if not least <= result <= 10**9:
            raise ModelError(f"must be at least {least} (and below 1e9), got {shown(value)}")
        return result

    form.__doc__ = f"A whole number, at least {least}."
    return form


def text(value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise ModelError(f"expected a text in quotes, got {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ModelError(f"{shown(value)} holds half a character, which no file can carry; type it anew") from None
    return value


def name(value: Any) -> str:
    """The name of a part."""
    if not isinstance(value, str) or not value:
        raise ModelError(f"expected a name in quotes, got {shown(value)}")
    return text(value)


def sequence(value: Any) -> tuple[Any, ...]:
    """Return the value as a tuple, if it is a list, a tuple or an array."""
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise ModelError(f"expected a list, got {shown(value)}")
    return tuple(value)


def names(least: int, most: int | None = None) -> Form:
    """Return the form of a list of `least` to `most` different names."""
    count = f"{least}" if most == least else f"{least} or more" if most is None else f"{least} to {most}"

    def form(value: Any) -> tuple[str, ...]:
        result = tuple(name(v) for v in sequence(value))
        if len(result) < least or (most is not None and len(result) > most):
            raise ModelError(f"expected {count} names, got {len(result)}: {shown(list(result))}")
        seen: set[str] = set()
        for n in result:
            if n in seen:
                raise ModelError(f'"{n}" stands there twice; list each name once')
            seen.add(n)
        return result

    form.__doc__ = f"A list of {count} different names."
    return form


def pair_of_names(value: Any) -> tuple[str, str]:
    """A list of two names (they may be equal)."""
    result = tuple(name(v) for v in sequence(value))
    if len(result) != 2:
        raise ModelError(f"expected 2 names, got {len(result)}: {shown(list(result))}")
    return result[0], result[1]


def vector(value: Any) -> tuple[float, float]:
    """Two numbers [x, y]."""
    if type(value) is tuple and len(value) == 2:  # most are
        return number(value[0]), number(value[1])
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise _expected("two numbers [x, y]", value)
    result = tuple(number(v) for v in sequence(value))
    if len(result) != 2:
        space = f"; for a mechanism in space, {IN_SPACE}" if len(result) == 3 else ""
        raise ModelError(f"expected two numbers [x, y], got {len(result)}: {shown(value)}{space}")
    return result[0], result[1]


def _expected(what: str, value: Any) -> ModelError:
    """Return the error of a value of another shape; a text may be a construction of a point."""
    return (Expressed if isinstance(value, str) else ModelError)(f"expected {what}, got {shown(value)}")


def direction(value: Any) -> tuple[float, float]:
    """Two numbers [x, y], not both zero."""
    result = vector(value)
    if math.hypot(*result) == 0.0:
        raise ModelError("a direction must not be [0, 0]")
    return result


def place(value: Any) -> str | tuple[float, float]:
    """The name of a point, or two numbers [x, y]."""
    if not hasattr(value, "__iter__"):
        raise ModelError(f"expected the name of a point or two numbers [x, y], got {shown(value)}")
    return _named_place(value) if isinstance(value, str) else vector(value)


def _named_place(value: str) -> str:
    """Return the name of a point; brackets make it a construction."""
    if "(" in value and value.endswith(")"):
        raise Expressed(f"expected the name of a point, got {shown(value)}")
    return name(value)


def vector3(value: Any) -> Vector3:
    """Three numbers [x, y, z]."""
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise _expected("three numbers [x, y, z]", value)
    result = tuple(number(v) for v in value)
    if len(result) != 3:
        raise ModelError(f"expected three numbers [x, y, z], got {len(result)}: {shown(value)}")
    return result[0], result[1], result[2]


def direction3(value: Any) -> Vector3:
    """Three numbers [x, y, z], not all zero; the length does not matter."""
    result = vector3(value)
    if math.hypot(*result) == 0.0:
        raise ModelError("a direction must not be [0, 0, 0]")
    return result


def unit(axis: Vector3) -> Vector3:
    """Return the unit vector of a direction."""
    largest = max(map(abs, axis))  # first, so that no square overflows or vanishes
    x, y, z = (c / largest for c in axis)
    length = math.hypot(x, y, z)
    return x / length, y / length, z / length


def parallel(one: Vector3, other: Vector3) -> bool:
    """Whether two directions are parallel, within PARALLEL."""
    (a, b, c), (x, y, z) = unit(one), unit(other)
    return math.hypot(b * z - c * y, c * x - a * z, a * y - b * x) < PARALLEL


def place3(value: Any) -> str | Vector3:
    """The name of a point, or three numbers [x, y, z]."""
    if not hasattr(value, "__iter__"):
        raise ModelError(f"expected the name of a point or three numbers [x, y, z], got {shown(value)}")
    return _named_place(value) if isinstance(value, str) else vector3(value)


def two(form: Form, what: str) -> Form:
    """Return the form of a list of two values of one form."""

    def pair(value: Any) -> tuple[Any, Any]:
        result = tuple(form(v) for v in sequence(value))
        if len(result) != 2:
            raise ModelError(f"expected two {what}, got {len(result)}: {shown(value)}")
        return result[0], result[1]

    pair.each = form  # type: ignore[attr-defined]
    pair.__doc__ = f"A list of two {what}; each: {(form.__doc__ or '').strip()}"
    return pair


def numbers(value: Any) -> tuple[float, ...]:
    """A list of numbers."""
    return tuple(number(v) for v in sequence(value))


def number_or_numbers(value: Any) -> tuple[float, ...]:
    """A number, or a list of numbers."""
    return numbers(value) if hasattr(value, "__iter__") and not isinstance(value, str) else (number(value),)


def coordinates(value: Any) -> Any:
    """A number, a list of numbers, or a table of coordinates by name."""
    return mapping_of(number)(value) if isinstance(value, Mapping) else number_or_numbers(value)


def limits(value: Any) -> Any:
    """Two numbers [lower, upper], or a table of them by coordinate; -inf or inf where there is no limit."""
    if isinstance(value, Mapping):
        return FrozenMapping({name(k): _range(v) for k, v in value.items()})
    return _range(value)


def _range(value: Any) -> tuple[float, float]:
    found = tuple(float(v) if isinstance(v, float) and math.isinf(v) else number(v) for v in sequence(value))
    if len(found) != 2 or not found[0] < found[1]:
        raise ModelError(f"expected two numbers [lower, upper], the lower first, got {shown(value)}")
    return found[0], found[1]


def choice(*words: str) -> Form:
    """Return the form of a key that takes one of `words`."""

    def form(value: Any) -> str:
        if value not in words:
            raise ModelError(f"expected one of {', '.join(words)}; got {shown(value)}")
        return str(value)

    form.__doc__ = "One of " + ", ".join(f'"{w}"' for w in words) + "."
    return form


def mapping_of(form: Form) -> Form:
    """Return the form of a table of names with values of one form."""

    def table(value: Any) -> FrozenMapping[Any]:
        if not isinstance(value, Mapping):
            raise ModelError(f"expected a table of names, got {shown(value)}")
        result = {}
        for k, v in value.items():
            try:
                result[name(k)] = form(v)
            except ModelError as error:
                raise type(error)(f'"{k}": {error}') from None
        return FrozenMapping(result)

    table.__doc__ = f"A table of names; each: {(form.__doc__ or '').strip()}"
    return table


def function(value: Any) -> Callable[..., Any]:
    """A Python function."""
    if not callable(value):
        raise ModelError(f"expected a function, got {shown(value)}")
    return value
