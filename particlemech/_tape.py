"""Numbers that remember how they were made: tables of one structure are then filled for many variants at once.

Tables are made of a mechanism's numbers by plain arithmetic. Made once of `Number`s instead, they leave a tape: which
operation on which numbers gave each entry, and which comparisons were met on the way. Replayed with columns of numbers,
one per variant, the tape gives the entries of all variants, each bit for bit what the same arithmetic gives for it
alone, and says for which of them a comparison comes out otherwise: their tables have another structure.

    node k = operation(node i, node j)        i, j < k; or constants                                       (1)

In arrays a Number stands as a mark, a NaN that carries the place of its node.
"""

from __future__ import annotations

import math
import operator
import struct
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Operand = float | int  # a constant, or the place of a node

MARK = 0x7FFC << 48  # bits of a quiet NaN that no arithmetic makes; its lowest ones are the place of a node
LOW = (1 << 48) - 1
MOST = 20_000  # nodes: tables of large mechanisms are made one by one

_marking = threading.local()


class Untraceable(TypeError):
    """A number is put to a use that leaves no trace on a tape."""


def _each(function: Callable[..., float]) -> Callable[..., Any]:
    """Return a function of the standard library for columns: its digits are not those of numpy's."""
    made = np.frompyfunc(function, function.__code__.co_argcount if hasattr(function, "__code__") else 2, 1)
    return lambda *columns: made(*columns).astype(float)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": lambda x, _: -x,
    "abs": lambda x, _: abs(x),
    "square": _each(lambda x, _: x**2),
    "sqrt": lambda x, _: np.sqrt(x),  # exact to the last bit wherever it is computed
    "hypot": _each(math.hypot),
    "atan2": _each(math.atan2),
}
COMPARISONS: dict[str, Callable[..., Any]] = {
    "lt": operator.lt,
    "le": operator.le,
    "eq": operator.eq,
    "ne": operator.ne,
}
SINGLE: dict[str, Callable[..., float]] = OPERATIONS | {
    "square": lambda x, _: x**2,
    "sqrt": lambda x, _: math.sqrt(x),
    "hypot": math.hypot,
    "atan2": math.atan2,
}


class Tape:
    """What was done to the numbers of a mechanism."""

    def __init__(self, numbers: Sequence[float]) -> None:
        self.given = len(numbers)
        self.steps: list[tuple[str, Any, Any]] = []  # (1): operation, and operands as (is a node, place or constant)
        self.met: dict[tuple[str, Any, Any], bool] = {}  # comparison -> how it came out
        self._known: dict[tuple[str, Any, Any], Number] = {}
        self.numbers = [Number(self, k, float(value)) for k, value in enumerate(numbers)]

    def put(self, operation: str, x: Any, y: Any = 0.0) -> Number:
        """Return the result of an operation, on the tape."""
        key = operation, _operand(x), _operand(y)
        if key not in self._known:
            if len(self.steps) >= MOST:
                raise Untraceable("too many operations")
            value = SINGLE[operation](_value(x), _value(y))
            self._known[key] = Number(self, self.given + len(self.steps), value)
            self.steps.append(key)
        return self._known[key]

    def compare(self, comparison: str, x: Any, y: Any) -> bool:
        """Return how a comparison comes out, and note it."""
        found = bool(COMPARISONS[comparison](_value(x), _value(y)))
        self.met[comparison, _operand(x), _operand(y)] = found
        return found

    def replayed(self, columns: Sequence[Any], count: int) -> tuple[list[Any], NDArray[np.bool_]]:
        """Return the values of all nodes for `count` variants, each a column or one number; and who fits the tape.

        Parameters
        ----------
        columns
            The given numbers, each a column (count,) or a float that all variants share.
        count
            Number of variants.
        """
        nodes: list[Any] = list(columns)
        fits = np.ones(count, dtype=bool)
        with np.errstate(all="ignore"):
            for operation, (x_node, x), (y_node, y) in self.steps:
                a, b = nodes[x] if x_node else x, nodes[y] if y_node else y
                alone = type(a) is float and type(b) is float
                nodes.append((SINGLE if alone else OPERATIONS)[operation](a, b))
            for (comparison, (x_node, x), (y_node, y)), outcome in self.met.items():
                fits &= COMPARISONS[comparison](nodes[x] if x_node else x, nodes[y] if y_node else y) == outcome
        return nodes, fits


