"""Sweeps: one mechanism, many values of its parameters, one dataset with the parameters as its coordinates."""

from __future__ import annotations

import concurrent.futures as cf
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.batch.asking import RUN, VERBS, Asking, asking, padded
from particlemech.batch.dataset import MOST_MEMORY, Outcome, attributes, in_units, labelled, need_xarray
from particlemech.batch.designs import Design, design
from particlemech.batch.parameters import needing
from particlemech.batch.store import Store, digest
from particlemech.batch.working import Job, Teller, check_workers, probe, work
from particlemech.errors import ModelError, SimulationError, suggestion
from particlemech.model.description import Description, Run
from particlemech.model.evaluation import units_of
from particlemech.model.quantity import Quantity
from particlemech.model.scope import Scope
from particlemech.model.spec import shown
from particlemech.run.options import check_options
from particlemech.run.simulate import provenance
from particlemech.run.trajectory import Status
from particlemech.view.units import Wanted

if TYPE_CHECKING:
    import xarray

OF_RUNS = ("duration", "samples", "rtol", "cut", "integrator")  # keywords of runs that are keys of [run]
ALONG = {"run": "time", "cycle": "sample", "modes": "mode", "equilibrium": "position"}  # dimension of a curve
APART = "_of_run"  # at the end of a dimension's name, where a parameter has the same

Quantities = str | Callable[[Any], Any] | Sequence[Any] | Mapping[str, Any]


def sweep(
    mechanism: Description,
    over: Mapping[Any, Any] | None = None,
    *,
    quantities: Quantities,
    what: str = RUN,
    options: Mapping[str, Any] | None = None,
    sampling: str = "grid",
    count: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    executor: cf.Executor | None = None,
    store: str | PathLike[str] | None = None,
    units: Iterable[str] = (),
    progress: bool | Callable[[int, int], None] = False,
    **parameters: Any,
) -> xarray.Dataset:
    """Return quantities of many variants of a mechanism as one dataset, with its parameters as coordinates.

    Parameters
    ----------
    mechanism
        With parameters.
    **parameters
        Values of each parameter that varies: a list or array of numbers in the units of the mechanism, texts such as
        "60 mm", or a range "30 mm : 80 mm : 50". Where the cases are a sample: (low, high), or None for the bounds of
        the parameter.
    over
        The same as a mapping, for names that are words of this function, and for parameters that go together in a grid:
        {("crank", "rod"): [(0.05, 0.2), (0.06, 0.25)]}.
    quantities
        Figures by name, such as "motor.effort.max" or "transmission.min" (grammar: result/figures.py); columns such as
        "B.x", which keep their curve; functions of what `what` gives, which return a number, an array or a mapping of
        names to these. One of them, a list, or a mapping of names to them.
    what
        Whose figures they are, where they do not say: "run", "cycle", "modes" or "equilibrium".
    options
        Keywords of the verb of `what`: those of `simulate` ({"duration": 1.0}), `cycle`, `modes` or `equilibrium`.
    sampling
        "grid" of all values with all others, "together" the first of all, the second of all and so on, "latin" or
        "sobol": `count` cases of a sample between bounds, from random numbers that begin with `seed`.
    workers, executor, progress
        As in `simulate_many`.
    store
        A folder that keeps what has been found: a sweep that was killed goes on where it was, with no number changed.
    units
        Of the dataset, such as ("mm", "deg"), as of `result.to`; default: those of the mechanism.

    Returns
    -------
    xarray.Dataset
        A dimension for each parameter (grid), or "case"; quantities by name with their units; `status` and `message` of
        each case. What a case does not have is NaN, and so is one number of a run that ended early.

    Raises
    ------
    ModelError
        If a parameter, a value or a figure is unknown, or the store is that of another sweep.
    SimulationError
        When interrupted by Ctrl-C; its `result` is the dataset so far.

    Examples
    --------
    >>> import particlemech as pm
    >>> found = pm.sweep(
    ...     pm.models.load("four_bar"), crank=["80 mm", "100 mm"], rocker=[0.28, 0.3, 0.32],
    ...     quantities=["B.x.max", "rocker.omega.rms"], options={"duration": 0.2, "samples": 21}, workers=1,
    ... )  # fmt: skip
    >>> found["B.x.max"].dims, set(found.status.values.ravel().tolist())
    (('crank', 'rocker'), {'completed'})
    """
    need_xarray("sweep")
    if not isinstance(mechanism, Description):
        raise ModelError(f"expected a mechanism, got {shown(mechanism)}; read one with load or models.load")
    check_workers(workers, executor)
    Wanted(units)
    asked, labels = asking(quantities, what, options)
    plan = design(mechanism, {**(over or {}), **parameters}, sampling, count, seed)
    _check_names(plan, [labels.get(name, name) for name in (f.text for f in asked.figures)])
    given, formulation = _options(mechanism, asked)
    _check_size(plan, asked, mechanism.run_with(given))
    job = Job(mechanism, given, formulation, asked, plan.names)
    outcomes: list[Outcome | None] = [None] * len(plan.table)
    kept = Store(store, _said(job, plan, labels)) if store is not None else None
    for k, outcome in kept.known().items() if kept is not None else ():
        outcomes[k] = outcome
    todo = [k for k, outcome in enumerate(outcomes) if outcome is None]
    ended = _worked(job, plan, todo, outcomes, kept, workers, executor, progress)
    rest = Outcome(Status.INTERRUPTED.value, "not run: interrupted", 0.0, 0, {})
    data = _dataset(job, plan, labels, [rest if o is None else o for o in outcomes])
    data = in_units(data, units)
    if not ended:
        done = sum(o is not None for o in outcomes)
        raise SimulationError(f"interrupted after {done} of {len(outcomes)} cases", data)
    return data


