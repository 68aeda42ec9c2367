"""A few kernels that use every trick of lean.py, for probe.py: run in a process of its own, twice."""

from __future__ import annotations

import json
from typing import Annotated, Any, NamedTuple

import numpy as np

from particlemech._jit import ArgumentBlock, attachment, entry, kernel, noinline, read, released, table, written

PAIR = [("k", "i4"), ("c", "f8")]


class Given(NamedTuple):
    """What the kernels read."""

    pair: Annotated[Any, read(PAIR)]
    grid: Annotated[Any, read("f8", 2)]


class Taken(NamedTuple):
    """What they write."""

    out: Annotated[Any, written()]


attached = attachment(Given, Taken)


@kernel
def scaled(row: Any, c: float, out: Any) -> None:
    """Add c row to out."""
    for j in range(len(row)):
        out[j] += c * row[j]


@noinline
def combined(address: int) -> float:
    """Add the rows of the grid that the pairs name; return the sum of what they are multiplied with."""
    given, taken = attached(address)
    total = 0.0
    for e in range(len(given.pair)):
        p = given.pair[e]
        scaled(given.grid[p.k], p.c, taken.out)
        total += p.c
    return total


@entry
def once(address: int) -> float:
    """Call a part that calls a part."""
    return combined(address)


@released
def often(times: int, address: int) -> float:
    """Call it in a loop, in a second kernel that shares it."""
    _, taken = attached(address)
    for _ in range(times):
        combined(address)
    scaled(taken.out[1:], 0.0, taken.out)
    return taken.out[0] - taken.out[1]


def main() -> None:
    """Print the numbers, and how many kernels came from the disk."""
    given = Given(table([(2, 0.5), (0, -3.0)], PAIR), np.array([[0.5, 1.5], [9.0, 9.0], [4.0, 0.5]]))
    argument_block = ArgumentBlock(given, Taken(np.zeros(2)))
    total = once(argument_block.address)  # out = 0.5 (4, 0.5) - 3 (0.5, 1.5) = (0.5, -4.25)
    numbers = [float(argument_block.parts[1].out[0]) - 7.0 * (total + 1.5), float(argument_block.parts[1].out[1])]
    numbers.append(float(often(7, argument_block.address)) - 2.0)  # 8 (0.5 + 4.25) = 38
    kernels: list[Any] = [once, often]
    hits = [sum(kernel.stats.cache_hits.values()) for kernel in kernels]
    print(json.dumps({"numbers": numbers, "loaded": int(hits == [1, 1])}))
