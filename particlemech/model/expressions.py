"""Expressions: a small grammar of our own for numbers of a model, "3*crank + 5 mm". They can execute nothing.

    text  --tokens-->  names and operators  --ast-->  tree of a white list  --evaluated-->  value and dimension

A first pass turns a unit, which stands directly after a number and nowhere else, and a coordinate of a point, "B.x",
into single names; what is left is read by Python's own reader and held to a white list: arithmetic, brackets, and calls
of a fixed table of functions. There are no attributes, subscripts, texts, comparisons, keywords, and no whole numbers
that could grow without end. A tree is nested tuples:

    ("number", value, dimension)   ("name", word)   ("axis", point, axis)   (operation, tree, ...)
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from particlemech.errors import ModelError, suggestion
from particlemech.model.dimensions import (
    ANGLE,
    FREE,
    GREEK_MU,
    LENGTH,
    MICRO,
    NONE,
    PLAIN,
    UNITS,
    Dimension,
    called,
    fits,
    in_system,
    times,
    unit_product,
    unknown_unit,
)
from particlemech.model.spec import shown

LONGEST, MOST, DEEPEST = 500, 200, 40  # characters, nodes, brackets within brackets
LARGEST = 1e150
FUNCTIONS = {  # how many arguments each takes: least, most
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "abs"), (1, 1)),
    "atan2": (2, 2),
    **dict.fromkeys(("min", "max", "hypot"), (2, 8)),
}
CONSTRUCTIONS = {"on_circles": (5, 5), "polar": (3, 4), "mid": (2, 2), "mirror": (3, 4)}
SIDES = ("left", "right")
CONSTANTS = {"pi": math.pi}
TIME = "t"
RESERVED = {TIME, *UNITS, *FUNCTIONS, *CONSTRUCTIONS, *SIDES, *CONSTANTS}
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,60}").fullmatch

_UNIT = r"[A-Za-zµ][A-Za-z0-9]*"
_POWER = r"(?:[ \t]*(?:\^|\*\*)[ \t]*-?\d)?"
_TOKEN = re.compile(
    rf"""[ \t]*(?:
    (?P<number>(?:\d{{1,40}}\.?\d{{0,40}}|\.\d{{1,40}})(?:[eE][+-]?\d{{1,4}}(?![\d.]))?)
      (?P<unit>[ \t]*{_UNIT}{_POWER}(?:(?:[ \t]*[*/][ \t]*|[ \t]+)(?:UNITS)(?![\w.(]){_POWER})*)?
    | (?P<point>[A-Za-z_]\w*)\.(?P<axis>[xyz])(?!\w)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<mark>\*\*|[-+*/(),^])
    )""".replace("UNITS", "|".join(sorted(UNITS, key=len, reverse=True))),
    re.VERBOSE | re.ASCII,
).match
_BINARY: dict[type, str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow"}


class Expression(NamedTuple):
    """An expression as it is written, and its tree."""

    text: str
    tree: Any
    names: frozenset[str]  # parameters, points and t that it mentions

    @property
    def of_time(self) -> bool:
        """Whether it mentions the time t."""
        return TIME in self.names

    @property
    def vector(self) -> bool:
        """Whether it is a construction of a point."""
        return self.tree[0] in CONSTRUCTIONS


@lru_cache(maxsize=4096)
def parsed(text: str) -> Expression:
    """Return the tree of an expression.

    Raises
    ------
    ModelError
        If the text is no expression of this grammar; one line that shows the text and what is wrong with it.
    """
    if len(text) > LONGEST:
        raise ModelError(f"an expression may have {LONGEST} characters, this one has {len(text)}; name parts of it")
    if not text.strip():
        raise ModelError("an empty text is no expression; write a number")
    try:
        source, leaves = _tokens(text)
        try:
            root = ast.parse(source, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ModelError("is no expression; check its operators and brackets") from None
        reader = _Reader(leaves)
        tree = reader.read(root, 0)
    except ModelError as error:
        raise ModelError(f'"{text if len(text) <= 60 else text[:57] + "..."}": {error}') from None
    return Expression(text, tree, frozenset(reader.names))


def _tokens(text: str) -> tuple[str, dict[str, Any]]:
    """Return the text as Python's reader takes it, every leaf a name of ours, and the leaves by these names."""
    text = text.replace(GREEK_MU, MICRO)
    words: list[str] = []
    leaves: dict[str, Any] = {}
    at, depth, before = 0, 0, ""
    end = len(text.rstrip(" \t"))
    while at < end:
        found = _TOKEN(text, at)
        if found is None:
            raise _unreadable(text[at:].lstrip(" \t"))
        mark = found["mark"]
        if any(len(found[kind] or "") > 60 for kind in ("name", "point", "unit")):
            raise ModelError("a name or unit may have 60 characters; shorten it")
        if mark is None:
            if before == "leaf":
                raise ModelError(f'"{found[0].strip()}" follows without an operator; write * between for a product')
            leaf, after = _leaf(found), text[found.end() :].lstrip(" \t")
            if leaf[0] == "name" and after.startswith("("):
                words.append(leaf[1])  # of a function: it is looked up by the reader of the tree
                if leaf[1] not in FUNCTIONS and leaf[1] not in CONSTRUCTIONS:
                    raise ModelError(f'function "{leaf[1]}" unknown{suggestion(leaf[1], [*FUNCTIONS, *CONSTRUCTIONS])}')
                before = "function"
            else:
                words.append(f"q{len(leaves)}_")
                leaves[words[-1]] = leaf
                before = "leaf"
        else:
            depth += {"(": 1, ")": -1}.get(mark, 0)
            if depth > DEEPEST:
                raise ModelError(f"more than {DEEPEST} brackets within brackets; name parts of it")
            if mark == "," and depth == 0:
                raise ModelError("a comma stands between arguments only; the decimal mark is a point")
            words.append("**" if mark == "^" else mark)
            before = mark if mark != ")" else "leaf"
        at = found.end()
        if len(words) > 2 * MOST:
            raise ModelError(f"an expression may have {MOST} numbers and operators; name parts of it")
    return _runs(words), leaves


