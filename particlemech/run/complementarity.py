"""Forces within bounds, and what they keep from moving: the linear complementarity problem of a few elements.

    w = W f + b,   low <= f <= high,   w >= 0 where f = low,  w <= 0 where f = high,  w = 0 between         (1)

What only pushes has low = 0 and no high; friction at rest has both. W is symmetric and has no negative eigenvalues, so
(1) is what makes f.W.f/2 + b.f least within the bounds, and active sets find it in a finite number of exchanges, after
Lawson and Hanson, and Stark and Parker. Where elements are redundant W is singular: then f is one solution of many,
and w is the same for all.
"""

from __future__ import annotations

import numpy as np

from particlemech.engine.system import Array

ZERO = 1e-11  # of the largest term of b: what counts as no b
MOVES = 1e-9  # of the largest term of b: what redundant elements do not balance
RANK = 1e-11  # of the largest singular value


def complementary(W: Array, b: Array, low: Array | None = None, high: Array | None = None) -> tuple[Array, Array]:
    """Return f and w of (1), (n,) each; by default of what only pushes."""
    n = len(b)
    low = np.zeros(n) if low is None else low
    high = np.full(n, np.inf) if high is None else high
    f, between = np.zeros(n), (low < 0.0) & (high > 0.0)
    size = float(np.max(np.abs(b), initial=0.0))
    least = ZERO * size
    for _ in range(3 * n + 10):
        while between.any():
            inner, fixed = W[np.ix_(between, between)], np.where(between, 0.0, f)
            ahead, way = (b + W @ fixed)[between], np.zeros(n)
            wanted = -np.linalg.lstsq(inner, ahead, rcond=RANK)[0]
            left, most = inner @ wanted + ahead, 1.0
            way[between] = wanted - f[between]
            if np.max(np.abs(left)) > MOVES * size:  # no force balances this: as far as bounds allow
                way[between], most = -left, np.inf
            room = np.where(way > 0.0, high - f, f - low)
            steps = np.where(way != 0.0, room / np.where(way != 0.0, np.abs(way), 1.0), np.inf)
            k = int(np.argmin(steps))
            step = min(float(steps[k]), most)
            if step == np.inf:
                break
            f = f + step * way
            if step == 1.0 and steps[k] > 1.0:
                break
            f[k], between[k] = high[k] if way[k] > 0.0 else low[k], False
        w = W @ f + b
        behind = np.where(between | (low == high), 0.0, np.where(f <= low, w, -w))
        k = int(np.argmin(behind)) if n else 0
        if not n or behind[k] >= -least:
            break
        between[k] = True
    w = W @ f + b
    w[between] = 0.0
    return f, w
