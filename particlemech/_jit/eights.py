"""Eight numbers at a time: rows of matrices that pass through the processor's wide registers in one go.

What goes on in such rows is written out, because LLVM finds it by itself only with a pass that numba leaves switched
off: it was seen to make wrong code (numba, pull request 8852). A matrix whose width is a whole multiple of EIGHT is
gone through from `a` to `a + EIGHT`; fresh() in argument_blocks.py begins it where a line of the cache begins. To
Python, and where numba is off, these are functions of numpy.

    triangular factors of 11 columns, eight right sides      ns
    a loop over eight numbers                                136
    in one go, across the ends of lines                      126
    in one go                                                 50
    one right side                                            59
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core.registry import cpu_target
from numpy.typing import NDArray

from particlemech._jit.argument_blocks import EIGHT

Eight = NDArray[np.float64]  # (8,) to Python


class Wide:
    """A function that is one or a few instructions in kernels, wide.py; to Python it is what stands here."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    @functools.cached_property
    def _numba_type_(self) -> Any:
        context = cpu_target.typing_context
        context.refresh()  # of the compiler's registries, those of types must be the first
        from particlemech._jit import wide

        context.refresh()  # so that they are known there
        return context.resolve_value_type(getattr(wide, self._function.__name__))


@Wide
def eight(x: NDArray[np.float64], r: int, a: int) -> Eight:
    """Return x[r, a : a + 8]."""
    return x[r, a : a + EIGHT].copy()


@Wide
def put(x: NDArray[np.float64], r: int, a: int, t: Eight) -> None:
    """Write x[r, a : a + 8]."""
    x[r, a : a + EIGHT] = t


@Wide
def scaled(c: float, t: Eight) -> Eight:
    """Return c t."""
    return c * t


@Wide
def added(c: float, t: Eight, u: Eight) -> Eight:
    """Return c t + u, rounded once where the processor does that in one instruction."""
    return c * t + u


@Wide
def only(j: int, c: float) -> Eight:
    """Return c as number j, which may be none of the eight, and zeros."""
    return c * (np.arange(EIGHT) == j)


@Wide
def bumped(t: Eight, j: int, c: float) -> Eight:
    """Return t with c added to its number j, or t where it has none."""
    return t + c * (np.arange(EIGHT) == j)


@Wide
def first(n: int, t: Eight) -> Eight:
    """Return t with zeros from number n on."""
    return np.where(np.arange(EIGHT) < n, t, 0.0)


@Wide
def size(t: Eight) -> float:
    """Return the sum of |t|, by halves."""
    return inner(np.abs(t), np.ones(EIGHT))


@Wide
def inner(t: Eight, u: Eight) -> float:
    """Return t.u, summed by halves."""
    p = t * u
    p = p[:4] + p[4:]
    p = p[:2] + p[2:]
    return float(p[0] + p[1])