def _runs(words: Sequence[str]) -> str:
    """Return the words as one text; many signs in a row are refused, which Python's reader would nest."""
    run = 0
    for word in words:
        run = run + 1 if word in "+-" else 0
        if run > 2:
            raise ModelError("has more than two signs in a row; take some out")
    return " ".join(words)


def _leaf(found: re.Match[str]) -> tuple[Any, ...]:
    """Return the leaf of a tree that a number, a coordinate or a name stands for."""
    if found["point"] is not None:
        return ("axis", found["point"], found["axis"])
    if found["name"] is not None:
        return ("name", found["name"])
    number, unit = found["number"], (found["unit"] or "").strip()
    value = float(number)
    if not math.isfinite(value) or value > LARGEST:
        raise ModelError(f"{number} is too large to compute with")
    if not unit:
        return ("number", value, None)
    head = re.match(_UNIT, unit)
    if head is not None and head[0] not in UNITS:
        word = head[0]
        cure = f"; for a product write {number}*{word}" if word not in UNITS else ""
        raise ModelError(f"{unknown_unit(word)}{cure}")
    exact = Fraction(number) if abs(int((re.findall(r"[eE](.*)", number) or ["0"])[0])) < 200 else Fraction(value)
    return ("number", exact, unit_product(unit))


def _unreadable(rest: str) -> ModelError:
    """Return the error of a text that begins with what is no token."""
    mark = rest[:1]
    if mark in "\"'":
        return ModelError("texts within an expression mean nothing; take the quotes out")
    if mark == ".":
        return ModelError('a point stands in numbers and in coordinates of points only, such as "B.x"')
    if mark in "<>=!&|~%":
        return ModelError(f'"{mark}" is no operator here; known are + - * / ** and brackets')
    if mark in "[]{}":
        return ModelError(f'"{mark}": lists mean nothing within an expression; brackets are ( and )')
    return ModelError(f'"{mark}" means nothing in an expression; it is made of numbers, names, + - * / ** ( ) and ,')


