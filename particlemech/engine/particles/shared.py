"""Coordinates for explicit steps: bodies that meet at a pin share the particle there, in the tree and in loops.

No joint is cut. Pins become particles wherever a body can have one there, so that what remains of most linkages is
one distance row per body (Andrews' mechanism: 8 coordinates and 7 rows):

    Z = start + T q          T picks particles; a third pin of a body combines its two particles         (1)

Bodies that share both particles are one *group*. A pin is a set of (group, point) tied by joints that share one.
A group takes two of its pins as particles; a further pin defines the particle of its neighbours, unless it has been
defined before: then its two rows remain.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Hashable, Mapping
from typing import Any

from particlemech import _tape
from particlemech.engine.particles import joints
from particlemech.engine.particles.coordinates import NEAR, Combination, moved, shifted
from particlemech.engine.particles.frames import Frame, Place
from particlemech.engine.particles.topology import Edge, edges
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Mechanism

CLOSE = 0.25  # of a group's widest pair of pins: closer pairs are no good particles

Pin = tuple[Combination, Combination, float, float]  # x and y by T, and their fixed parts
Member = tuple[str, str | Place]  # (group, point)


class _Sets:
    """Sets that grow together: each member knows the first of its set."""

    def __init__(self) -> None:
        self.first: dict[Any, Any] = {}

    def __getitem__(self, member: Hashable) -> Any:
        root = member
        while self.first.get(root, root) != root:
            root = self.first[root]
        self.first[member] = root
        return root

    def join(self, one: Hashable, other: Hashable) -> None:
        """Make two sets one; the ground stays first of its own."""
        a, b = self[one], self[other]
        if b == GROUND or (isinstance(b, tuple) and b[0] == GROUND):
            a, b = b, a
        self.first[b] = a


class Shared:
    """The particles of every body, and T and start of (1) by rows; the same members as Coordinates."""

    def __init__(self, mechanism: Mechanism, origin: Place, L: float, kept: Collection[str] = ()) -> None:
        self.mechanism, self.origin, self.L = mechanism, origin, L
        self.kept = kept  # pins that share no particle
        self.dry = [name for name, spec in mechanism.joints.items() if spec.friction and spec.friction.dry]
        self.order = tuple(mechanism.bodies)
        self.drawing: list[float] = []
        self.particles: dict[str, tuple[Pin, Pin, tuple[Place, Place]]] = {}  # of every group
        self.own_distance: list[int] = []
        self.held: list[Edge] = []  # joints whose rows remain
        self.group, self.pin = _Sets(), _Sets()
        self._edges = edges(mechanism)
        self._unite()
        self._defined: dict[Member, Pin] = {}
        self._owner: dict[Member, str] = {}
        self._own: dict[str, list[Member]] = {}  # pins that are particles of their group
        self._defines: set[str] = set()  # groups to which other particles are tied
        self._doubled: set[Member] = set()  # pins some of whose rows remain
        self._place_particles()
        self._spread()

    # -- groups and pins -------------------------------------------------------------------------------------------

    def _unite(self) -> None:
        """Find the groups, the pins and the joints that keep their rows."""
        welds = [edge for edge in self._edges if joints.OF_LINK[type(edge.spec)].shares == 2]
        for edge in welds:
            self.group.join(edge.first, edge.second)
        self._move(welds)
        self._ties: Counter[Member] = Counter()  # joints at each pin of a group
        self.pinned: dict[Member, tuple[str, Edge]] = {}  # member -> a body there, and a joint that ties it
        for edge in self._edges:
            first, second = self.group[edge.first], self.group[edge.second]
            if first == second:
                continue
            if joints.OF_LINK[type(edge.spec)].shares == 1 and edge.joint not in self.kept:
                point = edge.spec.point
                self.pinned.setdefault((first, point), (edge.first, edge))
                self.pinned.setdefault((second, point), (edge.second, edge))
                self.pin.join((first, point), (second, point))
                if self.dry:
                    self._ties.update([(first, point), (second, point)])
            else:
                self.held.append(edge)

    def _move(self, welds: list[Edge]) -> None:
        """Find how far welds move each body from where it is drawn, m, seen from the first of its group."""
        self.moved: dict[str, Place] = {self.group[edge.first]: (0.0, 0.0) for edge in welds}
        before = 0
        while len(self.moved) > before:
            before = len(self.moved)
            for edge in welds:
                for parent, body in ((edge.first, edge.second), (edge.second, edge.first)):
                    if parent in self.moved and body not in self.moved:
                        x, y = moved(self.mechanism, edge.spec.point, parent, body)
                        self.moved[body] = self.moved[parent][0] + x, self.moved[parent][1] + y

    def _drawn(self, point: str | Place, body: str) -> Place:
        x, y = self.mechanism.place(point, body)
        dx, dy = self.moved.get(body, (0.0, 0.0))
        return x + dx - self.origin[0], y + dy - self.origin[1]

    # -- particles -------------------------------------------------------------------------------------------------

    def _place_particles(self) -> None:
        members: dict[str, list[Member]] = {self.group[b]: [] for b in self.order}
        for member, (body, _) in self.pinned.items():
            if member[0] == GROUND:
                x, y = self._drawn(member[1], GROUND)
                self._define(member, ({}, {}, x, y), body)
            else:
                members[member[0]].append(member)
        # bodies of many pins come first: what they define, rods need not
        for group in sorted((g for g in members if g != GROUND), key=lambda g: -len(members[g])):
            self._place_group(group, members[group])
        if GROUND in members:
            fixed = ((0.0, 0.0), (self.L, 0.0))
            self.particles[GROUND] = (({}, {}, *fixed[0]), ({}, {}, *fixed[1]), fixed)

    def _define(self, member: Member, pin: Pin, body: str) -> None:
        self._defined[self.pin[member]] = pin
        self._owner[self.pin[member]] = body

    def _place_group(self, group: str, members: list[Member]) -> None:
        places = {m: self._drawn(m[1], self.pinned[m][0]) for m in members}
        chosen = self._chosen(places)
        drawn = [places[m] for m in chosen] + self._further_places(group, [places[m] for m in chosen])
        pins = []
        for k in range(2):
            member = chosen[k] if k < len(chosen) else None
            pin = self._defined.get(self.pin[member]) if member is not None else None
            if pin is None:
                pin = self._new(drawn[k])
                if member is not None:
                    self._define(member, pin, self.pinned[member][0])
            pins.append(pin)
        self.particles[group] = (pins[0], pins[1], (drawn[0], drawn[1]))
        self._own[group] = chosen
        for member in members:
            if member in chosen:
                continue
            if self.pin[member] in self._defined:
                body, edge = self.pinned[member]
                self._doubled.add(self.pin[member])
                self.held.append(Edge(edge.joint, edge.spec, self._owner[self.pin[member]], body))
            else:
                self._defines.add(group)
                frame = Frame(0, (drawn[0], drawn[1]))
                self._define(member, _combined(pins[0], pins[1], frame, places[member]), self.pinned[member][0])

    def _chosen(self, places: Mapping[Member, Place]) -> list[Member]:
        """Return the pins that serve as particles: far apart, and defined already if possible."""
        if not places:
            return []
        far = [
            (_tape.dist(places[a], places[b]), a, b)
            for a, b in itertools.combinations(places, 2)
            if _tape.dist(places[a], places[b]) >= NEAR * self.L and self.pin[a] != self.pin[b]
        ]
        if not far:
            return [next(iter(places))]
        widest = max(distance for distance, _, _ in far)
        good = [pair for pair in far if pair[0] >= CLOSE * widest]
        _, a, b = max(good, key=lambda p: (sum(self.pin[m] in self._defined for m in p[1:]), p[0]))
        return [a, b]

    def _further_places(self, group: str, drawn: list[Place]) -> list[Place]:
        """Return places for the particles that are no pins: the points of the group farthest from the others."""
        bodies = [b for b in self.order if self.group[b] == group]
        points = [self._drawn(p, b) for b in bodies for p in self.mechanism.bodies[b].points]
        points = points or [self._drawn(self.mechanism.centre(bodies[0]), bodies[0])]
        result: list[Place] = []
        if not drawn:
            result = drawn = [points[0]]
        if len(drawn) < 2:
            first = drawn[0]
            best = max(points, key=lambda p: _tape.dist(p, first))
            result = [*result, best if _tape.dist(best, first) >= NEAR * self.L else (first[0] + self.L, first[1])]
        return result

    def _new(self, place: Place) -> Pin:
        k = len(self.drawing)
        self.drawing += place
        return {k: 1.0}, {k + 1: 1.0}, 0.0, 0.0

    # -- loads of pins ---------------------------------------------------------------------------------------------

    def balance_of(self, joint: str, second: str) -> tuple[tuple[int, ...], int, float] | None:
        """Return whose balance is the force of a pin on the second body of a link; None where none is.

        Where a pin is a particle of a group and ties that to one body, what the group's inertia asks of the particle
        beyond applied forces and rows is the force of the pin: (bodies of the group, which of its particles, sign).
        """
        for edge in self._edges:
            if (edge.joint, edge.second) != (joint, second) or joints.OF_LINK[type(edge.spec)].shares != 1:
                continue
            for body, sign in ((edge.second, 1.0), (edge.first, -1.0)):
                group = self.group[body]
                member = group, edge.spec.point
                clear = member in self._own.get(group, ()) and group not in self._defines
                if clear and self._ties[member] == 1 and self.pin[member] not in self._doubled:
                    at = self._own[group].index(member)
                    return tuple(b for b, name in enumerate(self.order) if self.group[name] == group), at, sign
        return None

    @property
    def unclear(self) -> tuple[str, ...]:
        """The pins with friction that share particles, but whose force no balance gives."""
        found = []
        for name in self.dry:
            links = self.mechanism.joints[name].links(self.mechanism)
            shares = name not in self.kept and any(joints.OF_LINK[type(of)].shares == 1 for *_, of in links)
            if shares and any(self.balance_of(name, second) is None for _, second, _ in links):
                found.append(name)
        return tuple(found)

    @property
    def even(self) -> bool:
        """Whether joints hold each other nowhere, if all rows are independent.

        Their forces are then as many as what is left of the freedoms of all bodies is less: a pin or weld that takes
        no coordinate out, and has no rows, is one too many, and so is any joint within a group.
        """
        forces = {1: 2, 2: 3}  # of joints that share particles
        shares = [[joints.OF_LINK[type(edge.spec)].shares for edge in of] for of in (self._edges, self.held)]
        count = [sum(forces.get(each, 0) for each in of) for of in shares]
        if shares[0].count(0) > shares[1].count(0):
            return False
        return count[0] - count[1] - len(self.own_distance) == 3 * len(self.order) - len(self.drawing)

    # -- by rows ---------------------------------------------------------------------------------------------------

    def _spread(self) -> None:
        """Fill T, start and frames in the order of the bodies; one distance row per group that can stretch."""
        self.T: list[Combination] = []
        self.start: list[float] = []
        self.frames: list[Frame] = []
        seen = {GROUND}
        for b, name in enumerate(self.order):
            first, second, drawn = self.particles[self.group[name]]
            self.T += [first[0], first[1], second[0], second[1]]
            self.start += [first[2], first[3], second[2], second[3]]
            self.frames.append(Frame(b, shifted(drawn, self.moved.get(name, (0.0, 0.0)))))
            if self.group[name] not in seen:
                seen.add(self.group[name])
                if any(first[:2]) or any(second[:2]):
                    self.own_distance.append(b)


def _combined(one: Pin, other: Pin, frame: Frame, place: Place) -> Pin:
    """Return a place of a body by its two particles, frames.py (1)."""
    a, b = frame.at(place)[1:3]
    x: Combination = {}
    y: Combination = {}
    for row, factors in ((x, (1 - a, b, a, -b)), (y, (-b, 1 - a, b, a))):
        for part, c in zip((one[0], one[1], other[0], other[1]), factors, strict=True):
            for q, d in part.items():
                row[q] = row.get(q, 0.0) + c * d
    fixed = (one[2], one[3], other[2], other[3])
    sx = sum(c * f for c, f in zip((1 - a, b, a, -b), fixed, strict=True))
    sy = sum(c * f for c, f in zip((-b, 1 - a, b, a), fixed, strict=True))
    return x, y, sx, sy
