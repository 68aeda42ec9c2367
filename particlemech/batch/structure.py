"""A mechanism as structure and numbers: what variants of one structure share, and what tells them apart."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

from particlemech.errors import ModelError
from particlemech.model.drivers import DriverSpec
from particlemech.model.forces import ForceSpec
from particlemech.model.joint import JointSpec
from particlemech.model.mechanism import Body, Initial, Mechanism
from particlemech.model.quantity import Quantity, quantities
from particlemech.model.signals import Constant, Cycloid, Linear, Sine, Step
from particlemech.model.spec import FrozenMapping, Spec

PARTS = (Body, Initial, JointSpec, DriverSpec, ForceSpec)  # specs whose numbers may vary
SIGNALS = (Constant, Linear, Sine, Cycloid, Step)  # the same of signals; a curve through points is structure
NUMBER = "number"  # stands for one in a structure
NUMBERS = (float, Quantity)  # what varies; expressions are evaluated before
SECTIONS = ("gravity", "points", "bodies", "joints", "drivers", "forces", "initial")


def taken(value: Any, numbers: list[float], within_force: bool = False) -> Any:
    """Return a value without its numbers, and put these into a list, in order."""
    if type(value) in NUMBERS:
        numbers.append(value)
        return NUMBER
    if type(value) is tuple:
        return tuple([taken(v, numbers, within_force) for v in value])
    if type(value) is FrozenMapping:
        return tuple([(name, taken(v, numbers, within_force)) for name, v in value.items()])
    if _varies(value, within_force):
        within = within_force or isinstance(value, ForceSpec)
        return (type(value), *[taken(getattr(value, name), numbers, within) for name in _names(value.__class__)])
    return value


def given(value: Any, numbers: Iterator[Any], within_force: bool = False) -> Any:
    """Return a value with other numbers, the reverse of `taken`; specs are verified."""
    if type(value) in NUMBERS:
        return next(numbers)
    if type(value) is tuple:
        return tuple([given(v, numbers, within_force) for v in value])
    if type(value) is FrozenMapping:
        return FrozenMapping({name: given(v, numbers, within_force) for name, v in value.items()})
    if _varies(value, within_force):
        within, made = within_force or isinstance(value, ForceSpec), copy.copy(value)
        for name in _names(value.__class__):
            object.__setattr__(made, name, given(getattr(value, name), numbers, within))
        made.verify()
        return made
    return value


def _varies(value: Any, within_force: bool) -> bool:
    # how large a force may become is looked up along its signal, which leaves no trace unless it is constant
    return isinstance(value, PARTS) or isinstance(value, Constant if within_force else SIGNALS)


@lru_cache(maxsize=256)
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(kind))


@lru_cache(maxsize=256)
def _form(kind: Any, name: str) -> Any:
    return next((f.metadata["form"] for f in dataclasses.fields(kind) if f.name == name), None)


class Parametrised:
    """A mechanism as structure and numbers, and where the numbers of each part are."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.numbers: list[float] = []
        structure, self._firsts = [], []
        for section in SECTIONS:
            self._firsts.append(len(self.numbers))
            structure.append(taken(getattr(mechanism, section), self.numbers))
        self.structure = tuple(structure)

    @cached_property
    def _places(self) -> dict[tuple[str, ...], tuple[int, Any, Any]]:
        """Return (first number, structure, form) of every key of every part, by its path."""
        found: dict[tuple[str, ...], tuple[int, Any, Any]] = {}
        count = 0
        for section in SECTIONS:
            value = getattr(self.mechanism, section)
            form = _form(Mechanism, section)
            if not isinstance(value, FrozenMapping):
                numbers: list[float] = []
                found[section,] = count, taken(value, numbers), form
                count += len(numbers)
                continue
            for name, part in value.items():
                if not isinstance(part, Spec):
                    numbers = []
                    found[section, name] = count, taken(part, numbers), Mechanism.sections[section].form
                    count += len(numbers)
                    continue
                for key in _names(type(part)):
                    numbers = []
                    within = isinstance(part, ForceSpec)
                    found[section, name, key] = (
                        count,
                        taken(getattr(part, key), numbers, within),
                        _form(type(part), key),
                    )
                    count += len(numbers)
        return found

    @cached_property
    def expressed(self) -> bool:
        """Whether numbers of the mechanism are said by expressions, which may need others."""
        return any(True for name in SECTIONS for _ in quantities(getattr(self.mechanism, name)))

    def beside(self, other: Mechanism) -> list[float] | None:
        """Return the numbers of a mechanism that differs in some sections; None where it has another structure."""
        numbers = list(self.numbers)
        for section, first, structure in zip(SECTIONS, self._firsts, self.structure, strict=True):
            value = getattr(other, section)
            if value is getattr(self.mechanism, section):
                continue
            found: list[float] = []
            if taken(value, found) != structure:
                return None
            numbers[first : first + len(found)] = found
        return numbers

    def changed(self, case: Mapping[str, Any]) -> list[float] | None:
        """Return the numbers after changes as `replaced` takes them; None where these are more than numbers."""
        if "points" in case and self.expressed:  # other places follow
            return None
        numbers = list(self.numbers)
        for section, change in case.items():
            if section == "gravity":
                if not self._put(numbers, (section,), change):
                    return None
                continue
            if section not in SECTIONS or section == "initial" or not isinstance(change, Mapping):
                return None
            for name, part in change.items():
                if isinstance(part, Mapping):
                    for key, value in part.items():
                        if not self._put(numbers, (section, name, key), value):
                            return None
                elif not self._put(numbers, (section, name), part):
                    return None
        return numbers

    def _put(self, numbers: list[float], path: tuple[str, ...], value: Any) -> bool:
        place = self._places.get(path)
        if place is None:
            return False
        first, structure, form = place
        found: list[float] = []
        try:
            fits = taken(form(value), found, path[0] == "forces") == structure
        except (ModelError, TypeError):
            return False
        if fits:
            numbers[first : first + len(found)] = found
        return bool(fits)
