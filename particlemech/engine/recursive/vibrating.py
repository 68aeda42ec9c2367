"""What vibrates fastest near a state: why explicit steps are small, in words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from particlemech.engine.system import Array

MANY = 200  # speeds beyond which nobody looks for the fastest
FAST = 30.0  # times faster than the mechanism: what is called fast
OFTEN = 1000.0  # vibrations since t = 0 that are called many, whatever the time of the mechanism


def hurried(system: Any, t: float, y: Array) -> str:
    """Return which coordinate vibrates fastest, in words; empty where that is no faster than the mechanism, nor often.

    a = a(q) at these speeds: the largest eigenvalue of -da/dq, by differences.
    """
    y, n = y.copy(), system.n_v
    if not n or n > MANY:
        return ""
    q, J = y[: system.n_q].copy(), np.zeros((n, n))
    for j in range(n):
        step = np.zeros(n)
        step[j] = 1e-6 * system.size_v[j]
        ends = []
        for side in (1.0, -1.0):
            y[: system.n_q] = system.moved(q, side * step)
            ends.append(system.explicit.slopes(t, y)[1][system.n_q : -1])
        J[:, j] = (ends[0] - ends[1]) / 2e-6 / system.size_v
    if not np.all(np.isfinite(J)):
        return ""
    values, vectors = np.linalg.eig(J)
    k = int(np.argmax(np.abs(values)))
    omega = math.sqrt(float(np.abs(values[k])))
    times = omega * t / (2.0 * math.pi)
    if omega * system.scale.time < FAST and times < OFTEN:
        return ""
    lost = system.compiled.coordinates[system.compiled.free[int(np.argmax(np.abs(vectors[:, k])))]]
    return (
        f"the motion is fast: {lost.label} vibrates with about {omega / (2.0 * math.pi):.3g} Hz"
        f"{f', {times:.2g} times by now' if times > OFTEN else ''}; damp what is so stiff there, or make it rigid"
    )
