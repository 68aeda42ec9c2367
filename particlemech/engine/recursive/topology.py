"""The order of a tree: bodies numbered from 1, parents before children, and what carries each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.space.engines import Branch, branches, no_tree
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import shown


@dataclass(frozen=True)
class Topology:
    """Bodies in the order of their numbers; all tuples run along it, the inertial frame (number 0) left out."""

    bodies: tuple[str, ...]
    branches: tuple[Branch, ...]  # that carries each
    parent: tuple[int, ...]  # numbers
    children: tuple[tuple[int, ...], ...]  # of the inertial frame first, then of all bodies

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """The joint that carries each body."""
        return tuple(branch.joint for branch in self.branches)

    def number(self, body: str) -> int:
        """Return the number of a body; 0 for ground."""
        return 0 if body == GROUND else self.bodies.index(body) + 1

    def outboard(self, i: int) -> tuple[int, ...]:
        """Return body i and all that hangs on it, by number."""
        found, at = [i], 0
        while at < len(found):
            found += self.children[found[at]]
            at += 1
        return tuple(sorted(found))


def ordered(mechanism: Mechanism) -> Topology:
    """Return the order of a tree: as in the model, but for parents, which come first."""
    checked(mechanism, "the tree")
    carried = branches(mechanism)
    order: dict[str, int] = {GROUND: 0}
    for body in mechanism.bodies:
        # the path inward from a body to the first one that has a number
        path = []
        while body not in order:
            path.append(body)
            body = carried[body].parent
        for name in reversed(path):
            order[name] = len(order)
    bodies = tuple(name for name in order if name != GROUND)
    parent = tuple(order[carried[name].parent] for name in bodies)
    children: list[list[int]] = [[] for _ in order]
    for i, k in enumerate(parent):
        children[k].append(i + 1)
    return Topology(bodies, tuple(carried[name] for name in bodies), parent, tuple(tuple(c) for c in children))


def checked(mechanism: object, asked: str) -> None:
    """Raise where something that is no tree is given to a function of trees."""
    if not isinstance(mechanism, Mechanism):
        raise ModelError(f"{asked} takes a mechanism in space, got {shown(mechanism)}; read one with load")
    reason = no_tree(mechanism)
    if reason is None and mechanism.engine == "bending":
        reason = "some of its bodies bend"
    if reason is not None:
        raise ModelError(f'{asked}: only for mechanisms without loops as yet, and in "{mechanism.name}" {reason}')
