"""The tree that the joints of a mechanism in space make, in breadth; what closes loops, and what is a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from particlemech.model.description import GROUND
from particlemech.model.space.drivers import Coordinate
from particlemech.model.space.joints import Stage
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import kind_name


class Branch(NamedTuple):
    """A joint as it carries a body of a tree: from its parent, which is nearer to ground, to the child."""

    joint: str
    parent: str
    child: str
    turned: bool  # the child is the first body of the joint
    stages: tuple[Stage, ...]  # of the child against the parent; their coordinates are those of the joint


def closing(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the joints between bodies that lead to no new body."""
    used = {branch.joint for branch in branches(mechanism).values()}
    return tuple(name for name, joint in mechanism.joints.items() if joint.bodies and name not in used)


def no_tree(mechanism: Mechanism) -> str | None:
    """Return why a mechanism is no tree of stages that are free or driven, or None."""
    for name, driver in mechanism.drivers.items():
        if not isinstance(driver, Coordinate):
            return f'driver "{name}" prescribes no coordinate of a joint'
    for name, joint in mechanism.joints.items():
        if not joint.complete:
            return f'joint "{name}" is a {kind_name(type(joint))}'
    carried = branches(mechanism)
    for name in mechanism.bodies:
        if name not in carried:
            return f'no joint leads from body "{name}" to ground'
    used = {branch.joint for branch in carried.values()}
    for name in mechanism.joints:
        if name not in used:
            return f'joint "{name}" closes a loop'
    for branch in carried.values():
        joint = mechanism.joints[branch.joint]
        if branch.turned and joint.spherical:
            return f'joint "{branch.joint}" leads inward, from "{branch.child}" to "{branch.parent}"'
    return None


def branches(mechanism: Mechanism) -> Mapping[str, Branch]:
    """Return what carries each body that joints lead to from ground, by body: in breadth, in the order of the model."""
    meeting: dict[str, list[str]] = {}
    for name, joint in mechanism.joints.items():
        for body in joint.bodies:
            meeting.setdefault(body, []).append(name)
    carried: dict[str, Branch] = {}
    reached = [GROUND]
    for parent in reached:  # grows as bodies are reached
        for name in meeting.get(parent, ()):
            joint = mechanism.joints[name]
            turned = joint.second == parent
            child = joint.first if turned else joint.second
            if child == GROUND or child in carried:
                continue
            stages = joint.stages or ()
            if turned:  # the first against the second: the same motions, undone in reverse order
                stages = tuple(stage.back for stage in reversed(stages))
                stages = tuple(sorted(stages, key=lambda stage: stage.turn))  # those of a cylinder commute
            carried[child] = Branch(name, parent, child, turned, stages)
            reached.append(child)
    return carried
