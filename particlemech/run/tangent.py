"""Points of a curve of poses: its state, and the factors that give tangents and corrections; see curve.py (2)."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

from particlemech._jit import ArgumentGroup, fresh, kernel, noinline, written
from particlemech.engine.system import Array

# of `now`: value of the driver, step to try next, length of the last step, value where that began, least pivot beside
# its row and sign of (5) where rows were last factored, first correction, its contraction, least pivot where the last
# step began (0: not known); counters
S, H, LAST, FROM, PIVOT, SIGN, FIRST, RATIO, FORMER, STEPS, EVALUATIONS = range(11)
NOTES = EVALUATIONS + 1
NOTHING = 1e-13  # pivot below which a direction is left alone


class CurveState(NamedTuple):
    """State of a curve; n rows, m = n_v + 1 unknowns."""

    now: Annotated[Array, written()]  # (NOTES,)
    q: Annotated[Array, written()]  # (n_q,)
    tau: Annotated[Array, written()]  # (m,) tangent there
    bend: Annotated[Array, written()]  # (m,) its change per length over the last step
    before: Annotated[Array, written()]  # (n_q,) where the last step began
    tau0: Annotated[Array, written()]  # (m,)
    bend0: Annotated[Array, written()]  # (m,)
    way: Annotated[Array, written()]  # (m,) from there to q
    trial: Annotated[Array, written()]  # (n_q,)
    d: Annotated[Array, written()]  # (m,) step or correction
    gone: Annotated[Array, written()]  # (m,) all steps of a trial
    null: Annotated[Array, written()]  # (m,) tangent where rows were last factored
    step: Annotated[Array, written()]  # (m,) in the speeds' own measures
    phi: Annotated[Array, written()]  # (n,)
    C: Annotated[Array, written(2)]  # (n, m)
    A: Annotated[Array, written(2)]  # (n, m) factors
    order: Annotated[Array, written()]  # (n,) rows, the independent ones first
    whole: Annotated[Array, written()]  # (n,) lengths of rows
    diagonal: Annotated[Array, written()]  # (n,)
    beta: Annotated[Array, written()]  # (n,)
    row: Annotated[Array, written()]  # (n,) what makes rows dimensionless
    size: Annotated[Array, written()]  # (m,) sizes of the unknowns
    wanted: Annotated[Array, written()]  # (K,) values of s, in the order in which they come
    found: Annotated[Array, written(2)]  # (K, n_q + n_v + n_x) poses there, velocities by s, extra states
    pivots: Annotated[Array, written()]  # (K,) least pivot there


def curve_state(n_q: int, n_v: int, n_x: int, n_row: int, wanted: Array) -> ArgumentGroup:
    """Return the state of a curve that is asked for the poses at values of s, (K,)."""
    m, K = n_v + 1, len(wanted)
    sizes = (NOTES,), (n_q,), (m,), (m,), (n_q,), (m,), (m,), (m,), (n_q,), (m,), (m,), (m,), (m,)
    rows = (n_row,), (n_row, m), (n_row, m), (n_row,), (n_row,), (n_row,), (n_row,), (n_row,)
    group = fresh(CurveState, *sizes, *rows, (m,), (K,), (K, n_q + n_v + n_x), (K,))
    group.part.wanted[:] = wanted
    group.part.order[:] = range(n_row)
    return group


# -- (2) ---------------------------------------------------------------------------------------------------------------


@kernel
def remaining(A: Array, r: int, k: int) -> float:
    """Return the square of what is left of row r from column k on."""
    total = 0.0
    for j in range(k, A.shape[1]):
        total += A[r, j] * A[r, j]
    return total


@noinline
def factor(choose: bool, w: CurveState) -> None:
    """Turn A into the factors (2) by reflections of its rows, those with the largest pivots first if `choose`."""
    A, order = w.A, w.order
    n, m = A.shape
    least, sign = 1.0, 1.0
    for r in range(n):
        w.whole[r] = math.sqrt(remaining(A, r, 0))
    for k in range(m - 1):
        if choose:
            best, most = k, -1.0
            for i in range(k, n):
                left = remaining(A, int(order[i]), k)
                if left > most:
                    best, most = i, left
            order[k], order[best] = order[best], order[k]
        r = int(order[k])
        length, first = math.sqrt(remaining(A, r, k)), A[r, k]
        pivot = -length if first > 0.0 else length
        w.diagonal[k], w.beta[k] = pivot, 0.0
        least = min(least, length / w.whole[r]) if w.whole[r] > 0.0 else 0.0
        if length > 0.0:
            A[r, k] = first - pivot
            w.beta[k] = 1.0 / (length * (length + abs(first)))
            for i in range(k + 1, n):
                other = int(order[i])
                c = 0.0
                for j in range(k, m):
                    c += A[r, j] * A[other, j]
                c *= w.beta[k]
                for j in range(k, m):
                    A[other, j] -= c * A[r, j]
        sign = -sign if pivot > 0.0 else sign
    w.now[PIVOT], w.now[SIGN] = least, sign


@kernel
def turned_back(x: Array, w: CurveState) -> None:
    """Turn x (m,) into Q x."""
    A, m = w.A, len(x)
    for k in range(m - 2, -1, -1):
        r, c = int(w.order[k]), 0.0
        for j in range(k, m):
            c += A[r, j] * x[j]
        c *= w.beta[k]
        for j in range(k, m):
            x[j] -= c * A[r, j]


@noinline
def evaluate(engine: Any, s: float, q: Array, choose: bool, along: Array, w: CurveState, address: int) -> None:
    """Fill null with the tangent at a point, along `along`, and d with the least correction onto the curve."""
    A, C, order, m = w.A, w.C, w.order, len(w.d)
    engine.rows(s, q, address, w.phi, C)
    for r in range(len(w.row)):
        w.phi[r] *= w.row[r]
        for j in range(m):
            A[r, j] = C[r, j] * w.row[r] * w.size[j]
    factor(choose, w)
    for k in range(m - 1):
        r = int(order[k])
        value = -w.phi[r]
        for j in range(k):
            value -= A[r, j] * w.d[j]
        # a direction that rows hardly hold is left alone: a small gap would ask for a large move
        w.d[k] = value / w.diagonal[k] if abs(w.diagonal[k]) > NOTHING * w.whole[r] else 0.0
        w.null[k] = 0.0
    w.d[m - 1], w.null[m - 1] = 0.0, 1.0
    turned_back(w.d, w)
    turned_back(w.null, w)
    same = 0.0
    for j in range(m):
        same += along[j] * w.null[j]
    if same < 0.0:
        w.now[SIGN] = -w.now[SIGN]
        for j in range(m):
            w.null[j] = -w.null[j]
    w.now[EVALUATIONS] += 1.0
