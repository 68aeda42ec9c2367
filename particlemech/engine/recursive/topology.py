"""Frames of a mechanism in space: its bodies along a spanning tree of joints, and what closes its loops.

Frames are numbered from 1, parents before children; number 0 is the inertial frame. A rigid body is one frame. A body
that bends is one for each of its parts, each hung on the end of the part before, and one for every *section* at which
something is attached to it: a joint, a row, a force. A section has no mass and no joint; it moves with the modes of its
part. A joint with a drive has a frame for the rotor. Where a joint closes a loop, there are three ways:

    with rows of its own     unless something acts on its coordinates: they tie two bodies together (ties/joints.py)
    a free one               likewise ties nothing
    every other              carries a *copy* of one of its bodies, which has half of the inertia and is welded to the
                             body itself by six rows; a copy of the ground has any inertia, for it rests, and a copy of
                             a section a little, which is taken from the section again

So all coordinates of joints on which anything acts are those of stages, turns are counted without a thought, and a
driven coordinate stays prescribed. A body that no joint of the tree leads to floats; one that bends is carried at its
first point.
Not used: rows for each kind of joint, whose angles would have to be read off two bodies and their turns integrated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.bending import local_inertia, reduction, spots
from particlemech.engine.bending.links import LinkNumbers, Shapes
from particlemech.engine.bending.members import member
from particlemech.engine.graph import Edge, spanning
from particlemech.engine.recursive.ties.deflections import DEFLECTION
from particlemech.engine.recursive.ties.joints import CLOSING, COST
from particlemech.errors import ModelError, part
from particlemech.model.description import GROUND
from particlemech.model.space.engines import branches, no_tree
from particlemech.model.space.joints import JointSpec, Stage
from particlemech.model.space.joints.base import ANGLES, on_line
from particlemech.model.space.joints.free import TRANSLATIONS
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import Vector3, shown

ANY_DEPTH = 10**9
SAME = 1e-9  # of the length of a body: how near its first section a joint is
BODY, COPY, PART, SECTION, ROTOR = range(5)  # what a frame is


class Cost(NamedTuple):
    """What graph.spanning asks of an edge."""

    tree: float | None
    dof: int


class Cut(NamedTuple):
    """What closes a loop: rows that tie two frames together at the place of a joint."""

    joint: str
    first: int
    second: int
    copied: bool  # the second is a copy of the first, and welded to it


@dataclass(frozen=True, eq=False)
class Frame:
    """One frame; its number is its place in the list, from 1."""

    name: str
    role: int
    body: str  # of the model: that it is, or is a part, a section or a copy of; "" of a rotor
    parent: int
    origin: Vector3  # O in the drawing
    joint: str = ""  # whose coordinates its stages are
    turned: bool = False  # it is on the side of the first body of the joint
    stages: tuple[Stage, ...] = ()
    link: LinkNumbers | None = None  # of a part
    shapes: Shapes | None = None  # of a section: n = 1, on its parent


@dataclass(frozen=True, eq=False)
class Topology:
    """Frames in the order of their numbers; all tuples run along it, the inertial frame (number 0) left out."""

    frames: tuple[Frame, ...]
    cuts: tuple[Cut, ...] = ()
    sections: dict[tuple[str, Vector3], int] = field(default_factory=dict)  # (body, place) -> number

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """Names of the frames: those of bodies are theirs."""
        return tuple(frame.name for frame in self.frames)

    @cached_property
    def parent(self) -> tuple[int, ...]:
        """Numbers of the parents."""
        return tuple(frame.parent for frame in self.frames)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of the children, of the inertial frame first."""
        found: list[list[int]] = [[] for _ in range(len(self.frames) + 1)]
        for i, k in enumerate(self.parent):
            found[k].append(i + 1)
        return tuple(tuple(c) for c in found)

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """The joint that carries each frame."""
        return tuple(frame.joint for frame in self.frames)

    @cached_property
    def carried(self) -> dict[str, int]:
        """The number of the frame that each joint of the tree, or of a copy, carries at last."""
        return {frame.joint: i for i, frame in enumerate(self.frames, start=1) if frame.joint}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {GROUND: 0} | {name: i for i, name in enumerate(self.bodies, start=1)}

    def number(self, body: str) -> int:
        """Return the number of a body, where it is carried; 0 for ground."""
        return self._numbers[body]

    def parts(self, body: str) -> list[int]:
        """Return the numbers of the parts of a body, outward."""
        return [i for i, frame in enumerate(self.frames, start=1) if frame.body == body and frame.role in (BODY, PART)]

    def spot(self, body: str, place: Sequence[float]) -> int:
        """Return the number of the frame on which a place of a body is: a section, where the body bends there."""
        x, y, z = place
        return self.sections.get((body, (float(x), float(y), float(z))), self.number(body))

    def turned(self, joint: str) -> bool:
        """Whether a joint carries its first body."""
        return self.frames[self.carried[joint] - 1].turned

    def nearest(self, i: int) -> int:
        """Return the first frame that the joint of frame i carries: its rotor, or frame i."""
        k, joint = self.parent[i - 1], self.frames[i - 1].joint
        return k if k and self.frames[k - 1].role == ROTOR and self.frames[k - 1].joint == joint else i

    def share(self, body: str) -> float:
        """Return the part of its inertia that each frame of a rigid body has."""
        return 1.0 / (1 + self._copies[body])

    @cached_property
    def _copies(self) -> Counter[str]:
        return Counter(frame.body for frame in self.frames if frame.role == COPY)

    def outboard(self, i: int) -> tuple[int, ...]:
        """Return frame i and all that hangs on it, by number."""
        found, at = [i], 0
        while at < len(found):
            found += self.children[found[at]]
            at += 1
        return tuple(sorted(found))


