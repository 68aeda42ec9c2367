"""Outcomes of many runs -> one labelled dataset: which names, times and shapes they share, and NaN where one ended."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import Description, Run
from particlemech.model.spec import shown
from particlemech.result.figures import figure
from particlemech.run.simulate import MOST_MEMORY as MOST_SAMPLES
from particlemech.run.simulate import provenance
from particlemech.view import units as units_of_views

if TYPE_CHECKING:
    import xarray

DIMS: dict[
    str, dict[str, tuple[str, ...]]
] = {  # world -> quantities of all points or bodies at once, and their dimensions
    "planar": {
        "position": ("time", "point", "axis"),
        "velocity": ("time", "point", "axis"),
        "angle": ("time", "body"),
        "omega": ("time", "body"),
    },
    "spatial": {
        "position": ("time", "point", "axis"),
        "velocity": ("time", "point", "axis"),
        "quaternion": ("time", "body", "component"),
        "omega": ("time", "body", "axis"),
    },
}
LABELS: dict[str, dict[str, tuple[str, ...]]] = {
    "planar": {"axis": tuple("xy")},
    "spatial": {"axis": tuple("xyz"), "component": tuple("wxyz")},
}
TAKEN = ("case", "time", "t", "point", "axis", "body", "component", "status", "message", "seconds")
ERROR = "error"  # status of a case that cannot start, or whose worker died again and again
MOST_MEMORY = 16 * 2**30  # bytes of a dataset

Case = Description | Mapping[str, Any]
Wanted = tuple[str, ...] | Callable[[Any], Mapping[str, Any]]


class Outcome(NamedTuple):
    """What is kept of one case."""

    status: str  # value of a Status, or "error"
    message: str
    seconds: float
    samples: int  # reached
    values: dict[str, Array]  # quantity -> (samples, ...) or of a shape of its own


@dataclass(frozen=True)
class Grid:
    """What the cases have in common, and what tells them apart; known before they run."""

    kind: str  # world of all
    labels: list[Any]
    names: dict[str, tuple[str, ...]]  # of points and bodies
    samples: int | None  # None where they differ
    durations: list[float]  # s, of each case; NaN where it cannot be known
    attrs: dict[str, Any]
    model: Description | None  # one of them: all are in its units, and have its columns

    @property
    def longest(self) -> float:
        """Largest duration, s; 1 where there is none."""
        return max((d for d in self.durations if d == d), default=1.0)

    @property
    def shared(self) -> bool:
        """Whether all cases have the same times."""
        return len({d for d in self.durations if d == d}) < 2

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a quantity by name for one case."""
        sizes = {"time": self.samples or 0, **{what: len(who) for what, who in self.names.items()}}
        sizes |= {what: len(who) for what, who in LABELS[self.kind].items()}
        return tuple(sizes[d] for d in self.dims(name))

    def dims(self, name: str) -> tuple[str, ...]:
        """Return the dimensions of a quantity by name for one case: those of a figure are none."""
        return DIMS[self.kind].get(name, () if figure(name).single else ("time",))


def grid(
    labels: list[Any], cases: Sequence[Case], of: Description | None, options: Mapping[str, Any], wanted: Wanted
) -> Grid:
    """Return what cases have in common; raise where the quantities wanted of them cannot stand in one array.

    Parameters
    ----------
    labels, cases, of
        As checked: mechanisms, or changes of `of`.
    options
        Keywords of `simulate` that hold for all cases.
    wanted
        Names of quantities, or a function of a Result.
    """
    parts = () if callable(wanted) else wanted
    world = kind_of(cases, of)
    kinds = {"point": "points", "body": "bodies"}
    names: dict[str, tuple[str, ...]] = {}
    for kind, section in kinds.items():
        each = [_names(case, of, section) for case in cases] or [tuple(getattr(of, section, ()))]
        names[kind] = each[0]
        used = [name for name in parts if kind in DIMS[world].get(name, ())]
        for label, other in zip(labels, each, strict=False):
            if used and other != each[0] and set(other) != set(each[0]):
                odd = ", ".join(sorted(set(other) ^ set(each[0])))
                raise ModelError(
                    f"case {shown(label)}: its {section} are not those of case {shown(labels[0])} ({odd}), so their "
                    f"{used[0]} cannot stand in one array; keep other quantities, such as columns that all have"
                )
    said = {k: v for k, v in options.items() if k in ("duration", "samples", "rtol", "cut")}
    made: dict[Run, Run] = {}
    runs = [_run(case, of, said, made) for case in cases]
    known = [run for run in runs if run is not None]
    counts = {run.samples for run in known}
    if len(counts) > 1 and parts:
        raise ModelError(f"the cases have {min(counts)} to {max(counts)} samples; say samples= for all of them")
    samples = counts.pop() if len(counts) == 1 else None if counts else (of.run.samples if of else 2)
    if samples is not None and 8 * samples > MOST_SAMPLES:  # not even the times of one case would do
        raise ModelError(f"{samples} samples of each case need {8 * samples / 2**30:.0f} GiB; ask for fewer samples")
    attrs, durations = attributes(cases, of, known, options), [np.nan if run is None else run.duration for run in runs]
    found = Grid(world, labels, names, samples, durations, attrs, _model(labels, cases, of))
    size = 8 * len(cases) * sum(int(np.prod(found.shape(name))) for name in parts)
    if size > MOST_MEMORY:
        raise ModelError(f"the dataset would need {size / 2**30:.0f} GiB; keep fewer quantities or samples")
    return found