class Number:
    """A number on a tape; it computes and compares like a float, and says so where it cannot."""

    __slots__ = ("at", "tape", "value")

    def __init__(self, tape: Tape, at: int, value: float) -> None:
        self.tape, self.at, self.value = tape, at, value

    def __add__(self, other: Any) -> Any:
        return self.tape.put("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return self.tape.put("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return self.tape.put("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self.tape.put("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, (Number, float, int)):
            return NotImplemented
        return self if type(other) is float and other == 1.0 else self.tape.put("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self if other == 1.0 else self.tape.put("mul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return self.tape.put("div", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.tape.put("div", other, self)

    def __pow__(self, power: Any) -> Any:
        if type(power) is not int or power != 2:
            raise Untraceable("only squares are traced")
        return self.tape.put("square", self)

    def __neg__(self) -> Any:
        return self.tape.put("neg", self)

    def __abs__(self) -> Any:
        return self.tape.put("abs", self)

    def __lt__(self, other: Any) -> bool:
        return self.tape.compare("lt", self, other)

    def __le__(self, other: Any) -> bool:
        return self.tape.compare("le", self, other)

    def __gt__(self, other: Any) -> bool:
        return self.tape.compare("lt", other, self)

    def __ge__(self, other: Any) -> bool:
        return self.tape.compare("le", other, self)

    def __eq__(self, other: object) -> bool:
        return self.tape.compare("eq", self, other) if isinstance(other, (Number, float, int)) else False

    def __ne__(self, other: object) -> bool:
        return self.tape.compare("ne", self, other) if isinstance(other, (Number, float, int)) else True

    def __bool__(self) -> bool:
        return self.tape.compare("ne", self, 0.0)

    def __hash__(self) -> int:
        return id(self)

    def __float__(self) -> float:
        if not getattr(_marking, "on", False):
            raise Untraceable("a number of a tape is asked for its value")
        mark: float = struct.unpack("<d", struct.pack("<Q", MARK | self.at))[0]
        return mark


def _operand(x: Any) -> tuple[bool, Any]:
    return (True, x.at) if isinstance(x, Number) else (False, _constant(x))


def _constant(x: Any) -> float:
    if not isinstance(x, (float, int)):
        raise Untraceable(f"{type(x).__name__} meets a number of a tape")
    return float(x)


def _value(x: Any) -> float:
    return x.value if isinstance(x, Number) else float(x)


# -- functions that take both ----------------------------------------------------------------------------------------


def _put(operation: str, x: Any, y: Any = 0.0) -> Any:  # a Number, which stands for a float
    tape = (x if isinstance(x, Number) else y).tape
    return tape.put(operation, x, y)


def sqrt(x: float) -> float:
    """Return the root of a number."""
    try:
        return math.sqrt(x)
    except Untraceable:
        return _put("sqrt", x)


def hypot(x: float, y: float) -> float:
    """Return the length of a plane vector."""
    try:
        return math.hypot(x, y)
    except Untraceable:
        return _put("hypot", x, y)


def atan2(y: float, x: float) -> float:
    """Return the direction of a plane vector, rad."""
    try:
        return math.atan2(y, x)
    except Untraceable:
        return _put("atan2", y, x)


def dist(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the distance of two places."""
    if len(one) == 3:  # in space numbers are on no tape
        return math.dist(one, other)
    return hypot(one[0] - other[0], one[1] - other[1])


def filled(values: Any, kind: Any = float) -> NDArray[Any]:
    """Return numbers as an array; those of a tape stand there as marks."""
    try:
        return np.array(values, dtype=kind)
    except (Untraceable, ValueError):
        _marking.on = True
        try:
            return np.array(values, dtype=kind)
        finally:
            _marking.on = False


def marks(array: Array) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return where marks stand in an array of floats, flat, and the places of their nodes."""
    bits = np.ascontiguousarray(array).reshape(-1).view(np.int64)
    where = np.flatnonzero((bits & ~LOW) == MARK)
    return where, bits[where] & LOW
