"""The least largest error: a linear programme for each step, until nothing gets better.

    least E with |r_i + J_i dx| <= E for all i, |dx_k| <= reach                                                  (1)

Where a linkage can change much with little change of its errors, their curvature spoils such a step: then r is replaced
by r(x + dx) - J dx, in which the curvature is, and (1) solved once more. Where the numbers of a linkage can be told
apart by its errors, the largest come again with alternating signs, once more than there are numbers: Chebyshev's
criterion.
"""

from __future__ import annotations

import numpy as np

from particlemech.engine.system import Array
from particlemech.synthesis.evaluating import slopes
from particlemech.synthesis.fitting import Task
from particlemech.synthesis.linkage import PSI0, SIZE, THETA0

STEPS = 60
REACH, SHORTEST = 0.05, 1e-10  # of steps
ENOUGH = 1e-9  # of the largest error: steps that gain less are the last
GOOD = 0.7  # of what was foreseen


def levelled(task: Task, x: Array, side: float) -> float:
    """Move x to where the largest error of the output is least; return that."""
    r, J = errors(task, x, side)
    if not len(r):
        return np.inf
    reach, now, still = REACH, float(np.max(np.abs(r))), 0
    for _ in range(STEPS):
        step, foreseen = _step(task, x, r, J, reach)
        there = _moved(task, x, step, side)
        if now - there[2] < GOOD * (now - foreseen) and len(there[0]):
            bent, _ = _step(task, x, there[0] - J @ step, J, reach)
            there = min(there, _moved(task, x, bent, side), key=lambda one: one[2])
        if there[2] < now:
            gain = now - there[2]
            reach *= 2.0 if gain > GOOD * (now - foreseen) else 1.0
            still = still + 1 if gain < ENOUGH * now else 0
            r, J, now = there[:3]
            x[:] = there[3]
        else:
            reach *= 0.25
        if still > 2 or reach < SHORTEST:
            break
    return now


def _step(task: Task, x: Array, r: Array, J: Array, reach: float) -> tuple[Array, float]:
    """Return dx and E of (1)."""
    from scipy.optimize import linprog

    n, scale = len(task.free), float(np.max(np.abs(r))) or 1.0
    ones = np.ones((len(r), 1))
    rows = np.vstack([np.hstack([J * (reach / scale), -ones]), np.hstack([J * (-reach / scale), -ones])])
    low, high = ((task.bounds[k, task.free] - x[task.free]) / reach for k in (0, 1))
    bounds = [(max(-1.0, min(a, 0.0)), min(1.0, max(b, 0.0))) for a, b in zip(low, high, strict=True)]
    cost = np.concatenate([np.zeros(n), [1.0]])
    found = linprog(cost, rows, np.concatenate([-r, r]) / scale, bounds=[*bounds, (0.0, None)], method="highs")
    if found.status != 0:
        return np.zeros(n), scale
    return reach * found.x[:n], scale * float(found.x[n])


def _moved(task: Task, x: Array, step: Array, side: float) -> tuple[Array, Array, float, Array]:
    """Return errors, derivatives, the largest error and the numbers after a step."""
    y = x.copy()
    y[task.free] += step
    r, J = errors(task, y, side)
    return r, J, float(np.max(np.abs(r))) if len(r) else np.inf, y


def errors(task: Task, x: Array, side: float) -> tuple[Array, Array]:
    """Return errors of the output, (N,), and their derivatives by the free numbers, (N, n); none if it falls apart."""
    count = len(task.phi)
    value, J = np.zeros((count, 4)), np.zeros((count, 4, SIZE + 1))
    if not slopes(x, task.slider, side, x[THETA0] + task.phi, value, J):
        return np.zeros(0), np.zeros((0, len(task.free)))
    r = value[:, 3] + x[PSI0] - task.out
    if not task.slider:
        r = np.remainder(r + np.pi, 2.0 * np.pi) - np.pi
    slope = J[:, 3].copy()
    slope[:, THETA0], slope[:, PSI0] = J[:, 3, SIZE], 1.0
    return r, slope[:, task.free]
