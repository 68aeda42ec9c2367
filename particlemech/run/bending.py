"""Chain of bending bodies -> Result, by explicit steps, by IDA, or by both in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from particlemech.engine.bending.chains import chain
from particlemech.engine.bending.equations import FlexibleSystem, system
from particlemech.engine.bending.start import check_inertia, prepared
from particlemech.errors import ModelError
from particlemech.model.description import Run
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.bending import BendingResult
from particlemech.run import phases
from particlemech.run.events import Event
from particlemech.run.start import Start

RESULT = BendingResult  # what a run here returns


def made(mechanism: Mechanism, options: Run) -> tuple[FlexibleSystem, Start]:
    """Return the system of a run and its start."""
    return prepared(system(chain(mechanism), mechanism), options.duration)


def run(
    mechanism: Mechanism,
    options: Run,
    events: Mapping[str, Event],
    progress: Callable[[float], None] | None,
    provenance: Callable[[], Mapping[str, Any]],
    plan: phases.Plan,
) -> BendingResult:
    """Return the motion of a chain of bending bodies; `plan` gives times and start, or refuses them."""
    of_run, begin = made(mechanism, options)
    check_inertia(of_run, begin.q)
    begin, times = plan(of_run, begin)
    integrator, functions = options.integrator, of_run.compiled.functions
    if functions and integrator == "explicit":
        raise ModelError(
            f'integrator "explicit" cannot run this: force "{functions[0]}" is a Python function, which compiled '
            'steps cannot call; use "auto" or "ida"'
        )
    how = phases.Options(options.rtol, options.max_steps, events, progress, "dense")
    if integrator == "ida" or functions:
        course = phases.implicitly(of_run, begin, times, how)
    elif integrator == "explicit":
        course = phases.explicitly(of_run, begin, times, how)
    else:
        course = phases.automatically(of_run, begin, times, how, lambda: of_run)
    return BendingResult(of_run, begin, course, provenance)
