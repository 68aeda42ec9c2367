"""Runs of variants on the steps of one of them: their results are smooth functions of all numbers; see run/paces.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from particlemech.batch.asking import RUN
from particlemech.batch.together import beside
from particlemech.design.asking import Asked, Values
from particlemech.errors import ModelError, SimulationError
from particlemech.model.description import Description, Run
from particlemech.model.signals import ending
from particlemech.result.plane import PlanarResult
from particlemech.run import explicit, paces, phases
from particlemech.run.events import Event
from particlemech.run.preparing import prepared_explicit, refused
from particlemech.run.simulate import provenance
from particlemech.run.trajectory import Status

EXPLICIT = ("auto", "explicit")  # integrators that take explicit steps where they can


class Steps:
    """The steps of a run, and runs of variants on them.

    Parameters
    ----------
    mechanism
        Whose steps they are.
    given
        Keys of [run] that hold for all variants; the others are those of each.
    events
        As `simulate` takes them.

    Attributes
    ----------
    result
        The run; None where explicit steps do not reach its end, `why` says what is in their way.
    """

    def __init__(self, mechanism: Description, given: Mapping[str, Any], events: Mapping[str, Any] | None) -> None:
        self.mechanism, self.given, options = mechanism, dict(given), mechanism.run_with(given)
        self.rtol = options.rtol
        self.events = {name: one if isinstance(one, Event) else Event(one) for name, one in (events or {}).items()}
        self.legs: list[list[float]] = []
        self.result, self.why = None, _refused(mechanism, options)
        if self.why:
            return
        found = self._run(mechanism, self.rtol, lambda march: paces.Noted(march, self.legs))
        if found.status is Status.COMPLETED:
            self.result = found
        else:
            self.why = found.message

    @property
    def count(self) -> int:
        """How many steps there are."""
        return sum(len(leg) - 1 for leg in self.legs)

    def run(self, variant: Description) -> Any:
        """Return the run of a variant on these steps.

        Raises
        ------
        SimulationError
            If they are too long for it.
        """
        found = self._run(variant, self.rtol * paces.LOOSE, lambda march: paces.Frozen(march, self.legs))
        if found.status is not Status.COMPLETED:
            raise SimulationError(found.message, found)
        return found

    def together(self, asked: Asked, variants: Sequence[Description]) -> dict[int, Values]:
        """Return the quantities of those variants that go in a batch on these steps, by their place."""
        curves, base = asked.curves, self.mechanism
        if self.result is None or self.events or curves is None or base.engine != "particles" or "cut" in self.given:
            return {}
        run = base.run_with({**self.given, "rtol": self.rtol * paces.LOOSE})
        return {k: asked.figured({RUN: one}) for k, one in beside(base, variants, run, self.legs, curves).items()}

    def _run(self, mechanism: Description, rtol: float, pace: explicit.Pace) -> Any:
        options = mechanism.run_with(self.given)
        how = phases.Options(rtol, options.max_steps, self.events, pace=pace)
        return MADE[mechanism.engine](mechanism, options, how)


def _times(system: Any, options: Run) -> Any:
    if options.duration > system.until * (1.0 + 1e-12):
        what = ending(system.mechanism, system.until)
        raise ModelError(f"{what} ends at {system.until:g} s, and the run lasts to {options.duration:g} s")
    return np.linspace(0.0, options.duration, options.samples)


def _in_plane(mechanism: Any, options: Run, how: phases.Options) -> Any:
    system, begin = prepared_explicit(mechanism, options.duration)
    course = phases.explicitly(system, begin, _times(system, options), how)
    return PlanarResult(system, begin, course, partial(provenance, mechanism, "particles", options))


def _in_space(mechanism: Any, options: Run, how: phases.Options) -> Any:
    from particlemech.run import recursive

    system, begin = recursive.made(mechanism, options)
    course = phases.explicitly(system, begin, _times(system, options), how)
    return recursive.RESULT(system, begin, course, partial(provenance, mechanism, "recursive", options)).judged()


MADE: dict[str, Callable[[Any, Run, phases.Options], Any]] = {"particles": _in_plane, "recursive": _in_space}


def _refused(mechanism: Any, options: Run) -> str:
    """Return why a mechanism takes no explicit steps, or nothing."""
    if options.integrator not in EXPLICIT:
        return f'integrator "{options.integrator}" chooses its own steps'
    if mechanism.sticking:
        return f'joint "{mechanism.sticking[0]}" sticks and slips at times of its own'
    if mechanism.switching or mechanism.events:
        return "stops, contacts and events act at times of their own"
    if mechanism.kind == "planar":
        return refused(mechanism, "particles") or ""
    custom = next((name for name, force in mechanism.forces.items() if not force.in_file), None)
    return f'force "{custom}" is a Python function, which compiled steps cannot call' if custom else ""