def _options(m: Description, asked: Asking) -> tuple[dict[str, Any], str | None]:
    """Return keys of [run] and the formulation of the runs, after all options are checked."""
    if asked.what != RUN:
        known = [name for name in inspect.signature(VERBS[asked.what]).parameters if name != "mechanism"]
        for name in asked.options:
            if name not in known:
                raise ModelError(f'options: {asked.what} has no keyword "{name}"{suggestion(name, known)}')
        return {}, None
    for name in asked.options:
        if name not in (*OF_RUNS, "formulation"):
            raise ModelError(f'options: a run has no keyword "{name}"{suggestion(name, (*OF_RUNS, "formulation"))}')
    given = {name: value for name, value in asked.options.items() if name != "formulation" and value is not None}
    formulation = asked.options.get("formulation")
    run: Run = m.run_with(given)
    check_options(m.engine, given, run.integrator, formulation, loops=bool(getattr(m, "loops", True)))
    return given, formulation


def _check_names(plan: Design, labels: Sequence[str]) -> None:
    """Raise where two things in the dataset would have one name."""
    for name in plan.names:
        if name in (*labels, "status", "message", "case"):
            raise ModelError(
                f'parameter "{name}": something else in the dataset has this name; call one of them otherwise'
            )


def _check_size(plan: Design, asked: Asking, run: Run) -> None:
    """Raise where the curves of all cases need more memory than there is."""
    curves = sum(not one.single for one in asked.figures if one.subject == RUN)
    size = 8 * len(plan.table) * run.samples * curves
    if size > MOST_MEMORY:
        raise ModelError(
            f"the curves of {len(plan.table)} cases would need {size / 2**30:.0f} GiB; ask for figures, such as "
            '"B.x.max", or for fewer samples'
        )


def _along(subject: str, plan: Design) -> str:
    """Return the name of the dimension of a curve."""
    return ALONG[subject] + (APART if ALONG[subject] in plan.names else "")


def _worked(
    job: Job,
    plan: Design,
    todo: list[int],
    outcomes: list[Outcome | None],
    kept: Store | None,
    workers: int | None,
    executor: cf.Executor | None,
    progress: bool | Callable[[int, int], None],
) -> bool:
    """Work on the cases that are to be done; return whether all of them are."""
    items: list[Any] = [tuple(row) for row in plan.table[todo].tolist()]
    found: list[Outcome | None] = [None] * len(items)
    before = len(outcomes) - len(todo)

    def keep(places: list[int]) -> None:
        for place in places:
            outcomes[todo[place]] = found[place]
        if kept is not None:
            kept.keep({todo[place]: outcome for place in places if (outcome := found[place]) is not None})

    def report(done: int, _: int) -> None:
        if callable(progress):
            progress(before + done, len(outcomes))

    tell = Teller(found, report if callable(progress) else progress, keep)
    try:
        if items:
            probe(items, job, job.of.run_with(job.given).duration if job.of is not None else 1.0)
            work(items, job, todo, workers, executor, tell)
    except KeyboardInterrupt:
        return False
    finally:
        tell.landed()
        for place, outcome in enumerate(found):
            outcomes[todo[place]] = outcome
    return True


