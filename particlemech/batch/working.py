"""Work on many cases: what one of them is, how chunks of them go together, and who works on them.

case -> mechanism -> run -> what is kept of it; cases that differ in numbers only go together (together.py)
"""

from __future__ import annotations

import concurrent.futures as cf
import gc
import math
import os
import pickle
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from particlemech.batch import pools
from particlemech.batch.dataset import ERROR, Case, Outcome
from particlemech.batch.together import FEW, together
from particlemech.engine.system import Array
from particlemech.errors import ModelError, SimulationError
from particlemech.model.description import SHORTEST, Description
from particlemech.model.mechanism import Mechanism
from particlemech.model.spec import shown
from particlemech.run.preparing import PARTICLES, Staged, finished
from particlemech.run.simulate import in_stages, simulate
from particlemech.run.trajectory import Status

HERE = 1.0  # s that a call works alone before it starts processes: they need as long to start
THREADED = ("explicit",)  # integrators that leave the interpreter alone
COMPANY = 32  # cases in a chunk, if they go together
MOSTLY = 0.7  # of a case's time in compiled steps: then threads are as good as processes


class Asked(Protocol):
    """What is kept of each case."""

    @property
    def runs(self) -> bool:
        """Whether it takes a run."""

    @property
    def together(self) -> tuple[str, ...] | None:
        """Names of what is kept, where a batch may know them all."""

    @property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """Of points and bodies, in the order of the dataset."""

    def found(self, mechanism: Description, result: Any) -> Any:
        """Return what the quantities are of; `result` is that of the run of a case, if there is one."""

    def kept(self, found: Any) -> dict[str, Array]:
        """Return the quantities of a case."""

    def check(self, found: Any) -> None:
        """Raise where what is wanted is not there; `found` may be of a short run."""


@dataclass(frozen=True)
class Job:
    """What all cases share; it travels with every chunk."""

    of: Description | None
    given: dict[str, Any]  # keys of [run]
    formulation: str | None
    asked: Asked
    varied: tuple[str, ...] = ()  # parameters whose values the cases are; none: cases are changes or mechanisms

    def built(self, case: Any) -> Description:
        """Return the mechanism of a case."""
        if isinstance(case, Description) or self.of is None:
            return case
        if self.varied:
            return self.of.with_parameters(**dict(zip(self.varied, case, strict=True)))
        return self.of.replaced(**case)


# -- one case, one chunk -----------------------------------------------------------------------------------------


def _chunk(cases: Sequence[Case], job: Job) -> list[Outcome]:
    """Return the outcomes of some cases, in order; a case that fails says so in its own.

    Those that differ in numbers only go together, without the interpreter; all others one by one, in step.
    """
    collected = gc.isenabled()
    gc.disable()  # the small objects of a chunk live until its end: looking through them costs a tenth of the time
    try:
        outcomes = _together(cases, job)
        outcomes |= _in_step({k: _case(case, job) for k, case in enumerate(cases) if k not in outcomes})
        return [outcomes[k] for k in range(len(cases))]
    finally:
        if collected:
            gc.enable()


def _together(cases: Sequence[Case], job: Job) -> dict[int, Outcome]:
    planar, asked = isinstance(job.of or cases[0], Mechanism), job.asked
    if asked.together is None or not planar or job.formulation not in (None, PARTICLES):
        return {}
    return together(cases, job.of, job.given, asked.together, asked.names, job.varied)


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


def _one(case: Case, job: Job, watch: Callable[[float], None] | None = None) -> Outcome:
    began = time.perf_counter()
    return finished(_case(case, job, watch))._replace(seconds=time.perf_counter() - began)


def _case(case: Case, job: Job, watch: Callable[[float], None] | None = None) -> Staged[Outcome]:
    result = None
    try:
        mechanism = job.built(case)
        yield
        if job.asked.runs:
            result = yield from _run(mechanism, job, watch)
            yield
        values = job.asked.kept(job.asked.found(mechanism, result))
    except _Later:
        raise
    except Exception as error:
        told = isinstance(error, (ModelError, SimulationError))
        return Outcome(ERROR, str(error) if told else f"{type(error).__name__}: {error}", 0.0, 0, {})
    if result is None:
        return Outcome(Status.COMPLETED.value, Status.COMPLETED.value, 0.0, 0, values)
    return Outcome(result.status.value, result.message, 0.0, len(result.t), values)


def _run(
    mechanism: Description, job: Job, watch: Callable[[float], None] | None = None, changed: Any = None
) -> Staged[Any]:
    """Run a case: in the plane in stages, in space at once."""
    mechanism.check_masses("simulate")
    if isinstance(mechanism, Mechanism):
        given = job.given | (changed or {})
        return (yield from in_stages(mechanism, given, job.formulation or PARTICLES, progress=watch))
    keys = job.given | (changed or {}) | {"formulation": job.formulation, "progress": watch}
    return simulate(mechanism, throw=False, **keys)  # type: ignore[call-overload]


# -- all cases ---------------------------------------------------------------------------------------------------


NO_GUARD = (
    "processes were started that need functions of your script, and they run the script to find them; put "
    'its calls under `if __name__ == "__main__":`, or the functions into a module of their own, or say workers=1'
)


class _Later(Exception):
    """A case takes too long to go on with it here."""


