"""Numbers of a mechanism by name: its parameters, and any other number by the path of keys that lead to it.

crank    bodies.crank.mass    points.A.x    forces.spring.stiffness    gravity.y    initial.omega.crank
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from particlemech.errors import ModelError, part, suggestion
from particlemech.model.description import Description
from particlemech.model.evaluation import units_of
from particlemech.model.quantity import Quantity
from particlemech.model.scope import Scope
from particlemech.model.spec import FrozenMapping, Spec, shown

AXES = {"x": 0, "y": 1, "z": 2}
MOST_SHOWN = 12  # parts that follow, in words


class Variable(NamedTuple):
    """A number of a mechanism that may take other values."""

    name: str  # of a parameter, or its path
    path: tuple[str, ...]  # of keys; empty: a parameter
    value: float  # in the mechanism as it is
    low: float  # its bounds; -inf and inf where there are none
    high: float
    size: float  # what a large change of it is, above zero
    unit: str

    @property
    def bounded(self) -> bool:
        """Whether it has both bounds."""
        return math.isfinite(self.low) and math.isfinite(self.high)


def variables(verb: str, mechanism: Description, asked: Any) -> tuple[Variable, ...]:
    """Return the variables that are asked for.

    Parameters
    ----------
    verb
        Who asks, for messages.
    mechanism
        Whose numbers they are.
    asked
        A name, several, or a mapping of names to bounds, (low, high) or None for those of the file.
    """
    if isinstance(asked, str):
        asked = [asked]
    if not isinstance(asked, (Mapping, Sequence)) or not asked or not all(isinstance(name, str) for name in asked):
        known = ", ".join(mechanism.parameters) or "none; bodies.NAME.mass"
        raise ModelError(
            f"{verb}: parameters are names of numbers, such as those in [parameters] ({known}), got {shown(asked)}"
        )
    if len(set(asked)) < len(list(asked)):
        raise ModelError(f"{verb}: a parameter is named twice; leave one out")
    bounds = asked if isinstance(asked, Mapping) else dict.fromkeys(asked)
    units = units_of(mechanism)
    found = []
    for name, limits in bounds.items():
        with part(f'{verb}: parameter "{name}"'):
            found.append(_bounded(mechanism, _variable(mechanism, name, units), limits))
    return tuple(found)


def _variable(mechanism: Description, name: str, units: Mapping[str, str]) -> Variable:
    if name in mechanism.parameters:
        one = mechanism.parameters[name]
        low = -math.inf if one.min is None else float(one.min)
        high = math.inf if one.max is None else float(one.max)
        value = float(one.value)
        return Variable(name, (), value, low, high, abs(value) or _span(low, high) or 1.0, units[name])
    path = tuple(str(AXES.get(word, word)) if k else word for k, word in enumerate(name.split(".")))
    if len(path) == 1:
        raise ModelError(f"unknown{suggestion(name, mechanism.parameters)}; or write a path, such as bodies.NAME.mass")
    value = _got(mechanism, path)
    return Variable(name, path, value, -math.inf, math.inf, abs(value) or _extent(mechanism, path), "")


def _span(low: float, high: float) -> float:
    return high - low if math.isfinite(high - low) else 0.0


def _extent(mechanism: Description, path: tuple[str, ...]) -> float:
    """Return the size of a change of a number that is zero: of a place that of the drawing, of others 1."""
    if path[0] != "points" or not mechanism.points:
        return 1.0
    places = np.array([*mechanism.points.values()])
    return float(np.max(np.ptp(places, axis=0))) or 1.0


def _bounded(mechanism: Description, one: Variable, limits: Any) -> Variable:
    if limits is None:
        return one
    if not isinstance(limits, (tuple, list)) or len(limits) != 2:
        raise ModelError(f"bounds are two numbers, (low, high), got {shown(limits)}")
    low, high = (_limit(mechanism, one, limit) for limit in limits)
    if not low < high:
        raise ModelError(f"bounds are two numbers, the lower first, got {shown(limits)}")
    low, high = max(low, one.low), min(high, one.high)
    if not low <= one.value <= high:
        raise ModelError(f"{one.value:.6g} is not within {low:.6g} and {high:.6g}; change one of them")
    return one._replace(low=low, high=high)


def _limit(mechanism: Description, one: Variable, limit: Any) -> float:
    """Return a bound, which may be an expression such as "30 mm"."""
    if isinstance(limit, str):
        wanted = getattr(_value(mechanism, one), "wanted", None)
        scope = Scope(mechanism.parameters, mechanism.points, mechanism.units)
        return float(scope.quantity(limit, wanted)[0])
    try:
        return float(limit)
    except (TypeError, ValueError):
        raise ModelError(f'a bound is a number, or a text such as "30 mm", got {shown(limit)}') from None


def _got(value: Any, path: tuple[str, ...]) -> float:
    """Return the number at the end of a path."""
    for k, word in enumerate(path):
        value = _inside(value, word, ".".join(path[:k]) or "a mechanism")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ModelError(f"is no number but {shown(value)}; go on with one of its keys, or name another")
    return float(value)


def _inside(value: Any, word: str, where: str) -> Any:
    """Return what a key leads to."""
    if isinstance(value, Mapping):
        if word not in value:
            raise ModelError(f'{where} has no "{word}"{suggestion(word, value)}')
        return value[word]
    if isinstance(value, tuple):
        k = int(word) if word.isdecimal() and len(word) < 4 else -1
        if not 0 <= k < len(value):
            raise ModelError(f'{where} has {len(value)} numbers; write .x, .y or .0, .1, got ".{word}"')
        return value[k]
    names = [f.name for f in dataclasses.fields(value)] if isinstance(value, Spec) else []  # type: ignore[arg-type]
    if word not in names:
        raise ModelError(f'{where} has no "{word}"{suggestion(word, names)}')
    return getattr(value, word)


def _put(value: Any, path: tuple[str, ...], number: float) -> Any:
    """Return a value with another number at the end of a path."""
    if not path:
        return number
    word, rest = path[0], path[1:]
    new = _put(_inside(value, word, word), rest, number)
    if isinstance(value, Mapping):
        return FrozenMapping({**value, word: new})
    if isinstance(value, tuple):
        k = int(word)
        return (*value[:k], new, *value[k + 1 :])
    return dataclasses.replace(value, **{word: new})


def varied(mechanism: Description, chosen: Sequence[Variable], values: Iterable[float]) -> Description:
    """Return a mechanism with other values of some variables; all that depends on parameters follows."""
    pairs = list(zip(chosen, values, strict=True))
    named = {one.name: float(value) for one, value in pairs if not one.path}
    made = mechanism.with_parameters(**named) if named else mechanism
    for one, value in pairs:
        if one.path:
            with part(f'parameter "{one.name}"'):
                made = _with(made, one.path, float(value))
    return made


def _with(mechanism: Description, path: tuple[str, ...], number: float) -> Description:
    section, *rest = path
    old = getattr(mechanism, section)
    if isinstance(old, Mapping):
        return mechanism.replaced(**{section: {rest[0]: _put(old[rest[0]], tuple(rest[1:]), number)}})
    return mechanism.replaced(**{section: _put(old, tuple(rest), number)})


def unbounded(mechanism: Description) -> Description:
    """Return a mechanism whose parameters have no bounds: differences look a little beyond them."""
    bounded = [name for name, one in mechanism.parameters.items() if one.min is not None or one.max is not None]
    return mechanism.replaced(parameters={name: {"min": None, "max": None} for name in bounded})


# -- what follows a change, and what is held -----------------------------------------------------------------------


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], float]]:
    """Give all numbers of a description with their paths."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _leaves(one, (*path, str(name)))
    elif isinstance(value, tuple):
        for k, one in enumerate(value):
            yield from _leaves(one, (*path, str(k)))
    elif isinstance(value, Spec):
        for field in dataclasses.fields(value):  # type: ignore[arg-type]
            yield from _leaves(getattr(value, field.name), (*path, field.name))
    elif isinstance(value, float) and not isinstance(value, bool):
        yield path, float(value)


