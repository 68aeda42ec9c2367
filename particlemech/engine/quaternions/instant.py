"""Bodies at one instant, and what holds or pushes them: screws of joints and wrenches of forces.

A row is a wrench (force e, moment c, place P) that its joint can pass on and that does no work on the motion of the
second body against the first. With v_rel = v_2(P) - v_1(P), both of body points that are at P now, and
w_rel = omega_2 - omega_1:

    phi' = e.v_rel + c.w_rel = s'                                                                           (1)

Its rate is taken as seen from the first body, in which e and c rest but for what a kind adds:

    v_rel' = a_2 + alpha_2 x r_2 + w_2 x (w_2 x r_2) - a_1 - alpha_1 x r_1 - w_1 x (w_1 x r_1) - 2 w_1 x v_rel   (2)
    w_rel' = alpha_2 - alpha_1 - w_1 x w_2                                                                  (3)

r_i = P - x_i. (2) is the relative acceleration without that of transport and that of Coriolis. P is the joint's place
on the second body.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from particlemech import rotations
from particlemech.engine.system import Array
from particlemech.model.space.mechanism import Mechanism

Bodies = tuple[str, ...]  # names of two
FREE = ("x", "y", "z")
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def cross(a: Array, b: Array) -> Array:
    """Return a x b of two vectors, (3,)."""
    ax, ay, az = a.tolist()  # numbers of Python are several times faster than those of numpy
    bx, by, bz = b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def beside(u: Any) -> tuple[Array, Array]:
    """Return two unit vectors across a unit vector u and each other, (3,) each."""
    u = np.asarray(u, float)
    across = cross(u, np.eye(3)[int(np.argmin(np.abs(u)))])
    across /= math.sqrt(across @ across)
    return across, cross(u, across)


@dataclass(frozen=True)
class Body:
    """A body now, global axes: centre x (3,), rotation R (3, 3) since the drawing, velocity v and omega (3,)."""

    drawn: Array  # its centre as drawn, (3,)
    x: Array
    R: Array
    v: Array
    omega: Array

    def place(self, drawn: Any) -> Array:
        """Return where a place of the drawing, fixed on the body, is now."""
        return self.x + self.R @ (np.asarray(drawn, float) - self.drawn)

    def direction(self, drawn: Any) -> Array:
        """Return a direction of the drawing, fixed in the body, as it is now."""
        return self.R @ np.asarray(drawn, float)

    def velocity(self, place: Array) -> Array:
        """Return the velocity of the body's point that is at a place now."""
        return self.v + cross(self.omega, place - self.x)

    def inward(self, place: Array) -> Array:
        """Return the centripetal acceleration of that point about the centre of mass."""
        return cross(self.omega, cross(self.omega, place - self.x))


GROUND_BODY = Body(np.zeros(3), np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))


@dataclass(frozen=True)
class Row:
    """One condition on the motion of the second body against the first, (1)."""

    bodies: Bodies  # first and second
    place: Array
    force: Array  # e, on the second body at the place; its opposite on the first at the same place
    moment: Array  # c
    value: float  # phi, which is 0 where the condition holds; length where there is a force, else rad
    bias: float  # what phi'' has besides accelerations
    rate: float = 0.0  # s' of (1)
    besides: tuple[tuple[float, Row], ...] = ()  # other wrenches that the same multiplier, times a factor, has

    def moved(self, motion: tuple[float, float, float]) -> Row:
        """Return the row that follows a motion s with its derivatives."""
        s, s1, s2 = motion
        return replace(self, value=self.value - s, bias=self.bias - s2, rate=self.rate + s1)


@dataclass(frozen=True)
class Wrench:
    """A force (3,) at a place (3,) of a body, and a couple (3,)."""

    body: str
    place: Array
    force: Array
    moment: Array


def pushed(row: Row, effort: float) -> list[Wrench]:
    """Return what an effort along a row does to both bodies."""
    first, second = row.bodies
    force, moment = effort * row.force, effort * row.moment
    return [Wrench(second, row.place, force, moment), Wrench(first, row.place, -force, -moment)]


