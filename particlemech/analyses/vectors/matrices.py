"""The matrix of cross products of [J84], and linear equations that may be too many or too few."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlemech.engine.system import Array

RANK = 1e-9  # singular values below this fraction of the largest count as zero
INDEPENDENT = 1e-7  # part of a row outside those before it from which it counts
MOVED = 1e-6  # part in a null space from which a row or an unknown counts as in it


def C(p: Array) -> Array:
    """Return the matrix printed in [J84] (5), (3, 3): C(p) x = x x p, so that P_dot = C(P) Omega."""
    return np.array([[0.0, p[2], -p[1]], [-p[2], 0.0, p[0]], [p[1], -p[0], 0.0]])


class Fitted(NamedTuple):
    """The solution of least norm of linear equations, and what is to be said of them."""

    x: Array
    rank: int
    condition: float  # of the part of full rank; inf if an unknown is left open
    loose: NDArray[np.bool_]  # unknowns that the equations leave open
    dependent: NDArray[np.bool_]  # equations that follow from others, or contradict them
    left: Array  # what remains of the right side


def fitted(A: Array, b: Array) -> Fitted:
    """Return the solution of least norm of A x = b, equations and unknowns of the order of 1."""
    m, n = A.shape
    if not A.size:
        return Fitted(np.zeros(n), 0, 1.0, np.ones(n, dtype=bool), np.ones(m, dtype=bool), b)
    U, sizes, V = np.linalg.svd(A)
    rank = int(np.sum(sizes > RANK * sizes[0]))
    x = np.zeros(n)
    for _ in range(2):  # the second time refines
        x += V[:rank].T @ ((U[:, :rank].T @ (b - A @ x)) / sizes[:rank])
    return Fitted(
        x=x,
        rank=rank,
        condition=float(sizes[0] / sizes[rank - 1]) if rank == n else np.inf,
        loose=np.linalg.norm(V[rank:], axis=0) > MOVED,
        dependent=np.linalg.norm(U[:, rank:], axis=1) > MOVED,
        left=b - A @ x,
    )


def independent(A: Array) -> list[int]:
    """Return the first rows of A that are independent."""
    basis, chosen = np.zeros((0, A.shape[1])), list[int]()
    for k, row in enumerate(A):
        rest = row - basis.T @ (basis @ row)
        rest -= basis.T @ (basis @ rest)  # twice is enough
        size = float(np.linalg.norm(rest))
        if len(chosen) < A.shape[1] and size > INDEPENDENT * float(np.linalg.norm(row)):
            basis, chosen = np.vstack([basis, rest / size]), [*chosen, k]
    return chosen