class _Reader:
    """Makes a tree of what Python's reader found, if it is on the white list."""

    def __init__(self, leaves: dict[str, Any]) -> None:
        self.leaves, self.nodes, self.names = leaves, 0, set[str]()

    def read(self, node: ast.AST, depth: int) -> Any:
        """Return the tree of a node."""
        self.nodes += 1
        if self.nodes > MOST or depth > MOST // 2:
            raise ModelError(f"an expression may have {MOST} numbers and operators; name parts of it")
        if isinstance(node, ast.Name) and node.id in self.leaves:
            return self._leaf(self.leaves[node.id])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
            inner = self.read(node.operand, depth + 1)
            return inner if isinstance(node.op, ast.UAdd) else ("neg", inner)
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            return (_BINARY[type(node.op)], self.read(node.left, depth + 1), self.read(node.right, depth + 1))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._call(node.func.id, node.args, depth)
        raise ModelError("is no expression; it is made of numbers, names, + - * / ** and brackets")

    def _leaf(self, leaf: Any) -> Any:
        if leaf[0] == "name":
            if leaf[1] in CONSTANTS:
                return ("number", CONSTANTS[leaf[1]], None)
            self.names.add(leaf[1])
        elif leaf[0] == "axis":
            self.names.add(leaf[1])
        return leaf

    def _call(self, word: str, given: Sequence[ast.AST], depth: int) -> Any:
        if word in self.leaves:
            raise ModelError("a bracket follows without an operator; write * between for a product")
        least, most = FUNCTIONS.get(word) or CONSTRUCTIONS[word]
        if not least <= len(given) <= most:
            count = f"{least}" if least == most else f"{least} to {most}"
            raise ModelError(f"{word} takes {count} arguments, got {len(given)}")
        return (word, *[self.read(one, depth + 1) for one in given])


# -- values ------------------------------------------------------------------------------------------------------------


class Scope(Protocol):
    """Where the names of an expression get their values."""

    system: str  # of units

    def parameter(self, name: str) -> tuple[Any, Dimension]:
        """Return value and dimension of a parameter, or of the time."""

    def place(self, point: str) -> tuple[Any, ...]:
        """Return where a point is drawn."""

    def built(self, tree: Any) -> tuple[Any, ...]:
        """Return the place that a construction gives."""

    def coordinate(self, point: str, axis: str) -> Any:
        """Return one coordinate of a point."""


OPERATIONS: dict[str, Callable[..., Any]] = {
    "neg": lambda x: -x,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": math.pow,
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp")},
    "log": math.log,
    "abs": abs,
    "min": min,
    "max": max,
    "hypot": math.hypot,
}


def applied(operation: str, *values: Any) -> Any:
    """Return the result of an operation on numbers, on columns of numbers, or on what traces it."""
    for value in values:
        if type(value) is not float:
            made: Any = getattr(value, "applied", None)  # of what traces operations, such as a function of time
            return made(operation, values) if made is not None else _of_columns(operation, values)
    return OPERATIONS[operation](*values)


def _of_columns(operation: str, values: Sequence[Any]) -> Any:
    """Return the result for every row of columns, with the digits that each row has alone."""
    import numpy as np

    def one(*row: Any) -> float:
        try:
            return float(OPERATIONS[operation](*map(float, row)))
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan

    if operation in ("neg", "add", "sub", "mul"):
        return OPERATIONS[operation](*(np.asarray(v) for v in values))
    return np.frompyfunc(one, len(values), 1)(*values).astype(float)


def evaluated(expression: Expression, scope: Scope) -> tuple[Any, Dimension]:
    """Return value and dimension of an expression; of a construction the place, a tuple of lengths.

    Raises
    ------
    ModelError
        If a name is unknown, dimensions do not agree, or there is no such number.
    """
    try:
        if expression.vector:
            return scope.built(expression.tree), LENGTH
        return value_of(expression.tree, scope)
    except ModelError as error:
        said = str(error)
        if said.startswith('"'):  # of an expression that this one needs
            raise
        raise ModelError(f'"{expression.text}": {said}') from None


