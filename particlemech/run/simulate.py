"""The one verb: a mechanism in, its motion out."""

from __future__ import annotations

import hashlib
import importlib
import math
import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack, overload

import numpy as np

from particlemech.engine.plane import Assembled, PlanarInstant, PlanarSystem, Pose, State, standing
from particlemech.engine.system import Array, Instant, Row
from particlemech.errors import ModelError, SimulationError, suggestion
from particlemech.model.description import Description, Run
from particlemech.model.mechanism import Mechanism
from particlemech.model.spec import shown
from particlemech.result.base import Result
from particlemech.result.plane import PlanarResult
from particlemech.run import phases
from particlemech.run.assembly import followed
from particlemech.run.events import Event
from particlemech.run.jumps import struck_start
from particlemech.run.options import check_formulation, check_options
from particlemech.run.start import Start
from particlemech.run.start import start as started
from particlemech.run.trajectory import Status

if TYPE_CHECKING:
    from particlemech.engine.particles.explicit import SharedSystem
    from particlemech.model.space.mechanism import Mechanism as Spatial
    from particlemech.result.natural import LoopResult
    from particlemech.result.recursive import TreeResult

Done = TypeVar("Done")
# work that pauses between its stages: many variants are worked on in step, stage by stage, which is half the time of
# one after the other, because the processor finds the code of a stage in its caches
Staged = Generator[None, None, Done]

MOST_MEMORY = 4 * 2**30  # bytes of samples


def _particles(mechanism: Mechanism, cut: tuple[str, ...]) -> PlanarSystem:
    from particlemech.engine.particles.equations import system

    return system(mechanism, cut)


def _absolute(mechanism: Mechanism, cut: tuple[str, ...]) -> PlanarSystem:
    from particlemech.engine.absolute.equations import system

    return system(mechanism, cut)


PARTICLES = "particles"  # the engine of the plane, and the formulation that is its own
FORMULATIONS: dict[str, Callable[[Mechanism, tuple[str, ...]], PlanarSystem]] = {
    "particles": _particles,
    "absolute": _absolute,
}


def prepared(
    mechanism: Mechanism,
    formulation: str = "particles",
    cut: tuple[str, ...] | None = None,
    duration: float | None = None,
) -> tuple[PlanarSystem, Start]:
    """Return the system of a mechanism and its consistent start.

    Parameters
    ----------
    mechanism
        What the user said.
    formulation
        "particles" (after [A00]) or "absolute" (x, y, angle per body).
    cut
        Joints to cut, by name; default those of the model's [run].
    duration
        Of the run to come, s: the mechanism's own time is never longer.
    """
    check_formulation(PARTICLES, formulation)
    cut = mechanism.run.cut if cut is None else tuple(cut)
    _check_cut(mechanism, cut)
    build = FORMULATIONS[formulation]
    system = build(mechanism, cut)
    begin = started(system, mechanism, followed)
    home = begin.home
    if home is not None:
        found = _assembled(system, begin, home)
        system = build(counted_from(mechanism, home), cut)
        begin = started(system, mechanism, lambda _: found)
    begin = struck_start(system, begin)
    return system.retimed(time_scale(system, begin, duration or mechanism.run.duration), home), begin


def counted_from(mechanism: Mechanism, home: Pose) -> Mechanism:
    """Return the mechanism with free values of springs counted from its points, not from the drawing as assembled."""
    drawn = standing(mechanism, home)
    return mechanism.replaced(forces={name: force.counted(drawn) for name, force in mechanism.forces.items()})


def _assembled(system: PlanarInstant, begin: Start, home: Pose) -> Assembled:
    """Return the drawing as assembled, and where bodies are at the start of a system that counts from its points."""
    at = system.motion(begin.q[None], begin.v[None], begin.a[None], begin.x[None])
    return Assembled(home, Pose(at.com[0], at.angle[0]))


def _check_cut(mechanism: Mechanism, cut: tuple[str, ...]) -> None:
    """Raise where a joint to cut does not exist."""
    for name in cut:
        if name not in mechanism.joints:
            raise ModelError(f'cut: joint "{name}" unknown{suggestion(name, mechanism.joints)}')


def time_scale(system: PlanarInstant, begin: Start, duration: float) -> float:
    """Return T of a system, s, from the motion at its start."""
    motion = system.motion(begin.q[None], begin.v[None], begin.a[None], begin.x[None])
    rates = (motion.point_v, motion.com_v), (motion.point_a, motion.com_a)
    v, a = (max(float(np.abs(of).max(initial=0.0)) for of in pair) for pair in rates)
    return _time_scale(system, begin, v, a, duration)


