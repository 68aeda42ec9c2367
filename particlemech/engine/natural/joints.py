"""The rows of joints in space: one function per kind gives them; BY_SPEC says what else there is to it.

Index 1: fixed in the first body, 2: in the second; m, n, u a triad as drawn, u along the axis; the forces of rows of
P2 - P1 act at the present place of P2, on both bodies. Reactions are booked from all rows: what row k does to a body is
lam_k times its derivative by that body's coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from particlemech.engine.natural.frames import At, Handed, RowPoly, Turn, triad
from particlemech.engine.natural.pieces import aligned, on_line, pin, unturned
from particlemech.engine.natural.readings import Reading, X, Y, Z, angle, ball, crossed, travel
from particlemech.engine.polynomials import Poly, dot3
from particlemech.model.space import joints
from particlemech.model.space.joints.clamp import Clamp

AXIS = (0.0, 0.0, 1.0)


def revolute(at: At) -> list[RowPoly]:
    """Return the rows of a body that turns about an axis that is fixed in both.

        P2 - P1 = 0                    the point of the joint, pieces.py (1)                                    (1)
        u1.m2 = u1.n2 = 0              the axis, pieces.py (2)                                                  (2)

    Not used: a second common point on the axis, six rows of which one is redundant.
    """
    return [*pin(at), *aligned(at, at.spec.direction)]


def line(at: At) -> list[RowPoly]:
    """Return the rows of a slot, and those which a slide or sleeve keeps where it hands over its axis.

    m1.(P2 - P1) = n1.(P2 - P1) = 0        P2 stays on the line, pieces.py (3)                              (1)
    """
    return on_line(at, at.spec.direction)


def prismatic(at: At) -> list[RowPoly]:
    """Return the rows of a body that slides along a line fixed in the first, without turning against it.

    u1.m2 = u1.n2 = 0                      no turning across the line, pieces.py (2)                        (1)
    m1.(P2 - P1) = n1.(P2 - P1) = 0        P2 stays on it, pieces.py (3)                                    (2)
    m1.n2 = 0                              no turning about it, pieces.py (4)                               (3)
    """
    return [*cylindrical(at), *unturned(at, at.spec.direction)]


def cylindrical(at: At) -> list[RowPoly]:
    """Return the rows of a body that turns about an axis that is fixed in both, and slides along it.

        u1.m2 = u1.n2 = 0                      the axis, pieces.py (2)                                          (1)
        m1.(P2 - P1) = n1.(P2 - P1) = 0        P2 stays on it, pieces.py (3)                                    (2)

    Not used: two points of the second on the line, the same four rows with a lever arm to choose.
    """
    return [*aligned(at, at.spec.direction), *line(at)]


def spherical(at: At) -> list[RowPoly]:
    """Return the rows of a body that turns in any way about a point of the first.

        P2 - P1 = 0                    the point of the joint, pieces.py (1)                                    (1)

    Not used: the same along the axes of the first body, quadratic where (1) is linear.
    """
    return pin(at)


def universal(at: At) -> list[RowPoly]:
    """Return the rows of two bodies that share a point; an axis a of the first keeps its angle with b of the second.

        P2 - P1 = 0                    the point of the joint, pieces.py (1)                                    (1)
        (a1.b2 - cos)/sin = 0          cosine and sine of the angle as drawn                   [J84] (3)        (2)

    Divided by the sine, (2) has slope -1 in the angle between the axes and is scaled as the other angles are; for the
    usual cross the sine is 1. Not used: a cross as a body of its own with two revolutes, ten rows for five.
    """
    return [*pin(at), *crossing(at)]


def crossing(at: At) -> list[RowPoly]:
    """Return (2) of a universal joint, whose place is handed over."""
    a, b = at.spec.directions
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    sine = math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    between = dot3(at.first.direction(a), at.second.direction(b)) - Poly.constant(cosine)
    return [RowPoly(between * (1.0 / sine), angle=True)]


def screw(at: At) -> list[RowPoly]:
    """Return the rows of a body that turns about an axis that is fixed in both, and travels pitch times the angle.

        u1.m2 = u1.n2 = 0                      the axis, pieces.py (2)                                          (1)
        m1.(P2 - P1) = n1.(P2 - P1) = 0        P2 stays on it, pieces.py (3)                                    (2)
        u1.(P2 - P1) - pitch angle = 0         sin(angle) = n1.m2, cos(angle) = m1.m2                           (3)

    (3) is no polynomial but for the sine and the cosine: screw_kernels.py. Its multiplier is the force along the axis
    on the second body, with the moment -pitch times it. Not used: sin(angle - travel/pitch) = 0, which is blind to
    turns, so that a screw could jump a thread.
    """
    return [*aligned(at, at.spec.direction), *thread(at)]


def thread(at: At) -> list[RowPoly]:
    """Return (2) and (3) of a screw, whose axis is handed over."""
    m, n, u = triad(at.spec.direction)
    m1, n1, u1, m2 = at.first.direction(m), at.first.direction(n), at.first.direction(u), at.second.direction(m)
    turned = RowPoly(dot3(u1, at.gap()), turns=(Turn(at.spec.pitch, dot3(n1, m2), dot3(m1, m2)),))
    return [*on_line(at, u), turned]


def weld(at: At) -> list[RowPoly]:
    """Return the rows of a body that is fixed to the first.

        P2 - P1 = 0                        where reactions are reported, pieces.py (1)                          (1)
        u1.m2 = u1.n2 = m1.n2 = 0          no turning, pieces.py (2) and (4), u along z as drawn                (2)

    Any u will do; along a global axis every direction is one of the bodies' own. Not used: equal axes of both bodies,
    nine rows of which six are redundant.
    """
    return [*pin(at), *aligned(at, AXIS), *unturned(at, AXIS)]


def distance(at: At) -> list[RowPoly]:
    """Return the row of a massless rod between P1 of the first and P2 of the second body.

        d = P2 - P1,   (d.d - l^2)/(2 l) = 0                                                                    (1)

    Divided by 2 l the row is a length to first order, so its multiplier is the force in the rod (a push is positive),
    and it stays a polynomial. Not used: |d| - l, no polynomial; d.d - l^2, badly scaled beside true lengths.
    """
    ends = zip(at.spec.points, at.spec.bodies, strict=True)
    one, other = (at.drawn(at.mechanism.place(point, body)) for point, body in ends)
    length = at.spec.rod(at.mechanism)
    d = at.second.point(other) - at.first.point(one)
    return [RowPoly((dot3(d, d) - Poly.constant(length**2)) * (0.5 / length))]  # (1)


def coupling(at: At) -> list[RowPoly]:
    """Return (2) where turns are counted, then (1): the coordinate y of one joint is a constant times x of another.

        y - ratio x = 0                                                                                         (1)
        theta - angle = 0      for every angle that is coupled, its sine and cosine as read, screw_kernels.py   (2)

    An angle counts its turns, which its sine and cosine do not tell. So theta, the angle with its turns, is one more
    coordinate of the motion, which (2) ties to the bodies on the turn that is nearest; (1) is linear then. Where only
    the derivatives are asked for, in full coordinates, both are one row. The multiplier of (1) is the effort on y; that
    on x is -ratio times as large. Not used: sin(y - ratio x), blind to turns for whole ratios only.
    """
    x, y = at.spec.ends(at.mechanism)
    total, turns, counted = Poly({}), [], []
    for factor, end in ((-at.spec.ratio, x), (1.0, y)):
        measure = at.measure(*end)
        if measure.slides:
            total += measure.sine * factor
        elif measure.cosine is None:
            raise TypeError(f"a coupling cannot follow {end[1]} of {end[0]}")
        elif end in at.counters:
            total += Poly.variable(at.counters[end]) * factor
            counted += counting(at, end)  # (2)
        else:
            turns.append(Turn(-factor, measure.sine, measure.cosine))
    is_angle = not at.measure(*y).slides
    return [*counted, RowPoly(total, angle=is_angle, turns=tuple(turns))]  # (1)


def stop(at: At) -> list[RowPoly]:
    """Return the rows of the bounds at which a coordinate x is held now, then (2) of a coupling where x is an angle.

        x - bound = 0                                                                                           (1)
        (sin x - sin bound)/cos(bound) = 0      of the second angle of a ball, of which the sine alone is read  (2)

    The turns of an angle are counted whether it is held or not, so that all modes of a run have the same coordinates.
    """
    (end,) = at.spec.ends(at.mechanism)
    measure, found = at.measure(*end), []
    for bound in at.spec.held:
        if measure.slides:
            found.append(RowPoly(measure.sine - Poly.constant(bound)))
        elif measure.cosine is None:
            found.append(RowPoly((measure.sine - Poly.constant(math.sin(bound))) * (1.0 / math.cos(bound)), angle=True))
        elif end in at.counters:
            found.append(RowPoly(Poly.variable(at.counters[end]) - Poly.constant(bound), angle=True))
        else:
            turn = Turn(-1.0, measure.sine, measure.cosine)
            found.append(RowPoly(Poly.constant(-bound), angle=True, turns=(turn,)))
    return [*found, *counting(at, end)]


def clamp(at: At) -> list[RowPoly]:
    """Return (1) of a clamp, while it holds."""
    if not at.spec.mode:
        return []
    a, b = at.spec.across
    return [RowPoly(dot3(at.first.direction(a), at.second.direction(b)), angle=True)]


def counting(at: At, end: tuple[str, str]) -> list[RowPoly]:
    """Return (2) of a coupling for an angle that is a coordinate of its own, where nothing has returned it yet."""
    if end not in at.counters or end in at.counted:
        return []
    at.counted.add(end)
    measure = at.measure(*end)
    return [RowPoly(Poly.variable(at.counters[end]), angle=True, turns=(Turn(1.0, measure.sine, measure.cosine),))]


def none(at: At) -> list[RowPoly]:
    """Return nothing: there is nothing to hold, or all is handed over."""
    return []


# -- how coordinates are read, in order ------------------------------------------------------------------------------


def unread(joint: Any) -> tuple[Reading, ...]:
    """Return nothing."""
    return ()


def turned(joint: Any) -> tuple[Reading, ...]:
    """Return the angle."""
    return (angle(joint.direction),)


def moved(joint: Any) -> tuple[Reading, ...]:
    """Return the travel."""
    return (travel(joint.direction),)


def both(joint: Any) -> tuple[Reading, ...]:
    """Return travel and angle."""
    return (*moved(joint), *turned(joint))


def balled(joint: Any) -> tuple[Reading, ...]:
    """Return dextral 1-2-3 angles."""
    return ball()


def crosswise(joint: joints.Universal) -> tuple[Reading, ...]:
    """Return the angles about both axes."""
    return crossed(*joint.directions)


def afloat(joint: Any) -> tuple[Reading, ...]:
    """Return three travels along the axes of the first body, and three angles."""
    return travel(X), travel(Y), travel(Z), *ball()


class Holding(NamedTuple):
    """What there is to a kind of joint."""

    rows: Callable[[At], list[RowPoly]]
    kept: Callable[[At], list[RowPoly]]  # the rows that are left where it carries a body in the spanning tree
    readings: Callable[[Any], tuple[Reading, ...]] = unread
    hands: Handed = Handed()  # what it hands over to that body


BY_SPEC: dict[type, Holding] = {
    joints.Revolute: Holding(revolute, none, turned, Handed(place=True, axis=True)),
    joints.Prismatic: Holding(prismatic, line, moved, Handed(axes=True)),
    joints.Cylindrical: Holding(cylindrical, line, both, Handed(axis=True)),
    joints.Spherical: Holding(spherical, none, balled, Handed(place=True)),
    joints.Universal: Holding(universal, crossing, crosswise, Handed(place=True)),
    joints.Screw: Holding(screw, thread, turned, Handed(axis=True)),
    joints.Slot: Holding(line, line, moved),
    joints.Free: Holding(none, none, afloat),
    joints.Weld: Holding(weld, none, hands=Handed(place=True, axes=True)),
    joints.Distance: Holding(distance, distance),
    joints.Coupling: Holding(coupling, coupling),
    joints.Stop: Holding(stop, stop),
    Clamp: Holding(clamp, clamp),
}
