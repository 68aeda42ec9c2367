"""The drivers of the particle formulation: one function per kind gives its rows; ROWS lists them."""

from __future__ import annotations

from collections.abc import Callable

from particlemech import _tape
from particlemech.engine.particles.frames import At, RowPoly
from particlemech.engine.polynomials import cross, dot
from particlemech.model import drivers

AXIS = (1.0, 0.0)


def rotation(at: At) -> list[RowPoly]:
    """Return the row of an angle of the second body against the first that follows s(t).

        u1, u2               directions fixed in the bodies, parallel as drawn
        cross(R(s) u1, u2) = cos(s) cross(u1, u2) - sin(s) dot(u1, u2) = 0                    (1)

    (1) is the sine of the angle error: zero and of slope 1 on the wanted motion, a polynomial, and blind to full
    turns. Its multiplier is the torque on the second body. Not used: the difference of unwrapped angles.
    """
    u1, u2 = at.first.direction(AXIS), at.second.direction(AXIS)
    return [RowPoly(at.signal("cos") * cross(u1, u2) - at.signal("sin") * dot(u1, u2), angle=True)]  # (1)


def coordinate(at: At) -> list[RowPoly]:
    """Return the row of a coordinate of a joint that follows s(t).

        u.(Q - P) - s(t) = 0           u the unit axis and P fixed in body 1, Q in body 2     (1)

    That is the row of a travel; that of an angle is as of a rotation. Its multiplier is the torque, or the force along
    u, on the second body.
    """
    if at.spec.turn:
        return rotation(at)
    return [RowPoly(dot(at.first.direction(at.along()), at.gap()) - at.signal("value"))]  # (1)


def distance(at: At) -> list[RowPoly]:
    """Return the row of the distance of P2 on the second body from P1 on the first, which is L(t) = drawn + s(t).

        d = P2 - P1,   d.d/(2 L) - L/2 = 0                                                    (1)

    Its gradient on the wanted motion is the unit vector along d and its rate by time is -L', so its multiplier is the
    force along the line, positive where it pushes the points apart, and lam L' is its power. A polynomial with signals
    1/L and L. Not used: (d.d - L^2)/(2 drawn), whose multiplier is that force times L/drawn.
    """
    first, second = at.spec.points
    drawn = _tape.dist(at.drawn(first), at.drawn(second))
    d = at.second.point(at.place(second, True)) - at.first.point(at.place(first, False))
    return [RowPoly((at.signal("reciprocal", drawn) * dot(d, d) - at.signal("value", drawn)) * 0.5)]  # (1)


def position(at: At) -> list[RowPoly]:
    """Return the row of a coordinate of a point that follows s(t) from its start.

        C.x - C.x(0) - s(t) = 0    or the same with y; C(0) as drawn                          (1)

    Its multiplier is the force on the body along that axis.
    """
    moved = at.second.point(at.seat()) - at.first.point(at.drawn(at.spec.point))
    return [RowPoly(getattr(moved, at.spec.axis) - at.signal("value"))]


ROWS: dict[type, Callable[[At], list[RowPoly]]] = {
    drivers.Coordinate: coordinate,
    drivers.Rotation: rotation,
    drivers.Distance: distance,
    drivers.Position: position,
}
