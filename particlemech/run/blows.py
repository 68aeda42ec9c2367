"""Blows at contacts that rub, one or several at once, by Newton and Coulomb.

With gaps g, slips s, and W what impulses p along gaps and T along slips do to the speeds of both,

    (g'+, s'+) = (g'-, s'-) + W (p, T)                                                        (1)
    p >= 0,   g'+ + e g'- >= 0,   p.(g'+ + e g'-) = 0                 Newton's e              (2)
    |T| <= mu p,   T = -mu p sign(s'+) where s'+ is not 0             mu at the slip before   (3)

What can stick at all its contacts does: then T follows from s'+ = 0, and (2) alone remains. Else (1) to (3) are a
linear complementarity problem, after Glocker and Pfeiffer (1995), in T + mu p, mu p - T and the parts of s'+ to
either side, which Lemke's method solves. With e = 0 a blow gives no energy: W >= 0, so that with x = (p, T)

    x.(v- + v+)/2 <= x.v+ = T.s'+ <= 0        as  x.(v+ - v-) = x.W x >= 0                     (4)

With more it may, where blow and centre of mass are not in line, where several have different e, or where one moves what
just leaves another; and what is redundant may have no solution. Then the least e of those struck is taken for all, and
if that does not do the largest that does.
"""

from __future__ import annotations

import numpy as np

from particlemech.engine.system import Array
from particlemech.run.complementarity import RANK, complementary

EVEN = 1e-12  # of the work of a blow: what is rounding
FITS = 1e-12  # of mu p: what counts as no more than that
LEAST = 1e-9  # of the largest speed: what is no less than zero
RIDGE = 1e-11  # of W: makes what is redundant determined
ROUND, TIE = 1e-10, 1e-12  # of a pivot, and of ratios that are the same; everything of size 1


def blow(W: Array, before: Array, e: Array, mu: Array, at: Array) -> tuple[Array, Array, Array]:
    """Return restitutions (n,), p (n,) and T (m,), from W and speeds before of n gaps and m slips, those of `at`."""
    n = len(e)

    def tried(e: Array) -> tuple[bool, Array]:
        x = _coulomb(W, before, e, mu, at)
        if x is None:
            return False, np.zeros(len(before))
        return float(x @ (2.0 * before + W @ x)) <= EVEN * float(np.abs(x) @ np.abs(before)), x

    even, x = tried(e)
    if not even:
        e = np.full(n, np.min(e, where=before[:n] < 0.0, initial=1.0))
        even, x = tried(e)
    if not even:
        low, high = 0.0, float(e[0])
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if tried(np.full(n, middle))[0] else (low, middle)
        e = np.full(n, low)
        even, x = tried(e)
    if not even:  # there is a solution, but rounding of what is redundant hides it
        e = np.zeros(n)
        found = _slid(W + RIDGE * np.diag(np.diag(W)), before, mu, at)
        x = x if found is None else found
    return e, x[:n], x[n:]


def _coulomb(W: Array, before: Array, e: Array, mu: Array, at: Array) -> Array | None:
    """Return (p, T) of (1) to (3) for given restitutions; None if there are none."""
    n = len(e)
    target = before.copy()
    target[:n] += e * np.minimum(before[:n], 0.0)
    if not len(mu):
        p, after = complementary(W, target)
        return p if np.min(after, initial=0.0) >= -LEAST * np.max(np.abs(target)) else None
    held = _stuck(W, target, mu, at)
    return held if held is not None else _slid(W, target, mu, at)


def _stuck(W: Array, target: Array, mu: Array, at: Array) -> Array | None:
    """Return (p, T) with no slip after it, at contacts that are pressed; None if friction does not suffice."""
    n = len(target) - len(mu)
    on = np.ones(len(mu), dtype=bool)
    while True:
        t = n + np.flatnonzero(on)
        back = -np.linalg.lstsq(W[np.ix_(t, t)], np.column_stack([target[t], W[t, :n]]), rcond=RANK)[0]
        p, _ = complementary(W[:n, :n] + W[:n, t] @ back[:, 1:], target[:n] + W[:n, t] @ back[:, 0])
        loose = on & (p[at] <= 0.0)
        if not loose.any():
            break
        on &= ~loose
    T = np.zeros(len(mu))
    T[on] = back[:, 0] + back[:, 1:] @ p
    fits = np.all(np.abs(T) <= (1.0 + FITS) * mu * p[at]) and not np.any(p[at][~on] > 0.0)
    fits = fits and np.min(W[:n] @ np.concatenate([p, T]) + target[:n]) >= -LEAST * np.max(np.abs(target))
    return np.concatenate([p, T]) if fits else None


def _slid(W: Array, target: Array, mu: Array, at: Array) -> Array | None:
    """Return (p, T) by Lemke's method, everything scaled to be of size 1; None if there are none."""
    n, m = len(target) - len(mu), len(mu)
    size = np.sqrt(np.diag(W))
    size[size == 0.0] = 1.0
    V, q = W / size / size[:, None], target / size
    unit = float(np.max(np.abs(q), initial=0.0)) or 1.0
    bound = np.zeros((m, n))
    bound[np.arange(m), at] = mu * size[n:] / size[at]
    eye, M = np.eye(m), np.zeros((n + 2 * m, n + 2 * m))
    M[: n + m, :n], M[: n + m, n : n + m] = V[:, :n] - V[:, n:] @ bound, V[:, n:]
    M[n : n + m, n + m :], M[n + m :, :n], M[n + m :, n : n + m] = eye, 2.0 * bound, -eye
    z = lemke(M, np.concatenate([q / unit, np.zeros(m)]))
    if z is None:
        return None
    return np.concatenate([z[:n], z[n : n + m] - bound @ z[:n]]) * unit / size


def lemke(M: Array, q: Array) -> Array | None:
    """Return z >= 0 with M z + q >= 0 and z.(M z + q) = 0, (n,), by Lemke's method; None if it ends on a ray."""
    n = len(q)
    if np.all(q >= 0.0):
        return np.zeros(n)
    # columns: w, z, the artificial variable, the right side; ties are broken by rows of the inverse
    table = np.column_stack([np.eye(n), -M, -np.ones(n), q])
    basis, entering = list(range(n)), 2 * n
    k = min(range(n), key=lambda i: (table[i, -1], *table[i, :n]))
    for _ in range(50 * n + 50):
        table[k] /= table[k, entering]
        others = np.arange(n) != k
        table[others] -= np.outer(table[others, entering], table[k])
        leaving, basis[k] = basis[k], entering
        if leaving == 2 * n:
            z = np.zeros(2 * n + 1)
            z[basis] = table[:, -1]
            return np.maximum(z[n : 2 * n], 0.0)
        entering = leaving + n if leaving < n else leaving - n
        rows = [i for i in range(n) if table[i, entering] > ROUND]
        if not rows:
            return None
        ratios = table[rows, -1] / table[rows, entering]
        tied = [i for i, r in zip(rows, ratios, strict=True) if r <= np.min(ratios) + TIE]
        artificial = [i for i in tied if basis[i] == 2 * n]
        k = artificial[0] if artificial else min(tied, key=lambda i: tuple(table[i, :n] / table[i, entering]))
    return None
