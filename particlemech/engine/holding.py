"""Joints at rest that hold by friction: what each of them carries, where equilibrium alone does not say.

Of n joints that rest only r may do so by themselves; the others follow from these (a four-bar has one freedom and four
pins). With D the rates of all, (n, r), at unit rates of those r, and L what these would carry alone, the efforts f obey

    D^T f = L,    |f_j| <= m_j P_j            m_j = h mu_static, P_j the load of the joint                       (1)

Of those that do the ones are taken whose largest share |f_j|/(m_j P_j) is least, and of what that leaves open again.
By the duality of linear programming the least largest share is

    max over d of  (L.d) / sum_j m_j P_j |D_j d|                                                                  (2)

so (1) has a solution if and only if no virtual motion d of the joints at rest would get more power from the loads than
friction takes at its limits: the static limit of virtual power. With one freedom all have the same share. Joints that
rest alone carry what they must. (2) is attained on a ray where r - 1 independent ones of D_j d vanish. What rows hold,
of drivers, locks and closed stops, does not rub: D_j = 0, f_j = 0.

Not used: the least sum of (f_j/(m_j P_j))^2, which asks for more than some can carry while others could.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from particlemech.engine.system import Array

RANK = 1e-9  # of a row of D: what is no part of the others
ROUNDS = 200  # of (1) and the loads that go with it
EXACT = 1e-14  # of the largest effort: (1) goes with its loads
NOTHING = 1e-14  # of what is to be carried: joints without load count as if they could carry this


def shared(D: Array, L: Array, most: Array) -> Array:
    """Return the efforts f (n,) of (1) with the least shares, for limits m P (n,); D (n, r), L (r,)."""
    n, r = D.shape
    f, size = np.zeros(n), float(np.max(np.abs(L), initial=0.0))
    if r == 0 or size == 0.0:
        return f
    if n == r:
        return np.asarray(np.linalg.solve(D.T, L))
    most = np.maximum(most, NOTHING * size)
    best, along = -1.0, np.zeros(r)
    for d in _rays(D):
        rates = D @ d
        share = abs(float(L @ d)) / float(most @ np.abs(np.where(_moves(D, rates), rates, 0.0)))
        if share > best:
            best, along = share, d if L @ d >= 0.0 else -d
    rates = D @ along
    moves = _moves(D, rates)
    f[moves] = best * most[moves] * np.sign(rates[moves])
    if r > 1:
        rest = D[~moves]
        _, s, Vt = np.linalg.svd(rest)
        basis = Vt[: int(np.sum(s > RANK * max(s[0], 1e-300)))].T if len(s) else np.zeros((r, 0))
        f[~moves] = shared(rest @ basis, basis.T @ (L - D[moves].T @ f[moves]), most[~moves])
    return f


def _moves(D: Array, rates: Array) -> NDArray[np.bool_]:
    """Return which joints have a rate (n,) that is more than rounding."""
    return np.asarray(np.abs(rates) > RANK * np.linalg.norm(D, axis=1))


def _rays(D: Array) -> list[Array]:
    """Return the directions (r,) along which r - 1 independent ones of the rows of D (n, r) vanish."""
    r = D.shape[1]
    if r == 1:
        return [np.ones(1)]
    sizes = np.linalg.norm(D, axis=1)
    rows = D[sizes > 0.0] / sizes[sizes > 0.0, None]
    found = []
    for some in combinations(range(len(rows)), r - 1):
        _, s, Vt = np.linalg.svd(rows[[*some]])
        if s[-1] > RANK:
            found.append(Vt[-1])
    return found


def carried(D: Array, alone: Array, most: Array, load: Callable[[Array], Array]) -> tuple[Array, Array]:
    """Return efforts f (n,) with the least shares and their loads P (n,): these go with the efforts, P = load(f).

    `most` are the m_j of (1), (n,).
    """
    f = np.zeros(len(D))
    for _ in range(ROUNDS):
        P = load(f)
        new = shared(D, alone, most * P)
        off = float(np.max(np.abs(new - f), initial=0.0))
        f = new
        if off <= EXACT * float(np.max(np.abs(f), initial=0.0)):
            break
    return f, load(f)
