"""Cases that differ in numbers only, worked on together: groups of one structure, marched as a batch."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from particlemech.batch.dataset import DIMS, Case, Outcome
from particlemech.engine.system import Array
from particlemech.result.figures import figure, reduced
from particlemech.run.certificate import fault
from particlemech.run.trajectory import Status

FEW = 8  # cases: fewer do not go together


def together(
    cases: Sequence[Case],
    of: Any,
    given: Mapping[str, Any],
    wanted: tuple[str, ...],
    names: Mapping[str, tuple[str, ...]],
    varied: Sequence[str] = (),
) -> dict[int, Outcome]:
    """Return the outcomes of the cases that go in a batch, by their place; all others are for single runs.

    Parameters
    ----------
    cases, of
        Mechanisms, or changes of `of`.
    given
        Keys of [run] that hold for all.
    wanted
        Names of the quantities to keep.
    names
        Of points and bodies, in the order of the dataset.
    varied
        Parameters of `of` whose values the cases are, if they are none other.
    """
    if len(cases) < FEW:
        return {}
    from particlemech.batch.variants import voyages

    outcomes: dict[int, Outcome] = {}
    began = time.perf_counter()
    for which, found in voyages(cases, of, given, varied):
        readers = {name: _reader(found, name, names) for name in wanted}
        if None in readers.values():  # what needs more than the motion is seen by single runs
            return {}
        K, each = found.samples.shape[1], (time.perf_counter() - began) / len(which)
        for i, k in enumerate(which):
            if found.arrived[i] and _right(found, i):
                values = {name: read(i) for name, read in readers.items() if read is not None}
                outcomes[k] = Outcome(Status.COMPLETED.value, Status.COMPLETED.value, each, K, values)
        began = time.perf_counter()
    return outcomes


def _right(found: Any, i: int) -> bool:
    """Return whether variant i passes its own certificate; who does not is told so by a single run."""
    measured, scale, work = found.measured(i)
    return fault(measured, scale, found.run.rtol, found.run.duration, work) is None


Reader = Callable[[int], Array]  # variant -> its quantity


def _reader(found: Any, name: str, names: Mapping[str, tuple[str, ...]]) -> Reader | None:
    """Return what gives a quantity of variant i of a batch as single runs give it; None where it costs more."""
    points, bodies = found.structure.points, found.structure.bodies
    if name in DIMS["planar"]:
        array: Array = getattr(found, name)
        own, wanted = (points, names["point"]) if "point" in DIMS["planar"][name] else (bodies, names["body"])
        every = array if own == wanted else array[:, :, [own.index(part) for part in wanted]]
        return lambda i: every[i]
    one = figure(name)
    curves = _curves(found, one.curve)
    if curves is None:
        return None
    if one.reduction:
        t = found.times
        return lambda i: np.array(reduced(one.reduction, t, curves[i]))
    if one.index is None:
        return lambda i: curves[i]
    k = one.index
    return (lambda i: np.array(curves[i, k])) if -curves.shape[1] <= k < curves.shape[1] else None


def _curves(found: Any, name: str) -> Array | None:
    """Return a curve of all variants, (N, K), or None where it is more than motion."""
    points, bodies = found.structure.points, found.structure.bodies
    owner, _, what = name.rpartition(".")
    if owner in points and what in ("x", "y", "vx", "vy"):
        array = found.velocity if what[0] == "v" else found.position
        return np.asarray(array[:, :, points.index(owner), "xy".index(what[-1])])
    if owner in points and what == "v":
        at = points.index(owner)
        return np.sqrt(np.sum(np.square([found.velocity[:, :, at, axis] for axis in (0, 1)]), axis=0))
    if owner in bodies and what in ("angle", "omega"):
        return np.asarray(getattr(found, what)[:, :, bodies.index(owner)])
    return None
