"""Many variants at once: mechanisms in, one labelled dataset out, whatever happens to single ones on the way."""

from __future__ import annotations

import concurrent.futures as cf
import gc
import math
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.batch import pools
from particlemech.batch.dataset import DIMS, ERROR, Case, Grid, Outcome, Wanted, dataset, grid, kind_of
from particlemech.batch.quantities import kept, quantity
from particlemech.batch.sweep import FEW, together
from particlemech.errors import ModelError, SimulationError
from particlemech.model.description import SHORTEST, Description, Run
from particlemech.model.mechanism import Mechanism
from particlemech.model.spec import shown
from particlemech.run.options import check_options
from particlemech.run.simulate import PARTICLES, Staged, finished, in_stages, simulate
from particlemech.run.trajectory import Status

if TYPE_CHECKING:
    import xarray

HERE = 1.0  # s that a call works alone before it starts processes: they need as long to start
THREADED = ("explicit",)  # integrators that leave the interpreter alone
COMPANY = 32  # cases in a chunk, if they go together
MOSTLY = 0.7  # of a case's time in compiled steps: then threads are as good as processes

Quantities = str | Sequence[str] | Callable[[Any], Mapping[str, Any]]


@dataclass(frozen=True)
class _Options:
    """What all cases share; it travels with every chunk."""

    of: Description | None
    given: dict[str, Any]  # keys of [run]
    formulation: str | None
    quantities: Wanted
    names: dict[str, tuple[str, ...]]  # of points and bodies, in the order of the dataset


# -- one case, one chunk -----------------------------------------------------------------------------------------


def _chunk(cases: Sequence[Case], options: _Options) -> list[Outcome]:
    """Return the outcomes of some cases, in order; a case that fails says so in its own.

    Those that differ in numbers only go together, without the interpreter; all others one by one, in step.
    """
    collected = gc.isenabled()
    gc.disable()  # the small objects of a chunk live until its end: looking through them costs a tenth of the time
    try:
        outcomes = _together(cases, options)
        outcomes |= _in_step({k: _case(case, options) for k, case in enumerate(cases) if k not in outcomes})
        return [outcomes[k] for k in range(len(cases))]
    finally:
        if collected:
            gc.enable()


def _together(cases: Sequence[Case], options: _Options) -> dict[int, Outcome]:
    planar = isinstance(options.of or cases[0], Mechanism)
    if callable(options.quantities) or not planar or options.formulation not in (None, PARTICLES):
        return {}
    return together(cases, options.of, options.given, options.quantities, options.names)


def _in_step(work: dict[int, Staged[Outcome]]) -> dict[int, Outcome]:
    """Return the outcomes of cases by their place, one stage of all after the other."""
    spent = dict.fromkeys(work, 0.0)
    outcomes: dict[int, Outcome] = {}
    while work:
        for k, stages in list(work.items()):
            began = time.perf_counter()
            try:
                next(stages)
            except StopIteration as end:
                outcomes[k] = end.value
                del work[k]
            spent[k] += time.perf_counter() - began
    return {k: outcome._replace(seconds=spent[k]) for k, outcome in outcomes.items()}


def _one(case: Case, options: _Options, watch: Callable[[float], None] | None = None) -> Outcome:
    began = time.perf_counter()
    return finished(_case(case, options, watch))._replace(seconds=time.perf_counter() - began)


def _case(case: Case, options: _Options, watch: Callable[[float], None] | None = None) -> Staged[Outcome]:
    try:
        mechanism = _built(case, options.of)
        yield
        result = yield from _run(mechanism, options, watch)
        yield
        values = kept(result, options.quantities, options.names)
    except _Later:
        raise
    except Exception as error:
        message = str(error) if isinstance(error, ModelError) else f"{type(error).__name__}: {error}"
        return Outcome(ERROR, message, 0.0, 0, {})
    return Outcome(result.status.value, result.message, 0.0, len(result.t), values)


