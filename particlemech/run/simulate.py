"""The one verb: a mechanism in, its motion out."""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

import numpy as np

from particlemech.engine.plane import PlanarSystem, State
from particlemech.engine.system import Array, Instant
from particlemech.errors import ModelError, SimulationError
from particlemech.model.description import Description, Run
from particlemech.model.mechanism import Mechanism
from particlemech.model.signals import ending
from particlemech.model.spec import shown
from particlemech.result.base import Result
from particlemech.result.plane import PlanarResult
from particlemech.run import phases, switched
from particlemech.run.events import Event
from particlemech.run.options import check_formulation, check_options
from particlemech.run.preparing import PARTICLES, Staged, check_cut, finished, prepared, preparing, refused
from particlemech.run.start import Start
from particlemech.run.trajectory import Status

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism as Spatial
    from particlemech.result.natural import LoopResult
    from particlemech.result.recursive import TreeResult

MOST_MEMORY = 4 * 2**30  # bytes of samples


class Keywords(TypedDict, total=False):
    """What `simulate` takes besides the mechanism."""

    duration: float | None
    samples: int | None
    rtol: float | None
    formulation: str | None
    cut: tuple[str, ...] | None
    events: Mapping[str, Event | Callable[[float, Any], float]] | None
    throw: bool
    progress: Callable[[float], None] | None
    linear_solver: str
    integrator: str | None
    max_steps: int | None
    start: Result | phases.Moment | None


@overload
def simulate(mechanism: Mechanism, **keywords: Unpack[Keywords]) -> PlanarResult: ...


@overload
def simulate(mechanism: Spatial, **keywords: Unpack[Keywords]) -> TreeResult | LoopResult: ...


def simulate(
    mechanism: Mechanism | Spatial,
    *,
    duration: float | None = None,
    samples: int | None = None,
    rtol: float | None = None,
    formulation: str | None = None,
    cut: tuple[str, ...] | None = None,
    events: Mapping[str, Event | Callable[[float, Any], float]] | None = None,
    throw: bool = True,
    progress: Callable[[float], None] | None = None,
    linear_solver: str = "auto",
    integrator: str | None = None,
    max_steps: int | None = None,
    start: Result | phases.Moment | None = None,
) -> PlanarResult | TreeResult | LoopResult:
    """Return the motion of a mechanism.

    Parameters
    ----------
    mechanism
        What to simulate.
    duration, samples, rtol
        s, number of output times, relative tolerance; defaults are those of the model's [run].
    formulation
        Of a mechanism in the plane: "particles" (the default) or "absolute", the second opinion.
    cut
        Joints to cut, by name; in the plane (by IDA in formulation "particles") and in space.
    events
        Functions f(t, state) whose zeros are found, or Event(f, terminal=True, direction=1).
    throw
        Raise SimulationError, which carries the samples so far, when the run ends early.
    progress
        Called now and then with the present time.
    linear_solver
        "auto", "dense" or "sparse"; of IDA, in the plane.
    integrator
        "auto" (explicit steps wherever they are right, IDA for what is stiff or singular, and back again), "explicit"
        (compiled, 10 to 100 times faster than IDA; it stops and says so where a force is stiff or a pose singular) or
        "ida" (implicit, for all mechanisms); default that of the model's [run].
    max_steps
        Of the integrator, after which a run gives up; default that of the model's [run].
    start
        A result to go on from where it ended, or `result.at(t)` to go on from one of its samples: with its time, the
        turns of its springs and its work, for `duration` more. Loads, springs and drivers may have changed meanwhile.
        A rest position starts at rest, whatever the speeds of the model's [initial]: only drivers move.
        `first.joined(second)` makes one result of both.

    Returns
    -------
    Result
        What every run returns: the motion by name, reactions, energies, files; with more where bodies bend.

    Raises
    ------
    ModelError
        If the mechanism cannot start, or an option does not apply to its kind: none is ignored.
    SimulationError
        If the run ends early, unless `throw` is False.

    Examples
    --------
    >>> import particlemech as pm
    >>> result = pm.simulate(pm.models.load("pendulum"), duration=1.0, samples=11)
    >>> result["P"].shape
    (11, 2)
    """
    given = {"duration": duration, "samples": samples, "rtol": rtol, "cut": cut, "integrator": integrator}
    given["max_steps"] = max_steps
    if isinstance(mechanism, Description):
        mechanism.check_masses("simulate")
    wanted: Any = {} if events is None else events
    result: PlanarResult | TreeResult | LoopResult
    begun = _moment(start)
    if isinstance(mechanism, Mechanism):
        work = in_stages(mechanism, given, formulation or PARTICLES, wanted, progress, linear_solver, begun)
        result = finished(work)
    else:
        result = _in_space(mechanism, given, formulation, wanted, progress, linear_solver, begun)
    if throw and result.status is not Status.COMPLETED:
        raise SimulationError(result.message, result)
    return result


