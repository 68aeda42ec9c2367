"""What is demanded of a variant, as text: two sides and a sign between them.

    transmission.min >= 40 deg      motor.effort.peak <= 12 Nm      B.x.range = 200 mm      C.angle >= -30 deg
    crank + ground <= coupler + rocker      grashof

A side is a figure (result/figures.py), or an expression of parameters, of places as drawn, and of numbers with units.
A figure without a reduction is a curve: then the condition holds at every sample. A plain number beside a figure is in
the units of the model, radians among them, and what is printed says so. `grashof` says of a four-bar with
the ground d, the crank a, the coupler b and the rocker c that its crank turns round,

    a + d <= b + c,    |b - c| <= |d - a|                                                                           (2)

or, where it has no driver, that some link does: the shortest and the longest, s + l <= p + q                       (3)

Extremes come in pieces (asking.py), so a condition is several numbers, its margins, none of which may be negative:

    L <= R:    -(piece of L) - (piece of -R),    for all pairs of pieces                                            (1)
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from particlemech.analyses.kinematics.grashof import grashof
from particlemech.design.asking import PIECES
from particlemech.engine.system import Array
from particlemech.errors import ModelError, part
from particlemech.model.columns import dimension, unit_of
from particlemech.model.description import GROUND, Description
from particlemech.model.dimensions import FREE, PLAIN, Dimension, fits, refused
from particlemech.model.expressions import parsed
from particlemech.model.scope import Scope
from particlemech.model.spec import shown
from particlemech.result.figures import SCALARS, figure

SIGN = re.compile(r"(<=|>=|==|=|<|>)")
FIGURE = re.compile(r"[^\W\d][^+*/()=<>]*?(\.[^\W\d][^+*/()=<>]*?)+(\[[+-]?\d+\])?").fullmatch
ALONE = (*SCALARS, "transmission")  # figures of one word
REDUCED: dict[str, Callable[[Array], float]] = {"max": np.max, "min": np.min, "peak": np.max}  # pieces as one number
EQUAL = ("=", "==")


class Side(NamedTuple):
    """A figure, a function of the answer, or an expression."""

    text: str
    quantity: Any = None  # text of a figure or function; None: an expression
    reduction: str = ""  # of a figure
    curve: str = ""  # of a figure

    def unit(self, mechanism: Description) -> str:
        """Return the unit of a figure, as far as it is known."""
        found = unit_of(mechanism, self.curve) if self.curve else ""
        return "" if found == "1" else found

    def dimension(self, mechanism: Description, scope: Scope) -> Dimension:
        """Return its dimension; FREE where it is not known."""
        if self.quantity is None:
            return scope.quantity(self.text, None)[1]
        return (dimension(mechanism, self.curve) if self.curve else None) or FREE

    def value(self, values: Mapping[str, Array], scope: Scope) -> Array:
        """Return its value, (1,), or a curve, (K,)."""
        if self.quantity is None:
            return np.array([float(scope.quantity(self.text, None)[0])])
        found = np.atleast_1d(values[self.text])
        return np.array([REDUCED[self.reduction](found)]) if self.reduction in PIECES else found

    def upper(self, sign: float, values: Mapping[str, Array], scope: Scope) -> Array:
        """Return pieces (n,), the largest of which is sign times its value."""
        if self.quantity is not None and self.reduction == ("min" if sign < 0.0 else "max"):
            return sign * np.atleast_1d(values[self.text])
        if self.quantity is not None and self.reduction == "peak" and sign > 0.0:
            return np.atleast_1d(values[self.text])
        return sign * self.value(values, scope)


def side(given: Any, what: str) -> Side:
    """Return a side; `what` is what figures without a subject are asked of."""
    if callable(given):
        return Side(getattr(given, "__name__", "function"), given)
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return Side(repr(float(given)) if given >= 0.0 else f"-{-float(given)!r}")
    if not isinstance(given, str):
        raise ModelError(f"expected a figure, an expression or a function, got {shown(given)}")
    text = given.strip()
    if text in ALONE or FIGURE(text):
        said = figure(text, what)
        return Side(text, text, said.reduction, said.curve)
    parsed(text)
    return Side(text)


class Condition:
    """A condition, and how far a variant is from breaking it."""

    text: str
    sides: tuple[Side, ...]
    equal: bool
    plain = ""  # the unit of plain numbers in it, where figures have one

    @property
    def said(self) -> str:
        """Return its text, and the unit of its plain numbers."""
        return f"{self.text} ({self.plain})" if self.plain else self.text

    def check(self, mechanism: Description) -> None:
        """Raise where it means nothing for a mechanism."""

    @abstractmethod
    def margins(self, values: Mapping[str, Array], scope: Scope, mechanism: Description) -> Array:
        """Return what is left of it, (n,): zero or more where it holds; of an equality zero."""

    @abstractmethod
    def size(self, values: Mapping[str, Array], scope: Scope, mechanism: Description) -> float:
        """Return how large what it compares is, above zero."""


class Compared(Condition):
    """Two sides and a sign."""

    def __init__(self, text: str, left: Side, sign: str, right: Side) -> None:
        self.text, self.sides, self.equal = text, (left, right), sign in EQUAL
        self._low, self._high = (left, right) if "<" in sign else (right, left)

    def check(self, mechanism: Description) -> None:
        """Raise where the sides have different dimensions."""
        scope = Scope(mechanism.parameters, mechanism.points, mechanism.units)
        wanted, found = (one.dimension(mechanism, scope) for one in self.sides)
        if not isinstance(wanted, str) and not fits(found, wanted):
            raise ModelError(f'"{self.text}": {refused(found, wanted)}')
        if PLAIN in (wanted, found):
            self.plain = next((unit for one in self.sides if (unit := one.unit(mechanism))), "")

    def margins(self, values: Mapping[str, Array], scope: Scope, mechanism: Description) -> Array:
        """Return (1), or the difference of the sides."""
        if self.equal:
            return self._high.value(values, scope) - self._low.value(values, scope)
        low, high = self._low.upper(1.0, values, scope), self._high.upper(-1.0, values, scope)
        return np.asarray(-(low[:, None] + high[None, :]).reshape(-1))

    def size(self, values: Mapping[str, Array], scope: Scope, mechanism: Description) -> float:
        """Return the larger of its sides."""
        return max(float(np.max(np.abs(one.value(values, scope)))) for one in self.sides) or 1.0


class Grashof(Condition):
    """The crank of a four-bar turns round, (2): the link on the ground at the driver, `crank`; else any link, (3)."""

    text, sides, equal = "grashof", (), False

    def __init__(self, crank: str | None) -> None:
        self.crank = crank

    def margins(self, values: Mapping[str, Array], scope: Scope, mechanism: Description) -> Array:
        """Return (2), or (3)."""
        found = grashof(mechanism)  # type: ignore[arg-type]
        if found is None:
            raise ModelError("grashof: the mechanism is no four-bar in the plane")
        lengths = found.lengths
        if self.crank not in lengths:
            every = lengths.values()
            return np.array([sum(every) - 2.0 * (min(every) + max(every))])
        around = [*lengths.values()]
        d, *links = around if [*lengths][1] == self.crank else [around[0], *around[:0:-1]]
        a, b, c = links
        return np.array([b + c - a - d, abs(d - a) - abs(b - c)])

    def size(self, values: Mapping[str, Array], scope: Scope, mechanism: Description) -> float:
        """Return the size of the drawing."""
        return float(np.max(np.ptp(np.array([*mechanism.points.values()]), axis=0)))


def _crank(mechanism: Description, options: Mapping[str, Any]) -> str | None:
    """Return the link at the driver, or at the joint that leads a cycle."""
    named = str(options.get("driver") or next(iter(mechanism.drivers), ""))
    joint = getattr(mechanism.drivers.get(named), "joint", None) or named.partition(".")[0]
    bodies = getattr(mechanism.joints.get(joint), "bodies", ())
    return next((body for body in bodies if body != GROUND), None)


def condition(given: Any, what: str, crank: str | None) -> list[Condition]:
    """Return conditions of a text, or of (quantity, low, high)."""
    if isinstance(given, str):
        parts = [word.strip() for word in SIGN.split(given)]
        if len(parts) == 1:
            if parts[0] != Grashof.text:
                raise ModelError(f'"{given}" has no sign; write such as "transmission.min >= 40 deg", or "grashof"')
            return [Grashof(crank)]
        if len(parts) != 3 or not all(parts):
            raise ModelError(f'"{given}": expected two sides and one of <=, >=, = between them')
        with part(f'"{given}"'):
            return [Compared(given, side(parts[0], what), parts[1], side(parts[2], what))]
    if not isinstance(given, Sequence) or len(given) != 3 or given[1] is given[2] is None:
        raise ModelError(
            f'a condition is a text such as "B.x.max <= 0.2 m", or (quantity, low, high), got {shown(given)}'
        )
    quantity, low, high = given
    middle = side(quantity, what)
    bounds = [(sign, side(bound, what)) for sign, bound in ((">=", low), ("<=", high)) if bound is not None]
    return [Compared(f"{middle.text} {sign} {bound.text}", middle, sign, bound) for sign, bound in bounds]


def _one(given: Any) -> bool:
    """Return whether it is (quantity, low, high), and not three conditions."""
    if not isinstance(given, tuple) or len(given) != 3:
        return False
    ends = given[1:]
    whole = any(isinstance(end, str) and (SIGN.search(end) or end.strip() == Grashof.text) for end in given)
    return not whole and all(end is None or isinstance(end, (int, float, str)) for end in ends)


def conditions(verb: str, mechanism: Description, given: Any, what: str, options: Mapping[str, Any]) -> list[Condition]:
    """Return all conditions; `options` are those of what figures are asked of."""
    several = [given] if isinstance(given, str) or callable(given) or _one(given) else given
    if not isinstance(several, Sequence):
        raise ModelError(f"{verb}: subject_to is a list of conditions, got {shown(given)}")
    with part(f"{verb}: subject_to"):
        found = [one for each in several for one in condition(each, what, _crank(mechanism, options))]
        for one in found:
            one.check(mechanism)
        return found
