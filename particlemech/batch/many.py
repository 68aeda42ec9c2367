"""Many variants at once: mechanisms in, one labelled dataset out, whatever happens to single ones on the way."""

from __future__ import annotations

import concurrent.futures as cf
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.batch import pools
from particlemech.batch.dataset import DIMS, Case, Outcome, Wanted, dataset, grid, kind_of, need_xarray
from particlemech.batch.quantities import OfRuns
from particlemech.batch.working import NO_GUARD, Job, Teller, check_workers, probe, work
from particlemech.errors import ModelError, SimulationError
from particlemech.model.description import Description, Run
from particlemech.model.spec import shown
from particlemech.result.figures import figure
from particlemech.run.options import check_options
from particlemech.run.trajectory import Status

if TYPE_CHECKING:
    import xarray

Quantities = str | Sequence[str] | Callable[[Any], Mapping[str, Any]]


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
        "quaternion" (of all bodies), which is the default, names of result columns such as "B.ax", and figures such as
        "motor.effort.max" (see result/figures.py); or a function of a Result that returns a mapping of names to numbers
        or arrays.
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
    need_xarray("simulate_many")
    labels, items = _labelled(cases, of)
    given = {"duration": duration, "samples": samples, "rtol": rtol, "cut": cut, "integrator": integrator}
    said: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
    Run(**said)  # what is wrong for all is said once
    usual = (of.run if of is not None else Run()).integrator
    engine = next((one.engine for one in (of, *items) if isinstance(one, Description)), "particles")
    check_options(engine, said, said.get("integrator", usual), formulation)
    check_workers(workers, executor)
    wanted = _wanted(tuple(DIMS[kind_of(items, of)]) if quantities is None else quantities)
    common = grid(labels, items, of, said | {"formulation": formulation or engine}, wanted)
    job = Job(of, said, formulation, OfRuns(wanted, common.names))
    outcomes: list[Outcome | None] = [None] * len(items)
    tell = Teller(outcomes, progress)
    try:
        if items:
            probe(items, job, common.longest)
            work(items, job, labels, workers, executor, tell)
    except KeyboardInterrupt:
        rest = Outcome(Status.INTERRUPTED.value, "not run: interrupted", math.nan, 0, {})
        data = dataset(common, [o or rest for o in outcomes], wanted)
        raise SimulationError(f"interrupted after {tell.done} of {len(items)} cases", data) from None
    return dataset(common, [o for o in outcomes if o is not None], wanted)


# -- what was asked for ------------------------------------------------------------------------------------------


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
        if figure(name).subject != "run":
            raise ModelError(
                f'quantity "{name}" is not of a run, which is all that is made here; sweep asks for others'
            )
    return tuple(dict.fromkeys(wanted))