def in_stages(
    mechanism: Mechanism,
    given: Mapping[str, Any],
    formulation: str = "particles",
    events: Mapping[str, Event | Callable[[float, State], float]] | None = None,
    progress: Callable[[float], None] | None = None,
    linear_solver: str = "auto",
    begun: phases.Moment | None = None,
) -> Staged[PlanarResult]:
    """Simulate in stages; `given` are keys of [run], None for those of the model, the rest as in `simulate`."""
    if not isinstance(mechanism, Mechanism):
        raise ModelError(f"expected a planar mechanism, got {shown(mechanism)}; read one with load or models.load")
    options = mechanism.run_with({k: v for k, v in given.items() if v is not None})
    check_options(PARTICLES, given, options.integrator, formulation, linear_solver)
    plan = partial(_planned, options, begun)
    how = phases.Options(options.rtol, options.max_steps, _events(events), progress, linear_solver)
    check_cut(mechanism, options.cut)
    said = partial(provenance, mechanism, formulation, options)
    mechanism = _foreseen(mechanism, options, begun)
    integrator = options.integrator
    reason = refused(mechanism, formulation)
    if reason is not None and integrator == "explicit":
        raise ModelError(f'integrator "explicit" cannot run this: {reason}; use "auto" or "ida"')
    if mechanism.switching or mechanism.events or mechanism.sticking:
        by_ida = integrator == "ida" or reason is not None
        return switched.run(mechanism, options, formulation, how, plan, said, by_ida)
    if integrator == "ida" or reason is not None:
        system, begin = prepared(mechanism, formulation, options.cut, options.duration)
        begin, times = plan(system, begin)
        return PlanarResult(system, begin, phases.implicitly(system, begin, times, how), said)
    yield
    shared, begin = yield from preparing(mechanism, options.duration)
    begin, times = plan(shared, begin)
    yield
    if integrator == "explicit":
        course = phases.explicitly(shared, begin, times, how)
    else:
        course = phases.automatically(shared, begin, times, how, partial(_implicit, mechanism, options))
    yield
    return PlanarResult(shared, begin, course, said)


def _implicit(mechanism: Mechanism, options: Run) -> PlanarSystem:
    """Return what IDA integrates where explicit steps end: the system of the cut mechanism."""
    return prepared(mechanism, "particles", options.cut, options.duration)[0]


def _events(events: Mapping[str, Any] | None) -> dict[str, Event]:
    """Return what is looked for during a run."""
    if not isinstance(events or {}, Mapping):
        raise ModelError(f"events is a mapping of names to functions, got {events!r}")
    return {name: e if isinstance(e, Event) else Event(e) for name, e in (events or {}).items()}


RUNS = {  # engine in space -> where it is run
    "recursive": "particlemech.run.recursive",
    "natural": "particlemech.run.natural",
}


