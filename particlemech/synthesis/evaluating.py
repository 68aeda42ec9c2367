"""What is asked of one linkage: how well it meets a task, and where it is; compiled, for Python."""

from __future__ import annotations

import math

from particlemech._jit import noinline, released
from particlemech.engine.system import Array
from particlemech.synthesis.defects import APART, MISSED, TOLERANCE, judged
from particlemech.synthesis.fitting import Task, WorkArrays, crank, fitted
from particlemech.synthesis.linkage import BETA0, PSI0, coupler, differentiated, output, place, span, wrapped


@noinline
def largest_miss(task: Task, x: Array, own: Array, side: float, work: WorkArrays) -> float:
    """Return the largest miss of all places: of the point and, weighted, the coupler angle, or of the output."""
    worst, w = 0.0, task.weight
    for i in range(len(task.P)):
        there, ax, ay, bx, by, _, _ = place(x, task.slider, side, crank(task, x, own, i))
        if not there:
            return math.inf
        px, py, gamma = coupler(x, ax, ay, bx, by)
        miss = w[0] * math.hypot(px - task.P[i].real, py - task.P[i].imag)
        miss = max(miss, w[1] * abs(wrapped(gamma + x[BETA0] - task.gamma[i])))
        if w[2] > 0.0:
            out = output(x, task.slider, bx, by) + x[PSI0] - task.out[i]
            miss = max(miss, w[2] * abs(out if task.slider else wrapped(out)))
        worst = max(worst, miss)
    return worst


@released
def refined(
    task: Task, x: Array, own: Array, side: float, rounds: int, asked: Array, sides: Array, work: WorkArrays, out: Array
) -> int:
    """Fit a linkage further; fill out with its largest miss, the way of its crank and its least transmission.

    Returns what is wrong with it, as in defects.py.
    """
    if rounds > 0 and not fitted(task, x, own, side, rounds, work) < math.inf:
        return APART
    for i in range(len(own)):
        own[i] = crank(task, x, own, i)
        sides[i] = side
    out[0] = largest_miss(task, x, own, side, work)
    fault, out[1], out[2] = judged(x, task.slider, own, sides, len(own), asked, task.planes)
    return fault if out[0] <= asked[TOLERANCE] else MISSED


@released
def traced(x: Array, slider: bool, side: float, theta: Array, out: Array) -> None:
    """Fill out (K, 8) with A, B, P, the coupler's angle and the output at crank angles; NaN where it cannot be."""
    for i in range(len(theta)):
        there, ax, ay, bx, by, _, _ = place(x, slider, side, theta[i])
        if not there:
            for k in range(8):
                out[i, k] = math.nan
            continue
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = ax, ay, bx, by
        out[i, 4], out[i, 5], out[i, 6] = coupler(x, ax, ay, bx, by)
        out[i, 7] = output(x, slider, bx, by)


@released
def slopes(x: Array, slider: bool, side: float, theta: Array, value: Array, J: Array) -> bool:
    """Fill value (K, 4) and J (K, 4, 13) of linkage.py at crank angles; whether it can be at all of them."""
    for i in range(len(theta)):
        if not differentiated(x, slider, side, theta[i], value[i], J[i]):
            return False
    return True


@released
def arc(x: Array, slider: bool, out: Array) -> None:
    """Fill out with the crank angle from which tau counts, k0 and k1 of (1) of linkage.py."""
    out[0], out[1], out[2] = span(x, slider)
