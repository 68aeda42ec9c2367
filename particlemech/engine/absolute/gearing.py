"""Gears, racks, belts and what rolls: which measures stay at their offset. One function per kind gives its rows.

P and Q are the centres, or Q is one and P the place on body 1 where it is drawn; all angles count from the drawing.
Multipliers are forces at the pitch point on body 2.
"""

from __future__ import annotations

import math
from typing import Any

from particlemech.engine.absolute.measures import ANGLE, LINE, SPAN, STRAND, SWING, Measure, Sum, unit
from particlemech.model import gearing
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Mechanism


def gear(spec: Any, mechanism: Mechanism) -> list[Sum]:
    """Return the row of two pitch circles that do not slip.

    D psi - s1 theta1 - s2 theta2 = 0        psi the angle of Q - P, D = s1 + s2 its length as drawn      (1)
    """
    (first, second), (P, Q) = spec.bodies, (mechanism.drawn(p) for p in spec.points)
    D = math.dist(P, Q)
    s1, s2 = spec.signed(D)
    line = Measure(SWING, first, second, P, Q, factor=D, counter=((first, s1 / D), (second, s2 / D)))
    return [(line, Measure(ANGLE, GROUND, first, factor=-s1), Measure(ANGLE, GROUND, second, factor=-s2))]  # (1)


def rack(spec: Any, mechanism: Mechanism) -> list[Sum]:
    """Return the row of a pitch circle that does not slip on a line of body 1.

    e.(Q - P) + h (theta2 - theta1) = 0      e along the line, h how far Q is left of it                  (1)
    """
    (first, second), Q = spec.bodies, mechanism.drawn(spec.points[1])
    turn = Measure(ANGLE, first, second, factor=spec.height(mechanism))
    return [(Measure(LINE, first, second, Q, Q, unit(spec.axis)), turn)]  # (1)


def rolling(spec: gearing.Rolling, mechanism: Mechanism) -> list[Sum]:
    """Return the row of a gear or a rack, and that of the contact, whose multiplier pushes apart.

    +-(|Q - P| - D) = 0              of two circles, minus where one is inside the other                  (1)
    n.(Q - P) = 0                    on a line, n across it towards Q                                     (2)
    """
    (first, second), (P, Q) = spec.bodies, (mechanism.drawn(p) for p in spec.points)
    if spec.axis is None:
        sign = -1.0 if spec.internal else 1.0
        return [
            *gear(spec, mechanism),
            (Measure(SPAN, first, second, P, Q, offset=sign * math.dist(P, Q), factor=sign),),  # (1)
        ]
    sign, (ux, uy) = math.copysign(1.0, spec.height(mechanism)), unit(spec.axis)
    return [*rack(spec, mechanism), (Measure(LINE, first, second, Q, Q, (-sign * uy, sign * ux)),)]  # (2)


def contact(spec: Any, mechanism: Mechanism) -> list[Measure]:
    """Return the row of two circles, or of a circle or point on a line, that touch, while they do.

    +-(|Q - P| - D) = 0      of two circles, D the distance of centres that touch, minus inside           (1)
    n.(Q - P) - radius = 0   on a line through P, n across it to the side of the circle                   (2)
    """
    if not spec.held:
        return []
    (first, second), (P, Q) = spec.bodies, (mechanism.drawn(p) for p in spec.points)
    if spec.radii is not None:
        sign = -1.0 if spec.internal else 1.0
        return [Measure(SPAN, first, second, P, Q, offset=sign * spec.reach, factor=sign)]  # (1)
    return [Measure(LINE, first, second, P, Q, spec.across(mechanism), offset=spec.radius)]  # (2)


def belt(spec: gearing.Belt, mechanism: Mechanism) -> list[Sum]:
    """Return a row for each strand that has one: it neither stretches nor slips.

        L - rho a + s2 theta2 - s1 theta1 = L0       rho = s2 - s1, s > 0 where it goes round counter-clockwise     (1)

    L and a are the length of a strand and its angle. The multiplier is minus its tension.
    """
    found: list[Sum] = []
    for strand in spec.tied_strands(mechanism):
        (first, second), (P, Q), (s1, s2) = strand.bodies, (mechanism.drawn(p) for p in strand.points), strand.radii
        length = math.sqrt(math.dist(P, Q) ** 2 - strand.rho**2)
        counter, reel = strand.counter
        line = Measure(STRAND, first, second, P, Q, offset=length, rho=strand.rho, counter=counter, reel=reel)
        turns = Measure(ANGLE, GROUND, second, factor=s2), Measure(ANGLE, GROUND, first, factor=-s1)
        found.append((line, *turns))  # (1)
    return found
