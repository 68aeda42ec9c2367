"""Joints as users write them: frozen specs, no equations (those are in each formulation).

`dof` is the number of freedoms the joint leaves between two bodies. `tree` ranks how gladly the joint
serves inside a spanning tree (small is better, None: never).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from particlemech._spec import Spec, direction, key, kind_name, name, names, pair_of_names, positive


class JointSpec(Spec):
    """Base of the joints."""

    dof: ClassVar[int]
    tree: ClassVar[float | None]
    moment: ClassVar[bool]  # can carry a moment
    bodies: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Revolute(JointSpec):
    """A pin: all its bodies share one point and turn freely about it."""

    dof = 1
    tree = 1.0
    moment = False
    point: str = key(name, "the point they share; each moving body must list it")
    bodies: tuple[str, ...] = key(names(2), "two or more bodies")


@dataclass(frozen=True, kw_only=True)
class Prismatic(JointSpec):
    """A slide: the second body moves along a line fixed in the first, without turning against it."""

    dof = 1
    tree = 1000.0
    moment = True
    bodies: tuple[str, ...] = key(names(2, 2), "the line is fixed in the first, the point in the second")
    point: str = key(name, "a point of the second body; the line passes through its start")
    direction: tuple[float, float] = key(direction, "of the line, global at t = 0")


@dataclass(frozen=True, kw_only=True)
class Slot(JointSpec):
    """A pin in a slot: a point of the second body moves along a line fixed in the first."""

    dof = 2
    tree = 1000.0
    moment = False
    bodies: tuple[str, ...] = key(names(2, 2), "the line is fixed in the first, the point in the second")
    point: str = key(name, "a point of the second body; the line passes through its start")
    direction: tuple[float, float] = key(direction, "of the line, global at t = 0")


@dataclass(frozen=True, kw_only=True)
class Weld(JointSpec):
    """A rigid connection."""

    dof = 0
    tree = 0.001
    moment = True
    bodies: tuple[str, ...] = key(names(2), "two or more bodies")
    point: str | None = key(name, "where reactions are reported; default: centre of mass of the second", None)


@dataclass(frozen=True, kw_only=True)
class Distance(JointSpec):
    """A massless rod between a point of each body."""

    dof = 2
    tree = None
    moment = False
    bodies: tuple[str, ...] = key(names(2, 2), "two bodies")
    points: tuple[str, str] = key(pair_of_names, "one point on each")
    length: float | None = key(positive, "m; default: the distance as drawn", None)


KINDS: tuple[type[JointSpec], ...] = (Revolute, Prismatic, Slot, Weld, Distance)
NAMES = {kind_name(kind): kind for kind in KINDS}
