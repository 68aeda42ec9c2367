"""Mechanism in space -> Result in natural coordinates, with IDA: the second opinion.

Where bodies start is found by joint coordinates, once for both formulations; rows of natural ones check it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from particlemech.engine.natural.equations import SpatialSystem
from particlemech.engine.natural.equations import system as natural_system
from particlemech.engine.natural.start import Bodies, check_engine, started
from particlemech.engine.recursive.equations import system as recursive_system
from particlemech.engine.recursive.start import unstruck
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import Run
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.complementarity import judged
from particlemech.result.natural import LoopResult
from particlemech.result.state import State
from particlemech.run import eventful, phases
from particlemech.run.events import Event
from particlemech.run.start import Start

# of rtol, for one step of IDA: linkages in space are let go and run on for many periods, and their steps lose energy
# always to the same side. With a tenth, as in the plane, an rtol of 1e-6 loses 1e-5 to 4e-5 of the energy (Bricard's
# mechanism in 10 s, Bennett's, a governor); with this less than 1e-6, for two to three times the steps.
MARGIN = 5e-4

RESULT = LoopResult  # what a run here returns


def made(mechanism: Mechanism, options: Run) -> tuple[SpatialSystem, Start]:
    """Return the system of a run and its start."""
    check_engine(mechanism)
    for name in options.cut:
        if name not in mechanism.joints:
            raise ModelError(f'cut: joint "{name}" unknown{suggestion(name, mechanism.joints)}')
    at, moved = begun(mechanism)
    return started(natural_system(mechanism, options.cut), at, moved, options.duration)


def begun(mechanism: Mechanism) -> tuple[Bodies, dict[str, float]]:
    """Return where bodies start, before any impulse, and how far they were moved to close the drawing."""
    found = recursive_system(mechanism, ())
    y, moved = unstruck(found)
    seen = found.observed(np.zeros(1), y[None], np.zeros((1, len(found.compiled.coordinates))), told=False)
    return Bodies.of(State(seen), mechanism), moved


def run(
    mechanism: Mechanism,
    options: Run,
    events: Mapping[str, Event],
    progress: Callable[[float], None] | None,
    provenance: Callable[[], Mapping[str, Any]],
    plan: phases.Plan,
) -> LoopResult:
    """Return the motion of a mechanism in space; `plan` gives times and start, or refuses them."""
    whole, mechanism = mechanism, mechanism.unchanged
    system, begin = made(mechanism, options)
    begin, times = plan(system, begin)
    how = phases.Options(options.rtol, options.max_steps, events, progress, "auto", MARGIN)
    if not (whole.switching or whole.events or whole.sticking):
        return LoopResult(system, begin, phases.implicitly(system, begin, times, how), provenance)
    worlds, system = changing(whole, options, system, begin)
    system, begin, course = eventful.run(worlds, begin, times, how, system)
    return judged(LoopResult(system, begin, course, provenance), how.rtol)


def changing(
    mechanism: Mechanism, options: Run, first: SpatialSystem, begin: Start
) -> tuple[eventful.Worlds, SpatialSystem]:
    """Return the systems of a mechanism as it changes, and that in which all is open."""
    builds = {True: lambda m: natural_system(m, options.cut).retimed(first.scale.time)}
    return eventful.Worlds(mechanism, builds), first
