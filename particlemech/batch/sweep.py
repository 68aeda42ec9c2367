"""Cases that differ in numbers only, worked on together: groups of one structure, marched as a batch."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from particlemech.batch.dataset import DIMS, Case, Outcome
from particlemech.engine.system import Array
from particlemech.run.certificate import fault
from particlemech.run.trajectory import Status

FEW = 8  # cases: fewer do not go together


def together(
    cases: Sequence[Case],
    of: Any,
    given: Mapping[str, Any],
    wanted: tuple[str, ...],
    names: Mapping[str, tuple[str, ...]],
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
    """
    if len(cases) < FEW:
        return {}
    from particlemech.batch.variants import voyages

    outcomes: dict[int, Outcome] = {}
    began = time.perf_counter()
    for which, found in voyages(cases, of, given):
        arrays = {name: _quantity(found, name, names) for name in wanted}
        kept = {name: array for name, array in arrays.items() if array is not None}
        if len(kept) < len(arrays):  # what needs accelerations is seen by single runs
            return {}
        K, each = found.samples.shape[1], (time.perf_counter() - began) / len(which)
        for i, k in enumerate(which):
            if found.arrived[i] and _right(found, i):
                values = {name: array[i] for name, array in kept.items()}
                outcomes[k] = Outcome(Status.COMPLETED.value, Status.COMPLETED.value, each, K, values)
        began = time.perf_counter()
    return outcomes


def _right(found: Any, i: int) -> bool:
    """Return whether variant i passes its own certificate; who does not is told so by a single run."""
    measured, scale, work = found.measured(i)
    return fault(measured, scale, found.run.rtol, found.run.duration, work) is None


def _quantity(found: Any, name: str, names: Mapping[str, tuple[str, ...]]) -> Array | None:
    """Return a quantity of all variants of a batch, (N, K, ...), as single runs give it; None where it costs more."""
    points, bodies = found.structure.points, found.structure.bodies
    array: Array
    if name in DIMS["planar"]:
        array = getattr(found, name)
        own, wanted = (points, names["point"]) if "point" in DIMS["planar"][name] else (bodies, names["body"])
        return array if own == wanted else array[:, :, [own.index(part) for part in wanted]]
    owner, _, what = name.rpartition(".")
    if owner in points and what in ("x", "y", "vx", "vy"):
        array = found.velocity if what[0] == "v" else found.position
        return array[:, :, points.index(owner), "xy".index(what[-1])]
    if owner in bodies and what in ("angle", "omega"):
        array = getattr(found, what)
        return array[:, :, bodies.index(owner)]
    return None