# -- what the sweep is, for its store --------------------------------------------------------------------------------


def _said(job: Job, plan: Design, labels: Mapping[str, str]) -> dict[str, Any]:
    """Return what identifies a sweep, by the words of its user."""
    m: Any = job.of
    asked: Any = job.asked
    of = provenance(m, job.formulation or m.engine, m.run_with(job.given))
    return {
        "version": of["particlemech"],
        "model": [of["model"], of["model_sha256"][:16]],
        "parameters": list(plan.names),
        "values": [list(plan.shape), plan.sampling, digest(np.ascontiguousarray(plan.table).tobytes())],
        "quantities": [[one.text, one.subject] for one in asked.figures]
        + [[name, _code(function)] for name, function in asked.functions],
        "names of quantities": dict(labels),
        "what": asked.what,
        "options": {name: repr(value) for name, value in asked.options.items()},
    }


def _code(function: Any) -> str:
    """Return what tells a function from another of its name."""
    code = getattr(function, "__code__", None)
    return digest(code.co_code, code.co_consts, code.co_names) if code is not None else digest(repr(type(function)))


# -- the dataset -----------------------------------------------------------------------------------------------------


def _dataset(job: Job, plan: Design, labels: Mapping[str, str], outcomes: list[Outcome]) -> xarray.Dataset:
    """Return outcomes as one dataset."""
    from particlemech.model.columns import unit_of

    asked: Any = job.asked
    m: Any = job.of
    figures = {one.text: one for one in asked.figures}
    names = dict.fromkeys([*figures, *(name for outcome in outcomes for name in outcome.values)])
    variables: dict[str, Any] = {}
    for name in names:
        one, label = figures.get(name), labels.get(name, name)
        of_run = one is not None and one.subject == RUN
        array, shape = padded(outcomes, name, m.run_with(job.given).samples if of_run else 0)
        along = (
            (_along(one.subject, plan),)
            if one is not None and shape
            else tuple(f"{label}_{k}" for k in range(len(shape)))
        )
        attrs = {"units": unit_of(m, one.curve)} if one is not None else {}
        variables[label] = ((*plan.dims, *along), array.reshape(*plan.shape, *shape), attrs)
    variables["status"] = (plan.dims, np.array([o.status for o in outcomes], dtype=str).reshape(plan.shape))
    variables["message"] = (plan.dims, np.array([o.message for o in outcomes], dtype=str).reshape(plan.shape))
    units = units_of(m)
    coords: dict[str, Any] = {
        name: (dim, array, {"units": units[name], "long_name": m.parameters[name].about} if name in units else {})
        for name, (dim, array) in plan.coords.items()
    }
    if any(_along(RUN, plan) in dims[len(plan.dims) :] for dims, *_ in variables.values()):
        coords |= _times(job, plan)
    attrs = attributes(plan.table.tolist(), m, [m.run_with(job.given)], {"formulation": job.formulation or m.engine})
    return labelled(variables, coords, {**attrs, "what": asked.what, "sampling": plan.sampling})


def _times(job: Job, plan: Design) -> dict[str, Any]:
    """Return the times of the samples: one coordinate, or one for each case where parameters say how long it runs."""
    m: Any = job.of
    run, time = m.run_with(job.given), _along(RUN, plan)
    said = getattr(run.duration, "said", None) if isinstance(run.duration, Quantity) else None
    if said is None or not said.names & needing(m, plan.names):
        return {time: (time, np.linspace(0.0, run.duration, run.samples), {"units": "s"})}
    scopes = Scope(m.parameters, m.points, m.units)
    values = {
        name: (np.ascontiguousarray(plan.table[:, k]), scopes.parameter(name)[1]) for k, name in enumerate(plan.names)
    }
    durations = Scope(m.parameters, m.points, m.units, values).quantity(said, run.duration.wanted)[0]
    each = np.linspace(0.0, np.broadcast_to(durations, (len(plan.table),)), run.samples, axis=-1)
    return {"t": ((*plan.dims, time), each.reshape(*plan.shape, run.samples), {"units": "s"})}
