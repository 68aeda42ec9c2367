"""Flexible manipulator -> Result, by the explicit road, by IDA, or by both one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from particlemech import explicit, integrate
from particlemech.description import Run
from particlemech.errors import ModelError
from particlemech.events import Event
from particlemech.flexible.chains import chain
from particlemech.flexible.equations import FlexibleSystem, system
from particlemech.flexible.mechanism import Mechanism
from particlemech.flexible.result import Result
from particlemech.flexible.start import check_inertia, prepared
from particlemech.initial import Start, accelerations
from particlemech.system import Array
from particlemech.trajectory import HAND_OVER, Trajectory, joined


def run(
    mechanism: Mechanism,
    options: Run,
    events: Mapping[str, Event],
    progress: Callable[[float], None] | None,
    provenance: Callable[[], Mapping[str, Any]],
    check: Callable[[FlexibleSystem, Run], None],
) -> Result:
    """Return the motion of a flexible manipulator; `check` refuses what would be too much or too long."""
    made, begin = prepared(system(chain(mechanism), mechanism), options.duration)
    check(made, options)
    check_inertia(made, begin.q)
    times = np.linspace(0.0, options.duration, options.samples)
    road, controllers = options.integrator, made.compiled.controllers
    if controllers and road == "explicit":
        raise ModelError(
            f'integrator "explicit" cannot run this: force "{controllers[0][1]}" is a Python function, which compiled '
            'steps cannot call; use "auto" or "ida"'
        )
    if road == "ida" or controllers:
        trajectory = integrate.run(made, begin, times, options.rtol, "dense", events, progress)
        return Result(made, begin, trajectory, provenance)
    trajectory = explicit.run(made, begin, times, options.rtol, events, progress)
    if road == "auto" and trajectory.status in HAND_OVER:
        trajectory = _handed_over(made, trajectory, times, options.rtol, events, progress)
    return Result(made, begin, trajectory, provenance)


def _handed_over(
    made: FlexibleSystem, first: Trajectory, times: Array, rtol: float, events: Any, progress: Any
) -> Trajectory:
    """Go on with IDA where the explicit road ended; return the whole run."""
    assert first.safe is not None  # the explicit road always says where to go on
    t, y = first.safe
    lay = made.layout
    a, lam = accelerations(made, t, y[lay.q], y[lay.v], y[lay.x])
    here = Start(y[lay.q], y[lay.v], a, lam, y[lay.x], {})
    before = int(np.searchsorted(first.t, t, side="right"))
    rest = integrate.run(made, here, np.append(t, times[before:]), rtol, "dense", events, progress)
    return joined(first, first.y[:before], rest, t, lambda zero: zero)