def value_of(tree: Any, scope: Scope) -> tuple[Any, Dimension]:
    """Return value and dimension of a tree."""
    head = tree[0]
    if head == "number":
        _, value, unit = tree
        return (value, PLAIN) if unit is None else (in_system(value, unit, scope.system), unit.powers)
    if head == "name":
        return scope.parameter(tree[1])
    if head == "axis":
        return scope.coordinate(tree[1], tree[2]), LENGTH
    if head in CONSTRUCTIONS:
        raise ModelError(f"{head} gives a point, which is no number; give it a name in [points] and use its .x or .y")
    found = [value_of(branch, scope) for branch in tree[1:]]
    values, dimensions = [value for value, _ in found], [dimension for _, dimension in found]
    dimension = _dimension(head, dimensions, values)
    try:
        result = applied(head, *values)
    except ZeroDivisionError:
        raise ModelError("divides by zero") from None
    except OverflowError:
        raise ModelError("is too large to compute with") from None
    except ValueError:
        shown_values = ", ".join(f"{v:.6g}" for v in values)
        raise ModelError(f"{head} of {shown_values} is no number") from None
    if type(result) is float and not abs(result) <= LARGEST:
        raise ModelError("is too large to compute with")
    return result, dimension


def _dimension(head: str, given: Sequence[Dimension], values: Sequence[Any]) -> Dimension:
    """Return the dimension of an operation's result, or say why it has none."""
    if head in ("neg", "abs"):
        return given[0]
    if head in ("add", "sub", "min", "max", "hypot"):
        return _common(head, given)
    if head == "atan2":
        _common(head, given)
        return ANGLE
    if head in ("mul", "div"):
        one, other = given
        if FREE in given:
            return FREE
        if one == other == PLAIN:
            return PLAIN
        a, b = (NONE if isinstance(d, str) else d for d in given)
        return times(a, b, 1.0 if head == "mul" else -1.0)
    if head in ("pow", "sqrt"):
        return _raised(head, given, values)
    (one,) = given
    if head in ("sin", "cos", "tan"):
        if not isinstance(one, str) and not fits(one, ANGLE):
            raise ModelError(f"{head} takes an angle, got {called(one)}")
        return PLAIN if isinstance(one, str) else NONE
    if one not in (PLAIN, FREE, NONE):
        raise ModelError(f"{head} takes a pure number, got {called(one)}; divide by a quantity of its kind")
    if head in ("asin", "acos", "atan"):
        return ANGLE
    return PLAIN if isinstance(one, str) else NONE


def _common(head: str, given: Sequence[Dimension]) -> Dimension:
    """Return the dimension that quantities share; plain numbers and free ones take that of the others."""
    known = [d for d in given if not isinstance(d, str)]
    for d in known[1:]:
        if not (fits(d, known[0]) or fits(known[0], d)):
            verb = {"add": "are added", "sub": "are subtracted"}.get(head, f"stand in {head}")
            raise ModelError(f"{called(known[0])} and {called(d)} {verb}, which no number can be")
    return known[0] if known else (FREE if FREE in given else PLAIN)


def _raised(head: str, given: Sequence[Dimension], values: Sequence[Any]) -> Dimension:
    """Return the dimension of a power."""
    base = given[0]
    if head == "pow":
        power = given[1]
        if power not in (PLAIN, FREE, NONE):
            raise ModelError(f"a power is a pure number, got {called(power)}")
        if not isinstance(base, str) and base != NONE and (power != PLAIN or type(values[1]) is not float):
            raise ModelError(f"{called(base)} can be raised to a power that is written as a number only")
    if isinstance(base, str):
        return FREE if FREE in given else PLAIN
    if base == NONE:
        return NONE
    return times(NONE, base, 0.5 if head == "sqrt" else values[1])


def reserved(name: Any) -> str | None:
    """Return why a parameter cannot be called so; None: it can."""
    if not isinstance(name, str) or NAME(name) is None:
        return f"{shown(name)} is no name of a parameter; take letters a to z, digits and _, a letter first"
    if name == TIME:
        return 'the name "t" stands for the time; call the parameter otherwise, such as t1'
    if name in UNITS:
        return f'the name "{name}" is a unit; call the parameter otherwise, such as {name}1'
    if name in RESERVED:
        return f'the name "{name}" is a word of expressions; call the parameter otherwise, such as {name}1'
    return None
