"""The coordinates of a mechanism: which particles each body has, and which of their coordinates are unknowns.

Every body has four coordinates Z = (x1, y1, x2, y2), its two particles; the unknowns q are the free ones among them.

    Z = start + T q          T mostly picks; a pin shared with a parent picks the parent's particle, or combines
                             the parent's two particles where the pin is a further point of it         (1)
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from particlemech.engine.particles import joints
from particlemech.engine.particles.frames import Frame, Place
from particlemech.engine.particles.topology import Topology
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Mechanism

# two particles of a body are never closer than this fraction of the mechanism's length; a larger one keeps the
# particles of short links off their pins (0.05 costs a chain of 100 links twice the steps and the Jacobian's entries)
NEAR = 1e-3

Combination = dict[int, float]  # q index -> coefficient


class Coordinates:
    """The particles of every body, and T and start of (1) by rows."""

    def __init__(
        self, mechanism: Mechanism, topology: Topology, origin: Place, L: float, second: Mapping[str, Place]
    ) -> None:
        self.T: list[Combination] = []
        self.start: list[float] = []
        self.drawing: list[float] = []
        self.frames: list[Frame] = []
        self.own_distance: list[int] = []  # bodies with a distance row
        self.mechanism, self.topology, self.origin, self.L = mechanism, topology, origin, L
        self.order = topology.order
        self.index = {name: b for b, name in enumerate(topology.order)}
        self.weight = _outboard_count(topology)
        self.unnamed: dict[str, list[Place]] = {}
        for joint in mechanism.joints.values():
            for body in joint.bodies:
                self.unnamed.setdefault(body, []).extend(joint.unnamed(body))
        for b, name in enumerate(topology.order):
            edge = topology.tree.get(name)
            shares = joints.OF_LINK[type(edge.spec)].shares if edge is not None else 0
            parent = topology.parent[name]
            if shares == 2 and parent is not None and edge is not None:
                self._weld(b, parent, moved(mechanism, edge.spec.point, parent, name))
                continue
            if shares == 1 and parent is not None and edge is not None:
                first = self._drawn(edge.spec.point, name)
                there = self._drawn(edge.spec.point, parent)
                self._shared(parent, there)
            else:
                first = self._first(name)
                self._new(first)
            place = self._second(name, first)
            if name in second:
                place = (second[name][0] - origin[0], second[name][1] - origin[1])
            self._new(place)
            self.frames.append(Frame(b, (first, place)))
            self.own_distance.append(b)

    def _drawn(self, point: str | Place, body: str) -> Place:
        x, y = self.mechanism.place(point, body)
        return x - self.origin[0], y - self.origin[1]

    def _new(self, place: Place) -> None:
        for c in place:
            self.T.append({len(self.drawing): 1.0})
            self.start.append(0.0)
            self.drawing.append(c)

    def _shared(self, parent: str, place: Place) -> None:
        """Append a particle that is a point of the parent, or of the ground."""
        if parent == GROUND:
            for c in place:
                self.T.append({})
                self.start.append(c)
            return
        p = self.index[parent]
        a, b = self.frames[p].at(place)[1:3]
        a, b = (round(c) if abs(c - round(c)) < 1e-12 else c for c in (a, b))
        z = 4 * p
        for mix in ({z: 1 - a, z + 1: b, z + 2: a, z + 3: -b}, {z: -b, z + 1: 1 - a, z + 2: b, z + 3: a}):
            row: Combination = {}
            start = 0.0
            for k, c in mix.items():
                if c:
                    start += c * self.start[k]
                    for q, d in self.T[k].items():
                        row[q] = row.get(q, 0.0) + c * d
            self.T.append(row)
            self.start.append(start)

    def _weld(self, b: int, parent: str, by: Place) -> None:
        """Take over both particles of the parent, on the ground two fixed ones; `by`: how far the body is moved."""
        if parent == GROUND:
            drawn = ((0.0, 0.0), (self.L, 0.0))
            for c in (*drawn[0], *drawn[1]):
                self.T.append({})
                self.start.append(c)
        else:
            p = self.index[parent]
            drawn = self.frames[p].drawn
            self.T += [dict(z) for z in self.T[4 * p : 4 * p + 4]]
            self.start += self.start[4 * p : 4 * p + 4]
        self.frames.append(Frame(b, shifted(drawn, by)))

    def _candidates(self, name: str) -> list[str | Place]:
        """Return the places where a body may have a particle: its points, and its joints at places without a name."""
        return [*self.mechanism.bodies[name].points, *self.unnamed.get(name, ())]

    def _first(self, name: str) -> Place:
        """Return the place of the first particle of a body that shares none: where most bodies hang on it."""
        points = self._candidates(name)
        if not points:
            return self._drawn(self.mechanism.centre(name), name)
        best = max(points, key=lambda p: self.weight[name].get(p, 0))
        return self._drawn(best, name)

    def _second(self, name: str, first: Place) -> Place:
        """Return the place of the second particle: the pin with most bodies beyond it, else the farthest point."""
        far = [p for p in self._candidates(name) if math.dist(self._drawn(p, name), first) >= NEAR * self.L]
        if not far:
            return first[0] + self.L, first[1]
        best = max(far, key=lambda p: (self.weight[name].get(p, 0), math.dist(self._drawn(p, name), first)))
        return self._drawn(best, name)


def moved(mechanism: Mechanism, point: str | Place | None, parent: str, body: str) -> Place:
    """Return how far a weld moves a body from its drawing, m: a `length` may have moved its point on the parent."""
    if point is None:
        return 0.0, 0.0
    there, here = mechanism.place(point, parent), mechanism.place(point, body)
    return there[0] - here[0], there[1] - here[1]


def shifted(drawn: tuple[Place, Place], by: Place) -> tuple[Place, Place]:
    """Return where particles of another body lie in the drawing of one that is moved `by`."""
    (x1, y1), (x2, y2) = drawn
    return (x1 - by[0], y1 - by[1]), (x2 - by[0], y2 - by[1])


def _outboard_count(topology: Topology) -> dict[str, dict[str | Place, int]]:
    """Return how many bodies lie beyond each pin of each body of the tree."""
    below = dict.fromkeys(topology.order, 1)
    for name in reversed(topology.order):
        parent = topology.parent[name]
        if parent is not None and parent != GROUND:
            below[parent] += below[name]
    count: dict[str, dict[str | Place, int]] = {name: {} for name in (GROUND, *topology.order)}
    for name, edge in topology.tree.items():
        point, parent = edge.spec.point, topology.parent[name]
        if point is not None and parent is not None:
            count[parent][point] = count[parent].get(point, 0) + below[name]
    return count