def _in_space(
    mechanism: Any,
    given: Mapping[str, Any],
    formulation: str | None,
    events: Mapping[str, Any],
    progress: Any,
    linear_solver: str,
    begun: phases.Moment | None,
) -> Any:
    """Return the motion of a tree, a mechanism in space or a flexible manipulator."""
    if not isinstance(mechanism, Description):
        raise ModelError(f"simulate takes a Mechanism, got {shown(mechanism)}; read one with load or models.load")
    check_formulation(mechanism.engine, formulation)
    engine = importlib.import_module(RUNS[formulation or mechanism.engine])
    options = mechanism.run_with({k: v for k, v in given.items() if v is not None})
    loops = bool(getattr(mechanism, "loops", ()))
    check_options(mechanism.engine, given, options.integrator, formulation, linear_solver, loops)
    said = partial(provenance, mechanism, formulation or mechanism.engine, options)
    mechanism = _foreseen(mechanism, options, begun)
    return engine.run(mechanism, options, _events(events), progress, said, partial(_planned, options, begun))


def _foreseen(mechanism: Any, options: Run, begun: phases.Moment | None) -> Any:
    """Return a mechanism whose own duration is that of the run, where controllers measure at their instants."""
    if not any(force.sampled for force in mechanism.forces.values()):
        return mechanism
    first = 0.0 if begun is None else begun.t
    return mechanism.replaced(run=replace(mechanism.run, duration=first + options.duration))


def _moment(start: Any) -> phases.Moment | None:
    """Return where to go on from: a moment of a run, or its last."""
    if start is None or isinstance(start, phases.Moment):
        return start
    if not isinstance(start, Result):
        raise ModelError(f"start is a Result to go on from, or result.at(t) for one of its samples, got {shown(start)}")
    return start.at()


def _planned(options: Run, begun: phases.Moment | None, system: Instant, begin: Start) -> tuple[Start, Array]:
    """Return where a run begins and the times of its samples, (K,), s; nothing is made of a size that is refused."""
    first = begun.t if begun is not None else 0.0
    _check_size(system, options, first)
    if begun is not None and system.mechanism.events and (said := begun.mode.said):
        raise ModelError(
            f"start: {said}, which a run from there on does not know; run longer at once, or give the mechanism as it "
            "is then, without events"
        )
    begin = phases.resumed(system, begun) if begun is not None else phases.begun(system, begin)
    return begin, first + np.linspace(0.0, options.duration, options.samples)


def _check_size(system: Instant, options: Run, first: float) -> None:
    """Raise where the signals end before the run, or the samples would not fit into memory."""
    if first + options.duration > system.until * (1.0 + 1e-12):
        raise ModelError(
            f"{ending(system.mechanism, system.until)} ends at {system.until:g} s, and the run lasts to "
            f"{first + options.duration:g} s; "
            'add points to the table, say extend = "hold" or "repeat", or shorten the run'
        )
    for name, event in system.mechanism.events.items():
        if options.duration > event.lasts(system.mechanism) * (1.0 + 1e-12):
            raise ModelError(
                f'event "{name}": its new signal lasts for {event.lasts(system.mechanism):g} s, the run for '
                f'{options.duration:g} s; add points to its table, say extend = "hold" or "repeat", or shorten the run'
            )
    if options.samples * system.n * 8 > MOST_MEMORY:
        size = options.samples * system.n * 8 / 2**30
        raise ModelError(f"{options.samples} samples of {system.n} unknowns need {size:.0f} GiB; ask for fewer samples")


def _said_in_full(mechanism: Description) -> str | None:
    """Return the model as the text of a file, or None where it holds Python functions."""
    from particlemech.model.toml import dumps

    try:
        return dumps(mechanism)
    except ModelError:
        return None


def provenance(mechanism: Description, formulation: str, options: Run) -> dict[str, Any]:
    """Return what identifies a run: version, model, options."""
    from particlemech import __version__

    return {
        "particlemech": __version__,
        "model": mechanism.name,
        # user functions have an address in their text, which changes from run to run
        "model_sha256": hashlib.sha256(re.sub(r" at 0x[0-9a-fA-F]+", "", repr(mechanism)).encode()).hexdigest(),
        "model_text": _said_in_full(mechanism),
        "kind": mechanism.kind,
        "formulation": formulation,
        "duration": options.duration,
        "samples": options.samples,
        "rtol": options.rtol,
        "integrator": options.integrator,
        "max_steps": options.max_steps,
        "cut": list(options.cut),
    }
