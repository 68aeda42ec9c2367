"""Mechanism in space -> Result, with IDA."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from particlemech.engine.natural.equations import SpatialSystem
from particlemech.engine.natural.start import prepared
from particlemech.errors import ModelError
from particlemech.model.description import Run
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.natural import LoopResult
from particlemech.run import phases
from particlemech.run.events import Event
from particlemech.run.start import Start

# of rtol, for one step of IDA: linkages in space are let go and run on for many periods, and their steps lose energy
# always to the same side. With a tenth, as in the plane, an rtol of 1e-6 loses 1e-5 to 4e-5 of the energy (Bricard's
# mechanism in 10 s, Bennett's, a governor); with this less than 1e-6, for two to three times the steps.
MARGIN = 5e-4

RESULT = LoopResult  # what a run here returns


def made(mechanism: Mechanism, options: Run) -> tuple[SpatialSystem, Start]:
    """Return the system of a run and its start."""
    return prepared(mechanism, options.duration, options.cut)


def run(
    mechanism: Mechanism,
    options: Run,
    events: Mapping[str, Event],
    progress: Callable[[float], None] | None,
    provenance: Callable[[], Mapping[str, Any]],
    plan: phases.Plan,
) -> LoopResult:
    """Return the motion of a mechanism in space; `plan` gives times and start, or refuses them."""
    if options.integrator == "explicit":
        raise ModelError('integrator "explicit" cannot run mechanisms in space yet; use "ida"')
    system, begin = made(mechanism, options)
    begin, times = plan(system, begin)
    how = phases.Options(options.rtol, options.max_steps, events, progress, "auto", MARGIN)
    return LoopResult(system, begin, phases.implicitly(system, begin, times, how), provenance)
