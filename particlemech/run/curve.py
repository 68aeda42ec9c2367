"""The curve of all poses that a mechanism takes with one driver, followed in arc length; compiled, for all engines.

Unknown are the coordinates q and the value s of the driver (or the time, where all motions are prescribed):

    phi(s, q) = 0,     q moves along speeds u: one equation less than unknowns (u, s)                      (1)

Unknowns are in units of their sizes, rows in units of theirs. Independent rows are taken by their pivots in

    C = (phi_u, phi_s),   C P = L Q^T,   tau = last column of Q,   least correction d = Q (L^-1 (-phi), 0)  (2)

so that one factorisation gives the tangent tau, Newton's step onto the curve, and velocities tau_u/tau_s. Rows that
follow from the others are left out. A step goes along tau and its last change (second order), and back onto the curve:

    turning of tau, first correction and its contraction say how long the next one is                     (3)
    s turns back where tau_s = 0, whatever q does: a fold (a toggle of the driver)                        (4)
    det (C, tau) changes its sign where branches cross: a fork (a change point)                            (5)
    the least pivot falls to nothing and rises again: a fork where an even number of ranks is lost         (6)

A step over which (5) happens is cut down to SHORT: where branches only come near each other the short one stays on its
own, at a fork none does. Where the least pivot p falls a step goes no farther than half of the way p/|p'| to where it
would be nothing. Not used: s as the parameter, with bisection where it fails: half the digits of a fold.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from particlemech._jit import kernel, noinline
from particlemech.engine.system import Array
from particlemech.run.steps import copy
from particlemech.run.tangent import (
    EVALUATIONS,
    FIRST,
    FORMER,
    FROM,
    LAST,
    PIVOT,
    RATIO,
    SIGN,
    STEPS,
    CurveState,
    H,
    S,
    curve_state,
    evaluate,
)

__all__ = ["EVALUATIONS", "LAST", "SIGN", "STEPS", "CurveState", "H", "S", "curve_state"]

BEGIN, MARCH, POINT = range(3)  # tasks of `perform`
REACHED, FOLD, FORK, PAUSED, LOST, OPEN = range(6)  # how a march ends

TURN = 0.15  # rad: how far the tangent may turn in a step
FAR = 5e-3  # first correction, in units
SLOW = 0.25  # contraction of the corrections
LONGEST, SHORT, SHORTEST = 0.25, 1e-3, 1e-9  # steps, in units
BESIDE = 4.0  # times the least pivot: no step is longer, but for SHORT
LOW = 5e-3  # a least pivot that rises again above it was never nothing
CLOSED, EXACT = 1e-11, 1e-13  # a correction this small is the last, of a step and of a sample
LEFT = 1e-9  # what rows that are not solved for may be open by
ROUNDS = 8


class Engine(NamedTuple):
    """What the curve asks of an engine; all are kernels, and `address` is that of its argument block.

    rows(s, q, address, phi, C)
        Fill the values of all rows and their derivatives along the speeds and, in the last column, by s.
    move(q, step, address)
        Move coordinates a step along the speeds.
    carry(q, address)
        A point has come to count: bring up to date what is carried along, such as turns.
    show(q, address, out)
        Fill out with the extra states of a pose.
    """

    rows: Callable[..., Any]
    move: Callable[..., Any]
    carry: Callable[..., Any]
    show: Callable[..., Any]


@kernel
def moved(engine: Engine, q: Array, w: CurveState, address: int) -> float:
    """Move q by d; return what is added to s."""
    last = len(w.d) - 1
    for j in range(last):
        w.step[j] = w.d[j] * w.size[j]
    engine.move(q, w.step, address)
    return w.d[last] * w.size[last]


@kernel
def norm(x: Array) -> float:
    """Return the length of a vector."""
    total = 0.0
    for k in range(len(x)):
        total += x[k] * x[k]
    return math.sqrt(total)


@kernel
def widest(w: CurveState) -> float:
    """Return the largest gap of all rows where they were last evaluated."""
    largest = 0.0
    for r in range(len(w.phi)):
        if not abs(w.phi[r]) <= largest:
            largest = abs(w.phi[r])
    return largest


@noinline
def corrected(engine: Engine, s: float, along: Array, w: CurveState, address: int) -> float:
    """Take trial onto the curve, filling null with its tangent there and FIRST, RATIO; return s, nan where it fails."""
    before = 0.0
    w.now[RATIO] = 0.0
    for i in range(ROUNDS):
        evaluate(engine, s, w.trial, False, along, w, address)
        length = norm(w.d)
        if i == 0:
            w.now[FIRST] = length
        elif length > 1e-9:
            w.now[RATIO] = max(w.now[RATIO], length / before)
        if not length <= 1.0:
            return math.nan
        s += moved(engine, w.trial, w, address)
        for j in range(len(w.d)):
            w.gone[j] += w.d[j]
        if length <= CLOSED:
            return s if widest(w) <= LEFT else math.nan
        before = length
    return math.nan


@noinline
def point(engine: Engine, h: float, w: CurveState, address: int) -> float:
    """Fill trial and null with the point a length h beyond where the last step began; return its s, or nan."""
    copy(w.before, w.trial)
    for j in range(len(w.d)):
        w.d[j] = h * (w.tau0[j] + 0.5 * h * w.bend0[j])
        w.gone[j] = w.d[j]
    s = w.now[FROM] + moved(engine, w.trial, w, address)
    return corrected(engine, s, w.tau0, w, address)


# -- (1) at given s ----------------------------------------------------------------------------------------------------


@noinline
def settle(engine: Engine, s: float, q: Array, along: Array, w: CurveState, address: int) -> bool:
    """Take q onto the rows at a given s, filling null; return whether that succeeds."""
    last = len(w.d) - 1
    for i in range(2 * ROUNDS):
        evaluate(engine, s, q, i == 0 or w.now[PIVOT] < 1e-3, along, w, address)
        c = -w.d[last] / w.null[last] if abs(w.null[last]) > 1e-12 else 0.0
        for j in range(last):
            w.d[j] += c * w.null[j]
        w.d[last] = 0.0
        length = norm(w.d)
        if not length <= 10.0:
            return False
        if length > 0.5:
            for j in range(last):
                w.d[j] *= 0.5 / length
        moved(engine, q, w, address)
        if length <= EXACT:
            break
    return widest(w) <= LEFT


@kernel
def hermite(x: float, h: float, j: int, w: CurveState) -> float:
    """Return how far unknown j has come at the part x of the last step, of length h."""
    own = h * x * (1.0 - x) * (1.0 - x) * w.tau0[j] - h * x * x * (1.0 - x) * w.tau[j]
    return own + x * x * (3.0 - 2.0 * x) * w.way[j]


@noinline
def sample(engine: Engine, k: int, w: CurveState, address: int) -> bool:
    """Fill found[k] with the pose at wanted[k], which lies in the last step; return whether that succeeds."""
    last, n_q, h, out = len(w.d) - 1, len(w.q), w.now[LAST], w.found[k]
    goal = (w.wanted[k] - w.now[FROM]) / w.size[last]
    low, high = 0.0, 1.0
    x = goal / w.way[last] if w.way[last] != 0.0 else 0.0
    for _ in range(40):  # between folds s is monotonous along a step: halves where Newton leaves them
        f = hermite(x, h, last, w) - goal
        if abs(f) <= 1e-14 * (1.0 + abs(goal)):
            break
        if f * w.way[last] > 0.0:
            high = x
        else:
            low = x
        e = 1e-6
        slope = (hermite(x + e, h, last, w) - hermite(x - e, h, last, w)) / (2.0 * e)
        x = x - f / slope if slope != 0.0 else 0.5 * (low + high)
        if not low < x < high:
            x = 0.5 * (low + high)
    for j in range(last):
        w.d[j] = hermite(x, h, j, w)
    q = out[:n_q]
    copy(w.before, q)
    moved(engine, q, w, address)
    done = settle(engine, w.wanted[k], q, w.tau, w, address)
    w.pivots[k] = w.now[PIVOT]
    for j in range(last):
        out[n_q + j] = w.null[j] * w.size[j] / (w.null[last] * w.size[last])
    engine.show(q, address, out[n_q + last :])
    return done


@noinline
def fill(engine: Engine, done: int, w: CurveState, address: int) -> int:
    """Fill the samples of the last step, from number `done` on; return which follows, or -1 - it where one fails."""
    last = len(w.d) - 1
    ahead = 1.0 if w.way[last] >= 0.0 else -1.0
    while done < len(w.wanted) and (w.wanted[done] - w.now[S]) * ahead <= 0.0:
        if not sample(engine, done, w, address):
            return -1 - done
        done += 1
    return done


# -- the march ---------------------------------------------------------------------------------------------------------


@noinline
def accept(engine: Engine, s: float, h: float, w: CurveState, address: int) -> None:
    """Let trial, null and gone be the end of a step of length h."""
    copy(w.trial, w.q)
    copy(w.gone, w.way)
    for j in range(len(w.tau)):
        w.bend0[j] = w.bend[j]
        w.bend[j] = (w.null[j] - w.tau0[j]) / h
        w.tau[j] = w.null[j]
    w.now[S], w.now[LAST] = s, h


@noinline
def fold(engine: Engine, h: float, w: CurveState, address: int) -> float:
    """Fill trial and null with the point at which tau_s = 0 within h of where the step began; return its h, or nan."""
    last = len(w.d) - 1
    a, b, fa, fb, x = 0.0, h, w.tau0[last], w.null[last], h
    for i in range(100):
        x = b - fb * (b - a) / (fb - fa)
        if not math.isfinite(point(engine, x, w, address)):
            return math.nan
        f = w.null[last]
        if abs(f) <= 1e-15 or abs(b - a) <= 1e-15:
            break
        if (f > 0.0) == (fb > 0.0):
            m = 1.0 - f / fb  # Anderson and Bjoerck
            fa *= m if m > 0.0 else 0.5
            b, fb = x, f
        else:
            a, fa, b, fb = b, fb, x, f
        if i > 60:
            break
    return x


@noinline
def march(engine: Engine, most: int, done: int, w: CurveState, address: int) -> tuple[int, int]:
    """Take up to `most` steps, and fill samples from number `done` on; return how it ended, and which sample follows.

    It ends at forks, when all that are wanted are filled, where some are, at folds, or after `most` steps.
    """
    now, last, taken = w.now, len(w.d) - 1, 0
    while taken < most:
        # which rows are independent, where the step begins
        evaluate(engine, now[S], w.q, True, w.tau, w, address)
        sign, pivot, h = now[SIGN], now[PIVOT], min(now[H], LONGEST, max(BESIDE * now[PIVOT], SHORT))
        falls = now[FORMER] - pivot
        if falls > 0.0:
            h = min(h, max(0.5 * pivot * now[LAST] / falls, SHORT))
        copy(w.q, w.before)
        copy(w.tau, w.tau0)
        now[FROM] = now[S]
        while True:
            copy(w.q, w.trial)
            for j in range(last + 1):
                w.d[j] = h * (w.tau[j] + 0.5 * h * w.bend[j])
                w.gone[j] = w.d[j]
            s = corrected(engine, now[S] + moved(engine, w.trial, w, address), w.tau, w, address)
            fine, turned = math.isfinite(s), 2.0
            if fine:
                cosine = 0.0
                for j in range(last + 1):
                    cosine += w.tau[j] * w.null[j]
                turned = math.acos(min(1.0, max(-1.0, cosine)))
            amount = max(turned / TURN, max(math.sqrt(now[FIRST] / FAR), now[RATIO] / SLOW))
            crossed = now[SIGN] != sign
            if fine and amount <= 2.0 and not (crossed and h > SHORT):
                break
            if h <= SHORTEST:
                return LOST, done
            h *= 0.5 if fine else 0.25
            if crossed and h < SHORT and fine and amount <= 2.0:
                h = SHORT
        now[STEPS] += 1.0
        taken += 1
        folded = w.tau0[last] * w.null[last] < 0.0
        side = w.null[last]
        if folded:
            for j in range(last + 1):
                w.bend0[j] = w.bend[j]
            h = fold(engine, h, w, address)
            if not math.isfinite(h):
                return LOST, done
            s = now[FROM] + w.gone[last] * w.size[last]
        dipped = crossed or (falls > 0.0 and pivot < LOW and now[PIVOT] > pivot)
        now[FORMER] = 0.0 if dipped or folded else pivot
        accept(engine, s, h, w, address)
        now[H] = h / min(2.0, max(0.5, amount)) if not folded else 0.5 * h
        if len(w.wanted) > 0:
            done = fill(engine, done, w, address)
            if done < 0:
                return OPEN, -1 - done
        engine.carry(w.q, address)
        if folded:
            w.tau[last] = math.copysign(1e-300, side)  # which way s goes on
        if dipped and not folded:
            return FORK, done
        if 0 < len(w.wanted) <= done:
            return REACHED, done
        if folded:
            return FOLD, done
    return PAUSED, done


@kernel
def perform(engine: Engine, task: int, x: float, most: int, done: int, w: CurveState, address: int) -> float:
    """Do one of the tasks of a curve.

    BEGIN    take q onto the rows at s = x; tau along the tau that is given; return 1 if that succeeds
    MARCH    see `march`; return how it ended plus 16 times which sample follows
    POINT    see `point`; x is the length; return s, or nan
    """
    if task == MARCH:
        ended, follows = march(engine, most, done, w, address)
        return float(ended + 16 * follows)
    if task == POINT:
        return point(engine, x, w, address)
    fine = settle(engine, x, w.q, w.tau, w, address)
    engine.carry(w.q, address)
    copy(w.null, w.tau)
    w.bend[:] = 0.0
    w.now[S], w.now[H], w.now[FORMER] = x, 0.05, 0.0
    return 1.0 if fine else 0.0
