"""The one verb: a mechanism in, its motion out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from particlemech import integrate
from particlemech.errors import ModelError, SimulationError, suggestion
from particlemech.initial import Start, start
from particlemech.integrate import Event, Status
from particlemech.mechanism import Mechanism, Run
from particlemech.result import Result
from particlemech.system import Array, Row, State, System

MOST_MEMORY = 4 * 2**30  # bytes of samples


def _particles(mechanism: Mechanism, cut: tuple[str, ...]) -> System:
    from particlemech.planar.equations import system

    return system(mechanism, cut)


def _absolute(mechanism: Mechanism, cut: tuple[str, ...]) -> System:
    from particlemech.absolute.equations import system

    return system(mechanism, cut)


FORMULATIONS: dict[str, Callable[[Mechanism, tuple[str, ...]], System]] = {
    "planar": _particles,
    "absolute": _absolute,
}


def prepared(
    mechanism: Mechanism,
    formulation: str = "planar",
    cut: tuple[str, ...] | None = None,
    duration: float | None = None,
) -> tuple[System, Start]:
    """Return the system of a mechanism and its consistent start.

    Parameters
    ----------
    mechanism
        What the user said.
    formulation
        "planar" (equivalent particles) or "absolute" (x, y, angle per body).
    cut
        Joints to cut, by name; default those of the model's [run].
    duration
        Of the run to come, s: the mechanism's own time is never longer.
    """
    if formulation not in FORMULATIONS:
        raise ModelError(f'formulation "{formulation}" unknown{suggestion(formulation, FORMULATIONS)}')
    cut = mechanism.run.cut if cut is None else tuple(cut)
    for name in cut:
        if name not in mechanism.joints:
            raise ModelError(f'cut: joint "{name}" unknown{suggestion(name, mechanism.joints)}')
    build = FORMULATIONS[formulation]
    system = build(mechanism, cut)
    begin = start(system, mechanism)
    turned = system.motion(begin.q[None], begin.v[None], begin.a[None], begin.x[None]).angle[0]
    if begin.moved:
        # assembly turned bodies: angles count from the start, and so do the free angles of springs
        by = dict(zip(system.layout.bodies, turned, strict=True))
        system = build(mechanism.replaced(forces={n: f.turned(by) for n, f in mechanism.forces.items()}), cut)
        begin = start(system, mechanism)
    return system.retimed(_time_scale(system, begin, duration or mechanism.run.duration), turned), begin


def _time_scale(system: System, begin: Start, duration: float) -> float:
    """Return T = min(sqrt(L/max|a0|), L/max|v0|), never longer than the run; s.

    Where nothing moves yet, forces say how fast it would: those in the joints at the start and the largest that signals
    prescribe take part with the acceleration they would give to all mass.
    """
    motion = system.motion(begin.q[None], begin.v[None], begin.a[None], begin.x[None])
    L = system.scale.length
    v = max(float(np.max(np.abs(m), initial=0.0)) for m in (motion.point_v, motion.com_v))
    a = max(float(np.max(np.abs(m), initial=0.0)) for m in (motion.point_a, motion.com_a))
    forces = [abs(lam) / (L if row.angle else 1.0) for row, lam in _held(system, begin)]
    forces += [force.largest(duration, L) for force in system.mechanism.forces.values()]
    a = max(a, max(forces, default=0.0) / system.scale.mass)
    candidates = [duration]
    if v > 0.0:
        candidates.append(L / v)
    if a > 0.0:
        candidates.append((L / a) ** 0.5)
    return min(candidates) if len(candidates) > 1 else min(1.0, duration)


def _held(system: System, begin: Start) -> list[tuple[Row, float]]:
    """Return the rows with a multiplier, and its value at the start."""
    return [(row, float(begin.lam[row.lam])) for row in system.layout.rows if row.lam >= 0]


def simulate(
    mechanism: Mechanism,
    *,
    duration: float | None = None,
    samples: int | None = None,
    rtol: float | None = None,
    formulation: str = "planar",
    cut: tuple[str, ...] | None = None,
    events: Mapping[str, Event | Callable[[float, State], float]] | None = None,
    throw: bool = True,
    progress: Callable[[float], None] | None = None,
    linear_solver: str = "auto",
) -> Result:
    """Return the motion of a mechanism.

    Parameters
    ----------
    mechanism
        What to simulate.
    duration, samples, rtol
        s, number of output times, relative tolerance; defaults are those of the model's [run].
    formulation
        "planar" (equivalent particles) or "absolute", the second opinion.
    cut
        Joints to cut, by name.
    events
        Functions f(t, state) whose zeros are found, or Event(f, terminal=True, direction=1).
    throw
        Raise SimulationError, which carries the samples so far, when the run ends early.
    progress
        Called now and then with the present time.
    linear_solver
        "auto", "dense" or "sparse".

    Returns
    -------
    Result

    Examples
    --------
    >>> import particlemech as pm
    >>> result = pm.simulate(pm.models.load("pendulum"), duration=1.0, samples=11)
    >>> result["P"].shape
    (11, 2)
    """
    if not isinstance(mechanism, Mechanism):
        raise ModelError(f"simulate takes a Mechanism, got {mechanism!r}; read one with load or models.load")
    if not isinstance(events or {}, Mapping):
        raise ModelError(f"events is a mapping of names to functions, got {events!r}")
    if linear_solver not in ("auto", "dense", "sparse"):
        raise ModelError(f"linear_solver must be auto, dense or sparse, got {linear_solver!r}")
    given = {"duration": duration, "samples": samples, "rtol": rtol, "cut": cut}
    options: Run = mechanism.replaced(run={k: v for k, v in given.items() if v is not None}).run
    system, begin = prepared(mechanism, formulation, options.cut, options.duration)
    if options.duration > system.until * (1.0 + 1e-12):
        raise ModelError(
            f"the run lasts {options.duration:g} s but a table of a signal ends at {system.until:g} s; "
            "add points to the table or shorten the run"
        )
    if options.samples * system.n * 8 > MOST_MEMORY:
        size = options.samples * system.n * 8 / 2**30
        raise ModelError(f"{options.samples} samples of {system.n} unknowns need {size:.0f} GiB; ask for fewer samples")
    wanted = {name: e if isinstance(e, Event) else Event(e) for name, e in (events or {}).items()}
    times: Array = np.linspace(0.0, options.duration, options.samples)
    trajectory = integrate.run(system, begin, times, options.rtol, linear_solver, wanted, progress)
    result = Result(system, begin, trajectory, provenance(mechanism, formulation, options))
    if throw and result.status is not Status.COMPLETED:
        raise SimulationError(result.message, result)
    return result


def provenance(mechanism: Mechanism, formulation: str, options: Run) -> dict[str, Any]:
    """Return what identifies a run: version, model, options."""
    from particlemech import __version__

    return {
        "particlemech": __version__,
        "model": mechanism.name,
        # user functions have an address in their text, which changes from run to run
        "model_sha256": hashlib.sha256(re.sub(r" at 0x[0-9a-fA-F]+", "", repr(mechanism)).encode()).hexdigest(),
        "formulation": formulation,
        "duration": options.duration,
        "samples": options.samples,
        "rtol": options.rtol,
        "integrator": options.integrator,
        "cut": list(options.cut),
    }
