"""Results of runs in space in which joints are taken out: stretches with other coordinates, joined by name.

What a joint has carried hangs on others afterwards, or floats. Each part is a result of its own then; what all of them
have is joined here: the motion of bodies, what joints transmit (nothing of one that is taken out, whose coordinates are
NaN), energies, momenta. What asks for the coordinates of a whole run is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import groupby, takewhile
from typing import Any

import numpy as np

from particlemech.engine.internal import Internal
from particlemech.engine.recursive.compiled import tabulate
from particlemech.engine.recursive.equations import TreeSystem
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.result.base import chained
from particlemech.result.recursive import TreeResult
from particlemech.run.start import Start
from particlemech.run.trajectory import Course


def result(system: Any, start: Start, course: Course, provenance: Callable[[], Mapping[str, Any]]) -> TreeResult:
    """Return what a run in joint coordinates leaves behind."""
    changed = any(phase.system.mechanism.taken for phase in course.phases)
    return (PartedResult if changed else TreeResult)(system, start, course, provenance)


def unchanged(whole: TreeResult) -> TreeResult:
    """Return a run up to where events first lock joints or take them out."""
    kept = [*takewhile(lambda phase: not (phase.mode.held or phase.mode.gone), whole.phases)]
    course = Course(kept, whole.status, whole.message, whole.stats, whole.certificate)
    return TreeResult(whole.system, whole.start, course, whole._said) if len(kept) < len(whole.phases) else whole


def _joined(values: list[Any]) -> Any:
    """Return values of all parts as one: arrays, named tuples of arrays, or tables of them by name."""
    first = values[0]
    if isinstance(first, np.ndarray):
        return chained(values)
    if isinstance(first, dict):
        return {name: chained([of[name] for of in values]) for name in first}
    return type(first)(*(chained([*of]) for of in zip(*values, strict=True)))


class Joined:
    """A member of results, a method or not, that all parts have."""

    def __init__(self, method: bool = True) -> None:
        self.method = method

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, of: Any, owner: type | None = None) -> Any:
        """Return it, joined."""
        if of is None or not self.method:
            return self if of is None else _joined([getattr(part, self.name) for part in of._parts])
        return lambda *args, **given: _joined([getattr(part, self.name)(*args, **given) for part in of._parts])


class PartedResult(TreeResult):
    """The motion of a mechanism in space in which joints are taken out on the way."""

    _placed: Any = Joined()
    _section: Any = Joined()
    _side: Any = Joined()
    _centre: Any = Joined()
    _by_name: Any = Joined()
    orientation: Any = Joined()
    omega: Any = Joined()
    alpha: Any = Joined()
    place: Any = Joined()
    _modal: Any = Joined()
    _deflection: Any = Joined()
    rigid: Any = Joined()
    section_omega: Any = Joined()
    section_alpha: Any = Joined()
    transmitted: Any = Joined()
    reaction: Any = Joined()
    moment: Any = Joined()
    _efforts: Any = Joined()
    base: Any = Joined(method=False)
    kinetic: Any = Joined(method=False)
    potential: Any = Joined(method=False)
    potentials: Any = Joined(method=False)
    momentum: Any = Joined(method=False)
    centre: Any = Joined(method=False)
    slopes: Any = Joined(method=False)

    @cached_property
    def _parts(self) -> list[TreeResult]:
        """The stretches in which the same joints are there, with samples; one at least."""
        groups = [[*of] for _, of in groupby(self.phases, lambda phase: frozenset(phase.system.mechanism.taken))]
        some = [phases for phases in groups if any(len(phase.t) for phase in phases)] or groups[:1]
        return [self._part(phases) for phases in some]

    def _part(self, phases: list[Any]) -> TreeResult:
        """Return some phases as a result of their own, of the system in which nothing is held for a while."""
        one = phases[0].system
        system = TreeSystem(tabulate(one.mechanism.opened, one.compiled.topology)).rescaled(one.scale)
        return TreeResult(system, self.start, Course(phases, self.status, self.message, {}), self._said)

    @property
    def _sampled(self) -> Any:  # type: ignore[override]
        gone = next(iter(self.phases[-1].system.mechanism.taken))
        raise ModelError(
            f'joint "{gone}" is taken out in this run, and bodies have other coordinates then; ask this of a run that '
            "ends before, or of the mechanism without it"
        )

    def _state(self, k: int) -> Any:
        for part in self._parts:
            if k < len(part.t):
                return part._state(k)
            k -= len(part.t)
        raise IndexError(k)

    @property
    def _rubbing_loads(self) -> Array:
        return self._loaded_by([part._sampled.loads for part in self._parts], [part.system for part in self._parts])

    @property
    def stressed(self) -> tuple[str, ...]:
        """The joints that self-stresses load, at any sample."""
        return tuple(dict.fromkeys(name for part in self._parts for name in part.stressed))

    def effort(self, driver: str, undetermined: str = "nan") -> Array:
        """Return the moment or force of a driver, (K,), or that of a coupling; 0 once it is taken out."""
        known = [*self.mechanism.couplings, *self.mechanism.drivers]
        if driver not in known:
            raise ModelError(f'driver "{driver}" unknown{suggestion(driver, known)}')
        there = [driver in (*part.mechanism.couplings, *part.mechanism.drivers) for part in self._parts]
        pairs = zip(self._parts, there, strict=True)
        return chained([part.effort(driver, undetermined) if on else np.zeros(len(part.t)) for part, on in pairs])

    def _special(self, body: str) -> Array:
        return np.unique(np.concatenate([part._special(body) for part in self._parts]))

    def _carried(self, body: str, x: Array, undetermined: str) -> Internal:
        every = [part._carried(body, x, undetermined) for part in self._parts]
        found = [None if of[0] is None else chained([*of]) for of in zip(*(one[1:] for one in every), strict=True)]
        return Internal(x, *found)  # type: ignore[arg-type]  # only stresses may be missing
