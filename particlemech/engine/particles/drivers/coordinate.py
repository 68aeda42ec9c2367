"""Coordinate driver: a coordinate of a joint follows s(t).

An angle, as a rotation driver (rotation.py):

    cross(R(s) u1, u2) = cos(s) cross(u1, u2) - sin(s) dot(u1, u2) = 0                    (1)

A travel, with u the unit axis and P fixed in body 1, Q in body 2:

    u.(Q - P) - s(t) = 0                                                                  (2)

Its multiplier is the torque, or the force along u, on the second body.
"""

from __future__ import annotations

from particlemech.engine.particles.frames import At, RowPoly
from particlemech.engine.polynomials import cross, dot
from particlemech.model import drivers

spec = drivers.Coordinate

AXIS = (1.0, 0.0)


def rows(at: At) -> list[RowPoly]:
    """Return (1) or (2)."""
    if at.spec.turn:
        u1, u2 = at.first.direction(AXIS), at.second.direction(AXIS)
        return [RowPoly(at.signal("cos") * cross(u1, u2) - at.signal("sin") * dot(u1, u2), angle=True)]  # (1)
    return [RowPoly(dot(at.first.direction(at.along()), at.gap()) - at.signal("value"))]  # (2)