class Teller:
    """Keeps outcomes as they arrive, and tells how far the work is.

    `keep` is called with the places of outcomes that have arrived together, as soon as they have; not with those of
    cases that were lost.
    """

    def __init__(
        self,
        outcomes: list[Outcome | None],
        progress: bool | Callable[[int, int], None],
        keep: Callable[[list[int]], None] | None = None,
    ) -> None:
        self.outcomes, self.done, self.keep = outcomes, 0, keep
        self.fresh: list[int] = []
        self.report = progress if callable(progress) else _bar if progress and sys.stderr.isatty() else None

    def arrived(self, k: int, outcome: Outcome) -> None:
        """Take the outcome of a case."""
        self.outcomes[k] = outcome
        if outcome.status == Status.INTERRUPTED.value:
            raise KeyboardInterrupt
        self.done += 1
        self.fresh.append(k)
        if self.report is not None:
            self.report(self.done, len(self.outcomes))

    def landed(self) -> None:
        """Keep what has arrived since the last time."""
        if self.keep is not None and self.fresh:
            self.keep(self.fresh)
        self.fresh = []

    def lost(self, k: int, reason: str) -> None:
        """Give a case up."""
        message = f"its worker died in {pools.TRIES} attempts, the last time with {reason}"
        self.arrived(k, Outcome(ERROR, message, math.nan, 0, {}))
        self.fresh.remove(k)


def _bar(done: int, total: int) -> None:
    filled = 40 * done // total
    end = "\n" if done == total else ""
    print(f"\r[{'#' * filled}{'.' * (40 - filled)}] {done}/{total} cases", end=end, file=sys.stderr, flush=True)


def probe(items: Sequence[Case], job: Job, longest: float) -> None:
    """Run the beginning of a case: kernels are compiled once and not by each worker, wrong names are found early.

    `longest` is the largest duration of the cases, s.
    """
    short = {"duration": max(SHORTEST, 1e-3 * longest), "samples": 2}
    for case in items[:3]:
        try:
            mechanism = job.built(case)
            result = finished(_run(mechanism, job, changed=short)) if job.asked.runs else None
            found = job.asked.found(mechanism, result)
        except Exception:  # the case itself will tell
            continue
        if result is not None and result.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        job.asked.check(found)
        return


def work(
    items: Sequence[Case],
    job: Job,
    labels: Sequence[Any],
    workers: int | None,
    executor: cf.Executor | None,
    tell: Teller,
) -> None:
    """Work on all cases: here, on threads, on processes or on an executor."""
    count = workers or getattr(executor, "_max_workers", None) or os.cpu_count() or 1
    trial = _together(items[:FEW], job)
    first, pace = 0, min((outcome.seconds for outcome in trial.values()), default=None)
    worker_pool: pools.Workers
    if executor is not None:
        worker_pool = pools.Given(executor, count)
    elif count == 1 or len(items) == 1:
        worker_pool = pools.Here()
    elif trial:  # most of its time needs no interpreter
        worker_pool = pools.Threads(min(count, math.ceil(len(items) / COMPANY)))
    elif job.asked.runs and job.given.get("integrator") in THREADED and _on_threads(items, job):
        worker_pool = pools.Threads(min(count, len(items)))
    else:
        main = _crosses(items, labels, job)
        if workers is None:
            first, pace = _beginning(items, job, tell)
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
        job,
        worker_pool,
        lambda k, outcome: tell.arrived(first + k, outcome),
        lost,
        pace,
        least,
        tell.landed,
    )


def _on_threads(items: Sequence[Case], job: Job) -> bool:
    """Return whether threads do: they start at once, but only compiled steps run beside each other.

    Where tables take longer than steps, processes are faster once their start does not count (seen: 10 000 four-bars of
    0.4 ms in steps and 1 ms around them, 500 a second on two threads, 1100 on two processes).
    """
    for case in items[:3]:
        began = time.perf_counter()
        try:
            result = finished(_run(job.built(case), job))
        except Exception:  # the case itself will tell
            continue
        taken = time.perf_counter() - began
        return result.stats["seconds"] > MOSTLY * taken or taken * len(items) < 4.0 * HERE
    return True


def _beginning(items: Sequence[Case], job: Job, tell: Teller) -> tuple[int, float | None]:
    """Work here as long as processes take to start; return how many cases are done and the seconds of each."""
    limit = time.perf_counter() + HERE
    pace = None

    def watch(_: float) -> None:
        if time.perf_counter() > limit:
            raise _Later

    for k, case in enumerate(items):
        try:
            outcome = _one(case, job, watch)
        except _Later:
            return k, pace
        tell.arrived(k, outcome)
        tell.landed()
        pace = outcome.seconds
    return len(items), pace


def _crosses(items: Sequence[Case], labels: Sequence[Any], job: Job) -> bool:
    """Return whether the cases need functions of the caller's script; raise where they cannot go to other processes."""
    cure = "define its functions at the top level of a module, or say workers=1"
    parts = {f"case {shown(label)}": item for label, item in zip(labels, items, strict=True)}
    main = False
    for what, part in {"of and quantities": job, **parts}.items():
        try:
            packed = pickle.dumps(part)
        except Exception as error:
            raise ModelError(f"{what} cannot be sent to other processes ({error}); {cure}") from None
        if pools.MAIN.encode() in packed:
            main = True
            if not hasattr(sys.modules[pools.MAIN], "__file__"):
                raise ModelError(f"{what} needs functions typed in by hand, which other processes do not have; {cure}")
    return main


def check_workers(workers: Any, executor: Any) -> None:
    """Raise where these are no workers."""
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise ModelError(f"workers must be a whole number, at least 1, got {shown(workers)}")
    if executor is not None and not isinstance(executor, cf.Executor):
        cure = "of a Dask client take client.get_executor()"
        raise ModelError(f"executor must be a concurrent.futures.Executor, got {shown(executor)}; {cure}")
