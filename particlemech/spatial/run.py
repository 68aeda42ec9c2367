"""Mechanism in space -> Result, with IDA."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from particlemech import integrate
from particlemech.description import Run
from particlemech.errors import ModelError
from particlemech.events import Event
from particlemech.spatial.equations import SpatialSystem
from particlemech.spatial.mechanism import Mechanism
from particlemech.spatial.result import Result
from particlemech.spatial.start import prepared


def run(
    mechanism: Mechanism,
    options: Run,
    events: Mapping[str, Event],
    progress: Callable[[float], None] | None,
    provenance: Callable[[], Mapping[str, Any]],
    check: Callable[[SpatialSystem, Run], None],
) -> Result:
    """Return the motion of a mechanism in space; `check` refuses what would be too much or too long."""
    if options.integrator == "explicit":
        raise ModelError('integrator "explicit" cannot run mechanisms in space yet; use "ida"')
    system, begin = prepared(mechanism, options.duration, options.cut)
    check(system, options)
    times = np.linspace(0.0, options.duration, options.samples)
    trajectory = integrate.run(system, begin, times, options.rtol, "auto", events, progress)
    return Result(system, begin, trajectory, provenance)
