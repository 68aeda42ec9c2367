"""Gears, racks, belts and what rolls in the particle formulation: one function per kind gives its rows.

A and B are the centres, or a place on a line and a centre, d = B - A; angles and strands count from the drawing, see
turns.py. None is ever a tree joint. Multipliers are forces at the pitch point on body 2.
"""

from __future__ import annotations

from particlemech import _tape
from particlemech.engine.particles.frames import At, Place, RowPoly, Swing
from particlemech.engine.polynomials import Poly, Vec, cross, dot


def between(at: At) -> tuple[Vec, Place]:
    """Return d, and as drawn."""
    one, other = at.spec.points
    d = at.second.point(at.place(other, True)) - at.first.point(at.place(one, False))
    (ax, ay), (bx, by) = at.drawn(one), at.drawn(other)
    return d, (bx - ax, by - ay)


def gear(at: At) -> list[RowPoly]:
    """Return the row of two pitch circles that do not slip.

        |d| psi - s1 theta1 - s2 theta2 = 0        psi the angle of d, s1 + s2 = |d| as drawn         (1)

    The multiplier acts along K d/|d|. Not used: angles against a carrier, which give the motion but no forces at the
    teeth.
    """
    d, drawn = between(at)
    apart = _tape.hypot(*drawn)
    s1, s2 = at.spec.signed(apart)
    ends = ((at.first.body, s1 / apart), (at.second.body, s2 / apart))
    line = Swing(apart, d, drawn, tuple(end for end in ends if end[0] >= 0))
    return [RowPoly(Poly.constant(0.0), swings=(line, *at.first.turn(-s1), *at.second.turn(-s2)))]  # (1)


def rack(at: At) -> list[RowPoly]:
    """Return the row of the pitch circle of body 2 that does not slip on a line through A of body 1.

        u.d + h (theta2 - theta1) = 0        u along the line, h the distance of B to its left        (1)

    The multiplier acts along u.
    """
    (ux, uy), (d, (x, y)) = at.along(), between(at)
    along = dot(at.first.direction((ux, uy)), d) - Poly.constant(ux * x + uy * y)
    h = ux * y - uy * x
    return [RowPoly(along, swings=(*at.second.turn(h), *at.first.turn(-h)))]  # (1)


def rolling(at: At) -> list[RowPoly]:
    """Return the row of a gear or a rack, and that of the contact.

        +-(d.d - D^2)/(2 D) = 0        of two circles, minus where one is inside the other            (1)
        +-(u x d - h) = 0              on a line, minus where h is negative                           (2)

    The multiplier of (1) and (2) pushes apart.
    """
    d, (x, y) = between(at)
    if at.spec.axis is None:
        apart = (dot(d, d) - Poly.constant(x * x + y * y)) * (0.5 / _tape.hypot(x, y))
        return [*gear(at), RowPoly(-apart if at.spec.internal else apart)]  # (1)
    ux, uy = at.along()
    h = ux * y - uy * x
    across = cross(at.first.direction((ux, uy)), d) - Poly.constant(h)
    return [*rack(at), RowPoly(across if h > 0.0 else -across)]  # (2)


def contact(at: At) -> list[RowPoly]:
    """Return the row of two circles, or of a circle or point on a line, that touch, while they do.

        +-(d.d - D^2)/(2 D) = 0        of two circles, D the distance of centres that touch, minus inside     (1)
        n.d - radius = 0               on a line, n across it to the side of the circle                       (2)

    The multiplier pushes apart. At a distance (1) is no length, but it has the sign of the gap.
    """
    if not at.spec.held:
        return []
    d, drawn = between(at)
    if at.spec.radii is not None:
        apart = (dot(d, d) - Poly.constant(at.spec.reach**2)) * (0.5 / at.spec.reach)
        return [RowPoly(-apart if at.spec.internal else apart)]  # (1)
    ux, uy = at.along()
    s = -1.0 if ux * drawn[1] - uy * drawn[0] < 0.0 else 1.0
    return [RowPoly(dot(at.first.direction((-s * uy, s * ux)), d) - Poly.constant(at.spec.radius))]  # (2)


def strand(at: At) -> list[RowPoly]:
    """Return the row of a strand of a belt that neither stretches nor slips.

        L - rho phi + s2 theta2 - s1 theta1 = L0        rho = s2 - s1                                 (1)

    L and phi are its length and its angle since the drawing, s the radii, positive where it goes round counter-
    clockwise. The multiplier acts along the strand: it is minus its tension.
    """
    d, (x, y) = between(at)
    (s1, s2), rho = at.spec.radii, at.spec.rho
    bodies, reel = at.spec.counter
    counter = tuple([(at.counter(b), w) for b, w in bodies if at.counter(b) >= 0])
    line = Swing(1.0, d, (x, y), counter, True, rho, reel)
    return [RowPoly(Poly.constant(-line.length), swings=(line, *at.second.turn(s2), *at.first.turn(-s1)))]  # (1)
