"""The graph of bodies and ties: how each body is reached from the ground, and the ties that close loops.

Bodies are reached on the shortest ways, found from the ground outward in the order of the model; every tie that is left
over closes one loop, [J84] (6), of the two ways to its ends. So loops are short, which their rows like.
Not used: the cut of `spatial.topology`, which looks for the fewest equations of motion, not for short loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from particlemech.analyses.loops.drivers import DRIVE
from particlemech.analyses.loops.joints import TIE
from particlemech.analyses.loops.ties import RAILS, Drive, VectorTie
from particlemech.engine.system import Array
from particlemech.errors import part
from particlemech.model.description import GROUND
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import Vector3


class Passed(NamedTuple):
    """A tie on the way, passed from its first body to its second or back."""

    tie: str
    forward: bool


class Route(NamedTuple):
    """The way to a place: arms of bodies, as drawn, and vectors of ties, with their signs."""

    arms: tuple[tuple[str, Array], ...]  # body and (3,)
    vectors: tuple[tuple[str, float], ...]
    ring: tuple[str, ...] = ()  # of a loop: its ties in the order of the arms


@dataclass(frozen=True, eq=False)
class Graph:
    """Ties between bodies, the way to each body, and what closes loops."""

    ties: Mapping[str, VectorTie]
    drives: Mapping[str, Drive]
    ways: Mapping[str, tuple[Passed, ...]]  # to each body, from the ground
    chords: tuple[str, ...]  # ties that close loops

    def route(self, body: str, place: Vector3, skipped: int = 0) -> Route:
        """Return the way to a place of a body, global as drawn, from the body that it has reached after some steps."""
        arms: list[tuple[str, Array]] = []
        vectors: list[tuple[str, float]] = []
        ways = self.ways[body]
        at = self._reached(ways[skipped - 1]) if skipped else GROUND
        here = np.zeros(3)
        for step in ways[skipped:]:
            tie = self.ties[step.tie]
            left, entered = (tie.starts, tie.ends) if step.forward else (tie.ends, tie.starts)
            arms.append((at, np.subtract(left, here)))
            vectors += [(name, 1.0 if step.forward else -1.0) for name in spans(step.tie, tie)]
            at, here = self._reached(step), np.array(entered)
        return Route((*arms, (at, np.subtract(place, here))), tuple(vectors))

    def _reached(self, step: Passed) -> str:
        tie = self.ties[step.tie]
        return tie.second if step.forward else tie.first

    def loop(self, chord: str) -> Route:
        """Return the loop that a tie closes: to its first body, along it, and back from its second."""
        tie = self.ties[chord]
        one, other = self.ways[tie.first], self.ways[tie.second]
        shared = 0
        while shared < min(len(one), len(other)) and one[shared] == other[shared]:
            shared += 1
        there, back = self.route(tie.first, tie.starts, shared), self.route(tie.second, tie.ends, shared)
        along = tuple((name, 1.0) for name in spans(chord, tie))
        return Route(
            (*there.arms, *((body, -arm) for body, arm in back.arms)),
            (*there.vectors, *along, *((name, -sign) for name, sign in back.vectors)),
            (*(step.tie for step in one[shared:]), chord, *(step.tie for step in reversed(other[shared:]))),
        )


def spans(name: str, tie: VectorTie) -> tuple[str, ...]:
    """Return the names of the vectors from the place of a tie on its first body to that on its second."""
    if tie.rod is not None:
        return (f"rod {name}",)
    if len(tie.slides) == 1:
        return (axis(name),)
    return tuple(f"{name} along {e}" for e in "xyz"[: len(tie.slides)])


def axis(name: str) -> str:
    """Return the name of the vector along the axis of a joint."""
    return f"axis of {name}"


def graph(mechanism: Mechanism) -> Graph:
    """Return the graph of a mechanism; bodies that nothing joins to the ground float on rails from where they are."""
    ties: dict[str, VectorTie] = {}
    for name, joint in mechanism.joints.items():
        with part(f'joint "{name}"'):
            ties[name] = TIE[type(joint)](joint, mechanism)
    drives: dict[str, Drive] = {}
    for name, driver in mechanism.drivers.items():
        with part(f'driver "{name}"'):
            drives[name] = DRIVE[type(driver)](driver, mechanism)
    ties |= {drive.tie: drive.adds for drive in drives.values() if drive.adds is not None}
    ways: dict[str, tuple[Passed, ...]] = {GROUND: ()}
    _reach(ties, ways, GROUND)
    for body in mechanism.bodies:
        if body not in ways:
            centre = mechanism.centre(body)
            ties[f"{body} at large"] = VectorTie(GROUND, body, centre, centre, slides=RAILS)
            ways[body] = (Passed(f"{body} at large", True),)
            _reach(ties, ways, body)
    used = {step.tie for way in ways.values() for step in way}
    return Graph(ties, drives, ways, tuple(name for name in ties if name not in used))


def _reach(ties: Mapping[str, VectorTie], ways: dict[str, tuple[Passed, ...]], start: str) -> None:
    """Fill in the shortest ways to all bodies that ties join to a body already reached."""
    front = [start]
    for body in front:
        for name, tie in ties.items():
            for near, far, forward in ((tie.first, tie.second, True), (tie.second, tie.first, False)):
                if near == body and far not in ways:
                    ways[far] = (*ways[body], Passed(name, forward))
                    front.append(far)
