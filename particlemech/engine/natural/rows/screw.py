"""Screw joint: the second body turns about an axis that is fixed in both, and travels pitch times the angle along it.

    u1.m2 = u1.n2 = 0                      the axis, pieces.py (2)                                          (1)
    m1.(P2 - P1) = n1.(P2 - P1) = 0        P2 stays on it, pieces.py (3)                                    (2)
    u1.(P2 - P1) - pitch angle = 0         sin(angle) = n1.m2, cos(angle) = m1.m2                           (3)

(3) is no polynomial but for the sine and the cosine: screw_kernels.py. Its multiplier is the force along the axis on
the second body, with the moment -pitch times it. Not used: sin(angle - travel/pitch) = 0, which is blind to turns, so
that a screw could jump a thread.
"""

from __future__ import annotations

from particlemech.engine.natural.frames import At, Handed, RowPoly, Turn, triad
from particlemech.engine.natural.readings import Reading, angle
from particlemech.engine.natural.rows.pieces import aligned, on_line
from particlemech.engine.polynomials import dot3
from particlemech.model.space import joints

spec = joints.Screw
hands = Handed(axis=True)


def readings(joint: joints.Screw) -> tuple[Reading, ...]:
    """Return the angle."""
    return (angle(joint.direction),)


def rows(at: At) -> list[RowPoly]:
    """Return (1), (2) and (3)."""
    return [*aligned(at, at.spec.direction), *kept(at)]


def kept(at: At) -> list[RowPoly]:
    """Return (2) and (3): the axis is handed over."""
    m, n, u = triad(at.spec.direction)
    m1, n1, u1, m2 = at.first.direction(m), at.first.direction(n), at.first.direction(u), at.second.direction(m)
    thread = RowPoly(dot3(u1, at.gap()), turns=(Turn(at.spec.pitch, dot3(n1, m2), dot3(m1, m2)),))
    return [*on_line(at, u), thread]