def prepared_explicit(mechanism: Mechanism, duration: float | None = None) -> tuple[SharedSystem, Start]:
    """Return the explicit system of a mechanism and its consistent start; arguments as in `prepared`."""
    return finished(_preparing(mechanism, duration))


def _preparing(mechanism: Mechanism, duration: float | None) -> Staged[tuple[SharedSystem, Start]]:
    from particlemech.engine.particles.explicit import system as explicit_system

    system = explicit_system(mechanism)
    yield
    system.explicit_tables  # noqa: B018  # made here, a stage of its own
    yield
    begin = system.start(followed)
    yield
    home = begin.home
    if home is not None:
        found = _assembled(system, begin, home)
        system = explicit_system(counted_from(mechanism, home))
        begin = system.start(lambda _: found)
    begin = struck_start(system, begin)
    v, a = system.largest(np.stack([begin.v, begin.a]))
    return system.retimed(_time_scale(system, begin, v, a, duration or mechanism.run.duration), home), begin


def finished(work: Staged[Done]) -> Done:
    """Return what work in stages comes to."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            done: Done = end.value
            return done


def refused(mechanism: Mechanism, formulation: str) -> str | None:
    """Return why a mechanism cannot take explicit steps, or None."""
    if formulation != "particles":
        return f'it belongs to formulation "particles", not "{formulation}"'
    for name, force in mechanism.forces.items():
        if not force.in_file:
            return f'force "{name}" is a Python function, which compiled steps cannot call'
    for name in mechanism.bodies:
        if mechanism.inertia(name) == 0.0:
            return f'body "{name}" has no inertia, and accelerations are solved body by body'
    return None


def _time_scale(system: PlanarInstant, begin: Start, v: float, a: float, duration: float) -> float:
    """Return T = min(sqrt(L/a), L/v), v and a the largest at the start, never longer than the run; s.

    Where nothing moves yet, forces say how fast it would: those in the joints at the start and the largest that signals
    prescribe take part with the acceleration they would give to all mass.
    """
    L = system.scale.length
    forces = [abs(lam) / (L if row.angle else 1.0) for row, lam in _held(system, begin)]
    forces += [force.largest(duration, L) for force in system.mechanism.forces.values()]
    a = max(a, max(forces, default=0.0) / system.scale.mass)
    candidates = [duration]
    if v > 0.0:
        candidates.append(L / v)
    if a > 0.0:
        candidates.append(math.sqrt(L / a))
    return min(candidates) if len(candidates) > 1 else min(1.0, duration)


def _held(system: PlanarInstant, begin: Start) -> list[tuple[Row, float]]:
    """Return the rows with a multiplier, and its value at the start."""
    return [(row, float(begin.lam[row.lam])) for row in system.layout.rows if row.lam >= 0]


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
    mechanism = _foreseen(mechanism, given, begun)
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
    _check_cut(mechanism, options.cut)
    said = partial(provenance, mechanism, formulation, options)
    integrator = options.integrator
    reason = refused(mechanism, formulation)
    if reason is not None and integrator == "explicit":
        raise ModelError(f'integrator "explicit" cannot run this: {reason}; use "auto" or "ida"')
    if integrator == "ida" or reason is not None:
        system, begin = prepared(mechanism, formulation, options.cut, options.duration)
        begin, times = plan(system, begin)
        return PlanarResult(system, begin, phases.implicitly(system, begin, times, how), said)
    yield
    shared, begin = yield from _preparing(mechanism, options.duration)
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
    return engine.run(mechanism, options, _events(events), progress, said, partial(_planned, options, begun))


def _foreseen(mechanism: Any, given: Mapping[str, Any], begun: phases.Moment | None) -> Any:
    """Return a mechanism whose own duration is that of the run, where controllers measure at their instants."""
    if not isinstance(mechanism, Description) or not any(force.sampled for force in mechanism.forces.values()):
        return mechanism
    run = mechanism.run_with({k: v for k, v in given.items() if v is not None})
    first = 0.0 if begun is None else begun.t
    given["duration"] = run.duration  # type: ignore[index]
    return mechanism.replaced(run=replace(run, duration=first + run.duration))


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
    begin = phases.resumed(system, begun) if begun is not None else phases.begun(system, begin)
    return begin, first + np.linspace(0.0, options.duration, options.samples)


def _check_size(system: Instant, options: Run, first: float) -> None:
    """Raise where the signals end before the run, or the samples would not fit into memory."""
    if first + options.duration > system.until * (1.0 + 1e-12):
        raise ModelError(
            f"the run lasts to {first + options.duration:g} s but a table of a signal ends at {system.until:g} s; "
            'add points to the table, say extend = "hold" or "repeat", or shorten the run'
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
