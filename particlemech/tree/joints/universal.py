"""Universal joint: the child turns about an axis of its own, which turns about an axis of the parent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech._spec import Vector3, direction3, key, names, parallel, place3, two, unit
from particlemech.errors import ModelError
from particlemech.primitives import Looks, Part, Pin
from particlemech.tree.joints.base import BODIES, POINT, JointSpec, Stage

if TYPE_CHECKING:
    from particlemech.tree.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Universal(JointSpec):
    """The child turns about two axes through the point; coordinates "angle1" and "angle2"."""

    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT)
    axes: tuple[Vector3, Vector3] = key(
        two(direction3, "directions"), "the first is fixed in the parent, the second in the child; not parallel"
    )

    def verify(self) -> None:
        """Check that the axes leave two freedoms."""
        if parallel(*self.axes):
            raise ModelError('key "axes": the two are parallel and leave one freedom; turn one, or use a hinge')

    @property
    def stages(self) -> tuple[Stage, ...]:
        """A rotation about the parent's axis, then one about the child's."""
        first, second = self.axes
        return Stage(True, unit(first), "angle1"), Stage(True, unit(second), "angle2")

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the cross: a pin of each body."""
        at = mechanism.place(self.point, self.child)
        pins = [Pin(part, body, at, axis) for body, axis in zip(self.bodies, self.axes, strict=True)]
        return (*pins, *self.held(part, mechanism))
