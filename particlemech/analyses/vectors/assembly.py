"""Geometry: the assembly near the starting guess, and all assemblies there are."""

from __future__ import annotations

import numpy as np

from particlemech._threads import one_thread
from particlemech.analyses.vectors.compiled import VectorNumbers
from particlemech.analyses.vectors.model import VectorModel
from particlemech.analyses.vectors.newton import CLOSED, Closing, closing
from particlemech.analyses.vectors.pose import Pose
from particlemech.analyses.vectors.rank import Verdict, verdict
from particlemech.engine.system import Array
from particlemech.errors import ModelError

SAME = 1e-6  # largest difference of poses that count as one, in units of the parameters
STARTS = 60
SETTLED = ("determined", "redundant", "toggle")  # verdicts on a model whose geometry is known


def assembled(model: VectorModel, t: float = 0.0, guess: Pose | None = None) -> Pose:
    """Return the geometry of a vector model.

    Parameters
    ----------
    model
        The vector model.
    t
        Time, s; for driven parameters.
    guess
        A pose to start from, in place of the guesses of the model.

    Returns
    -------
    Pose
        The assembly that the guess leads to; its `signature` tells which.

    Raises
    ------
    ModelError
        If the model does not close, or leaves parameters open; the message is the verdict of `judged`.
    """
    c = VectorNumbers(model)
    x = c.values(t)[0]
    if guess is not None:
        x[c.unknown] = guess.x[c.unknown]
    found = closing(c, x, t)
    _settled(c, found, t)
    return Pose(c, t, found.x, found.gap, found.iterations)


@one_thread
def assemblies(model: VectorModel, t: float = 0.0, starts: int = STARTS, guess: Pose | None = None) -> tuple[Pose, ...]:
    """Return all assemblies of a vector model that a search finds, each with its signature.

    The search starts from the guess, from every assembly it has found mirrored in each of its vectors, and from random
    directions and lengths, the same ones in every call. The first assembly is that of the guess, if it leads to one.
    Assemblies that differ only by a vector turned round and its length made negative count once.

    Parameters
    ----------
    model
        The vector model; it must not leave parameters open.
    t
        Time, s.
    starts
        Number of random starts.
    guess
        A pose to start from, in place of the guesses of the model.
    """
    c = VectorNumbers(model)
    x0, rng = c.values(t)[0], np.random.default_rng(1984)
    if guess is not None:
        x0[c.unknown] = guess.x[c.unknown]
    tries = [x0, *(_random(c, x0, rng) for _ in range(starts))]
    poses: list[Pose] = []
    nearest: Verdict | None = None
    while tries:
        found = closing(c, tries.pop(0), t)
        if not found.closed:
            nearest = nearest or verdict(c, found, t)
            continue
        x = _upright(c, found.x, t)
        if any(_distance(c, x, pose.x) < SAME for pose in poses):
            continue
        _settled(c, found._replace(x=x), t)
        poses.append(Pose(c, t, x, found.gap, found.iterations))
        tries[:0] = _mirrored(c, x)
    if not poses:
        raise ModelError(f"no assembly from {starts + 1} starts; from the guess: {nearest}")
    return tuple(poses)


def _settled(c: VectorNumbers, found: Closing, t: float) -> None:
    """Refuse a geometry that does not close or leaves parameters open."""
    said = verdict(c, found, t)
    if said.kind not in SETTLED:
        raise ModelError(f"{c.model.name}: {said}")


def _distance(c: VectorNumbers, one: Array, other: Array) -> float:
    return float(np.abs((one - other) / c.column_units).max())


def _random(c: VectorNumbers, x0: Array, rng: np.random.Generator) -> Array:
    """Return a random start: all unknown cosines and lengths anew."""
    x = x0.copy()
    draws = rng.normal(size=c.n)
    for n in c.index.values():
        draws[4 * n : 4 * n + 3] /= np.linalg.norm(draws[4 * n : 4 * n + 3])
        draws[4 * n + 3] *= c.column_units[4 * n + 3]
    x[c.unknown] = draws[c.unknown]
    return x


def _mirrored(c: VectorNumbers, x: Array) -> list[Array]:
    """Return a pose with the unknown vectors mirrored, in the plane across each vector in turn."""
    starts = []
    for n in c.index.values():
        p = x[4 * n : 4 * n + 3]
        mirror = np.eye(3) - 2.0 * np.outer(p, p)
        other = x.copy()
        for m in c.index.values():
            other[4 * m : 4 * m + 3] = mirror @ x[4 * m : 4 * m + 3]
        known = np.setdiff1d(np.arange(c.n), c.unknown)
        other[known] = x[known]
        starts.append(other)
    return starts


def _upright(c: VectorNumbers, x: Array, t: float) -> Array:
    """Return a pose with negative lengths made positive by turning the vector round, where the rows hold as well."""
    for n in c.index.values():
        columns = np.arange(4 * n, 4 * n + 4)
        if x[4 * n + 3] < 0.0 and np.isin(columns, c.unknown).all():
            turned = x.copy()
            turned[columns] *= -1.0
            if float(np.abs(c.residual(turned, t) / c.row_units(turned)).max()) <= CLOSED:
                x = turned
    return x
