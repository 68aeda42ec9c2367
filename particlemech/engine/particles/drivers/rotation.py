"""Rotation driver: the angle of the second body against the first follows s(t).

    u1, u2               directions fixed in the bodies, parallel as drawn
    cross(R(s) u1, u2) = cos(s) cross(u1, u2) - sin(s) dot(u1, u2) = 0                    (1)

(1) is the sine of the angle error: zero and of slope 1 on the wanted motion, a polynomial, and blind to full
turns. Its multiplier is the torque on the second body. Not used: the difference of unwrapped angles.
"""

from __future__ import annotations

from particlemech.engine.particles.frames import At, RowPoly
from particlemech.engine.polynomials import cross, dot
from particlemech.model import drivers

spec = drivers.Rotation

AXIS = (1.0, 0.0)


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    u1, u2 = at.first.direction(AXIS), at.second.direction(AXIS)
    return [RowPoly(at.signal("cos") * cross(u1, u2) - at.signal("sin") * dot(u1, u2), angle=True)]  # (1)