def _run(
    mechanism: Description, options: _Options, watch: Callable[[float], None] | None = None, changed: Any = None
) -> Staged[Any]:
    """Run a case: in the plane in stages, in space at once."""
    mechanism.check_masses("simulate")
    if isinstance(mechanism, Mechanism):
        given = options.given | (changed or {})
        return (yield from in_stages(mechanism, given, options.formulation or PARTICLES, progress=watch))
    keys = options.given | (changed or {}) | {"formulation": options.formulation, "progress": watch}
    return simulate(mechanism, throw=False, **keys)  # type: ignore[call-overload]


def _built(case: Case, of: Description | None) -> Description:
    return case if isinstance(case, Description) or of is None else of.replaced(**case)  # type: ignore[return-value]


# -- all cases ---------------------------------------------------------------------------------------------------


def simulate_many(
    cases: Sequence[Case] | Mapping[Any, Case],
    *,
    of: Description | None = None,
    duration: float | None = None,
    samples: int | None = None,
    rtol: float | None = None,
    formulation: str | None = None,
    cut: tuple[str, ...] | None = None,
    integrator: str | None = None,
    quantities: Quantities | None = None,
    workers: int | None = None,
    executor: cf.Executor | None = None,
    progress: bool | Callable[[int, int], None] = False,
) -> xarray.Dataset:
    """Return the motions of many mechanisms as one labelled dataset; needs xarray.

    A case that fails takes no other with it: its status and message say why, and its missing samples are NaN. Each
    number is the same, to the last bit, as that of `simulate` with the same options.

    Parameters
    ----------
    cases
        Mechanisms, all in the plane or all in space; or, with `of`, mappings of changes as `Mechanism.replaced` takes
        them. A mapping of labels (texts or numbers) to cases labels them; else they are numbered from 0.
    of
        The mechanism that the cases change.
    duration, samples, rtol, formulation, cut, integrator
        As in `simulate`; they hold for all cases.
    quantities
        What to keep: any of "position", "velocity" (of all points), "omega" and, in the plane, "angle", in space,
        "quaternion" (of all bodies), which is the default, and names of result columns such as "B.ax"; or a function of
        a Result that returns a mapping of names to numbers or arrays.
    workers
        How many processes or threads; 1 stays in this one. By default as many as there are processors, if the cases
        take longer than these take to start. With an `executor`, how many workers it has. Cases that differ in numbers
        only and take explicit steps go together on threads, without the interpreter, if `quantities` are names of
        places, angles and their rates; other cases of integrator "explicit" have threads where most of the time goes
        into steps or the whole is short, all others processes.
    executor
        Whose workers to use: any `concurrent.futures.Executor`, for instance `client.get_executor()` of a Dask
        cluster. Cases whose worker dies are sent again.
    progress
        Called with the number of cases done and of all; True draws a bar where stderr is a terminal.

    Returns
    -------
    xarray.Dataset
        With position and velocity (case, time, point, axis), m and m/s, angle and omega (case, time, body), rad and
        rad/s, or the quantities asked for; status, message and seconds (case). Where durations differ, the times are
        in the coordinate t (case, time).

    Raises
    ------
    SimulationError
        When interrupted by Ctrl-C; its `result` is the dataset so far.

    Examples
    --------
    >>> import particlemech as pm
    >>> lengths = {f: {"points": {"P": (f, 0.0)}} for f in (0.5, 1.0, 1.5)}
    >>> found = pm.simulate_many(lengths, of=pm.models.load("pendulum"), duration=0.5, samples=6, workers=1)
    >>> found.angle.sel(case=1.5, body="rod").shape
    (6,)
    """
    if pools.starting() and executor is None:
        raise ModelError(NO_GUARD)
    _xarray()
    labels, items = _labelled(cases, of)
    given = {"duration": duration, "samples": samples, "rtol": rtol, "cut": cut, "integrator": integrator}
    said: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
    Run(**said)  # what is wrong for all is said once
    usual = (of.run if of is not None else Run()).integrator
    engine = next((one.engine for one in (of, *items) if isinstance(one, Description)), "particles")
    check_options(engine, said, said.get("integrator", usual), formulation)
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise ModelError(f"workers must be a whole number, at least 1, got {shown(workers)}")
    if executor is not None and not isinstance(executor, cf.Executor):
        raise ModelError(f"executor must be a concurrent.futures.Executor, got {shown(executor)}")
    wanted = _wanted(tuple(DIMS[kind_of(items, of)]) if quantities is None else quantities)
    common = grid(labels, items, of, said | {"formulation": formulation or engine}, wanted)
    options = _Options(of, said, formulation, wanted, common.names)
    outcomes: list[Outcome | None] = [None] * len(items)
    tell = _Teller(outcomes, progress)
    try:
        if items:
            _probe(items, options, common)
            _work(items, options, labels, workers, executor, tell)
    except KeyboardInterrupt:
        rest = Outcome(Status.INTERRUPTED.value, "not run: interrupted", math.nan, 0, {})
        data = dataset(common, [o or rest for o in outcomes], wanted)
        raise SimulationError(f"interrupted after {tell.done} of {len(items)} cases", data) from None
    return dataset(common, [o for o in outcomes if o is not None], wanted)


