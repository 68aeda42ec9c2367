"""What every joint of a tree offers: the stages, one scalar motion each, by which the child leaves its parent."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from particlemech._spec import Spec, Vector3
from particlemech.primitives import Course, End, Hatch, Looks, Part, Push, Turn, held

if TYPE_CHECKING:
    from particlemech.tree.mechanism import Mechanism


class Stage(NamedTuple):
    """One scalar motion of a joint: a translation along an axis or a rotation about it.

    The axis is fixed in the frame that the stages before have produced; it is written in the axes of the drawing, where
    all coordinates are zero and all frames parallel.
    """

    turn: bool  # a rotation, rad; otherwise a translation, in the model's length
    axis: Vector3  # a unit vector
    name: str  # of the coordinate


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
# dextral 1-2-3 angles: S = R1(angle1) R2(angle2) R3(angle3) [P72] (1.18)
ANGLES = (Stage(True, X, "angle1"), Stage(True, Y, "angle2"), Stage(True, Z, "angle3"))
BODIES = "parent first; the parent may be the ground"
POINT = "where the child is joined to the parent, in the drawing: a name, or three numbers"


class JointSpec(Spec):
    """Base of the joints of a tree; translations come before rotations in `stages`."""

    spherical: ClassVar[bool] = False  # the last three stages are the 1-2-3 angles
    bodies: tuple[str, ...]
    point: str | Vector3

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The motions that the joint leaves, in the order in which they act."""
        raise TypeError(f"{type(self).__name__} does not list its stages")

    @property
    def quaternion(self) -> bool:
        """Whether the user wants a quaternion integrated in place of the 1-2-3 angles."""
        return False

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """The names of the coordinates, one per stage."""
        return tuple(stage.name for stage in self.stages)

    @property
    def dof(self) -> int:
        """The number of freedoms that the joint leaves."""
        return len(self.stages)

    @property
    def parent(self) -> str:
        """The body, or the ground, that carries the joint."""
        return self.bodies[0]

    @property
    def child(self) -> str:
        """The body that the joint carries."""
        return self.bodies[1]

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return what it looks like; r is half the width of a rod."""
        raise TypeError(f"{type(self).__name__} does not say what it looks like")

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return where its reaction acts on either body: its point, on the child."""
        return self.child, mechanism.place(self.point, self.child)

    def held(self, part: Part, mechanism: Mechanism) -> tuple[Hatch, ...]:
        """Return what the ground holds its point by."""
        return held(part, (self.parent, mechanism.place(self.point, self.child)))

    def fixed(self, stage: int) -> End | None:
        """Return the body in which the axis of a stage is fixed, and the axis; None between two rotations."""
        axis = self.stages[stage].axis
        if not any(s.turn for s in self.stages[:stage]):
            return self.parent, axis
        return None if any(s.turn for s in self.stages[stage + 1 :]) else (self.child, axis)

    def acted(self, part: Part, mechanism: Mechanism, stage: int, value: Course | None) -> Looks:
        """Return an arrow about or along the axis of a stage, on the child."""
        found = self.fixed(stage)
        shown = Turn if self.stages[stage].turn else Push
        return () if found is None else (shown(part, *self.seat(self.child, mechanism), value, found[1], found[0]),)
