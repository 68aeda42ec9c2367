"""Directions of bodies as system vectors: at most three carry a body, all others are tied to these by dot products.

Bodies that turn as one form a group. Of its directions the first that are independent are its basis a, b, c; the rest
follow by two products each, [J84] (3), with the two of the basis that leave no choice but the side,

    v.a = cos, v.b = cos,  |v| = 1        where the triple product v.(a x b) is largest                          (1)

and any place of the group is a sum of constant multiples of its basis, [J84] (15). k directions take k rows of unit
length and 2 k - 3 products, which leaves the three freedoms of a rigid body; a direction that two groups share, the
axis of a hinge, takes two freedoms from them. Where the basis lacks a third direction it is completed by a x b,
[J84] (4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from particlemech.analyses.vectors import Unknown, turned
from particlemech.engine.system import Array
from particlemech.model.signals import SignalSpec
from particlemech.rotations import beside

LEAN = 0.1  # part of a unit vector off the basis from which it joins it
INSIDE = 1e-12  # part of a unit vector off the basis that is rounding


@dataclass(eq=False)
class Group:
    """Bodies that turn as one; its directions as drawn."""

    name: str
    bodies: tuple[str, ...]
    fixed: bool  # the ground is among them
    turns: tuple[Array, SignalSpec] | None = None  # or it turns about an axis of the ground as driven
    basis: list[str] = field(default_factory=list)
    drawn: dict[str, Array] = field(default_factory=dict)  # all its directions, (3,) each
    spins: bool = False  # about its only direction, which no joint resists

    @property
    def known(self) -> bool:
        """Whether its directions are known at all times."""
        return self.fixed or self.turns is not None

    def direction(self, u: Array) -> Any:
        """Return the three cosines of one of its directions, known or guessed as drawn."""
        if self.fixed:
            return [float(p) for p in u]
        if self.turns is not None:
            return turned(u, *self.turns)
        return [Unknown(guess=float(p)) for p in u]

    @property
    def frame(self) -> Array:
        """The basis as drawn in columns, (3, n)."""
        return np.array([self.drawn[name] for name in self.basis]).reshape(-1, 3).T

    def off(self, u: Array) -> float:
        """Return how far a unit vector points off the basis."""
        if not self.basis:
            return 1.0
        Q = np.linalg.qr(self.frame)[0]
        return float(np.linalg.norm(u - Q @ (Q.T @ u)))

    def parts(self, v: Array) -> Array:
        """Return the multiples of the basis that make a vector, (n,)."""
        found: Array = np.linalg.lstsq(self.frame, v, rcond=None)[0].astype(float)
        return found


@dataclass
class Sheet:
    """Vectors and relations as they are drawn, one after the other: tables as VectorModel reads them."""

    vectors: dict[str, Any] = field(default_factory=dict)
    relations: dict[str, Any] = field(default_factory=dict)
    arms: dict[str, float] = field(default_factory=dict)  # vectors that are arms of one group, and their lengths

    def add(self, name: str, u: Array, groups: tuple[Group, ...], length: Any = 1.0) -> None:
        """Add a direction, as drawn, to the groups in which it is fixed."""
        home = next((group for group in groups if group.known), groups[0])
        self.vectors[name] = {"direction": home.direction(u), "length": length}
        for group in dict.fromkeys(groups):
            self._tie(group, name, u, given=group is home and group.known)

    def _tie(self, group: Group, name: str, u: Array, given: bool) -> None:
        """Make a direction one of a group: of its basis, or by (1)."""
        if len(group.basis) < 3 and group.off(u) > LEAN:
            others = list(group.basis)
            group.basis.append(name)
        else:
            self.complete(group)
            volume = [
                (abs(np.linalg.det([u, group.drawn[one], group.drawn[other]])), [one, other])
                for one, other in combinations(group.basis, 2)
            ]
            others = max(volume)[1]
        group.drawn[name] = u
        if not given:
            for other in others:
                cosine = float(np.clip(u @ group.drawn[other], -1.0, 1.0))
                self.relations[f"{name} to {other} in {group.name}"] = {
                    "type": "dot",
                    "vectors": [name, other],
                    "cosine": cosine,
                }

    def second(self, group: Group) -> None:
        """Give a group a direction more than it has, across that."""
        first = group.drawn[group.basis[0]] if group.basis else np.array([0.0, 0.0, 1.0])
        name = f"{'side' if group.basis else 'top'} of {group.name}"
        self.add(name, beside(first)[0] if group.basis else first, (group,))

    def complete(self, group: Group) -> None:
        """Give a group a basis of three."""
        while len(group.basis) < 2:
            self.second(group)
        if len(group.basis) == 3:
            return
        a, b = group.basis
        name, product = f"across {group.name}", np.cross(group.drawn[a], group.drawn[b])
        size = float(np.linalg.norm(product))
        u = product / size
        if group.known:
            self.vectors[name] = {"direction": group.direction(u), "length": 1.0}
        else:
            self.vectors[name] = {"direction": group.direction(u), "length": Unknown(guess=size)}
            self.relations[name] = {"type": "cross", "vectors": [a, b], "result": name}
        group.basis.append(name)
        group.drawn[name] = u

    def arm(self, group: Group, v: Array, label: str) -> tuple[list[str], dict[str, float]]:
        """Return an arm of a group for a loop: a vector of its own with its sign, or multiples of the basis."""
        size = float(np.linalg.norm(v))
        u, off = v / size, group.off(v / size)
        if len(group.basis) < 3 and off > LEAN:
            self.add(label, u, (group,), length=size)
            self.arms[label] = size
            return [label], {}
        if off > INSIDE:
            self.complete(group)
        found = {e: float(k) for e, k in zip(group.basis, group.parts(v), strict=True) if abs(k) > INSIDE * size}
        own = next((e for e in found if abs(self.arms.get(e, 0.0) - abs(found[e])) <= INSIDE * size), None)
        if own is not None and len(found) == 1:
            return [own if found[own] > 0.0 else f"-{own}"], {}
        return [], found