def _inertias(mechanism: Description) -> dict[str, float]:
    """Return the moments of inertia that follow from masses and points of bodies in the plane."""
    if mechanism.kind != "planar":
        return {}
    plain = [name for name, body in mechanism.bodies.items() if body.inertia is None and body.mass is not None]
    return {f"inertia of {name}": mechanism.inertia(name) for name in plain}  # type: ignore[attr-defined]


def following(before: Description, after: Description, one: Variable) -> tuple[str, ...]:
    """Return what differs in a changed mechanism, by path, besides the number that was changed."""
    own = one.path or ("parameters", one.name, "value")
    found = []
    for section in dataclasses.fields(before):  # type: ignore[arg-type]
        old = dict(_leaves(getattr(before, section.name), (section.name,)))
        new = _leaves(getattr(after, section.name), (section.name,))
        found += [".".join(path) for path, value in new if path != own and old.get(path) != value]
    inertias = _inertias(before)
    found += [name for name, value in _inertias(after).items() if inertias.get(name) != value]
    return tuple(found)


def held(mechanism: Description, one: Variable, follow: Sequence[str]) -> str:
    """Return in words what follows a variable, and what is held while it changes."""
    few = ", ".join(follow[:MOST_SHOWN]) + (f" and {len(follow) - MOST_SHOWN} more" if len(follow) > MOST_SHOWN else "")
    still = [section for section in ("points", "bodies", "forces", "drivers", "initial") if _any(mechanism, section)]
    begins = {section: (f"{section}.", "inertia of ") if section == "bodies" else (f"{section}.",) for section in still}
    loose = [section for section in still if not any(path.startswith(begins[section]) for path in follow)]
    own = one.path[0] if one.path else ""
    rest = [f"all {section}" if section != own else f"all other {section}" for section in loose]
    partly = [f"what else is in {section}" for section in still if section not in loose]
    said = f"{few} {'follows' if len(follow) == 1 else 'follow'}" if follow else "nothing follows by expressions"
    overwritten = isinstance(_value(mechanism, one), Quantity) and one.path
    more = "; its own expression is put aside" if overwritten else ""
    times = [] if "run.duration" in follow else ["times of samples"]
    return f"{said}; held: {', '.join([*rest, *partly, *times])}{more}"


def _any(mechanism: Description, section: str) -> bool:
    return next(_leaves(getattr(mechanism, section)), None) is not None


def _value(mechanism: Description, one: Variable) -> Any:
    value: Any = mechanism.parameters[one.name].value if not one.path else mechanism
    for word in one.path:
        value = _inside(value, word, word)
    return value
