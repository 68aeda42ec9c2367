"""The linkage nearest to a task, from one that is near: Levenberg and Marquardt's method, compiled.

Of N places each has four residuals: two of the point, the angle of the coupler, and the output, with their weights. Its
crank angle is theta0 + phi where the task says phi, else an unknown of its own, whose block is a number: with H the sum
of J^T J over the numbers of the linkage, h_i and d_i the parts of place i,

    (H + lam I - sum h_i h_i^T / (d_i + lam)) dx = -(g - sum h_i g_i / (d_i + lam)),
    dtheta_i = -(g_i + h_i . dx) / (d_i + lam)                                                                    (1)

Numbers stay within bounds: at one, a number that would leave is held. Pivots that leave their region are pulled back.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlemech._jit import noinline
from particlemech.engine.system import Array
from particlemech.synthesis.dyads import solved
from particlemech.synthesis.linkage import CX, OX, SIZE, THETA0, differentiated, wrapped

PULL = 4.0  # weight of what pulls a pivot back into its region
MARGIN = 0.01  # how far inside it begins
GROWN, SHRUNK = 4.0, 0.3  # of lam, where a step fails or succeeds
LARGEST = 1e10


class Task(NamedTuple):
    """What is wanted, in lengths of the task: complex places, angles, outputs, and what they weigh."""

    slider: bool
    timed: bool  # crank angles are said
    P: Array  # (N,) complex
    gamma: Array  # (N,) of the coupler
    phi: Array  # (N,) of the crank
    out: Array  # (N,) of the rocker or slider
    weight: Array  # (3,) of places, coupler angles, outputs
    free: Array  # (n,) which of the twelve numbers may change
    bounds: Array  # (2, 12)
    planes: Array  # (k, 3): pivots keep n . X <= c


class WorkArrays(NamedTuple):
    """Arrays that are free to use."""

    value: Array  # (4,)
    J: Array  # (4, 13)
    H: Array  # (12, 13)
    S: Array  # (12, 13)
    g: Array  # (12,)
    h: Array  # (N, 12)
    d: Array  # (N,)
    gi: Array  # (N,)
    x: Array  # (12,)
    own: Array  # (N,)


def work_arrays(n: int) -> WorkArrays:
    """Return arrays for n places."""
    shapes: tuple[tuple[int, ...], ...] = ((4,), (4, 13), (12, 13), (12, 13), (12,), (n, 12), (n,), (n,), (12,), (n,))
    return WorkArrays(*(np.zeros(shape) for shape in shapes))


@noinline
def crank(task: Task, x: Array, own: Array, i: int) -> float:
    """Return the crank angle of place i."""
    return x[THETA0] + task.phi[i] if task.timed else own[i]


@noinline
def missed(task: Task, value: Array, x: Array, i: int, r: Array) -> None:
    """Fill r (4,) with the residuals of place i, from what `differentiated` gave."""
    w = task.weight
    r[0] = w[0] * (value[0] - task.P[i].real)
    r[1] = w[0] * (value[1] - task.P[i].imag)
    r[2] = w[1] * wrapped(value[2] + x[11] - task.gamma[i])
    out = value[3] + x[10] - task.out[i]
    r[3] = w[2] * (out if task.slider else wrapped(out))


@noinline
def _pulled(task: Task, x: Array, H: Array, g: Array) -> float:
    """Add what pulls pivots into their region to H and g; return its part of the sum of squares."""
    total = 0.0
    free = task.free
    for p in range(1 if task.slider else 2):
        first = OX if p == 0 else CX
        for k in range(len(task.planes)):
            nx, ny = task.planes[k, 0], task.planes[k, 1]
            out = PULL * (nx * x[first] + ny * x[first + 1] - task.planes[k, 2] + MARGIN)
            if out > 0.0:
                total += out * out
                for a in range(len(free)):
                    ja = PULL * (nx if free[a] == first else (ny if free[a] == first + 1 else 0.0))
                    g[a] += ja * out
                    for b in range(len(free)):
                        jb = nx if free[b] == first else (ny if free[b] == first + 1 else 0.0)
                        H[a, b] += ja * PULL * jb
    return total


@noinline
def squares(task: Task, x: Array, own: Array, side: float, work: WorkArrays) -> float:
    """Return the sum of squares, and fill H, g, h, d and gi of (1); inf where it falls apart."""
    n, r = len(task.free), work.S[0]
    total = 0.0
    for a in range(n):
        work.g[a] = 0.0
        for b in range(n):
            work.H[a, b] = 0.0
    for i in range(len(task.P)):
        theta = crank(task, x, own, i)
        if not differentiated(x, task.slider, side, theta, work.value, work.J):
            return math.inf
        missed(task, work.value, x, i, r)
        for k in range(4):
            total += r[k] * r[k]
        _added(task, r, i, work)
    if len(task.planes):
        total += _pulled(task, x, work.H, work.g)
    return total


@noinline
def _added(task: Task, r: Array, i: int, work: WorkArrays) -> None:
    """Add the slopes of place i."""
    free, n, J = task.free, len(task.free), work.J
    for k in range(4):
        J[k, THETA0] = J[k, SIZE] if task.timed else 0.0
        J[k, 10] = 1.0 if k == 3 else 0.0
        J[k, 11] = 1.0 if k == 2 else 0.0
    work.d[i] = work.gi[i] = 0.0
    for a in range(n):
        work.h[i, a] = 0.0
    for k in range(4):
        w = task.weight[max(k - 1, 0)]
        if w == 0.0:
            continue
        own = 0.0 if task.timed else w * J[k, SIZE]
        work.d[i] += own * own
        work.gi[i] += own * r[k]
        for a in range(n):
            ja = w * J[k, free[a]]
            work.g[a] += ja * r[k]
            work.h[i, a] += ja * own
            for b in range(a + 1):
                work.H[a, b] += ja * w * J[k, free[b]]
    for a in range(n):
        for b in range(a):
            work.H[b, a] = work.H[a, b]


@noinline
def _step(task: Task, x: Array, lam: float, work: WorkArrays) -> bool:
    """Put the step of (1) into the last column of S; whether there is one."""
    n, S = len(task.free), work.S
    for a in range(n):
        k = task.free[a]
        outward = (x[k] <= task.bounds[0, k] and work.g[a] > 0.0) or (x[k] >= task.bounds[1, k] and work.g[a] < 0.0)
        for b in range(n):
            S[a, b] = 0.0 if outward else work.H[a, b]
        S[a, n] = 0.0 if outward else -work.g[a]
        S[a, a] = 1.0 if outward else S[a, a] + lam
        if outward:
            continue
        if not task.timed:
            for i in range(len(task.P)):
                f = work.h[i, a] / (work.d[i] + lam)
                S[a, n] += f * work.gi[i]
                for b in range(n):
                    S[a, b] -= f * work.h[i, b]
    return solved(S, n, n + 1)


@noinline
def fitted(task: Task, x: Array, own: Array, side: float, rounds: int, work: WorkArrays) -> float:
    """Move x and own to the least sum of squares, at most so many steps; return it, inf where it falls apart."""
    n, free = len(task.free), task.free
    for a in range(n):
        k = free[a]
        x[k] = min(max(x[k], task.bounds[0, k]), task.bounds[1, k])
    now = squares(task, x, own, side, work)
    lam = 0.0
    for a in range(n):
        lam = max(lam, 1e-3 * work.H[a, a])
    still = 0
    for _ in range(rounds):
        if not now < math.inf or now < 1e-31 or still > 3 or lam > LARGEST:
            break
        before = now
        if _step(task, x, lam, work):
            for k in range(SIZE):
                work.x[k] = x[k]
            for a in range(n):
                k = free[a]
                work.x[k] = min(max(x[k] + work.S[a, n], task.bounds[0, k]), task.bounds[1, k])
            for i in range(len(own)):
                push = work.gi[i]
                for a in range(n):
                    push += work.h[i, a] * (work.x[free[a]] - x[free[a]])
                work.own[i] = own[i] if task.timed else own[i] - push / (work.d[i] + lam)
            now = squares(task, work.x, work.own, side, work)
        else:
            now = math.inf
        if now < before:
            still = still + 1 if now > (1.0 - 1e-9) * before else 0
            lam = max(lam * SHRUNK, 1e-18)
            for k in range(SIZE):
                x[k] = work.x[k]
            for i in range(len(own)):
                own[i] = work.own[i]
        else:
            lam = lam * GROWN + 1e-15
            now = squares(task, x, own, side, work)
            if lam > LARGEST:
                break
    return now
