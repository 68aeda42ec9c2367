"""The parts of a mechanism in space that come in one kind: bodies, and what holds at the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech import inertia as tensors
from particlemech._spec import FrozenMapping, Spec, Vector3, key, mapping_of, names, positive, vector3
from particlemech.errors import ModelError
from particlemech.primitives import Line, Looks, Part, Plate
from particlemech.shapes import bones, faces

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Body(Spec):
    """A rigid body: the places fixed on it, at t = 0, and its inertia.

    Two points without `com` and `inertia` make a uniform slender rod. More points: the centre of mass defaults to their
    centroid and the inertia must be given. Fewer points: both must be given.
    """

    points: tuple[str, ...] = key(names(0), "named points that are fixed on this body; results follow them", ())
    mass: float = key(positive, "mass")
    com: Vector3 | None = key(vector3, "centre of mass, global at t = 0, length", None)
    inertia: tuple[float, ...] | None = key(
        tensors.inertia,
        "tensor about the centre of mass, global at t = 0, mass length^2; xy = -sum of m x y",
        None,
    )

    def verify(self) -> None:
        """Check that centre and inertia can be known, and that some mass can have this inertia."""
        count = len(self.points)
        if count < 2 and self.com is None:
            raise ModelError(
                f'key "com" is required for a body with {count} point(s); where its centre of mass is, [x, y, z]'
            )
        if self.inertia is not None:
            tensors.check(self.mass, tensors.tensor(self.inertia))
        elif count != 2:
            raise ModelError(
                f'key "inertia" is required for a body with {count} point(s); the tensor about its centre of mass, '
                "[xx, yy, zz]"
            )

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a line through its joints and points, and the solid of its inertia where it has a thickness."""
        m, name = mechanism, part.name
        places = [joint.seat(name, m)[1] for joint in m.joints.values() if name in joint.bodies]
        places += [m.points[p] for p in self.points]
        shown = bones(m.centre(name), list(dict.fromkeys(places)))
        solid = faces(self.mass, m.centre(name), m.inertia(name), shown)
        lines = [Line(part, name, line) for line in shown]
        return (*lines, Plate(part, name, faces=solid)) if solid else tuple(lines)


@dataclass(frozen=True, kw_only=True)
class Initial(Spec):
    """What must hold at t = 0 besides the joints; the motion of least kinetic energy fills in the rest."""

    omega: Mapping[str, Vector3] = key(
        mapping_of(vector3), "angular velocity of bodies, global axes, rad/s", FrozenMapping()
    )
    velocity: Mapping[str, Vector3] = key(mapping_of(vector3), "velocity of points, length/s", FrozenMapping())