# -- the tree ----------------------------------------------------------------------------------------------------------


def acted_on(mechanism: Mechanism) -> set[str]:
    """Return the joints of whose coordinates something is said: drivers, forces, couplings, what holds at the start."""
    found = {joint for joint, _ in mechanism.driven}
    acting = (getattr(force, "joint", None) for force in mechanism.forces.values())
    found |= {joint for joint in acting if joint is not None}
    for name, joint in mechanism.joints.items():
        found |= set(getattr(joint, "joints", ()))
        if getattr(joint, "drive", None) is not None or joint.friction is not None:
            found.add(name)
    return found | set(mechanism.initial.position) | set(mechanism.initial.rate)


def _cost(spec: JointSpec, said: bool) -> Cost:
    """Return what a joint costs as an edge of the tree."""
    if spec.stages is None:
        return Cost(None, spec.dof)
    return Cost(1.0 if said else COST.get(type(spec), 1.0), spec.dof)


def _backward(spec: JointSpec, said: bool) -> bool:
    """Whether a joint cannot carry its first body: its motions, undone, are no translations and then rotations."""
    stages = spec.stages or ()
    turns = sum(stage.turn for stage in stages)
    return 1 < turns < len(stages) or (spec.spherical and said)


def _holds(mechanism: Mechanism, body: str, spec: JointSpec) -> bool:
    """Whether a joint can carry a body: one that bends at its first section only, turning about its first point."""
    if not mechanism.bodies[body].bends:
        return True
    end, far = mechanism.line(body)
    along, place = np.subtract(far, end), spec.place(mechanism)
    if abs(float(along @ np.subtract(place, end))) > SAME * float(along @ along):
        return False  # where its modes move it
    return all(not stage.turn or on_line(end, place, stage.axis) for stage in spec.stages or ())


def _tree(mechanism: Mechanism, said: set[str], forced: tuple[str, ...]) -> tuple[dict[str, Edge], list[Edge]]:
    """Return the joint that carries each body, and those that are cut."""
    joints = mechanism.joints
    every = [
        Edge(name, _cost(joint, name in said), joint.first, joint.second)
        for name, joint in joints.items()
        if joint.bodies
    ]
    cut = set(forced)
    if not mechanism.loops and not cut:  # there is one tree only: a quarter of the time of a short run is spared
        by_joint = {edge.joint: edge for edge in every}
        tree = {body: by_joint[branch.joint] for body, branch in branches(mechanism).items()}
        if all(edge.spec.tree is not None for edge in tree.values()) and not _wrong(mechanism, said, tree):
            return tree, []
    while True:
        found = spanning(tuple(mechanism.bodies), every, cut, ANY_DEPTH)
        wrong = _wrong(mechanism, said, found.tree)
        if not wrong:
            return found.tree, list(found.cut)
        cut |= wrong  # and the tree is looked for again


