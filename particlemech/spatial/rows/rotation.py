"""Rotation driver: the angle of the second body against the first, about the axis of a joint, follows s(t).

    -(cos(s) m1.n2 + sin(s) n1.n2) = sin(angle - s) = 0                                                     (1)

(1) is the sine of the error of the angle: zero and of slope 1 on the wanted motion, a polynomial, and blind to full
turns. Its multiplier is the moment about the axis on the second body. Not used: the difference of unwrapped angles;
cos(s) - m1.m2, whose slope vanishes at the start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech._poly import dot3
from particlemech.spatial import drivers
from particlemech.spatial.frames import At, Edge, RowPoly, joint_edge, triad

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism

spec = drivers.Rotation


def edge(driver: drivers.Rotation, mechanism: Mechanism) -> Edge:
    """Return the edge of the joint it drives."""
    return joint_edge(mechanism.joints[driver.joint], mechanism)


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    m, n, _ = triad(at.spec.direction)
    m1, n1, n2 = at.first.direction(m), at.first.direction(n), at.second.direction(n)
    return [RowPoly(-(at.signal("cos") * dot3(m1, n2) + at.signal("sin") * dot3(n1, n2)), angle=True)]  # (1)
