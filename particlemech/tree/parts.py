"""The parts of a tree that come in one kind: bodies, drivers, impulses, and the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech import inertia as tensors
from particlemech._spec import (
    FrozenMapping,
    Spec,
    Vector3,
    choice,
    key,
    kind_name,
    mapping_of,
    name,
    names,
    not_negative,
    number_or_numbers,
    place3,
    vector3,
)
from particlemech.errors import ModelError
from particlemech.inertia import Tensor
from particlemech.primitives import Line, Looks, Part, Plate
from particlemech.shapes import bones, faces
from particlemech.signals import SignalSpec, motion

if TYPE_CHECKING:
    from particlemech.tree.mechanism import Mechanism

NOTHING: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Body(Spec):
    """A rigid body, in global axes of the drawing; one without mass and inertia is a mere frame."""

    mass: float = key(not_negative, "0: a mere frame")
    com: Vector3 = key(vector3, "centre of mass in the drawing, length")
    inertia: tuple[float, ...] = key(
        tensors.inertia, "tensor about the centre of mass, mass length^2; xy = -sum of m x y"
    )
    inertia_rule: str = key(
        choice(*tensors.RULES),
        "what the inertia is held to: that some mass can have it, or only that no moment is negative, for measured and "
        "guessed numbers that break the triangle inequality",
        tensors.RULES[0],
    )
    points: tuple[str, ...] = key(names(0), "named points that are fixed on this body; results follow them", ())

    @property
    def tensor(self) -> Tensor:
        """The inertia about the centre of mass, axes of the drawing: xx, yy, zz, xy, xz, yz."""
        return tensors.tensor(self.inertia)

    @property
    def principal(self) -> Vector3:
        """The principal moments of inertia, smallest first."""
        return tensors.principal(self.tensor)

    def verify(self) -> None:
        """Check the inertia by its rule."""
        tensors.check(self.mass, self.tensor, self.inertia_rule)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return lines from its joint to all that hangs on it, and the solid of its inertia if it has one."""
        m, name = mechanism, part.name
        start = m.place(m.joints[m.inboard[name]].point, name)
        ends = [m.place(j.point, j.child) for j in m.joints.values() if j.parent == name]
        ends += [m.points[p] for p in self.points]
        shown = bones(self.com, list(dict.fromkeys(ends)), start)
        solid = faces(self.mass, self.com, self.tensor, shown)
        lines = [Line(part, name, line) for line in shown]
        return (*lines, Plate(part, name, faces=solid)) if solid else tuple(lines)


@dataclass(frozen=True, kw_only=True)
class Driver(Spec):
    """The prescribed motion of one coordinate; its effort is a result."""

    joint: str = key(name, "the joint")
    coordinate: str | None = key(name, "which coordinate; may be left out where there is one", None)
    motion: SignalSpec = key(motion, "value of the coordinate, rad or length")

    def verify(self) -> None:
        """Check that the motion is smooth enough to follow."""
        if not self.motion.smooth:
            kind = kind_name(type(self.motion))
            raise ModelError(f'key "motion": a {kind} jumps and cannot be followed; use "cycloid" or "table"')

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow about or along the axis of the coordinate."""
        stage = mechanism.coordinate(self.joint, self.coordinate)
        return mechanism.joints[self.joint].acted(part, mechanism, stage, None)

    def turns(self, mechanism: Mechanism) -> bool:
        """Whether its effort is a moment."""
        return mechanism.joints[self.joint].stages[mechanism.coordinate(self.joint, self.coordinate)].turn


@dataclass(frozen=True, kw_only=True)
class Impulse(Spec):
    """A blow on a body: speeds jump, places do not; one at or after the end of a run does not act."""

    time: float = key(not_negative, "s; 0: before the run begins", 0.0)
    body: str = key(name, "the body it acts on")
    point: str | Vector3 | None = key(
        place3, "a place fixed on the body, in the drawing: name or three numbers; default: centre of mass", None
    )
    impulse: Vector3 = key(vector3, "force times time", NOTHING)
    moment: Vector3 = key(vector3, "moment times time, besides that of the impulse", NOTHING)
    frame: str = key(choice("global", "body"), "axes of both: global, or those of the body at that time", "global")


@dataclass(frozen=True, kw_only=True)
class Initial(Spec):
    """Where the coordinates start and how fast; those not mentioned start from 0, at rest."""

    position: Mapping[str, tuple[float, ...]] = key(
        mapping_of(number_or_numbers), "coordinates of joints, rad or length", FrozenMapping()
    )
    rate: Mapping[str, tuple[float, ...]] = key(
        mapping_of(number_or_numbers), "rates of the coordinates of joints", FrozenMapping()
    )
    omega: Mapping[str, Vector3] = key(
        mapping_of(vector3),
        "angular velocity of bodies on ball or free joints, global axes, rad/s; instead of the rates of their angles",
        FrozenMapping(),
    )
