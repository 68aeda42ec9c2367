"""Places and directions fixed on a body in space, as linear combinations of its twelve coordinates.

A body has its centre of mass r and three unit vectors d1, d2, d3, its axes. As drawn these are the global ones, so a
drawn vector has the same components in the body:

    C = r + sum_i (C - com)_i d_i        a place C, drawn beside the centre of mass com                    (1)
    u = sum_i u_i d_i                    a direction                                                       (2)

Not used: two points and two unit vectors per body (natural coordinates), which are fewer where joints share them, but
whose mass matrix depends on which points were taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from particlemech._poly import Poly, Vec3
from particlemech._spec import Vector3

if TYPE_CHECKING:
    from particlemech.spatial.joints import JointSpec
    from particlemech.spatial.mechanism import Mechanism

COORDINATES = 12  # of a body: r, d1, d2, d3


@dataclass(frozen=True)
class Frame:
    """A body (or the ground) as the kinds see it; drawn places are relative to the computing origin."""

    body: int  # -1: ground
    centre: Vector3  # centre of mass as drawn, length

    def point(self, place: Vector3) -> Vec3:
        """Return a drawn place by (1)."""
        if self.body < 0:
            return Vec3.constant(*place)
        x, y, z = (c - g for c, g in zip(place, self.centre, strict=True))
        return Vec3.variable(COORDINATES * self.body) + self.direction((x, y, z))

    def direction(self, u: Vector3) -> Vec3:
        """Return a drawn direction by (2)."""
        if self.body < 0:
            return Vec3.constant(*u)
        result = Vec3.constant(0.0, 0.0, 0.0)
        for i, c in enumerate(u, start=1):
            if c:
                result += Vec3.variable(COORDINATES * self.body + 3 * i) * c
        return result


GROUND_FRAME = Frame(-1, (0.0, 0.0, 0.0))


class RowPoly(NamedTuple):
    """A constraint row as its kind writes it."""

    poly: Poly
    angle: bool = False  # dimensionless rather than a length


class Edge(NamedTuple):
    """What a joint or driver acts between, and where."""

    first: str  # names of bodies
    second: str
    place: Vector3  # global at t = 0; efforts and reactions are reported there, on the second
    spec: Any  # whose keys the rows are written with: a joint, or the driver that needs none


def joint_edge(joint: JointSpec, mechanism: Mechanism) -> Edge:
    """Return the edge of a joint, or of a driver that drives it."""
    return Edge(joint.first, joint.second, joint.place(mechanism), joint)


@dataclass(frozen=True)
class At:
    """What the file of a joint or driver sees of one edge: two frames, and where its places are."""

    first: Frame
    second: Frame
    edge: Edge
    mechanism: Mechanism
    origin: Vector3  # the computing origin, global
    signal: Callable[[str], Poly]  # "value", "cos", "sin" of the driver's motion

    @property
    def spec(self) -> Any:
        """The joint, or the driver that needs none."""
        return self.edge.spec

    def drawn(self, place: Vector3) -> Vector3:
        """Return a global place relative to the computing origin."""
        x, y, z = (c - o for c, o in zip(place, self.origin, strict=True))
        return x, y, z

    def gap(self) -> Vec3:
        """Return P2 - P1: the place of the edge on the second body, less that on the first."""
        place = self.drawn(self.edge.place)
        return self.second.point(place) - self.first.point(place)


def triad(u: Vector3) -> tuple[Vector3, Vector3, Vector3]:
    """Return m, n, u, a right-handed triad of unit vectors.

    m is as near as can be to the global axis that lies most across u, so an axis along z gives x, y, z.
    """
    k = min(range(3), key=lambda i: abs(u[i]))
    m = [-u[k] * c for c in u]
    m[k] += 1.0
    size = math.hypot(*m)
    a, b, c = (e / size for e in m)
    x, y, z = u
    return (a, b, c), (y * c - z * b, z * a - x * c, x * b - y * a), u
