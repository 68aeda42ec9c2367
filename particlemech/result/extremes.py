"""The largest value of a curve that is known at samples, between them too: one definition for figures and measures.

Around the largest sample k a polynomial goes through seven samples, times counted from it in units of the step:

    p(u) = sum over j of c_j u^j,      p(u_i) = x_i - x_k,      b = largest p in -1 <= u <= 1                      (1)

It is believed where the samples are those of a smooth curve: differences of fourth order are no larger than half of
those of second order. At a corner they are twice, at a jump three times as large, of a sine with n samples per turn
4 sin^2(pi/n) times. Else, and beside samples that are not known, the largest sample is the largest value. Of a sine
b is off by up to (2 pi/n)^8/1000: 1e-7 at 20 samples per turn, 7e-11 at 50.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech.engine.system import Array

AROUND = 3  # samples either side of the largest
SIZE = 2 * AROUND + 1
SMOOTH = 0.5  # of differences of second order: those of fourth order
GRID = np.linspace(-1.0, 1.0, 25)  # where the top is sought first
POWERS = GRID[:, None] ** np.arange(SIZE)
CELL = float(GRID[1] - GRID[0])
STEPS = 4  # of Newton's method from there


def highest(t: Array, x: Array) -> tuple[Array, Array]:
    """Return the largest values of curves, (1), and their times.

    Parameters
    ----------
    t
        Times of the samples, (K,) or (N, K).
    x
        Curves, (N, K); NaN where they are not known.

    Returns
    -------
    tuple
        (N,) each; NaN where nothing of a curve is known.
    """
    t, rows, n = np.broadcast_to(t, x.shape), np.arange(len(x)), x.shape[1]
    k = np.argmax(np.where(np.isnan(x), -np.inf, x), axis=1)
    top, at = x[rows, k], np.where(np.isnan(x[rows, k]), np.nan, t[rows, k])
    if n < SIZE:
        return top, at
    step = np.maximum(t[rows, np.minimum(k + 1, n - 1)] - t[rows, k], t[rows, k] - t[rows, np.maximum(k - 1, 0)])
    part = np.clip(k - AROUND, 0, n - SIZE)[:, None] + np.arange(SIZE)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        u, dx = (t[rows[:, None], part] - t[rows, k][:, None]) / step[:, None], x[rows[:, None], part] - top[:, None]
        smooth = np.flatnonzero(_smooth(u, dx))
        added, where = _added(u[smooth], dx[smooth])
    top[smooth] += added
    at[smooth] += where * step[smooth]
    return top, at


def _smooth(u: Array, dx: Array) -> NDArray[np.bool_]:
    """Return which samples (N, SIZE) at times u are those of a smooth curve."""
    size = []
    for j in range(1, 5):
        dx = (dx[:, 1:] - dx[:, :-1]) * (j / (u[:, j:] - u[:, :-j]))
        size.append(np.max(np.abs(dx), axis=1))
    return np.asarray((size[3] <= SMOOTH * size[1]) & (np.diff(u, axis=1) > 0.0).all(axis=1))


def _added(u: Array, dx: Array) -> tuple[Array, Array]:
    """Return b of (1) and its place u, (N,) each."""
    c = np.linalg.solve(u[:, :, None] ** np.arange(SIZE), dx[:, :, None])[:, :, 0]
    low, high = np.maximum(u[:, 0], -1.0), np.minimum(u[:, -1], 1.0)
    inside = (low[:, None] <= GRID) & (high[:, None] >= GRID)
    best = GRID[np.argmax(np.where(inside, c @ POWERS.T, -np.inf), axis=1)]
    low, high = np.maximum(low, best - CELL), np.minimum(high, best + CELL)
    slope = c[:, 1:] * np.arange(1, SIZE)
    bend = slope[:, 1:] * np.arange(1, SIZE - 1)
    for _ in range(STEPS):
        first, second = _value(slope, best), _value(bend, best)
        best = np.clip(np.where(second < 0.0, best - first / second, best), low, high)
    found = _value(c, best)
    return np.maximum(found, 0.0), np.where(found > 0.0, best, 0.0)


def _value(c: Any, u: Any) -> Array:
    """Return polynomials with coefficients c (N, m), lowest first, at places u (N,)."""
    return np.asarray(np.sum(c * u[:, None] ** np.arange(c.shape[1]), axis=1))
