"""Samples as curves: extremes, zeros, means over a span.

Zeros and integrals are those of a spline of fifth degree: with n samples per turn it is off by about (2 pi/n)^6 of the
range of a curve, 6e-8 at 100. Means over whole periods of evenly spaced samples are sums: these lose no digit of a
smooth periodic function, where the spline would at its ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.optimize import brentq

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.result.extremes import highest

SAME = 1e-9  # of a span: times that count as that of a sample
DEGREE = 5
CARRIED = ("axial_max", "shear_max", "moment_max")  # the largest along a rod


class Span(NamedTuple):
    """The samples that count, and how many full cycles they are."""

    start: float  # s
    end: float  # s
    cycles: int  # full cycles from start to end; 0: there is none, and it is the whole run
    period: float  # s, of one cycle; NaN where there is none


class Extreme(NamedTuple):
    """A least or largest value, between samples too."""

    value: float
    t: float  # s


class Statistics(NamedTuple):
    """What is worth knowing of a curve over a span."""

    peak: float  # the value whose size is largest, with its sign
    t: float  # s, when
    mean: float
    rms: float
    least: float
    largest: float


def spline(t: Array, x: Array) -> object:
    """Return the curve through samples x (K, ...) at times t (K,)."""
    degree = min(DEGREE, len(t) - 1)
    return make_interp_spline(t, x, k=degree - (degree + 1) % 2)


def within(t: Array, span: Span) -> slice:
    """Return the samples of a span, its ends included."""
    near = SAME * max(float(t[-1] - t[0]), 1e-300)
    inside = np.flatnonzero((t >= span.start - near) & (t <= span.end + near))
    return slice(int(inside[0]), int(inside[-1]) + 1)


def integral(t: Array, x: Array, span: Span) -> float:
    """Return the integral of a curve (K,) over a span."""
    part = within(t, span)
    s, y = t[part], x[part]
    near = SAME * (span.end - span.start)
    steps = np.diff(s)
    whole = len(s) > 1 and abs(s[0] - span.start) <= near and abs(s[-1] - span.end) <= near
    if span.cycles and whole and float(np.ptp(steps)) <= 1e-6 * float(steps[0]):
        return float(np.sum(0.5 * (y[1:] + y[:-1])) * (span.end - span.start) / len(steps))
    if not np.isfinite(x).all():
        return float("nan")
    curve = spline(t, x)
    return float(curve.integrate(span.start, span.end))  # type: ignore[attr-defined]


def mean(t: Array, x: Array, span: Span) -> float:
    """Return the mean of a curve (K,) over a span."""
    return integral(t, x, span) / (span.end - span.start)


def statistics(t: Array, x: Array, span: Span) -> Statistics:
    """Return peak, mean and root mean square of a curve (K,) over a span."""
    low, high = least(t, x, span), largest(t, x, span)
    worst = low if abs(low.value) > abs(high.value) else high
    rms = float(np.sqrt(max(mean(t, x**2, span), 0.0)))
    return Statistics(worst.value, worst.t, mean(t, x, span), rms, low.value, high.value)


def least(t: Array, x: Array, span: Span) -> Extreme:
    """Return the least value of a curve (K,) over a span."""
    found = largest(t, -x, span)
    return Extreme(-found.value, found.t)


def largest(t: Array, x: Array, span: Span) -> Extreme:
    """Return the largest value of a curve (K,) over a span; result/extremes.py."""
    part = within(t, span)
    top, at = highest(t[part], x[None, part])
    return Extreme(float(top[0]), float(at[0]))


def zeros(t: Array, x: Array, span: Span) -> Array:
    """Return the times in a span at which a curve (K,) changes its sign, in order."""
    part = within(t, span)
    if not np.isfinite(x).all():
        raise ModelError("not determined at all samples")
    curve = spline(t, x)
    edges = np.unique(np.clip(np.concatenate([[span.start], t[part], [span.end]]), span.start, span.end))
    signs = np.sign(curve(edges))  # type: ignore[operator]
    signs[np.abs(curve(edges)) <= 1e-12 * np.max(np.abs(x), initial=1e-300)] = 0.0  # type: ignore[operator]
    found = []
    for k in np.flatnonzero(signs[:-1] * signs[1:] < 0.0):
        found.append(float(brentq(curve, edges[k], edges[k + 1], xtol=1e-15, rtol=1e-14)))
    for k in np.flatnonzero(signs == 0.0):
        before, after = signs[:k][signs[:k] != 0.0], signs[k + 1 :][signs[k + 1 :] != 0.0]
        if len(before) and len(after) and before[-1] * after[0] < 0.0 and signs[k - 1] != 0.0:
            found.append(float(edges[k]))
    return np.array(sorted(found))
