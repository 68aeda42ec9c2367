"""Tree -> Result, by the explicit road, by IDA, or by both one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from particlemech import explicit, integrate
from particlemech.description import Run
from particlemech.errors import ModelError
from particlemech.events import Event
from particlemech.initial import Start, accelerations
from particlemech.trajectory import HAND_OVER, Trajectory, joined
from particlemech.tree.equations import TreeSystem
from particlemech.tree.march import LOST
from particlemech.tree.mechanism import Mechanism
from particlemech.tree.result import Result
from particlemech.tree.start import prepared


def run(
    mechanism: Mechanism,
    options: Run,
    events: Mapping[str, Event],
    progress: Callable[[float], None] | None,
    provenance: Callable[[], Mapping[str, Any]],
    check: Callable[[TreeSystem, Run], None],
) -> Result:
    """Return the motion of a tree; `check` refuses what would be too much or too long, before anything is run."""
    system, begin = prepared(mechanism, options.duration)
    check(system, options)
    _check_inertia(system, begin)
    times = np.linspace(0.0, options.duration, options.samples)
    if options.integrator == "ida":
        trajectory = integrate.run(system, begin, times, options.rtol, "dense", events, progress)
        return Result(system, begin, trajectory, provenance)
    trajectory = explicit.run(system, begin, times, options.rtol, events, progress)
    if options.integrator == "auto" and trajectory.status in HAND_OVER:
        trajectory = _handed_over(system, trajectory, times, options.rtol, events, progress)
    return Result(system, begin, trajectory, provenance)


def _handed_over(
    system: TreeSystem, first: Trajectory, times: np.ndarray[Any, Any], rtol: float, events: Any, progress: Any
) -> Trajectory:
    """Go on with IDA where the explicit road ended; return the whole run."""
    assert first.safe is not None  # the explicit road always says where to go on
    t, y = first.safe
    lay = system.layout
    a, lam = accelerations(system, t, y[lay.q], y[lay.v], y[lay.x])
    here = Start(y[lay.q], y[lay.v], a, lam, y[lay.x], {})
    before = int(np.searchsorted(first.t, t, side="right"))
    rest = integrate.run(system, here, np.append(t, times[before:]), rtol, "dense", events, progress)
    return joined(first, first.y[:before], rest, t, lambda zero: zero)


def _check_inertia(system: TreeSystem, begin: Start) -> None:
    """Raise where a free motion meets no inertia, in this pose and in others."""
    y = np.concatenate([begin.q, begin.v, begin.x])
    least, _ = system.slopes(0.0, y)
    if least > LOST:
        return
    locked = system.locked(0.0, y)
    if locked is not None:
        raise ModelError(f"the start cannot be left: {locked}; take those, or start elsewhere")
    A, _ = system.dynamics(0.0, begin.q, begin.v, begin.x)
    _, vectors = np.linalg.eigh(A * np.outer(system.size_v, system.size_v))
    lost = system.compiled.coordinates[system.compiled.free[int(np.argmax(np.abs(vectors[:, 0])))]]
    child = system.mechanism.joints[lost.joint].child
    raise ModelError(
        f'joint "{lost.joint}": nothing resists its {lost.name}, for body "{child}" and all that hangs on it '
        "have no inertia there; give them some, or take a joint without this freedom"
    )