def kind_of(cases: Sequence[Case], of: Description | None) -> str:
    """Return the world of cases, which is the same for all."""
    described = [one for one in (of, *cases) if isinstance(one, Description)]
    return described[0].kind if described else "planar"


def _model(labels: list[Any], cases: Sequence[Case], of: Description | None) -> Description | None:
    """Return the mechanism whose units all cases have, or say which has others."""
    first = of if of is not None else next((case for case in cases if isinstance(case, Description)), None)
    if first is not None:
        for label, case in zip(labels, cases, strict=True):
            units = case.units if isinstance(case, Description) else case.get("units", first.units)
            if units != first.units:
                raise ModelError(
                    f"case {shown(label)} is in units {shown(units)}, others in {shown(first.units)}, which cannot "
                    "stand in one array; write all of them in one system of units"
                )
    return first


def _names(case: Case, of: Description | None, section: str) -> tuple[str, ...]:
    """Return the names of a section of a case, without building it."""
    if of is None or isinstance(case, Description):
        return tuple(getattr(case, section))
    change = case.get(section)
    if not isinstance(change, Mapping) or all(isinstance(value, Mapping) for value in change.values()):
        return tuple(getattr(of, section))
    gone = {name for name, value in change.items() if value is None}
    new = [name for name, value in change.items() if value is not None and not isinstance(value, Mapping)]
    return tuple(name for name in dict.fromkeys([*getattr(of, section), *new]) if name not in gone)


def _run(case: Case, of: Description | None, said: dict[str, Any], made: dict[Run, Run]) -> Run | None:
    """Return the options of a case; None where they are wrong, which the case itself will tell."""
    if of is None or isinstance(case, Description):
        run = case.run  # type: ignore[union-attr]
    else:
        change = case.get("run", {})
        try:
            if isinstance(change, Mapping):
                change = dataclasses.replace(of.run, **change) if change else of.run
        except Exception:
            return None
        run = change
    if not isinstance(run, Run):
        return None
    found = made.get(run)
    if found is None:
        found = made[run] = dataclasses.replace(run, **said)
    return found