def _wrong(mechanism: Mechanism, said: set[str], tree: dict[str, Edge]) -> set[str]:
    """Return the joints that cannot carry the body which a tree has them carry."""
    joints = mechanism.joints
    return {
        edge.joint
        for body, edge in tree.items()
        if (body == edge.first and _backward(joints[edge.joint], edge.joint in said))
        or not _holds(mechanism, body, joints[edge.joint])
    }


class Carrying(NamedTuple):
    """A joint as it carries one of its bodies."""

    parent: str
    turned: bool
    stages: tuple[Stage, ...]


def carrying(joint: JointSpec, child: str) -> Carrying:
    """Return a joint as it carries one of its bodies."""
    turned = joint.first == child
    stages = joint.stages or ()
    if turned:  # the first against the second: the same motions, undone in reverse order
        stages = tuple(stage.back for stage in reversed(stages))
        stages = tuple(sorted(stages, key=lambda stage: stage.turn))  # those of a cylinder commute
    return Carrying(joint.second if turned else joint.first, turned, stages)


def _inward_first(mechanism: Mechanism, tree: dict[str, Edge]) -> list[str]:
    """Return the bodies as in the model, but for parents, which come first."""
    order: dict[str, None] = {}
    for body in mechanism.bodies:
        path = []
        while body != GROUND and body not in order:
            path.append(body)
            edge = tree.get(body)
            body = GROUND if edge is None else edge.first if edge.second == body else edge.second
        order |= dict.fromkeys(reversed(path))
    return list(order)


# -- frames ------------------------------------------------------------------------------------------------------------


def ordered(mechanism: Mechanism, forced: tuple[str, ...] = ()) -> Topology:
    """Return the frames of a mechanism; joints named in `forced` are cut."""
    said = acted_on(mechanism)
    tree, cut = _tree(mechanism, said, forced)
    made = _Frames(mechanism)
    for body in _inward_first(mechanism, tree):
        made.add_body(body, tree[body].joint if body in tree else "")
    for edge in cut:
        spec = mechanism.joints[edge.joint]
        if type(spec) in CLOSING and edge.joint not in said:
            made.tie(edge.joint)
        elif spec.dof < 6 or edge.joint in said:
            made.copy(edge.joint)
    return Topology(tuple(made.frames), tuple(made.cuts), made.sections)


