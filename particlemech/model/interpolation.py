"""Curves through points, as cubics from each point to the next.

    s(t) = c0 + c1 tau + c2 tau^2 + c3 tau^3,   tau = t - t_i                                    (1)

    smooth     the cubic spline: value, rate and second derivative continuous; may swing beyond its points
    monotone   slopes limited after Fritsch and Butland: never beyond the two points beside; second derivatives jump
    linear     straight lines: rates jump

Ends: "open" (a spline is one cubic over its last two intervals, not-a-knot), "rest" (arrives with no rate), "round"
(joins its own beginning, with the rate there). Thousands of points take milliseconds: slopes come from a tridiagonal
system, solved forwards and backwards in plain Python, because scipy costs half a second to import.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy import linalg
from numpy.typing import NDArray

Array = NDArray[np.float64]
OPEN, REST, ROUND = "open", "rest", "round"
LINEAR = "linear"  # between two points a straight line


def cubics(kind: str, t: Sequence[float], value: Sequence[float], end: str) -> Array:
    """Return (1) for every interval, (n - 1, 4): c0, c1, c2, c3.

    Parameters
    ----------
    kind
        "smooth", "monotone" or "linear".
    t, value
        Times, increasing, and one value for each, (n,), n >= 2.
    end
        "open", "rest" or "round".
    """
    x, y = np.asarray(t, float), np.asarray(value, float)
    h = np.diff(x)
    secant = np.diff(y) / h
    if kind == LINEAR:
        flat = np.zeros_like(secant)
        return np.stack([y[:-1], secant, flat, flat], axis=1)
    slope = SLOPES[kind](h, secant, end)
    one, other = slope[:-1], slope[1:]
    bend = (one + other - 2.0 * secant) / h
    return np.stack([y[:-1], one, (secant - one) / h - bend, bend / h], axis=1)


def _smooth(h: Array, secant: Array, end: str) -> Array:
    """Return the slopes of the spline at its points, (n,), from continuous second derivatives."""
    n = len(h) + 1
    if end == ROUND and n > 2:
        return _smooth_round(h, secant)
    lower, middle, upper, right = np.zeros(n), np.ones(n), np.zeros(n), np.zeros(n)
    lower[1:-1], upper[1:-1] = h[1:], h[:-1]
    middle[1:-1] = 2.0 * (h[:-1] + h[1:])
    right[1:-1] = 3.0 * (h[1:] * secant[:-1] + h[:-1] * secant[1:])
    if n == 2:
        right[:] = secant[0], 0.0 if end == REST else secant[0]
    elif n == 3 and end != REST:  # the parabola
        bend = (secant[1] - secant[0]) / (h[0] + h[1])
        return np.array([secant[0] - bend * h[0], secant[0] + bend * h[0], secant[1] + bend * h[1]])
    else:
        span = h[0] + h[1]
        middle[0], upper[0] = h[1], span
        right[0] = ((h[0] + 2.0 * span) * h[1] * secant[0] + h[0] ** 2 * secant[1]) / span
        if end != REST:
            span = h[-1] + h[-2]
            middle[-1], lower[-1] = h[-2], span
            right[-1] = (h[-1] ** 2 * secant[-2] + (2.0 * span + h[-1]) * h[-2] * secant[-1]) / span
    return _tridiagonal(lower, middle, upper, right)


def _smooth_round(h: Array, secant: Array) -> Array:
    """Return the slopes of the periodic spline, (n,): a tridiagonal system with two corners."""
    before, before_secant = np.roll(h, 1), np.roll(secant, 1)
    lower, upper, middle = h.copy(), before.copy(), 2.0 * (h + before)
    right = 3.0 * (h * before_secant + before * secant)
    m = len(h)
    if m < 3:
        A = np.diag(middle)
        for i in range(m):
            A[i, i - 1] += lower[i]
            A[i, (i + 1) % m] += upper[i]
        inner = linalg.solve(A, right)
    else:
        # the corners are a matrix of rank one beside the rest (Sherman and Morrison)
        corner, other, gamma = lower[0], upper[-1], -middle[0]
        middle[0] -= gamma
        middle[-1] -= other * corner / gamma
        u = np.zeros(m)
        u[0], u[-1] = gamma, other
        lower[0] = upper[-1] = 0.0
        plain, extra = _tridiagonal(lower, middle, upper, right), _tridiagonal(lower, middle, upper, u)
        share = corner / gamma
        inner = plain - extra * (plain[0] + share * plain[-1]) / (1.0 + extra[0] + share * extra[-1])
    return np.append(inner, inner[0])


def _tridiagonal(lower: Array, middle: Array, upper: Array, right: Array) -> Array:
    """Return the solution of a tridiagonal system, (n,)."""
    a, b, c, d = (of.tolist() for of in (lower, middle, upper, right))
    for i in range(1, len(d)):
        factor = a[i] / b[i - 1]
        b[i] -= factor * c[i - 1]
        d[i] -= factor * d[i - 1]
    d[-1] /= b[-1]
    for i in range(len(d) - 2, -1, -1):
        d[i] = (d[i] - c[i] * d[i + 1]) / b[i]
    return np.array(d)


def _monotone(h: Array, secant: Array, end: str) -> Array:
    """Return slopes that keep the curve between its points, (n,): weighted harmonic means of the secants beside."""
    slope = np.zeros(len(h) + 1)
    slope[1:-1] = _between(h[:-1], h[1:], secant[:-1], secant[1:])
    if end == ROUND:
        slope[0] = slope[-1] = _between(h[-1:], h[:1], secant[-1:], secant[:1])[0]
        return slope
    if len(h) == 1:
        slope[:] = secant[0]
    else:
        slope[0] = _at_end(h[0], h[1], secant[0], secant[1])
        slope[-1] = _at_end(h[-1], h[-2], secant[-1], secant[-2])
    if end == REST:
        slope[-1] = 0.0
    return slope


def _between(h0: Array, h1: Array, s0: Array, s1: Array) -> Array:
    same = s0 * s1 > 0.0
    w0, w1 = 2.0 * h1 + h0, h1 + 2.0 * h0
    safe0, safe1 = np.where(same, s0, 1.0), np.where(same, s1, 1.0)
    return np.where(same, (w0 + w1) / (w0 / safe0 + w1 / safe1), 0.0)


def _at_end(h0: float, h1: float, s0: float, s1: float) -> float:
    """Return the slope of the parabola at an end, as far as it leads nowhere beyond the points."""
    slope = ((2.0 * h0 + h1) * s0 - h0 * s1) / (h0 + h1)
    if slope * s0 <= 0.0:
        return 0.0
    return float(3.0 * s0 if s0 * s1 <= 0.0 and abs(slope) > 3.0 * abs(s0) else slope)


SLOPES: dict[str, Callable[[Array, Array, str], Array]] = {"smooth": _smooth, "monotone": _monotone}


def extremes(coefficients: Array, t: Sequence[float]) -> tuple[float, float]:
    """Return the least and the largest value of a curve between its first and last point."""
    c0, c1, c2, c3 = coefficients.T
    h = np.diff(np.asarray(t, float))
    seen = [c0, c0 + h * (c1 + h * (c2 + h * c3))]
    with np.errstate(all="ignore"):  # where the rate vanishes: roots of c1 + 2 c2 tau + 3 c3 tau^2
        q = -(c2 + np.copysign(np.sqrt(c2**2 - 3.0 * c1 * c3), c2))
        for tau in (q / (3.0 * c3), c1 / q):
            inside = (tau > 0.0) & (tau < h)
            seen.append((c0 + tau * (c1 + tau * (c2 + tau * c3)))[inside])
    values = np.concatenate(seen)
    return float(values.min()), float(values.max())
