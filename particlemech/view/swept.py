"""The page of a sweep: curves over one parameter, maps over two, and the variant of the case under the pointer.

It takes plain columns and mechanisms; what a sweep is, batches know. Mechanisms are shown as they are drawn, bodies as
lines through their points, in space seen from a corner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import GROUND, Description
from particlemech.view.page import asset, document, scripts

SCRIPTS = ("numbers", "sweep")
MOST = 10_000  # cases of a page
CORNER = np.array([[0.866, -0.5], [-0.866, -0.5], [0.0, 1.0]])  # the plane in which a drawing in space is seen
DIGITS = 5


class Axis(NamedTuple):
    """A parameter that varies."""

    name: str
    unit: str
    about: str
    dim: str
    values: Array  # along its dimension


class Shown(NamedTuple):
    """A quantity of every case."""

    name: str
    unit: str
    values: Array  # (N,)


def page(
    m: Description,
    parameters: Sequence[Axis],
    quantities: Sequence[Shown],
    dims: Mapping[str, int],
    ends: Sequence[tuple[str, str]],
    variant: Callable[[int], Description],
) -> str:
    """Return the page of a sweep, a whole HTML document.

    Parameters
    ----------
    m
        The mechanism that varies.
    parameters, quantities
        What varies, and what came out.
    dims
        The dimensions and their sizes, the last the first to change.
    ends
        Status and message of each case.
    variant
        Gives the mechanism of a case; one that cannot be drawn raises ModelError.
    """
    count = len(ends)
    if count > MOST:
        raise ModelError(f"a page shows {MOST} cases at most, the sweep has {count}; write .nc, or take fewer values")
    if not quantities:
        raise ModelError('there is no figure to show; ask for one number of each case, such as "B.x.max"')
    known = list(dict.fromkeys(ends))
    paper = {
        "count": count,
        "dims": list(dims),
        "shape": list(dims.values()),
        "parameters": [{**p._asdict(), "values": _numbers(p.values)} for p in parameters],
        "quantities": [{**q._asdict(), "values": _numbers(q.values)} for q in quantities],
        "ends": known,
        "end": [known.index(end) for end in ends],
        "drawing": _drawing(m, count, variant),
    }
    title = f"{m.name}: {', '.join(p.name for p in parameters)}"
    return document("sweep.html", title, title, asset("page.css") + asset("sweep.css"), scripts(SCRIPTS), paper)


def _numbers(values: Array) -> list[float | None]:
    return [float(f"{x:.8g}") if np.isfinite(x) else None for x in values.tolist()]


def _drawing(m: Description, count: int, variant: Callable[[int], Description]) -> dict[str, Any]:
    """Return the bodies as places by number, and the places of every variant, (2 n) each."""
    bodies, ground, seats = _skeleton(m)
    places: list[list[float] | None] = []
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    for k in range(count):
        try:
            own = variant(k)
            at = _flat([own.drawn(seat) for seat in _skeleton(own)[2]])
        except ModelError:
            places.append(None)
            continue
        low, high = np.fmin(low, at.min(axis=0)), np.fmax(high, at.max(axis=0))
        places.append([float(f"{x:.{DIGITS}g}") for x in at.ravel().tolist()])
    box = [*low.tolist(), *high.tolist()] if np.isfinite([*low, *high]).all() else [0.0, 0.0, 1.0, 1.0]
    assert all(at is None or len(at) == 2 * len(seats) for at in places)
    return {"bodies": bodies, "ground": ground, "places": places, "box": box}


def _skeleton(m: Description) -> tuple[list[dict[str, Any]], list[int], list[Any]]:
    """Return the bodies with the numbers of their places, the places on the ground, and the seats of all places."""
    seats: list[Any] = []

    def number(seat: Any) -> int:
        if isinstance(seat, str) and seat in seats:
            return seats.index(seat)
        seats.append(seat)
        return len(seats) - 1

    joints = [j for j in m.joints.values() if getattr(j, "point", None) is not None]
    bodies = []
    for name, body in m.bodies.items():
        own: Iterable[Any] = [*body.points, *(j.point for j in joints if name in j.bodies)]
        at = list(dict.fromkeys(number(seat) for seat in own))
        if at:
            bodies.append({"name": name, "at": at})
    ground = [number(j.point) for j in joints if GROUND in j.bodies]
    return bodies, list(dict.fromkeys(ground)), seats


def _flat(places: Sequence[Any]) -> Array:
    """Return places in the plane, or those in space as seen from a corner, (n, 2)."""
    at = np.array(places, dtype=float)
    return at if at.shape[1] == 2 else np.asarray(at @ CORNER)
