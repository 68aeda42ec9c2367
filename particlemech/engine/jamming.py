"""Which friction goes with total reactions, and when joints jam: one criterion for all engines.

The loads P_k >= 0 of all places where joints rub are sums of lengths of vectors h, affine in these loads,

    h_k = h_k0 + sum_j B_kj P_j,      P_k = N(h_k) = sum |h|                                                      (1)

with B proportional to the coefficients of friction: h is the force of a pin, the forces at both ends of a guide, what a
thread or a tooth carries. (1) may have no solution, one, or several. Taken is the one that friction leads to as it
grows from nothing, all coefficients by the same factor s:

    P_k = N(h_k0 + s sum_j B_kj P_j),     s from 0 to 1,     det(1 - s N' B) > 0 all along                        (2)

It is the least solution of one place, where N is convex. Where (2) ends at some s < 1 the joints jam: in this pose they
do from s times their coefficients on. With b = |B| of one place there is one solution for b < 1. From b = 1 on there is

    none, where friction adds to the load that makes it: a guide pushed a beside its middle, from mu = length/(2 a) on
    two, where it takes off that load: (2) leads to the smaller one; with the larger one, P = |h_0|/(b - 1) of a guide,
    friction would carry itself. This is what Painleve found of a rod that slides on its end.

The larger one is not reached without a blow, so it is named in `warnings` and not taken. Not used: b >= 1 as the
criterion, which ends runs that go on; nor any solution that Newton's method finds, which depends on where it starts.

Newton's method solves (1) from P = 0. Where a determinant falls to zero on its way, (2) is followed in steps of s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from particlemech._jit import entry, kernel, noinline
from particlemech.engine.system import Array

ROUNDS = 80  # of Newton's method
EXACT, ROUNDED = 1e-14, 1e-11  # of the largest load: (1) holds; no nearer for rounding
FINEST = 1e-10  # step of s below which (2) has come to its end
NEAR = 1.0 / 0.95  # a run that ends jams where this factor on all coefficients would do it
ASIDE = 1e-6  # of a load, or of |B| above 1: from here on a second solution is looked for
ALIKE = 1e-3  # of a factor: by so much others may help a joint that jams by itself


@kernel
def length(h: Array) -> float:
    """Return N of vectors h (9,)."""
    total = 0.0
    for c in range(0, 9, 3):
        total += math.sqrt(h[c] * h[c] + h[c + 1] * h[c + 1] + h[c + 2] * h[c + 2])
    return total


@kernel
def grown(h: Array, b: Array) -> float:
    """Return the derivative of N of h (9,) along b (9,)."""
    total = 0.0
    for c in range(0, 9, 3):
        size = math.sqrt(h[c] * h[c] + h[c + 1] * h[c + 1] + h[c + 2] * h[c + 2])
        if size > 0.0:
            total += (h[c] * b[c] + h[c + 1] * b[c + 1] + h[c + 2] * b[c + 2]) / size
    return total


@kernel
def reduced(J: Array, n: int) -> float:
    """Turn column n of J (n, n + 1) into the solution of J x = it; return det J."""
    det = 1.0
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(J[i, k]) > abs(J[best, k]):
                best = i
        if best != k:
            det = -det
            for c in range(k, n + 1):
                J[k, c], J[best, c] = J[best, c], J[k, c]
        det *= J[k, k]
        if J[k, k] == 0.0:
            return 0.0
        over = 1.0 / J[k, k]
        for i in range(k + 1, n):
            factor = J[i, k] * over
            for c in range(k + 1, n + 1):
                J[i, c] -= factor * J[k, c]
        J[k, k] = over
    for k in range(n - 1, -1, -1):
        x = J[k, n]
        for i in range(k + 1, n):
            x -= J[k, i] * J[i, n]
        J[k, n] = x * J[k, k]
    return det


@noinline
def climbed(s: float, press: Array, P: Array, J: Array) -> bool:
    """Solve (2) at s from loads P (n,) on; whether there is a solution, with positive determinants on the way."""
    n, before = len(P), math.inf
    for nth in range(ROUNDS):
        off = size = 0.0
        for k in range(n):
            h = press[n + 1, k]
            for c in range(9):
                h[c] = press[0, k, c]
                for j in range(n):
                    h[c] += s * P[j] * press[1 + j, k, c]
            N = length(h)
            J[k, n] = N - P[k]
            size, off = max(size, N), max(off, abs(J[k, n]))
            for j in range(n):
                J[k, j] = (1.0 if j == k else 0.0) - s * grown(h, press[1 + j, k])
        if not reduced(J, n) > 0.0:
            return False
        if off <= EXACT * size or (off >= before and off <= ROUNDED * size):
            return True
        before, step = off, 1.0 if nth < ROUNDS // 2 else 0.5  # it may go round where lengths have a kink
        for k in range(n):
            P[k] += step * J[k, n]
    return False


@noinline
def least(press: Array, P: Array, J: Array) -> float:
    """Fill P (n,) with the loads of (2) and return 1, or the factor s at which it ends.

    press (n + 2, n, 9) holds h_0 of all places, B by a unit of each load, and work, as J (n, n + 2) is.
    """
    n, s, step = len(P), 0.0, 0.5
    P[:] = 0.0
    if climbed(1.0, press, P, J):
        return 1.0
    P[:] = 0.0
    while step > FINEST:
        for k in range(n):
            J[k, n + 1] = P[k]
        to = min(s + step, 1.0)
        if climbed(to, press, P, J):
            if to == 1.0:
                return 1.0
            s = to
        else:
            step *= 0.5
            for k in range(n):
                P[k] = J[k, n + 1]
    return s


@entry
def loads(press: Array, P: Array, J: Array) -> float:
    """Do the same, for Python."""
    return least(press, P, J)


def solved(press: Array) -> tuple[Array, float]:
    """Return the loads (n,) and the factor of `least`; press is changed."""
    n = press.shape[1]
    P = np.zeros(n)
    return P, float(loads(press, P, np.zeros((n, n + 2))))


def second(press: Array) -> dict[int, tuple[float, float]]:
    """Return the load that is taken and the larger one that would do too, of places of which there are two.

    Loads of the others are those taken. There are two where |B| of a place is above 1.
    """
    from scipy.optimize import brentq

    P, factor = solved(press)
    h, found = press[0] + np.einsum("j,jkc->kc", P, press[1:-1]), {}
    for k in range(len(P) if factor == 1.0 else 0):
        b = press[1 + k, k]

        def off(p: float, h: Array = h[k], b: Array = b, taken: float = float(P[k])) -> float:
            return float(np.linalg.norm((h + (p - taken) * b).reshape(3, 3), axis=1).sum()) - p

        if P[k] > 0.0 and float(np.linalg.norm(b.reshape(3, 3), axis=1).sum()) > 1.0 + ASIDE:
            low, high = float(P[k]) * (1.0 + ASIDE), 2.0 * float(P[k])
            while off(high) <= 0.0:
                low, high = high, 2.0 * high
            found[k] = float(P[k]), float(brentq(off, low, high, rtol=1e-12))
    return found


class Rub(Protocol):
    """What a message says of a place that rubs."""

    @property
    def joint(self) -> str:
        """Return its joint."""

    @property
    def mu(self) -> float:
        """Return its coefficient of friction."""

    @property
    def eased(self) -> str:
        """Return what makes its friction less, in words."""


class Limit(NamedTuple):
    """Where a joint jams, and from which factor of coefficients of friction on."""

    place: int
    factor: float  # of all coefficients; inf where NEAR does not do it
    alone: float  # of those of this joint, the others without friction
    turned: float = math.nan  # N, its load without friction where it would not jam under the opposite one


def limit(press: Array, joints: Sequence[str], leans: Array | None = None) -> Limit:
    """Return the place that has most part in a jam, and from which factors on.

    The part of a place is that in the vectors by which (1 - s N' B) becomes singular. `leans` (n,) are tan(beta) of the
    rods that places belong to, friction.py (3), of which (1) is no multiple of mu.
    """
    leans = np.zeros(len(joints)) if leans is None else leans
    factor = _factor(press, leans)
    if factor == math.inf:
        return Limit(0, factor, factor)
    part = _parts(_by(press, leans, factor * (1.0 - ASIDE)))
    total = {name: sum(p for p, joint in zip(part, joints, strict=True) if joint == name) for name in joints}
    worst = max(range(len(joints)), key=lambda k: (total[joints[k]], part[k]))
    own = [k for k, joint in enumerate(joints) if joint == joints[worst]]
    alone = press[[0, *(1 + k for k in own), len(joints) + 1]][:, own]
    reversed_ = alone.copy()
    reversed_[0] *= -1.0
    turned = length(alone[0, own.index(worst)]) if _factor(reversed_, leans[own]) == math.inf else math.nan
    return Limit(worst, factor, _factor(alone, leans[own]), turned)


def _by(press: Array, leans: Array, factor: float) -> Array:
    """Return what `press` is with other coefficients of friction: as much of (3) of rods as of their mu."""
    found = np.array(press, order="C")
    room = 1.0 + leans**2 * (1.0 - factor**2)  # friction circles of a rod meet where there is none
    scaled = np.where(room > 0.0, factor / np.sqrt(np.maximum(room, FINEST)), math.inf)
    found[1:-1] *= np.minimum(scaled, 1.0 / FINEST)[:, None, None]
    return found


def _factor(press: Array, leans: Array) -> float:
    if solved(_by(press, leans, NEAR))[1] == 1.0:
        return math.inf
    if not leans.any():
        return NEAR * solved(_by(press, leans, NEAR))[1]
    low, high = 0.0, NEAR
    while high - low > FINEST * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if solved(_by(press, leans, middle))[1] == 1.0 else (low, middle)
    return low


def _parts(press: Array) -> Array:
    """Return the part of each place in what is nearly singular, (n,)."""
    P = solved(press.copy())[0]
    h = press[0] + np.einsum("j,jkc->kc", P, press[1:-1])
    n = len(P)
    J = np.array([[float(k == j) - grown(h[k], press[1 + j, k]) for j in range(n)] for k in range(n)])
    u, _, vt = np.linalg.svd(J)
    return np.asarray(np.abs(u[:, -1] * vt[-1]))


def told(
    every: Sequence[Rub], press: Array, t: float, leans: Array | None = None, losing: Sequence[str] = ()
) -> str | None:
    """Return what jams, or is about to, in words; None if nothing does. Friction of `losing` joints is losses."""
    found = limit(press, [one.joint for one in every], leans)
    if found.factor == math.inf:
        return None
    return said(every[found.place], t, found, every[found.place].joint in losing)


def said(rub: Rub, t: float, found: Limit, efficiency: bool = False) -> str:
    """Return that a joint jams, and from which mu, or efficiency, on."""
    _, factor, alone, turned = found
    itself = abs(alone - factor) <= ALIKE * factor
    if efficiency:
        least_one = (1.0 - rub.mu * factor) / (1.0 + rub.mu * factor)
        mine = f"in this pose it jams from efficiency = {least_one:.7g} down"
        said = (
            f"its losses grow as fast as what pushes; {mine if itself else _together(factor)}. Take a larger "
            "efficiency, or let less power circulate"
        )
    else:
        mine = f"in this pose it jams from mu = {rub.mu * factor:.7g} on"
        said = (
            f"its friction, mu = {rub.mu:.7g}, grows as fast as what pushes; {mine if itself else _together(factor)}. "
            f"Take {rub.eased}"
        )
        if itself and turned == turned:
            said += f", or keep its load, {turned:.3g} without friction, the other way round, which friction lightens"
    return f'joint "{rub.joint}" jams at t = {t:.6g} s: {said}'


def _together(factor: float) -> str:
    share = f"from {factor:.4g} times their friction on"  # a run that comes to a jam ends where this is 1
    return f"so do others with it, in this pose {share if abs(factor - 1.0) > ALIKE else 'with just their friction'}"