NO_GUARD = (
    "simulate_many started processes that need functions of your script, and they run the script to find them; put "
    'its calls under `if __name__ == "__main__":`, or the functions into a module of their own, or say workers=1'
)


class _Later(Exception):
    """A case takes too long to go on with it here."""


class _Teller:
    """Keeps outcomes as they arrive, and tells how far the work is."""

    def __init__(self, outcomes: list[Outcome | None], progress: bool | Callable[[int, int], None]) -> None:
        self.outcomes, self.done = outcomes, 0
        self.report = progress if callable(progress) else _bar if progress and sys.stderr.isatty() else None

    def arrived(self, k: int, outcome: Outcome) -> None:
        self.outcomes[k] = outcome
        if outcome.status == Status.INTERRUPTED.value:
            raise KeyboardInterrupt
        self.done += 1
        if self.report is not None:
            self.report(self.done, len(self.outcomes))

    def lost(self, k: int, reason: str) -> None:
        message = f"its worker died in {pools.TRIES} attempts, the last time with {reason}"
        self.arrived(k, Outcome(ERROR, message, math.nan, 0, {}))


def _bar(done: int, total: int) -> None:
    filled = 40 * done // total
    end = "\n" if done == total else ""
    print(f"\r[{'#' * filled}{'.' * (40 - filled)}] {done}/{total} cases", end=end, file=sys.stderr, flush=True)


def _probe(items: list[Case], options: _Options, common: Grid) -> None:
    """Run the beginning of a case: kernels are compiled once and not by each worker, wrong names are found early."""
    for case in items[:3]:
        short = {"duration": max(SHORTEST, 1e-3 * common.longest), "samples": 2}
        try:
            result = finished(_run(_built(case, options.of), options, changed=short))
            columns = cache(result.columns)
        except Exception:  # the case itself will tell
            continue
        if result.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        if not callable(options.quantities):
            for name in options.quantities:
                quantity(result, name, common.names, columns)
        return


def _work(
    items: list[Case],
    options: _Options,
    labels: list[Any],
    workers: int | None,
    executor: cf.Executor | None,
    tell: _Teller,
) -> None:
    """Work on all cases: here, on threads, on processes or on an executor."""
    count = workers or getattr(executor, "_max_workers", None) or os.cpu_count() or 1
    trial = _together(items[:FEW], options)
    first, pace = 0, min((outcome.seconds for outcome in trial.values()), default=None)
    worker_pool: pools.Workers
    if executor is not None:
        worker_pool = pools.Given(executor, count)
    elif count == 1 or len(items) == 1:
        worker_pool = pools.Here()
    elif trial:  # most of its time needs no interpreter
        worker_pool = pools.Threads(min(count, math.ceil(len(items) / COMPANY)))
    elif options.given.get("integrator") in THREADED and _on_threads(items, options):
        worker_pool = pools.Threads(min(count, len(items)))
    else:
        main = _crosses(items, labels, options)
        if workers is None:
            first, pace = _beginning(items, options, tell)
        if first == len(items):
            return
        worker_pool = pools.Processes(min(count, len(items) - first), main)
    begun = tell.done

    def lost(k: int, reason: str) -> None:
        if isinstance(worker_pool, pools.Processes) and worker_pool.main and tell.done == begun:
            raise ModelError(f"{NO_GUARD} ({reason})")
        tell.lost(first + k, reason)

    least = COMPANY if trial else 1
    pools.run(
        _chunk,
        items[first:],
        options,
        worker_pool,
        lambda k, outcome: tell.arrived(first + k, outcome),
        lost,
        pace,
        least,
    )


