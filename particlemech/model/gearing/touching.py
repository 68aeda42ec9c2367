"""Two bodies that touch: circles on circles and on lines, and where that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech import _tape
from particlemech._tape import hypot
from particlemech.errors import ModelError
from particlemech.model.applied import Array
from particlemech.model.gearing.holders import FITS
from particlemech.model.joint import Idle, JointSpec
from particlemech.model.primitives import End, Floor, Part, Strap, edge
from particlemech.model.spec import Vector, key, names, place, two

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism


def said(point: str | Vector) -> str:
    """Return a place as users write it."""
    return f'"{point}"' if isinstance(point, str) else str(list(point))


class Line(NamedTuple):
    """Where two wheels, or a line and a wheel, touch at K samples."""

    u: Array  # (K, 2) from centre to centre; or across the line, to the wheel
    n: Array  # (K, 2) u turned by a right angle; or minus that: along the positive force on the second body
    at: Array  # (K, 2) the pitch point


AS_RATIO = 'in space take a "coupling" of the joints of both: it holds their ratio, but no forces where they touch'


@dataclass(frozen=True, kw_only=True)
class Touching(JointSpec):
    """A place of each of two bodies, and how they touch."""

    in_space = AS_RATIO
    dof = 2
    tree = None
    moment = False
    bodies: tuple[str, ...] = key(names(2, 2), "the two bodies")
    points: tuple[str | Vector, str | Vector] = key(
        two(place, "places"), "the centre of each, names or numbers", dimension="length"
    )

    def check(self, mechanism: Mechanism) -> None:
        """Check the names it mentions, and that it touches."""
        for point, body in zip(self.points, self.bodies, strict=True):
            mechanism.carried(point, body)
        self.fits(mechanism)

    def fits(self, mechanism: Mechanism) -> None:
        """Check that the bodies touch as drawn, and that they will."""

    def unnamed(self, body: str) -> tuple[Vector, ...]:
        """Return its place on a body, if that has no name."""
        ends = zip(self.bodies, self.points, strict=True)
        return tuple(p for b, p in ends if b == body and not isinstance(p, str))

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return the place on the body: forces are reported, which act where it touches."""
        return on, mechanism.place(self.points[self.bodies.index(on)], on)

    def drawn(self, mechanism: Mechanism) -> tuple[Vector, Vector]:
        """Return its places as drawn."""
        one, other = (mechanism.drawn(point) for point in self.points)
        return one, other

    def apart(self, mechanism: Mechanism) -> float:
        """Return how far its places are apart as drawn."""
        return _tape.dist(*self.drawn(mechanism))

    def _ends(self, seen: Any) -> tuple[Array, Array]:
        ends = zip(self.bodies, self.points, strict=True)
        one, other = (seen.place_on(b, seen.mechanism.place(p, b)) for b, p in ends)
        return one, other

    def line(self, seen: Any) -> Line:
        """Return where it touches."""
        raise TypeError(f"{type(self).__name__} does not say where it touches")

    def _pressed(self, seen: Any, force: Array) -> list[Idle]:
        """Return a force along u on the second body, (K,), and the opposite on the first."""
        along = self.line(seen)
        push = force[:, None] * along.u
        return [(self.bodies[0], -push, along.at), (self.bodies[1], push, along.at)]


def wheels_touch(joint: Any, seen: Any) -> Line:
    """Return where two circles touch."""
    A, B = joint._ends(seen)
    d = B - A
    u = d / np.linalg.norm(d, axis=1, keepdims=True)
    s1, _ = joint.signed(joint.apart(seen.mechanism))
    return Line(u, np.stack([-u[:, 1], u[:, 0]], axis=1), A + s1 * u)


def line_touches(joint: Any, seen: Any) -> Line:
    """Return where a circle touches a line."""
    _, B = joint._ends(seen)
    along = seen.turned(joint.bodies[0], np.array(joint.axis) / hypot(*joint.axis))
    h = joint.height(seen.mechanism)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    return Line(across if h > 0 else -across, along, B - h * across)


def height(joint: Any, mechanism: Mechanism) -> float:
    """Return how far the centre lies to the left of the line as drawn."""
    (px, py), (qx, qy) = joint.drawn(mechanism)
    x, y = joint.axis
    return (x * (qy - py) - y * (qx - px)) / _tape.hypot(x, y)


def signed(sizes: Sequence[float], internal: bool, apart: float) -> tuple[float, float]:
    """Return the radii of (1) from numbers that are in proportion to them."""
    one, other = sizes
    if internal:
        one, other = (one, -other) if other < one else (-one, other)
    return apart * one / (one + other), apart * other / (one + other)


def foot(joint: Any, mechanism: Mechanism) -> Vector:
    """Return where the wheel touches the line as drawn."""
    (x, y), (u, v) = joint.drawn(mechanism)[1], joint.axis
    h, size = joint.height(mechanism), hypot(*joint.axis)
    return x + h * v / size, y - h * u / size


def straight(part: Part, joint: Any, mechanism: Mechanism, reach: float) -> Floor | Strap:
    """Return the line of a track, as far as `reach` either way from where the wheel touches."""
    (x, y), (u, v) = foot(joint, mechanism), joint.axis
    size, side = hypot(u, v), 1.0 if joint.height(mechanism) < 0.0 else -1.0
    one, other = ((x + s * reach * u / size, y + s * reach * v / size) for s in (-1.0, 1.0))
    return edge(part, joint.bodies[0], one, other, (-side * v / size, side * u / size))


def on_line(joint: Any, mechanism: Mechanism, radius: float | None, line: str, fails: str) -> None:
    """Check that a circle touches a line as drawn."""
    drawn = abs(joint.height(mechanism))
    if drawn == 0.0:
        raise ModelError(f"the centre {said(joint.points[1])} lies on the {line} itself; move it, or the line")
    if radius is not None and abs(radius - drawn) > FITS * drawn:
        raise ModelError(
            f"{fails}: the centre {said(joint.points[1])} is {drawn:.9g} from the {line} through "
            f"{said(joint.points[0])}, the radius is {radius:g}; move one of them, or leave the radius out"
        )