class _Frames:
    """Collects frames."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.frames: list[Frame] = []
        self.cuts: list[Cut] = []
        self.sections: dict[tuple[str, Vector3], int] = {}
        self.number = {GROUND: 0}
        self.parts = {name: self._numbers(name) for name, body in mechanism.bodies.items() if body.bends}
        self.attached = spots.attached(mechanism)

    def _numbers(self, body: str) -> tuple[LinkNumbers, ...]:
        """Return the parts of a bending body, after a check of them and of the points on it."""
        m = self.mechanism
        with part(f'body "{body}"'):
            of = member(m, body)
            numbers = reduction.numbers(body, of, m.bending.geometry == "consistent", m.bending.stiffening)
            for one in numbers:
                local_inertia.check(of, one)
            for point in m.bodies[body].points:
                with part(f'point "{point}"'):
                    spots.located(m, body, m.points[point])
        return numbers

    def _add(self, frame: Frame) -> int:
        self.frames.append(frame)
        return len(self.frames)

    def _spot(self, body: str, place: Vector3) -> int:
        """Return the number of the frame on which a place of a body is."""
        return self.sections.get((body, place), self.number[body])

    def _section(self, body: str, place: Vector3) -> int:
        """Return the number of the frame on which a place of a body is.

        One that bends gets a section even where its shapes are zero, for copies take mass from sections.
        """
        i = self._spot(body, place)
        if i and self.frames[i - 1].link is not None:
            _, shapes = spots.located(self.mechanism, body, place)
            name = f"{body} at {[round(c, 9) for c in place]}"
            i = self.sections[body, place] = self._add(Frame(name, SECTION, body, i, place, shapes=shapes))
        return i

    def add_body(self, body: str, joint: str) -> None:
        """Add a body that a joint carries, or that floats."""
        m = self.mechanism
        bends = m.bodies[body].bends
        if not joint:
            at = m.line(body)[0] if bends else m.centre(body)
            frame = Frame(body, BODY, body, 0, at, f"{body} afloat", False, TRANSLATIONS + ANGLES)
        else:
            spec = m.joints[joint]
            how, place = carrying(spec, body), spec.place(m)
            parent = self._spot(how.parent, place)
            parent, stages = self._driven(joint, spec, how, parent, place)
            at = m.line(body)[0] if bends else place
            frame = Frame(body, BODY, body, parent, at, joint, how.turned, stages)
        self.number[body] = len(self.frames) + 1
        if bends:
            self._add_parts(frame)
        else:
            self._add(frame)

    def _driven(
        self, joint: str, spec: JointSpec, how: Carrying, parent: int, place: Vector3
    ) -> tuple[int, tuple[Stage, ...]]:
        """Return what a body hangs on and its stages: with a drive the rotor lies between.

        Its coordinate is on the side of the first body of the joint, and it may deflect on that of the second.
        """
        drive = getattr(spec, "drive", None)
        if drive is None:
            return parent, how.stages
        yields = tuple(stage._replace(name=DEFLECTION) for stage in how.stages) if drive.stiffness is not None else ()
        inner, outer = (yields, how.stages) if how.turned else (how.stages, yields)
        return self._add(Frame(f"{joint} rotor", ROTOR, "", parent, place, joint, how.turned, inner)), outer

    def _add_parts(self, first: Frame) -> None:
        """Add the parts of a bending body and its sections."""
        m, body = self.mechanism, first.body
        numbers = self.parts[body]
        origin, frame = np.array(first.origin), first
        found: dict[int, list[tuple[Vector3, Shapes]]] = {k: [] for k in range(len(numbers))}
        for place in self.attached.get(body, ()):
            k, shapes = spots.located(m, body, place)
            if k > 0 or np.any(shapes.delta) or np.any(shapes.psi):
                found[k].append((place, shapes))
        for k, link in enumerate(numbers):
            i = self._add(_with_link(frame, link))
            for place, shapes in found[k]:
                name = f"{body} at {[round(c, 9) for c in place]}"
                self.sections[body, place] = self._add(Frame(name, SECTION, body, i, place, shapes=shapes))
            if k + 1 < len(numbers):
                origin = origin + link.end
                x, y, z = origin.tolist()
                tip = Shapes(link.end[None], link.end_delta[None], link.end_psi[None], link.end_short[None])
                end = self._add(Frame(f"{body} end {k + 1}", SECTION, body, i, (x, y, z), shapes=tip))
                frame = Frame(f"{body} part {k + 2}", PART, body, end, (x, y, z))

    def tie(self, joint: str) -> None:
        """Close a loop by the rows of a joint itself."""
        m, spec = self.mechanism, self.mechanism.joints[joint]
        first, second = (self._spot(b, place) for b, place in spots.ends(m, spec))
        self.cuts.append(Cut(joint, first, second, False))

    def copy(self, joint: str) -> None:
        """Close a loop by a copy of one of the bodies of a joint: the ground, else one with mass, else a section."""
        m, spec = self.mechanism, self.mechanism.joints[joint]
        place, backward = spec.place(m), _backward(spec, True)
        first, second = spec.bodies
        better = [b for b in (second, first) if b == GROUND] + [
            b for b in (second, first) if b != GROUND and not m.bodies[b].bends and m.mass(b) > 0.0
        ]
        body = next((b for b in better if not (backward and b == first)), second)
        how = carrying(spec, body)
        parent, original = self._spot(how.parent, place), self._section(body, place)
        parent, stages = self._driven(joint, spec, how, parent, place)
        name = f"{body}'{len(self.frames) + 1}"
        i = self._add(Frame(name, COPY, body, parent, place, joint, how.turned, stages))
        self.cuts.append(Cut(joint, original, i, True))


def _with_link(frame: Frame, link: LinkNumbers) -> Frame:
    return Frame(**{**frame.__dict__, "link": link})


def checked(mechanism: Any, asked: str) -> None:
    """Raise where something that is no tree is given to a function of trees."""
    if not isinstance(mechanism, Mechanism):
        raise ModelError(f"{asked} takes a mechanism in space, got {shown(mechanism)}; read one with load")
    reason = no_tree(mechanism)
    if reason is None and mechanism.bends:
        reason = "some of its bodies bend"
    if reason is not None:
        raise ModelError(f'{asked}: only for mechanisms without loops as yet, and in "{mechanism.name}" {reason}')