def attributes(
    cases: Sequence[Case], of: Description | None, runs: list[Run], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what identifies the runs: version, model, and the options that all share."""
    models = [of] if of is not None else [case for case in cases if isinstance(case, Description)]
    attrs: dict[str, Any] = {"cases": len(cases)}
    if models:
        first = provenance(models[0], options["formulation"], runs[0] if runs else models[0].run)
        attrs |= first | {"integrator": options.get("integrator", first["integrator"])}
        attrs["cut"] = ", ".join(first["cut"])
        for key in ("duration", "samples", "rtol", "cut"):
            if len({getattr(run, key) for run in runs}) > 1:
                del attrs[key]
        if len({model.name for model in models}) > 1:
            del attrs["model"]
        if of is None:
            del attrs["model_sha256"]
    return attrs


def need_xarray(verb: str) -> None:
    """Raise where datasets cannot be made."""
    try:
        import xarray  # noqa: F401
    except ImportError:
        raise ModelError(f'{verb} needs xarray; install it with: pip install "particlemech[many]"') from None


def labelled(variables: Mapping[str, Any], coords: Mapping[str, Any], attrs: Mapping[str, Any]) -> xarray.Dataset:
    """Return a dataset of variables and coordinates, (dims, values, attrs) each."""
    import xarray

    return xarray.Dataset(variables, coords, attrs)


# -- the dataset -------------------------------------------------------------------------------------------------


def dataset(grid: Grid, outcomes: Sequence[Outcome], wanted: Wanted) -> xarray.Dataset:
    """Return outcomes as one dataset; dimensions case, time, point, axis, body."""
    outcomes = list(outcomes)
    names = dict.fromkeys(name for outcome in outcomes for name in outcome.values) if callable(wanted) else wanted
    variables: dict[str, Any] = {}
    used = {"case"}
    for name in names:
        dims, array = _filled(grid, outcomes, name, callable(wanted))
        # a function may name its quantities as it likes, so only the library's own names have a unit
        units = {} if callable(wanted) else {"units": _unit(grid.model, name)}
        variables[name] = (("case", *dims), array, units)
        used |= set(dims)
    variables["status"] = ("case", np.array([o.status for o in outcomes], dtype=str))
    variables["message"] = ("case", np.array([o.message for o in outcomes], dtype=str))
    variables["seconds"] = ("case", np.array([o.seconds for o in outcomes], dtype=float), {"units": "s"})
    coords: dict[str, Any] = {"case": ("case", _label_array(grid.labels)), **_times(grid, used)}
    coords |= {kind: (kind, np.array(who, dtype=str)) for kind, who in grid.names.items() if kind in used}
    coords |= {what: (what, np.array(who)) for what, who in LABELS[grid.kind].items() if what in used}
    return labelled(variables, coords, grid.attrs)


def _times(grid: Grid, used: set[str]) -> dict[str, Any]:
    if "time" not in used or grid.samples is None:
        return {}
    if grid.shared:
        return {"time": ("time", np.linspace(0.0, grid.longest, grid.samples), {"units": "s"})}
    each = [np.linspace(0.0, duration, grid.samples) for duration in grid.durations]
    return {"t": (("case", "time"), np.array(each), {"units": "s"})}


def in_units(data: xarray.Dataset, units: Iterable[str]) -> xarray.Dataset:
    """Return a dataset in other units, such as ("mm", "deg"), and all that are made of them; see view/units.py."""
    wanted = units_of_views.Wanted(units)
    new = {}
    for name, of in data.variables.items():
        label = of.attrs.get("units", "")
        factor, unit = wanted.of_label(label)
        if unit != label:
            new[name] = (of.dims, of.values * factor, {**of.attrs, "units": unit})
    return data.assign_coords({n: of for n, of in new.items() if n in data.coords}).assign(
        {n: of for n, of in new.items() if n in data.data_vars}
    )


def _label_array(labels: list[Any]) -> Array:
    """Return labels as an array; texts and numbers together stay what they are."""
    if len({isinstance(label, str) for label in labels}) < 2:
        return np.array(labels) if labels else np.array([], dtype=int)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def _unit(model: Description | None, name: str) -> str:
    """Return the unit of a quantity by name; empty where there is no such quantity."""
    from particlemech.model import columns

    return "" if model is None else columns.unit_of(model, name if name in DIMS[model.kind] else figure(name).curve)


def _filled(grid: Grid, outcomes: list[Outcome], name: str, free: bool) -> tuple[tuple[str, ...], Array]:
    """Return dimensions and values of a quantity over all cases, NaN where a case has none.

    A quantity of a user's function runs along the samples if its first size is their number. A case whose shape does
    not fit is marked as failed.
    """
    found = [outcome for outcome in outcomes if name in outcome.values]
    if free:
        one = next((o for o in found if o.samples == grid.samples), found[0])
        shape, along = one.values[name].shape, grid.samples is not None and one.values[name].shape[:1] == (one.samples,)
        rest = shape[1:] if along else shape
        shape = (grid.samples or 0, *rest) if along else shape
        trail = (
            ("axis",) if rest == (len(LABELS[grid.kind]["axis"]),) else tuple(f"{name}_{i}" for i in range(len(rest)))
        )
        dims = (("time",) if along else ()) + trail
    else:
        shape, dims = grid.shape(name), grid.dims(name)
        along = "time" in dims
    whole = len(found) == len(outcomes) and all(o.values[name].shape == shape for o in found)
    kinds = [o.values[name].dtype for o in found] + ([] if whole and found else [np.dtype(float)])
    array = np.empty((len(outcomes), *shape), dtype=np.result_type(*kinds))
    if not whole:
        array.fill(np.nan)
    for k, outcome in enumerate(outcomes):
        value = outcome.values.pop(name, None)
        if value is None:
            continue
        if value.shape == shape:
            array[k] = value
        elif along and value.shape == (outcome.samples, *shape[1:]):
            array[k, : outcome.samples] = value
        else:
            message = f'quantity "{name}" has the shape {value.shape} here and {shape} in other cases'
            outcomes[k] = outcome._replace(status=ERROR, message=message)
    return dims, array
