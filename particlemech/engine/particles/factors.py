"""Factors L D L^T of a symmetric system by a fixed schedule, and its solution; see elimination.py."""

from __future__ import annotations

from particlemech._jit import added, eight, kernel, put, scaled
from particlemech.engine.particles.elimination import Indices
from particlemech.engine.system import Array


@kernel
def eliminate(k: int, e: int, pivot: float, val: Array, column: Indices, target: Indices) -> int:
    """Eliminate column k by its pivot, elimination.py (2), whose first target is e; return the next one."""
    first, last = column[k], column[k + 1]
    over = 1.0 / pivot
    val[first] = over
    for i in range(first + 1, last):
        f = val[i] * over
        for j in range(i, last):
            val[target[e]] -= f * val[j]
            e += 1
        val[i] = f
    return e


@kernel
def substitute(val: Array, column: Indices, row: Indices, x: Array) -> None:
    """Turn the right side x, in the order of elimination, into the solution."""
    n = len(column) - 1
    for k in range(n):
        f = x[k]
        for i in range(column[k] + 1, column[k + 1]):
            x[row[i]] -= val[i] * f
        x[k] = f * val[column[k]]
    for k in range(n - 1, -1, -1):
        f = x[k]
        for i in range(column[k] + 1, column[k + 1]):
            f -= val[i] * x[row[i]]
        x[k] = f


@kernel
def substitute_eight(val: Array, column: Indices, row: Indices, a: int, x: Array) -> None:
    """Do the same with the eight columns of x from a on."""
    n = len(column) - 1
    for k in range(n):
        f = eight(x, k, a)
        for e in range(column[k] + 1, column[k + 1]):
            put(x, row[e], a, added(-val[e], f, eight(x, row[e], a)))
        put(x, k, a, scaled(val[column[k]], f))
    for k in range(n - 1, -1, -1):
        f = eight(x, k, a)
        for e in range(column[k] + 1, column[k + 1]):
            f = added(-val[e], eight(x, row[e], a), f)
        put(x, k, a, f)
