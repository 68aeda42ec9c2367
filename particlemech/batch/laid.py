"""Tables whose numbers are nodes of a tape: what they are for every variant, and where a kernel finds those of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlemech._tape import marks
from particlemech.engine.system import Array


class Marked(NamedTuple):
    """An array some of whose numbers are nodes of a tape."""

    array: Array
    where: NDArray[np.intp]
    nodes: list[int]

    def of(self, nodes: Sequence[Any], count: int) -> Array:
        """Return the array of every variant, (count, ...)."""
        flat = np.empty((count, self.array.size))
        flat[:] = self.array.reshape(-1)
        for k, node in zip(self.where, self.nodes, strict=True):
            flat[:, k] = nodes[node]
        return flat.reshape(count, *self.array.shape)


def marked(array: Any) -> Marked:
    """Return an array with the places of its marks."""
    array = np.asarray(array, dtype=float)
    where, nodes = marks(array)
    return Marked(array, where, nodes.tolist())


class Laid:
    """A named tuple of arrays laid into one, with the marks in it: a row of words holds all tables of a variant."""

    def __init__(self, part: Any) -> None:
        self.kind, self.cuts, self.bytes, self.nodes = type(part), [], [], []
        pieces, at = [], 0
        for array in part:
            raw = np.frombuffer(array.tobytes(), dtype=np.uint8)
            self.cuts.append((at, at + len(raw), array.dtype, array.shape))
            names = array.dtype.names
            for name in names or (None,):
                column = array if name is None else array[name]
                if column.dtype != np.dtype("f8"):
                    continue
                where, nodes = marks(column)
                offset = 0 if name is None else array.dtype.fields[name][1]
                self.bytes += (at + where * array.dtype.itemsize + offset).tolist()
                self.nodes += nodes.tolist()
            raw = np.concatenate([raw, np.zeros(-len(raw) % 8, dtype=np.uint8)])
            pieces.append(raw)
            at += len(raw)
        self.words = np.concatenate(pieces).view(np.int64)

    def tables(self, nodes: Sequence[Any], count: int) -> NDArray[np.int64]:
        """Return the laid-out tables of every variant, (count, n_word)."""
        words = np.empty((count, len(self.words)), dtype=np.int64)
        words[:] = self.words
        raw, value = words.view(np.uint8), np.empty(count)
        for at, node in zip(self.bytes, self.nodes, strict=True):
            value[:] = nodes[node]
            raw[:, at : at + 8] = value[:, None].view(np.uint8)
        return words

    def work_arrays(self) -> tuple[NDArray[np.int64], Any]:
        """Return an empty array for the tables of one variant, and tables whose arrays lie in it."""
        words = np.zeros(len(self.words), dtype=np.int64)
        raw = words.view(np.uint8)
        return words, self.kind(*[raw[a:b].view(kind).reshape(shape) for a, b, kind, shape in self.cuts])
