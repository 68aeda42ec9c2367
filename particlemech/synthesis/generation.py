"""Path, motion and function generation: from a task to ranked candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.spec import shown
from particlemech.synthesis import asked
from particlemech.synthesis.asked import Limits
from particlemech.synthesis.defects import LONGEST, REASONS, SHORTEST
from particlemech.synthesis.fitting import Task, work_arrays
from particlemech.synthesis.found import Candidates, Wanted, ranked
from particlemech.synthesis.frames import Frame, frame_of, hand_of
from particlemech.synthesis.linkage import BETA0, CX, CY, OX, OY, PSI0, SIZE, THETA0, A, B, C, E, U, V
from particlemech.synthesis.search import COLUMNS, DRAWS, FUNCTION, MOTION, PATH, Choice, search, search_arrays

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

CHUNK = 50  # starts between two reports of progress
ROOM = 24  # linkages that a start can find
SAMPLES, DENSE = 41, 401  # of a function that is given as such: in the search, and at the end


def path(
    points: ArrayLike, crank: ArrayLike | None = None, *, pivots: ArrayLike | None = None, **options: Any
) -> Candidates:
    """Return linkages whose coupler point goes through given points: path generation.

    Up to five points are met exactly, and so are up to nine, or eight by a slider-crank, where linkages are found that
    do; more are met as nearly as can be (least squares).

    Parameters
    ----------
    points
        (N, 2), at least three, in the order in which they are passed.
    crank
        Crank angles at which they are passed, (N,), rad, from wherever it is counted: with timing. Default: any.
    pivots
        Where the pivots O of the crank and C of the rocker must be, (2, 2). Default: wherever they come out.
    options
        linkage
            "four-bar" (default) or "slider-crank".
        starts, seed
            How many starts are tried, default 2000, and the seed of their random numbers, default 0: the same task with
            the same seed has the same result.
        keep
            How many candidates are kept, default 12. Those that are nearly alike count once.
        tolerance
            Largest miss, in units of length (of functions: of the output); default 5 % of the task's size, which is the
            distance from the first point to the one farthest from it.
        ordered
            Whether the points must be passed in order with the crank turning one way; default yes.
        turning
            Whether the crank must turn round; default no.
        grashof
            Whether some link must turn round (True) or none may (False); default either.
        transmission
            Least angle of transmission, rad, between the first point and the last, or over the whole turn if `turning`.
        lengths
            (shortest, longest) of all links, the ground too; default 0.05 and 5 of the task's size.
        region
            ((left, low), (right, high)) of the box in which all fixed pivots must be.
        density
            Mass per length, of which all bodies are made as rods between their points; default: unknown masses.
        units
            Of the models, default "SI".
        progress
            Called with the part that is done, from 0 to 1.

    Returns
    -------
    Candidates
        Ranked: by their error, and where that is nothing by their angle of transmission. Each has a `mechanism`.
        `rejected` counts why others were not kept; printed it is a table.

    Raises
    ------
    ModelError
        If there are too few points, or what is asked for makes no sense.

    Examples
    --------
    >>> from particlemech import synthesis
    >>> found = synthesis.path([(0, 0), (1, 1), (2, 1.4), (3, 1), (4, 0)], transmission=0.6, starts=100)
    >>> best = found.best
    >>> best.error < 1e-9, best.transmission > 0.6, len(best.mechanism.points)
    (True, True, 5)
    """
    verb = "path"
    z, limits = asked.points(verb, points), asked.limits(verb, options)
    asked.enough(verb, "point(s)", len(z))
    asked.apart(verb, z)
    fixed = asked.pair_of_pivots(verb, pivots, limits.linkage)
    angles = None if crank is None else asked.array(verb, "crank", crank)
    if angles is not None:
        if len(angles) != len(z):
            raise ModelError(f"{verb}: {len(z)} points and {len(angles)} crank angles; give one for each point")
        asked.monotonic(verb, "crank angles", angles)
        if abs(angles[-1] - angles[0]) > 2.0 * np.pi + 1e-9:
            raise ModelError(f"{verb}: crank angles from {angles[0]:g} to {angles[-1]:g} rad are more than a turn")
    nothing = np.zeros(len(z))
    frame = frame_of(z, nothing if angles is None else angles)
    task = _task(limits, frame, P=frame.inside(z), phi=None if angles is None else frame.hand * angles, fixed=fixed)
    wanted = Wanted("path", z, None, angles, None)
    return _found(task, task, PATH, limits, frame, frame.inside(fixed), wanted)


def motion(points: ArrayLike, angles: ArrayLike, *, pivots: ArrayLike | None = None, **options: Any) -> Candidates:
    """Return linkages whose coupler goes through given poses: motion generation.

    Three, four and five poses are met exactly, four by a slider-crank; more as nearly as can be.

    Parameters
    ----------
    points
        Where a point of the coupler is, (N, 2), at least three.
    angles
        Angles of the coupler there, (N,), rad, from wherever they are counted.
    pivots, options
        As of `path`. Errors in angles count as lengths, times the task's size.

    Returns
    -------
    Candidates
        As of `path`.

    Raises
    ------
    ModelError
        If there are too few poses, or two that are the same.

    Examples
    --------
    >>> from particlemech import synthesis
    >>> found = synthesis.motion([(0, 0), (2, 1), (4, 0)], [0.0, 0.4, 1.2], transmission=0.7, starts=100)
    >>> found.best.error < 1e-12
    True
    """
    verb = "motion"
    z, turned = asked.points(verb, points), asked.array(verb, "angles", angles)
    limits = asked.limits(verb, options)
    if len(turned) != len(z):
        raise ModelError(f"{verb}: {len(z)} points and {len(turned)} angles; give one angle for each point")
    asked.enough(verb, "pose(s)", len(z))
    asked.apart(verb, z, turned)
    fixed = asked.pair_of_pivots(verb, pivots, limits.linkage)
    if np.ptp(np.abs(z - z[0])) == 0.0:
        raise ModelError(f"{verb}: all poses are turns about one point; a single pin there makes this motion")
    frame = frame_of(z, turned)
    task = _task(limits, frame, P=frame.inside(z), gamma=frame.hand * turned, weight=(1.0, 1.0, 0.0), fixed=fixed)
    return _found(task, task, MOTION, limits, frame, frame.inside(fixed), Wanted("motion", z, turned, None, None))


def function(
    of: Callable[[Array], Any] | ArrayLike,
    over: tuple[float, float] | None = None,
    *,
    crank: float | None = None,
    output: float | None = None,
    pivots: ArrayLike | None = None,
    ripple: bool = True,
    **options: Any,
) -> Candidates:
    """Return linkages whose output is a function of the crank angle: function generation.

    Parameters
    ----------
    of
        Pairs of crank angle and output, (N, 2), rad and rad (of a slider-crank: the travel of the slider), both from
        wherever they are counted. Or a function of x, which takes arrays.
    over, crank, output
        Of a function: first and last x, and the ranges of crank angle and output that stand for those of x and y; a
        negative one turns, or goes, the other way.
    pivots
        Where O and C are, (2, 2), default (0, 0) and (1, 0). A slider goes along x, and O is in the origin.
    ripple
        Of more than five places: whether to make the largest error least, which then comes again and again with either
        sign; default yes, else the mean square.
    options
        As of `path`; tolerance in units of the output.

    Returns
    -------
    Candidates
        As of `path`; their `error` is the largest of the output, rad or length.

    Raises
    ------
    ModelError
        If crank angles do not grow or fall throughout, or a range is nothing.

    Examples
    --------
    Through three places, in closed form:

    >>> import numpy as np
    >>> from particlemech import synthesis
    >>> pairs = [(0.0, 0.0), (0.5, 0.7), (1.0, 1.2)]
    >>> found = synthesis.function(pairs, transmission=0.5, starts=100)
    >>> found.best.error < 1e-12
    True

    The logarithm, as well as a four-bar can:

    >>> found = synthesis.function(np.log10, (1, 2), crank=np.pi / 3, output=np.pi / 2, starts=50)
    >>> found.best.error < 1e-3  # rad
    True
    """
    verb = "function"
    limits = asked.limits(verb, options)
    phi, out = _pairs(verb, of, over, crank, output, SAMPLES)
    slider = limits.linkage == "slider-crank"
    fixed = asked.pair_of_pivots(verb, pivots, limits.linkage)
    asked.enough(verb, "pair(s)", len(phi))
    asked.monotonic(verb, "crank angles", phi)
    if float(np.ptp(out)) == 0.0:
        raise ModelError(
            f"{verb}: the output does not change, it is {out[0]:g} throughout; a range of zero needs no linkage"
        )
    if abs(phi[-1] - phi[0]) > 2.0 * np.pi + 1e-9:
        raise ModelError(f"{verb}: crank angles from {phi[0]:g} to {phi[-1]:g} rad are more than a turn")
    ends = np.array([0j, 1.0 + 0j]) if len(fixed) == 0 else fixed
    size = float(np.ptp(out)) if slider else float(abs(ends[1] - ends[0]))
    frame = Frame(complex(ends[0]), size, float(np.angle(ends[1] - ends[0])), hand_of(phi))

    def task(phi: Array, out: Array) -> Task:
        inside = out / size if slider else frame.hand * out
        return _task(limits, frame, phi=frame.hand * phi, out=inside, weight=(0.0, 0.0, 1.0))

    dense = _pairs(verb, of, over, crank, output, DENSE) if callable(of) else (phi, out)
    wanted = Wanted("function", None, None, *dense, ripple=ripple and len(dense[0]) > 5)
    nowhere = np.zeros(0, dtype=complex)
    return _found(task(phi, out), task(*dense), FUNCTION, limits, frame, nowhere, wanted)


def _pairs(verb: str, of: Any, over: Any, crank: Any, output: Any, samples: int) -> tuple[Array, Array]:
    """Return crank angles and outputs, (N,) each."""
    if not callable(of):
        if over is not None or crank is not None or output is not None:
            raise ModelError(f"{verb}: over, crank and output belong to a function of x; pairs have their own ranges")
        found = asked.array(verb, "pairs", of, 2)
        return found[:, 0], found[:, 1]
    ranges = [] if over is None else list(np.ravel(over))
    if len(ranges) != 2 or crank is None or output is None:
        raise ModelError(f"{verb}: a function needs over=(first, last) of x, crank= and output=, the ranges of both")
    for name, size in (("over", float(ranges[1] - ranges[0])), ("crank", crank), ("output", output)):
        if not np.isfinite(size) or size == 0.0:
            raise ModelError(f"{verb}: the range {name} is {shown(size)}; it must not be zero")
    part = 0.5 - 0.5 * np.cos(np.pi * np.arange(samples) / (samples - 1))  # as Chebyshev's extremes
    x = ranges[0] + part * (ranges[1] - ranges[0])
    y = asked.array(verb, "values of the function", of(x))
    if np.ptp(y) == 0.0:
        raise ModelError(f"{verb}: the function does not change over {ranges[0]:g} to {ranges[1]:g}")
    return part * float(crank), (y - y[0]) / float(np.ptp(y)) * float(output) * (1.0 if y[-1] >= y[0] else -1.0)


# -- from a task to candidates -----------------------------------------------------------------------------------------


def _task(
    limits: Limits,
    frame: Frame,
    P: Array | None = None,
    gamma: Array | None = None,
    phi: Array | None = None,
    out: Array | None = None,
    weight: tuple[float, float, float] = (1.0, 0.0, 0.0),
    fixed: Array | None = None,
) -> Task:
    """Return a task in its frame."""
    slider = limits.linkage == "slider-crank"
    n = next(len(a) for a in (P, phi) if a is not None)
    if weight[2] > 0.0:
        free = [A, B, E, THETA0, PSI0] if slider else [A, B, C, THETA0, PSI0]
    else:
        pivots = [] if fixed is not None and len(fixed) else [OX, OY, CX, CY]
        free = [*pivots, A, B, U, V, *([] if slider else [C])]
        free += [BETA0] if weight[1] > 0.0 else []
        free += [THETA0] if phi is not None else []
    bounds = np.array([np.full(SIZE, -np.inf), np.full(SIZE, np.inf)])
    numbers = limits.numbers(frame.size)
    bounds[:, [A, B, *([] if slider else [C])]] = numbers[[SHORTEST, LONGEST]][:, None]
    if slider:
        bounds[:, E] = -numbers[LONGEST], numbers[LONGEST]

    def said(values: Array | None) -> Array:
        return np.zeros(n) if values is None else np.ascontiguousarray(values, dtype=float)

    return Task(
        slider,
        phi is not None,
        np.zeros(n, dtype=complex) if P is None else P,
        said(gamma),
        said(phi),
        said(out),
        np.array(weight),
        np.array(free, dtype=np.int64),
        bounds,
        frame.planes(limits.region),
    )


def _exact(kind: int, limits: Limits, n: int, pivots: Array) -> int:
    """Return how many places a start meets in closed form."""
    if len(pivots):
        return 3
    slider = limits.linkage == "slider-crank"
    return min(n, 4 if slider and kind != FUNCTION else 5)


def _found(
    task: Task, last: Task, kind: int, limits: Limits, frame: Frame, pivots: Array, wanted: Wanted
) -> Candidates:
    """Search for a task, fit to what it is at last, rank and return what is found."""
    n = len(task.P)
    counts, rows, angles = np.zeros(len(REASONS), dtype=np.int64), [], []
    exact = _exact(kind, limits, n, pivots)
    work, scratch = search_arrays(n), work_arrays(n)
    for draws in _draws(limits, n):
        room = ROOM * len(draws)
        number = np.zeros(1, dtype=np.int64)
        into = np.zeros((room, COLUMNS)), np.zeros((room, n))
        choice = Choice(kind, exact, pivots, limits.numbers(frame.size), counts, *into, number)
        search(task, choice, draws, work, scratch)
        rows.append(into[0][: number[0]])
        angles.append(into[1][: number[0]])
    return ranked(np.vstack(rows), np.vstack(angles), counts, last, limits, frame, wanted)


def _draws(limits: Limits, n: int) -> Iterator[Array]:
    """Give random numbers of a few starts at a time, and report how far it is."""
    random = np.random.default_rng(limits.seed)
    for first in range(0, limits.starts, CHUNK):
        if limits.progress is not None:
            limits.progress(first / limits.starts)
        yield random.random((min(CHUNK, limits.starts - first), DRAWS + n))
    if limits.progress is not None:
        limits.progress(1.0)
