"""What every joint in space offers: how it is called, what it leaves free, and which places it keeps common."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from particlemech._spec import Spec, Vector3
from particlemech.primitives import End, Looks, Part

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism

BODIES = "two bodies, one of which may be the ground; the second moves against the first"
POINT = "where it is, global at t = 0: the name of a point, or three numbers"
SAME = 1e-9  # distance from a line, as a fraction of the distance from a point on it


class JointSpec(Spec):
    """Base of the joints in space."""

    dof: ClassVar[int]  # freedoms left between its two bodies
    tree: ClassVar[float | None]  # what it costs as an edge of a spanning tree; None: it never is one
    # what can be driven: "angle" about the axis, by the right hand, and "travel" along it, both of the second body
    # against the first, 0 at t = 0
    coordinate_names: ClassVar[tuple[str, ...]] = ()
    bodies: tuple[str, ...]

    @property
    def first(self) -> str:
        """The body that reacts."""
        return self.bodies[0]

    @property
    def second(self) -> str:
        """The body whose motion counts, and on which efforts act."""
        return self.bodies[1]

    def check(self, mechanism: Mechanism) -> None:
        """Check the names it mentions, and what depends on the parts it joins."""
        for body in self.bodies:
            mechanism.known_body(body)
        self.place(mechanism)

    def place(self, mechanism: Mechanism) -> Vector3:
        """Return the point of the joint, global at t = 0, length."""
        return mechanism.place(self.point, self.second)  # type: ignore[attr-defined]

    def keeps(self, place: Vector3, mechanism: Mechanism) -> bool:
        """Whether a place fixed on one body, global at t = 0, is fixed on the other as well."""
        return False

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return what it looks like; r is half the width of a rod."""
        raise TypeError(f"{type(self).__name__} does not say what it looks like")

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return where its reaction acts on one of its bodies: a frame, and a place in it."""
        return self.second, self.place(mechanism)


def on_line(place: Vector3, point: Vector3, direction: Vector3) -> bool:
    """Whether a place lies on the line through a point along a unit vector."""
    x, y, z = (p - q for p, q in zip(place, point, strict=True))
    u, v, w = direction
    return math.hypot(y * w - z * v, z * u - x * w, x * v - y * u) <= SAME * math.hypot(x, y, z)
