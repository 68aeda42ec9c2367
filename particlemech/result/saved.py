"""Results read back from the files they were written to: the same numbers, to go on from, to look at, to compare."""

from __future__ import annotations

import base64
import importlib
import json
import math
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from particlemech.errors import ModelError
from particlemech.model.description import Description, Run
from particlemech.model.mechanism import Mechanism
from particlemech.model.toml import loads
from particlemech.result.base import Result
from particlemech.result.export import WRITERS, read_csv
from particlemech.result.plane import PlanarResult
from particlemech.run.phases import started
from particlemech.run.preparing import prepared, prepared_explicit, refused
from particlemech.run.simulate import RUNS
from particlemech.run.switched import prepared_worlds
from particlemech.run.trajectory import Certificate, Course, Phase, Status, Switch

NO_RUN = "none"  # the integrator of states that no run has made
OPTIONS = ("duration", "samples", "rtol", "integrator", "max_steps")
# what a result finds out by itself, or what belongs to the samples: the rest of a record says where it comes from
OF_THE_RESULT = (
    "status",
    "message",
    "reached",
    "closure",
    "stats",
    "certificate",
    "projected",
    "states",
    "phases",
    "switches",
)


def read_result(path: str | os.PathLike[str], mechanism: Description | None = None) -> Any:
    """Return the result of a run from a file that `run -o` or `to_csv` wrote.

    Parameters
    ----------
    path
        A file .csv, .npz or .json.
    mechanism
        What was simulated; needed only where it holds Python functions, which no file can keep.

    Returns
    -------
    PlanarResult
        With the samples of the run to the last bit, and what held when in a run with stops, contacts, sticking or
        events; zeros of events are not in files, `result.switches` is.

    Examples
    --------
    >>> import tempfile
    >>> import particlemech as pm
    >>> result = pm.simulate(pm.models.load("pendulum"), duration=0.5, samples=6)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.to_csv(folder + "/swing.csv")
    ...     again = pm.read_result(folder + "/swing.csv")
    >>> bool((again["P"] == result["P"]).all())
    True
    """
    record = _record(Path(path))
    if record.get("states") is None:
        raise ModelError(f'"{path}": holds columns but no states, as files of version 0.1.0 do; run the model again')
    mechanism = mechanism or _mechanism(record, path)
    if mechanism.massless:
        names = ", ".join(f'"{name}"' for name in mechanism.massless[:6])
        raise ModelError(
            f'"{path}": is a motion in which the masses of {names} are not known, and holds columns only; read it as a '
            "table, or give masses and ask for the motion again"
        )
    if record["integrator"] == NO_RUN:
        raise ModelError(
            f'"{path}": holds rest positions or small motions, whose columns any table reader reads; only runs and '
            "cycles become results again, so ask for these anew"
        )
    options = mechanism.run_with({key: record[key] for key in OPTIONS} | {"cut": tuple(record["cut"])})
    numbers = np.frombuffer(base64.b64decode(record["states"]), dtype="<f8")
    course = Course([], Status(record["status"]), str(record["message"]), dict(record["stats"]))
    if record["certificate"] is not None:
        course.certificate = Certificate(*(math.nan if c is None else float(c) for c in record["certificate"]))
    if record.get("phases") is None:
        system, kind = _system(mechanism, str(record["formulation"]), options, record["stats"].get("size"))
        none, samples = np.zeros(0), len(numbers) // (system.n + 1) - 1
        course.phases = [Phase(system, str(record["integrator"]), none, none, bool(record["projected"]), {})]
        counts = [samples]
    else:
        system, kind = _switched(mechanism, record, options, course)
        counts = [one["samples"] for one in record["phases"]]
        course.switches = tuple(Switch(*one) for one in record["switches"])
    first, numbers = numbers[: system.n + 1], numbers[system.n + 1 :]
    start = started(system, float(first[0]), first[1:].copy())
    for phase, count in zip(course.phases, counts, strict=True):
        table, numbers = np.split(numbers, [count * (phase.system.n + 1)])
        table = table.reshape(count, phase.system.n + 1)
        phase.t, phase.y = table[:, 0].copy(), table[:, 1:].copy()
    said = {key: value for key, value in record.items() if key not in OF_THE_RESULT}
    result: Result = kind(system, start, course, partial(dict, said))
    return result


def _switched(mechanism: Any, record: Mapping[str, Any], options: Run, course: Course) -> tuple[Any, Any]:
    """Return the system of a run whose mechanism changed, and the class of its results; fill in its phases."""
    formulation, kind = str(record["formulation"]), PlanarResult
    if isinstance(mechanism, Mechanism):
        by_ida = options.integrator == "ida" or refused(mechanism, formulation) is not None
        worlds, first, *_ = prepared_worlds(mechanism, options, formulation, by_ida)
    else:
        family = importlib.import_module(RUNS[formulation])
        begun, kind = family.made(mechanism.unchanged, options), family.RESULT
        worlds, first = family.changing(mechanism, options, *begun)
    course.phases = [worlds.phase(kept) for kept in record["phases"]]
    return worlds.followed(first, course), kind


def is_result(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one that was written for a result, not a table of a user's own."""
    path = Path(path)
    if path.suffix.lower() != ".csv":
        return path.suffix.lower() in WRITERS
    try:
        with path.open("rb") as file:
            return file.readline().startswith(b"# particlemech:")
    except OSError:
        return False  # who reads it says what is wrong


def _record(path: Path) -> Mapping[str, Any]:
    """Return what a file says of itself."""
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        raise ModelError(f'cannot read "{path}": its suffix must be one of {", ".join(WRITERS)}')
    try:
        if suffix == ".csv":
            record = read_csv(path)[1]
        elif suffix == ".npz":
            with np.load(path) as arrays:
                record = json.loads(str(arrays["provenance"]))
        else:
            record = json.loads(path.read_text(encoding="utf-8"))["provenance"]
    except OSError as error:
        raise ModelError(f'cannot read "{path}": {error.strerror or error}') from None
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f'cannot read "{path}": it is not a result of particlemech ({error})') from None
    return record


def _mechanism(record: Mapping[str, Any], path: Any) -> Description:
    if record.get("model_text") is None:
        raise ModelError(f'"{path}": its model holds Python functions; say read_result(path, mechanism=...)')
    return loads(record["model_text"])


def _system(mechanism: Description, formulation: str, options: Run, n: Any) -> tuple[Any, Any]:
    """Return the system whose states are in the file, n numbers each if known, and the class of its results."""
    if not isinstance(mechanism, Mechanism):
        family = importlib.import_module(RUNS.get(formulation, RUNS[mechanism.engine]))
        system = family.made(mechanism, options)[0]
        if n not in (None, system.n) and formulation == mechanism.engine:
            system = system.with_multipliers  # IDA made the run
        return system, family.RESULT
    if options.integrator == "ida" or refused(mechanism, formulation) is not None:
        return prepared(mechanism, formulation, options.cut, options.duration)[0], PlanarResult
    return prepared_explicit(mechanism, options.duration)[0], PlanarResult
