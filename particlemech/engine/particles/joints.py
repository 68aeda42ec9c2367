"""The joints of the particle formulation: one function per kind gives its rows; BY_SPEC says what else there is to it.

Index 1: the first body, 2: the second; P and Q are points fixed in them, u a unit direction fixed in body 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from particlemech import _tape
from particlemech.engine.particles import cams, gearing
from particlemech.engine.particles.frames import At, Free, Place, RowPoly, Sides
from particlemech.engine.polynomials import Poly, cross, dot
from particlemech.model import joints
from particlemech.model.gearing import Strand

AXIS = (1.0, 0.0)


def revolute(at: At) -> list[RowPoly]:
    """Return the rows of a pin: point P of the second body stays on point P of the first.

        P2 - P1 = 0                      both components                                      (1)

    In the tree the two bodies share the particle at the pin: (1) has no row and no multiplier [A00] 2.1, and the
    moment of everything outboard about the pin vanishes [A00] 2.4.
    """
    gap = at.second.point(at.seat()) - at.first.point(at.place(at.spec.point, False))
    return [RowPoly(gap.x), RowPoly(gap.y)]  # (1)


def prismatic(at: At) -> list[RowPoly]:
    """Return the rows of a slide: body 2 moves along a line fixed in body 1, without turning against it.

        w                    the direction u as drawn, fixed in body 2
        cross(u, w) = 0      no relative rotation                                             (1)

    and (1) of a slot. Free direction for the balance: the force along u. The reaction is a force K u at the present
    place of Q, on both bodies, and a couple (errata). Source: [A00] 2.4. Not used: a dot product of normals, the same
    rows up to sign.
    """
    u, w = at.first.direction(at.along()), at.second.direction(at.along())
    return [RowPoly(cross(u, w), angle=True), *slot(at)]  # (1)


def slot(at: At) -> list[RowPoly]:
    """Return the row of a point of body 2 that stays on a line fixed in body 1.

        cross(u, Q - P) = 0  point Q of body 2 stays on the line through P of body 1          (1)

    P is the place in body 1 where Q is drawn, or another of the line. Free directions for the balance: the force along
    u and the moment about Q. The reaction is a force K u at the present place of Q.
    """
    if at.spec.open:
        return []
    gap = at.second.point(at.seat()) - at.first.point(at.drawn(at.spec.on_line))
    return [RowPoly(cross(at.first.direction(at.along()), gap))]  # (1)


def weld(at: At) -> list[RowPoly]:
    """Return the rows of two bodies that are one.

        P2 - P1 = 0          at the place where reactions are reported                        (1)
        cross(u1, u2) = 0    no relative rotation, u1 and u2 parallel as drawn                (2)

    In the tree the outboard body has no coordinates of its own: both its particles are those of its parent.
    """
    gap = at.second.point(of_weld(at)) - at.first.point(of_weld(at))
    turn = cross(at.first.direction(AXIS), at.second.direction(AXIS))
    return [RowPoly(gap.x), RowPoly(gap.y), RowPoly(turn, angle=True)]  # (1), (2)


def distance(at: At) -> list[RowPoly]:
    """Return the row of a massless rod between P1 of the first and P2 of the second body; never a tree joint.

        d = P2 - P1,   (d.d - l^2)/(2 l) = 0                                                  (1)

    Divided by 2 l the row is a length to first order, so its multiplier is the force in the rod (a push is positive),
    and it stays a polynomial. Not used: d.d - l^2 (badly scaled beside true lengths), |d| - l (no polynomial).
    """
    first, second = at.spec.points
    length = at.spec.length or _tape.dist(at.drawn(first), at.drawn(second))
    d = at.second.point(at.place(second, True)) - at.first.point(at.place(first, False))
    return [RowPoly((dot(d, d) - Poly.constant(length**2)) * (0.5 / length))]  # (1)


def coupling(at: Sides) -> list[RowPoly]:
    """Return the row of a coordinate of one joint that is a ratio times that of another; never a tree joint.

        c2 - ratio c1 = 0                                                                     (1)

    c are travels, which are polynomials, or angles, which count turns (turns.py): the difference of those of two
    bodies. Its multiplier is the effort on the second coordinate. Not used: a row without turns, which only exists
    where the ratio is one of small whole numbers.
    """
    (c1, swings1), (c2, swings2) = at.first.coordinate(), at.second.coordinate()
    swings = (*swings2, *(swing.times(-at.spec.ratio) for swing in swings1))
    return [RowPoly(c2 - c1 * at.spec.ratio, angle=at.second.spec.turn, swings=swings)]  # (1)


def stop(at: Sides) -> list[RowPoly]:
    """Return a row for each bound at which the coordinate is held; never a tree joint.

    c - bound = 0                                                                         (1)
    """
    c, swings = at.second.coordinate()
    return [RowPoly(c - Poly.constant(b), angle=at.second.spec.turn, swings=swings) for b in at.spec.held]  # (1)


# -- free directions for the balance, and where reactions are reported, on the second body --------------------------


def held(at: Any) -> list[Free]:
    """Return nothing: it leaves no freedom, or is never a tree joint."""
    return []


def turning(at: At) -> list[Free]:
    """Return the rotation about the point."""
    return [Free(True, at.second.at(at.seat()))]


def sliding(at: At) -> list[Free]:
    """Return the slide along u."""
    return [Free(False, at.first.along(at.along()))]


def sliding_and_turning(at: At) -> list[Free]:
    """Return both."""
    return [*sliding(at), *turning(at)]


def at_point(at: At) -> Place:
    """Return the point."""
    return at.seat()


def of_weld(at: At) -> Place:
    """Return the optional point, or the centre of mass of the second body."""
    return at.middle if at.spec.point is None else at.place(at.spec.point, True)


def end(at: At) -> Place:
    """Return the end of the rod, or the centre of a wheel."""
    return at.place(at.spec.points[1], True)


def nowhere(at: Sides) -> Place:
    """Return nothing of use: what it exerts is told as an effort."""
    return 0.0, 0.0


class Joined(NamedTuple):
    """What there is to a kind of joint."""

    rows: Callable[[Any], list[RowPoly]]
    free: Callable[[Any], list[Free]] = held
    seat: Callable[[Any], Place] = at_point
    shares: int = 0  # particles that an outboard body takes over in the tree


BY_SPEC: dict[type, Joined] = {
    joints.Revolute: Joined(revolute, turning, shares=1),
    joints.Prismatic: Joined(prismatic, sliding),
    joints.Slot: Joined(slot, sliding_and_turning),
    joints.Weld: Joined(weld, seat=of_weld, shares=2),
    joints.Distance: Joined(distance, seat=end),
    joints.Coupling: Joined(coupling, seat=nowhere),
    joints.Gear: Joined(gearing.gear, seat=end),
    joints.Rack: Joined(gearing.rack, seat=end),
    joints.Rolling: Joined(gearing.rolling, seat=end),
    joints.Belt: Joined(gearing.strand, seat=end),
    joints.Cam: Joined(cams.cam, seat=end),
    joints.Stop: Joined(stop, seat=nowhere),
    joints.Contact: Joined(gearing.contact, seat=end),
}
OF_LINK = BY_SPEC | {Strand: BY_SPEC[joints.Belt]}  # as edges have them: a belt is joined strand by strand
