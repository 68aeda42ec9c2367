"""Packing: columns of numbers as few bytes as their use allows; view/assets/data.js reads them back.

A column x (K,) is held as whole numbers and only the surprises are kept, because a motion is smooth:

    n_k = round(x_k / step) - low/step           w bytes each, w as the range needs; all bits set: not a number    (1)
    s_k = n_k - 2 n_(k-1) + n_(k-2)              modulo 256^w, with n = 0 before the start                         (2)
    z_k = 2 s_k, or -2 s_k - 1 below zero        small numbers of both signs have empty upper bytes                (3)

low is a multiple of the step, so columns with one step share one grid: numbers that are equal to rounding stay equal.
The bytes of equal weight of one column stand together (first all low ones), columns follow each other, and deflate
takes out what is empty. Equal columns are kept once, with the finest step asked of them. Not used: float32 (random low
bits do not compress), JSON numbers (five times the size), WebGL textures.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from particlemech.engine.system import Array

FINE = 65532.0  # steps in the range of a column, where no step is asked for
WIDEST = 4  # bytes
EFFORT = 4  # of deflate: a tenth larger than with 9, in a tenth of the time


class Packing:
    """Columns that are added one by one, and their numbers in the packed whole."""

    def __init__(self) -> None:
        self._columns: list[Array] = []
        self._steps: list[float] = []
        self._known: dict[bytes, int] = {}

    def add(self, column: Array, step: float | None = None) -> int:
        """Take a column (K,), to be kept to half a step (default: its range in 16 bits), and return its number."""
        column = np.ascontiguousarray(column, dtype=float)
        step = reach(column) / FINE if step is None else step
        key = column.tobytes()
        if key not in self._known:
            self._known[key] = len(self._columns)
            self._columns.append(column)
            self._steps.append(step)
        number = self._known[key]
        self._steps[number] = min(self._steps[number], step)
        return number

    def packed(self) -> tuple[list[list[Any]], str]:
        """Return [low, step, bytes each] of every column, low None where no number is, and all bytes in base64."""
        heads: list[list[Any]] = []
        deflate = zlib.compressobj(EFFORT, zlib.DEFLATED, -zlib.MAX_WBITS)
        parts: list[bytes] = []
        for column, step in zip(self._columns, self._steps, strict=True):
            head, planes = _planes(column, step)
            heads.append(head)
            parts.append(deflate.compress(planes))
        parts.append(deflate.flush())
        return heads, base64.b64encode(b"".join(parts)).decode("ascii")


def reach(column: Array) -> float:
    """Return the largest less the least number of a column, 0 where there is none."""
    finite = column[np.isfinite(column)]
    return float(np.ptp(finite)) if finite.size else 0.0


def _planes(column: Array, step: float) -> tuple[list[Any], bytes]:
    """Return low, step and width of a column, and its bytes by weight."""
    finite = np.isfinite(column)
    if not finite.any():
        return [None, 0.0, 0], b""
    least, size = float(column[finite].min()), reach(column)
    if finite.all() and size <= 0.0:
        return [least, 0.0, 0], b""
    step = max(step, size / (256.0**WIDEST - 4.0))
    low = round(least / step) * step if step > 0.0 else least  # one number with gaps between
    whole = np.rint((column[finite] - low) / (step or 1.0)).astype(np.int64)  # (1)
    width = next(w for w in range(1, WIDEST + 1) if whole.max() <= 256**w - 2)
    modulus = 256**width
    n = np.full(len(column), modulus - 1, dtype=np.int64)
    n[finite] = np.maximum(whole, 0)
    s = np.diff(n, n=2, prepend=[0, 0])  # (2)
    s = (s + modulus // 2) % modulus - modulus // 2
    z = np.where(s < 0, -2 * s - 1, 2 * s).astype("<u8")  # (3)
    planes = z.view(np.uint8).reshape(-1, 8)[:, :width]
    return [low, step, width], planes.T.tobytes()
