"""A clamped beam in tension, bending and vibrating: its frequencies by the power series of its differential equation.

With lengths in L and times in sqrt(mu L^4 / EI), x from 0 (clamped) to 1 (free), tension T = t0 + t1 x + t2 x^2,

    w'''' - (T w')' = omega^2 w,   w(0) = w'(0) = 0,   w''(1) = 0,   w'''(1) - T(1) w'(1) = 0.                (1)

The equation has no singular point, so w = sum a_k x^k converges everywhere,

    (k+4)(k+3)(k+2)(k+1) a_{k+4} = omega^2 a_k + (k+1) sum_j t_j (k+2-j) a_{k+2-j},                             (2)

and omega is where the two solutions with (a_2, a_3) = (1, 0), (0, 1) can meet both conditions at the free end.
`by_ritz` asks the same of polynomials and energies and shares only T; `by_elements` of piecewise cubics, which are what
the sub-links of a flexible link bend in, so that these have not only the limit but also every step towards it.

Spinning with the speed eta about an axis at the distance r before the clamp, T = eta^2 / 2 ((1 + r)^2 - (x + r)^2).
Bending along the axis of spin (flap) has (1); bending in the plane of rotation (lead-lag) is carried outwards by
eta^2 w, which leaves omega^2 - eta^2.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Legendre, Polynomial
from scipy.linalg import eigh
from scipy.optimize import brentq

TERMS = 100  # the last is below 1e-30 of the largest for omega < 100 and eta < 15
STEP = 0.25  # of the search for a change of sign; frequencies of a clamped beam are further apart


def spinning(eta: float, hub: float = 0.0) -> tuple[float, float, float]:
    """Return the tension of a beam that spins with the speed eta, clamped at the distance `hub` from the axis."""
    return 0.5 * eta**2 * (1.0 + 2.0 * hub), -(eta**2) * hub, -0.5 * eta**2


def hanging(gamma: float) -> tuple[float, float, float]:
    """Return the tension of a beam that hangs from its clamp, gamma = mu g L^3 / EI; standing if negative."""
    return gamma, -gamma, 0.0


def unbalanced(omega: float, tension) -> float:
    """Return the determinant of the two conditions at the free end (1)."""
    columns = []
    for start in ((1.0, 0.0), (0.0, 1.0)):
        a = np.zeros(TERMS)
        a[2:4] = start
        for k in range(TERMS - 4):
            pull = sum(t * (k + 2 - j) * a[k + 2 - j] for j, t in enumerate(tension) if k + 2 - j > 0)
            a[k + 4] = (omega**2 * a[k] + (k + 1) * pull) / ((k + 4) * (k + 3) * (k + 2) * (k + 1))
        w = Polynomial(a)
        columns.append((w.deriv(2)(1.0), w.deriv(3)(1.0) - sum(tension) * w.deriv(1)(1.0)))
    (a, b), (c, d) = columns
    return a * d - b * c


def by_series(tension=(0.0, 0.0, 0.0), n: int = 1) -> list[float]:
    """Return the lowest n frequencies by (2)."""
    found: list[float] = []
    omega = 1e-3 * STEP
    before = unbalanced(omega, tension)
    while len(found) < n:
        after = unbalanced(omega + STEP, tension)
        if before * after <= 0.0:
            found.append(brentq(unbalanced, omega, omega + STEP, args=(tension,), xtol=1e-13, rtol=1e-14))
        omega, before = omega + STEP, after
    return found


def by_ritz(tension=(0.0, 0.0, 0.0), n: int = 1, terms: int = 20) -> list[float]:
    """Return the lowest n frequencies by stationary energies of x^2 times Legendre polynomials."""
    nodes, weights = np.polynomial.legendre.leggauss(terms + 6)
    x, dx = 0.5 * (nodes + 1.0), 0.5 * weights
    square = Polynomial([0.0, 0.0, 1.0]).convert(kind=Legendre, domain=[0.0, 1.0])
    shapes = [square * Legendre.basis(k, domain=[0.0, 1.0]) for k in range(terms)]
    w, slope, bend = (np.array([s.deriv(k)(x) if k else s(x) for s in shapes]) for k in (0, 1, 2))
    K = (bend * dx) @ bend.T + (slope * dx * Polynomial(tension)(x)) @ slope.T
    return np.sqrt(eigh(K, (w * dx) @ w.T, eigvals_only=True)[:n]).tolist()


def by_elements(elements: int, tension=(0.0, 0.0, 0.0), n: int = 1) -> list[float]:
    """Return the lowest n frequencies by stationary energies of cubics with a common slope where they meet."""
    nodes, weights = np.polynomial.legendre.leggauss(5)
    h = 1.0 / elements
    u, du = 0.5 * (nodes + 1.0), 0.5 * weights
    # deflection and slope at the left end, and at the right end, as powers of u = (x - left end) / h
    cubics = [Polynomial(c) for c in ([1, 0, -3, 2], [0, h, -2 * h, h], [0, 0, 3, -2], [0, 0, -h, h])]
    w, slope, bend = (np.array([c.deriv(k)(u) / h**k if k else c(u) for c in cubics]) for k in (0, 1, 2))
    K, M = np.zeros((2, 2 * elements + 2, 2 * elements + 2))
    for i in range(elements):
        own = slice(2 * i, 2 * i + 4)
        pull = Polynomial(tension)((i + u) * h)
        K[own, own] += h * ((bend * du) @ bend.T + (slope * du * pull) @ slope.T)
        M[own, own] += h * (w * du) @ w.T
    return np.sqrt(eigh(K[2:, 2:], M[2:, 2:], eigvals_only=True)[:n]).tolist()
