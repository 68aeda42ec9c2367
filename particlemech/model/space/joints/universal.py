"""Universal joint: two bodies share a point; an axis of one keeps its angle with an axis of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech.errors import ModelError
from particlemech.model.friction import Friction, friction_key
from particlemech.model.primitives import Looks, Part, Pin, held
from particlemech.model.space.joints.base import BODIES, POINT, Limited, Stage
from particlemech.model.space.joints.surfaces import Surface
from particlemech.model.spec import Vector3, direction3, key, names, parallel, place3, two, unit

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Universal(Limited):
    """A cross: the second body turns about two axes through the point, which keep the angle between them."""

    dof = 2
    tree = 2.0
    coordinate_names = ("angle1", "angle2")
    sizes = ("radius",)
    surfaces = tuple(Surface((name,), "axle", name) for name in coordinate_names)
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT, dimension="length")
    friction: Friction | None = friction_key("of both pins, from its own load: { mu, radius }")
    axes: tuple[Vector3, Vector3] = key(
        two(direction3, "directions"),
        "the first is fixed in the first body, the second in the second, in the drawing; not parallel",
        dimension="any",
    )

    def verify(self) -> None:
        """Check that the axes leave two freedoms."""
        super().verify()
        if parallel(*self.axes):
            raise ModelError('key "axes": the two are parallel and leave one freedom; turn one, or use a revolute')

    @property
    def directions(self) -> tuple[Vector3, Vector3]:
        """The axes as unit vectors."""
        first, second = self.axes
        return unit(first), unit(second)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """A rotation about the axis of the first body, then one about that of the second."""
        first, second = self.directions
        return Stage(True, first, "angle1"), Stage(True, second, "angle2")

    def keeps(self, place: Vector3, mechanism: Mechanism) -> bool:
        """Whether the place is the point."""
        return place == self.place(mechanism)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the cross: a pin of each body."""
        at = self.place(mechanism)
        pins = [Pin(part, body, at, axis) for body, axis in zip(self.bodies, self.directions, strict=True)]
        return (*pins, *held(part, *((b, at) for b in self.bodies)))