@dataclass(frozen=True)
class Instant:
    """A mechanism at a time, s; `near` are angles of joints, rad, by label, that say which turn is meant, default 0."""

    mechanism: Mechanism
    t: float
    bodies: Mapping[str, Body]  # with the ground
    near: Mapping[str, float]

    def pair(self, joint: str) -> tuple[Body, Body]:
        """Return the two bodies of a joint."""
        spec = self.mechanism.joints[joint]
        return self.bodies[spec.first], self.bodies[spec.second]

    def axis(self, joint: str) -> Any:
        """Return the axis of a joint as drawn, a unit vector."""
        return self.mechanism.joints[joint].direction  # type: ignore[attr-defined]

    def coordinate(self, joint: str, name: str) -> float:
        """Return a coordinate of a joint, full turns counted."""
        return self.along(joint, name).value

    def rate(self, joint: str, name: str) -> float:
        """Return its rate."""
        row = self.along(joint, name)
        one, other = self.pair(joint)
        v_rel = other.velocity(row.place) - one.velocity(row.place)
        return float(row.force @ v_rel + row.moment @ (other.omega - one.omega))

    def along(self, joint: str, name: str) -> Row:
        """Return the row of a coordinate of a joint: its value, and the wrench that works on it alone."""
        spec, near = self.mechanism.joints[joint], self.near.get(label(joint, name), 0.0)
        P, names = spec.place(self.mechanism), [x for x in spec.coordinate_names if x.startswith("angle")]
        if name == "travel":
            return self.held(spec.bodies, P, self.axis(joint))
        if name in FREE:
            return self.held(spec.bodies, P, AXES[FREE.index(name)])
        if names == ["angle"]:
            one, other = self.pair(joint)
            u = self.axis(joint)
            return self.unturned(spec.bodies, P, u, nearest(turned(one, other, u), near))
        return self._several(spec, names.index(name), near)

    def _several(self, spec: Any, k: int, near: float) -> Row:
        """Return the row of one of several angles: axes n with w_rel = N x', so x'' = N^+ (w_rel' - N' x')."""
        one, other = self.bodies[spec.first], self.bodies[spec.second]
        w_rel = one.R.T @ (other.omega - one.omega)
        x, N = _angles(spec, one.R.T @ other.R)
        back = np.linalg.pinv(N)
        rates = back @ w_rel
        moved, spin = np.zeros(3), np.zeros(3)
        for axis, rate in zip(N.T, rates, strict=True):
            moved += rate * cross(spin, axis)  # each axis turns with the rotations before it
            spin = spin + rate * axis
        row = self.unturned(spec.bodies, spec.place(self.mechanism), back[k], nearest(float(x[k]), near))
        return replace(row, bias=row.bias - float(back[k] @ moved))

    # -- rows ----------------------------------------------------------------------------------------------------------

    def held(self, bodies: Bodies, drawn: Any, along: Any) -> Row:
        """Return the row of a place of the second that keeps its coordinate along a direction of the first, (2)."""
        one, other = (self.bodies[b] for b in bodies)
        e, P = one.direction(along), other.place(drawn)
        v_rel = other.velocity(P) - one.velocity(P)
        bias = other.inward(P) - one.inward(P) - 2.0 * cross(one.omega, v_rel)
        return Row(bodies, P, e, np.zeros(3), float(e @ (P - one.place(drawn))), float(e @ bias))

    def unturned(self, bodies: Bodies, drawn: Any, about: Any, value: float) -> Row:
        """Return the row of a second body that does not turn about a direction of the first, (3)."""
        one, other = (self.bodies[b] for b in bodies)
        c = one.direction(about)
        bias = -float(c @ cross(one.omega, other.omega))
        return Row(bodies, other.place(drawn), np.zeros(3), c, value, bias)

    def pinned(self, bodies: Bodies, drawn: Any) -> list[Row]:
        """Return three rows: the place is common to both bodies."""
        return [self.held(bodies, drawn, e) for e in AXES]

    def aligned(self, bodies: Bodies, drawn: Any, axis: Any) -> list[Row]:
        """Return two rows: the axis is common to both bodies; u_1 x u_2 is the turn between them."""
        one, other = (self.bodies[b] for b in bodies)
        turn = cross(one.direction(axis), other.direction(axis))
        return [self.unturned(bodies, drawn, e, float(turn @ one.direction(e))) for e in beside(axis)]

    def locked(self, bodies: Bodies, drawn: Any) -> list[Row]:
        """Return three rows: both bodies turn as one; the turn between them is n sin(angle)."""
        one, other = (self.bodies[b] for b in bodies)
        R = one.R.T @ other.R
        turn = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        return [self.unturned(bodies, drawn, e, float(turn @ e)) for e in AXES]


def label(joint: str, name: str) -> str:
    """Return how the angle of a joint is called: as the joint where there is one."""
    return joint if name == "angle" else f"{joint}.{name}"


def nearest(angle: float, near: float) -> float:
    """Return an angle on the turn that is nearest to another."""
    return angle + math.tau * round((near - angle) / math.tau)


def _angles(spec: Any, R: Array) -> tuple[Array, Array]:
    """Return the angles of a universal, spherical or free joint, and their axes in columns, as the first sees them."""
    if spec.spherical:
        x = rotations.angles(R[None])[0]
        return x, rotations.axes(x).T
    a, b = (np.array(u) for u in spec.directions)
    c, now, then = float(a @ b), R @ b, R.T @ a
    first = math.atan2(float(a @ cross(b, now)), float(b @ now) - c * c)
    second = math.atan2(float(b @ cross(then, a)), float(a @ then) - c * c)
    return np.array([first, second]), np.stack([a, now], axis=1)


def turned(one: Body, other: Body, axis: Any) -> float:
    """Return by how much a body has turned against another about an axis of both, -pi ... pi."""
    across = beside(axis)[0]
    m1, m2 = one.direction(across), other.direction(across)
    return math.atan2(float(one.direction(axis) @ cross(m1, m2)), float(m1 @ m2))
