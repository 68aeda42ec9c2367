"""Forces that only push, and gaps that only open: the linear complementarity problem of a few elements.

    w = W f + b,   f >= 0,   w >= 0,   f.w = 0                                              (1)

W is symmetric and has no negative eigenvalues, so (1) is what makes f.W.f/2 + b.f least among f >= 0, and active sets
find it in a finite number of exchanges, after Lawson and Hanson. Where elements are redundant W is singular: then f is
one solution of many, and w is the same for all.
"""

from __future__ import annotations

import numpy as np

from particlemech.engine.system import Array

ZERO = 1e-11  # of the largest term of b: what counts as no b
RANK = 1e-11  # of the largest singular value


def complementary(W: Array, b: Array) -> tuple[Array, Array]:
    """Return f and w of (1), (n,) each."""
    n = len(b)
    f, pushing = np.zeros(n), np.zeros(n, dtype=bool)
    least = ZERO * float(np.max(np.abs(b), initial=0.0))
    for _ in range(3 * n + 10):
        w = W @ f + b
        behind = np.where(pushing, 0.0, w)
        k = int(np.argmin(behind)) if n else 0
        if not n or behind[k] >= -least:
            break
        pushing[k] = True
        while True:
            wanted = np.zeros(n)
            wanted[pushing] = -np.linalg.lstsq(W[np.ix_(pushing, pushing)], b[pushing], rcond=RANK)[0]
            if np.all(wanted[pushing] > 0.0):
                f = wanted
                break
            back = pushing & (wanted <= 0.0)
            steps = f[back] / np.maximum(f[back] - wanted[back], 1e-300)
            f = f + float(np.min(steps)) * (wanted - f)
            pushing &= f > ZERO * float(np.max(f, initial=0.0))
            f[~pushing] = 0.0
            if not pushing.any():
                break
    w = W @ f + b
    w[pushing] = 0.0
    return f, w
