"""Curves along a link: shapes of modes, stiffness and mass per length as functions of xi = x/L, in pieces.

Every curve is a polynomial between knots, in the basis of Chebyshev on each piece, so that products, derivatives and
integrals of curves are curves again and a Gauss rule of known order integrates them without error:

    polynomial    one piece
    table         the cubic spline through its points, one piece between each two
    function      one piece of the degree at which its Chebyshev coefficients have died away, SMALL of the largest

Not used: differences of a function for its slope and curvature (six digits), an adaptive rule for each integral (the
stations of mass must be the same for all of them).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from particlemech.errors import ModelError
from particlemech.model.applied import Array
from particlemech.model.spec import shown

SMALL = 1e-13  # coefficients of a function below this part of the largest count as nothing
HIGHEST = 96  # degree of a function


@dataclass(frozen=True, eq=False)
class Curve:
    """A polynomial on each piece of [0, 1]."""

    pieces: tuple[Chebyshev, ...]

    @property
    def knots(self) -> tuple[float, ...]:
        """Where pieces meet, both ends included."""
        return (0.0, *(float(p.domain[1]) for p in self.pieces))

    @property
    def degree(self) -> int:
        """The highest degree of any piece."""
        return max(p.degree() for p in self.pieces)

    def __call__(self, xi: Array | float) -> Array:
        """Return the values at places (n,)."""
        xi = np.asarray(xi, dtype=float)
        which = np.clip(np.searchsorted(self.knots, xi, side="right") - 1, 0, len(self.pieces) - 1)
        value = np.empty_like(xi)
        for k, p in enumerate(self.pieces):
            value[which == k] = p(xi[which == k])
        return value

    def derivative(self) -> Curve:
        """Return the derivative with respect to xi."""
        return Curve(tuple(p.deriv() for p in self.pieces))

    def integral(self) -> Curve:
        """Return the integral from 0 to xi."""
        result, below = [], 0.0
        for p in self.pieces:
            whole = p.integ(lbnd=p.domain[0]) + below
            below = float(whole(p.domain[1]))
            result.append(whole)
        return Curve(tuple(result))

    def on(self, knots: Sequence[float]) -> Curve:
        """Return the same curve with more knots."""
        return Curve(tuple(_between(self._at(0.5 * (a + b)), a, b) for a, b in pairwise(knots)))

    def part(self, start: float, end: float) -> Curve:
        """Return the stretch from start to end, as a curve on [0, 1] of its own."""
        inside = [start, *(k for k in self.knots if start < k < end), end]
        moved = []
        for a, b in pairwise(inside):
            p = _between(self._at(0.5 * (a + b)), a, b)
            moved.append(Chebyshev(p.coef, domain=[(a - start) / (end - start), (b - start) / (end - start)]))
        return Curve(tuple(moved))

    def __mul__(self, other: Curve) -> Curve:
        knots = together((self, other))
        pairs = zip(self.on(knots).pieces, other.on(knots).pieces, strict=True)
        return Curve(tuple(p * q for p, q in pairs))

    def _at(self, xi: float) -> Chebyshev:
        return self.pieces[min(int(np.searchsorted(self.knots, xi, side="right")) - 1, len(self.pieces) - 1)]


def _between(p: Chebyshev, a: float, b: float) -> Chebyshev:
    """Return a polynomial on a part of its domain."""
    if (a, b) == (p.domain[0], p.domain[1]):
        return p
    return Chebyshev.interpolate(p, p.degree(), domain=[a, b])


def together(curves: Sequence[Curve]) -> tuple[float, ...]:
    """Return all knots of some curves, those that rounding has split united."""
    every = sorted({k for c in curves for k in c.knots} | {0.0, 1.0})
    kept = [every[0]]
    for k in every[1:]:
        if k - kept[-1] > 1e-12:
            kept.append(k)
    return (*kept[:-1], 1.0)


def gauss(knots: Sequence[float], degree: int) -> tuple[Array, Array]:
    """Return places and weights on [0, 1] that integrate polynomials of a degree between knots exactly."""
    x, w = np.polynomial.legendre.leggauss(degree // 2 + 1)
    places = [0.5 * (a + b) + 0.5 * (b - a) * x for a, b in pairwise(knots)]
    weights = [0.5 * (b - a) * w for a, b in pairwise(knots)]
    return np.concatenate(places), np.concatenate(weights)


# -- the three ways to give one ------------------------------------------------------------------------------------


def polynomial(coefficients: Sequence[float]) -> Curve:
    """Return c0 + c1 xi + c2 xi^2 + ..."""
    power = Polynomial(np.array(coefficients))
    return Curve((Chebyshev.interpolate(power, max(len(coefficients) - 1, 0), domain=[0.0, 1.0]),))


def spline(x: Sequence[float], value: Sequence[float], clamped: bool = False) -> Curve:
    """Return the cubic spline through a table whose x runs from 0; `clamped`: without slope at 0."""
    from scipy.interpolate import CubicSpline

    xi = np.array(x) / x[-1]
    if len(xi) == 2 and not clamped:
        return polynomial((value[0], value[1] - value[0]))
    ends = ((1, 0.0), (2, 0.0) if len(xi) == 2 else "not-a-knot") if clamped else "not-a-knot"
    c = CubicSpline(xi, np.array(value), bc_type=ends).c
    pieces = []
    for k, (a, b) in enumerate(pairwise(xi.tolist())):
        # powers of (xi - a), moved to the middle of the piece
        pieces.append(Chebyshev.interpolate(Polynomial(c[::-1, k], domain=[a, b], window=[0.0, b - a]), 3, [a, b]))
    return Curve(tuple(pieces))


def fitted(function: Callable[[float], float]) -> Curve:
    """Return a Python function of xi as the polynomial that it is within rounding."""

    def sampled(xi: Array) -> Array:
        try:
            value = np.array([float(function(float(s))) for s in xi])
        except Exception as error:
            raise ModelError(
                f"the function fails ({type(error).__name__}: {error}); it takes x/L, from 0 to 1, and returns a number"
            ) from error
        if not np.isfinite(value).all():
            place = float(xi[~np.isfinite(value)][0])
            raise ModelError(f"the function is not finite at x/L = {place:g}; it must be, from 0 to 1")
        return value

    degree = 8
    while degree <= HIGHEST:
        p = Chebyshev.interpolate(sampled, degree, domain=[0.0, 1.0])
        size = np.abs(p.coef)
        tail = size[-3:].max()
        if tail <= SMALL * max(size.max(), 1e-300):
            last = int(np.nonzero(size > SMALL * size.max())[0][-1]) if size.max() > 0.0 else 0
            return Curve((p.truncate(last + 1),))
        degree = degree * 3 // 2
    raise ModelError(
        f"the function {shown(getattr(function, '__name__', function))} is too rough for a polynomial of degree "
        f"{HIGHEST} (last coefficients {tail:.1e} of {size.max():.1e}); smooth it, or give a table"
    )
