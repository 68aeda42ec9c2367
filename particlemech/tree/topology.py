"""The order of a tree: bodies numbered from 1, parents before children, and the joint that carries each."""

from __future__ import annotations

from dataclasses import dataclass

from particlemech.description import GROUND
from particlemech.tree.mechanism import Mechanism


@dataclass(frozen=True)
class Topology:
    """Bodies in the order of their numbers; all tuples run along it, the inertial frame (number 0) left out."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]  # that carries each
    parent: tuple[int, ...]  # numbers
    children: tuple[tuple[int, ...], ...]  # of the inertial frame first, then of all bodies

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
    carrier = {joint.bodies[1]: name for name, joint in mechanism.joints.items()}
    order: dict[str, int] = {GROUND: 0}
    for body in mechanism.bodies:
        # the way inward from a body to the first one that has a number
        way = []
        while body not in order:
            way.append(body)
            body = mechanism.joints[carrier[body]].bodies[0]
        for name in reversed(way):
            order[name] = len(order)
    bodies = tuple(name for name in order if name != GROUND)
    joints = tuple(carrier[name] for name in bodies)
    parent = tuple(order[mechanism.joints[joint].bodies[0]] for joint in joints)
    children: list[list[int]] = [[] for _ in order]
    for i, k in enumerate(parent):
        children[k].append(i + 1)
    return Topology(bodies, joints, parent, tuple(tuple(c) for c in children))