def _on_threads(items: list[Case], options: _Options) -> bool:
    """Return whether threads do: they start at once, but only compiled steps run beside each other.

    Where tables take longer than steps, processes are faster once their start does not count (seen: 10 000 four-bars of
    0.4 ms in steps and 1 ms around them, 500 a second on two threads, 1100 on two processes).
    """
    for case in items[:3]:
        began = time.perf_counter()
        try:
            result = finished(_run(_built(case, options.of), options))
        except Exception:  # the case itself will tell
            continue
        taken = time.perf_counter() - began
        return result.stats["seconds"] > MOSTLY * taken or taken * len(items) < 4.0 * HERE
    return True


def _beginning(items: list[Case], options: _Options, tell: _Teller) -> tuple[int, float | None]:
    """Work here as long as processes take to start; return how many cases are done and the seconds of each."""
    limit = time.perf_counter() + HERE
    pace = None

    def watch(_: float) -> None:
        if time.perf_counter() > limit:
            raise _Later

    for k, case in enumerate(items):
        try:
            outcome = _one(case, options, watch)
        except _Later:
            return k, pace
        tell.arrived(k, outcome)
        pace = outcome.seconds
    return len(items), pace


def _crosses(items: list[Case], labels: list[Any], options: _Options) -> bool:
    """Return whether the cases need functions of the caller's script; raise where they cannot go to other processes."""
    cure = "define its functions at the top level of a module, or say workers=1"
    parts = {f"case {shown(label)}": item for label, item in zip(labels, items, strict=True)}
    main = False
    for what, part in {"of and quantities": options, **parts}.items():
        try:
            packed = pickle.dumps(part)
        except Exception as error:
            raise ModelError(f"{what} cannot be sent to other processes ({error}); {cure}") from None
        if pools.MAIN.encode() in packed:
            main = True
            if not hasattr(sys.modules[pools.MAIN], "__file__"):
                raise ModelError(f"{what} needs functions typed in by hand, which other processes do not have; {cure}")
    return main


# -- what was asked for ------------------------------------------------------------------------------------------


def _xarray() -> Any:
    try:
        import xarray
    except ImportError:
        raise ModelError('simulate_many needs xarray; install it with: pip install "particlemech[many]"') from None
    return xarray


def _labelled(cases: Any, of: Description | None) -> tuple[list[Any], list[Case]]:
    """Return labels and cases, each checked for its type."""
    if isinstance(cases, (Description, str)) or not isinstance(cases, Iterable):
        raise ModelError(f"cases must be a list of cases or a mapping of labels to them, got {shown(cases)}")
    labelled = dict(cases) if isinstance(cases, Mapping) else dict(enumerate(cases))
    if of is not None and not isinstance(of, Description):
        raise ModelError(f"of must be a Mechanism, got {shown(of)}")
    kind, cure = (Description, "; or give of=") if of is None else (Mapping, ", as Mechanism.replaced takes them")
    for label, case in labelled.items():
        if isinstance(label, bool) or not isinstance(label, (str, int, float, np.number)):
            raise ModelError(f"labels of cases must be texts or numbers, got {shown(label)}")
        if not isinstance(case, kind):
            what = "a Mechanism" if of is None else "a mapping of changes"
            raise ModelError(f"case {shown(label)}: expected {what}, got {shown(case)}{cure}")
    worlds = {one.kind: label for label, one in labelled.items() if isinstance(one, Description)}
    if len(worlds) > 1:
        said = " and ".join(f"case {shown(label)} is {kind}" for kind, label in worlds.items())
        raise ModelError(f"{said}; one dataset has one kind: call simulate_many for each")
    return list(labelled), list(labelled.values())


def _wanted(quantities: Any) -> Wanted:
    if callable(quantities):
        return quantities
    wanted = (quantities,) if isinstance(quantities, str) else tuple(quantities)
    for name in wanted:
        if not isinstance(name, str):
            raise ModelError(f"quantities are names or one function, got {shown(name)}")
    return tuple(dict.fromkeys(wanted))
