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
ENDS = (".effort", ".f", ".fx", ".fy")  # of curves that take the equilibrium of a motion


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
    from particlemech.batch.efforts import Efforts, offered, prepared
    from particlemech.batch.variants import voyages

    outcomes: dict[int, Outcome] = {}
    began = time.perf_counter()
    asked = any(name not in DIMS["planar"] and figure(name).curve.endswith(ENDS) for name in wanted)
    for which, found in voyages(cases, of, given, varied, prepared if asked else None):
        efforts = Efforts(found) if asked and offered(found.structure) else None
        readers = [read for name in wanted if (read := _reader(found, name, names, efforts)) is not None]
        if len(readers) < len(wanted):  # what needs more than the motion is seen by single runs
            return {}
        K, each = found.samples.shape[1], (time.perf_counter() - began) / len(which)
        right = [i for i in range(len(which)) if found.arrived[i] and _right(found, i)]
        rows = {i: [read(i) for read in readers] for i in right}  # one variant after the other: its efforts are kept
        whole = {i: row for i, row in rows.items() if all(value is not None for value in row)}
        curves = zip(wanted, zip(*whole.values(), strict=True), strict=False)
        values = {name: _valued(name, found.times, [*of]) for name, of in curves}
        for j, i in enumerate(whole):
            own = {name: of[j] for name, of in values.items()}
            outcomes[which[i]] = Outcome(Status.COMPLETED.value, Status.COMPLETED.value, each, K, own)
        began = time.perf_counter()
    return outcomes


def _right(found: Any, i: int) -> bool:
    """Return whether variant i passes its own certificate; who does not is told so by a single run."""
    measured, scale, work = found.measured(i)
    return fault(measured, scale, found.run.rtol, found.run.duration, work) is None


Reader = Callable[[int], Any]  # variant -> its curve, or None where a single run must tell


def _reader(found: Any, name: str, names: Mapping[str, tuple[str, ...]], efforts: Any) -> Reader | None:
    """Return what gives a quantity of variant i, or the curve of a figure; None where it costs more than a batch."""
    points, bodies = found.structure.points, found.structure.bodies
    if name in DIMS["planar"]:
        array: Array = getattr(found, name)
        own, wanted = (points, names["point"]) if "point" in DIMS["planar"][name] else (bodies, names["body"])
        every = array if own == wanted else array[:, :, [own.index(part) for part in wanted]]
        return lambda i: every[i]
    one = figure(name)
    if one.index is not None and not -found.samples.shape[1] <= one.index < found.samples.shape[1]:
        return None
    if one.curve == "energy_error":
        return lambda i: np.array(found.energy_error(i))
    return reader(found, one.curve, efforts)


def reader(found: Any, curve: str, efforts: Any) -> Reader | None:
    """Return what gives a curve of variant i by its name; None where it costs more than a batch."""
    every = _curves(found, curve)
    if every is None:
        of_effort: Reader | None = efforts.reader(curve) if efforts is not None else None
        return of_effort
    return lambda i: every[i]


class Read:
    """Curves of one variant by name, as `figures.Curves` has them for a result."""

    moves = True

    def __init__(self, t: Array, of: Mapping[str, Array]) -> None:
        self.t, self._of = t, of

    def __getitem__(self, name: str) -> Array:
        return self._of[name]


def beside(
    base: Any, variants: Sequence[Any], run: Any, steps: Sequence[Sequence[float]], wanted: Sequence[str]
) -> dict[int, Read]:
    """Return curves of variants of a mechanism on its own steps, by their place; all others are for single runs.

    Parameters
    ----------
    base, variants
        The mechanism and its variants.
    run
        Options of all of them; its tolerance is what steps may be off by.
    steps
        Those of the mechanism, leg by leg, as parts of each.
    wanted
        Names of the curves.
    """
    from particlemech.batch import variants as batch
    from particlemech.batch.efforts import Efforts, offered, prepared

    asked = any(name.endswith(ENDS) for name in wanted)
    every: dict[int, Read] = {}
    for which, found in batch.beside(base, variants, run, steps, prepared if asked else None):
        efforts = Efforts(found) if asked and offered(found.structure) else None
        readers = {name: read for name in wanted if (read := reader(found, name, efforts)) is not None}
        if len(readers) < len(wanted):
            break
        right = [i for i in range(len(which)) if found.arrived[i] and _right(found, i)]
        rows = {which[i]: {name: read(i) for name, read in readers.items()} for i in right}
        whole = {k: row for k, row in rows.items() if all(value is not None for value in row.values())}
        every |= {k: Read(found.times, row) for k, row in whole.items()}
    return every


def _valued(name: str, t: Array, curves: list[Array]) -> list[Array]:
    """Return a quantity of several variants, or a figure of their curves, as single runs give it."""
    one = None if name in DIMS["planar"] else figure(name)
    if one is not None and one.reduction:
        return [np.array(value) for value in reduced(one.reduction, t, np.array(curves))]
    return curves if one is None or one.index is None else [np.array(x[one.index]) for x in curves]


def _curves(found: Any, name: str) -> Any:
    """Return a curve of all variants, (N, K), or None where it is more than motion."""
    points, bodies = found.structure.points, found.structure.bodies
    owner, _, what = name.rpartition(".")
    if owner in points and what in ("x", "y", "vx", "vy"):
        array = found.velocity if what[0] == "v" else found.position
        return array[:, :, points.index(owner), "xy".index(what[-1])]
    if owner in points and what == "v":
        at = points.index(owner)
        return np.sqrt(np.sum(np.square([found.velocity[:, :, at, axis] for axis in (0, 1)]), axis=0))
    if owner in bodies and what in ("angle", "omega"):
        return getattr(found, what)[:, :, bodies.index(owner)]
    return None
