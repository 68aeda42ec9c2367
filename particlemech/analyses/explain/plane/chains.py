"""The spanning tree as serial chains, and sums along them from their ends inward [A00] 2.4.

Where several bodies hang on one, the longest way out goes on with the chain and each other begins one of its own, so
that there are as many chains as the tree has ends. With w_b a wrench of body b about one fixed place, the wrench of all
that is outboard of the joint that carries b is, one body after the other from the end of a chain inward,

    W_b = w_b + sum of W_c over all bodies c that hang on b                               (1)

One fixed place for all moments makes the recursion a plain sum; that of the source moves them from pin to pin, and its
last term is misprinted (errata).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from particlemech.engine.particles.topology import Topology
from particlemech.engine.system import Array
from particlemech.model.description import GROUND


class Chain(NamedTuple):
    """Bodies that hang on each other, one by one."""

    base: str | None  # what its first body hangs on: "ground", a body of another chain, or None where it floats
    bodies: tuple[str, ...]  # outward


def chains(topology: Topology) -> tuple[Chain, ...]:
    """Return the chains of a spanning tree; one that hangs on another comes after it."""
    follower = _followers(topology)
    result = []
    for first in topology.order:
        base = topology.parent[first]
        if base is not None and base != GROUND and follower.get(base) == first:
            continue  # it goes on with the chain of its base
        bodies = [first]
        while bodies[-1] in follower:
            bodies.append(follower[bodies[-1]])
        result.append(Chain(base, tuple(bodies)))
    return tuple(result)


def _followers(topology: Topology) -> dict[str, str]:
    """Return which body goes on with the chain of each body that is not its end."""
    longest = dict.fromkeys(topology.order, 1)  # bodies on the longest way out
    follower: dict[str, str] = {}
    for name in reversed(topology.order):
        parent = topology.parent[name]
        if parent is None or parent == GROUND:
            continue
        if longest[name] + 1 >= longest[parent]:  # of equally long ways the first in the order, which comes last here
            longest[parent], follower[parent] = longest[name] + 1, name
    return follower


def outboard(every: Sequence[Chain], own: Mapping[str, Array]) -> dict[str, Array]:
    """Return (1): for each body the wrench of itself and of all beyond it, (3,) or any shape that `own` has."""
    total = {name: of.copy() for name, of in own.items()}
    for chain in reversed(every):
        inward = chain.bodies[::-1]
        for body, on in zip(inward, [*inward[1:], chain.base], strict=True):
            if on in total:
                total[on] += total[body]
    return total


def beyond(topology: Topology, body: str) -> list[str]:
    """Return a body and all that hangs on it."""
    return [name for name in topology.order if body in topology.inward(name)]
