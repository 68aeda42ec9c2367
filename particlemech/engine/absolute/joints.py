"""Joints: which measures stay at their offset. One function per kind gives its rows; ROWS lists them.

Index 1: the first body, 2: the second; P fixed in body 1, Q in body 2. A hub is the ground or else the first body.
"""

from __future__ import annotations

import math
from typing import Any

from particlemech.engine.absolute import cams, gearing
from particlemech.engine.absolute.measures import (
    ANGLE,
    AXES,
    AXIS,
    LINE,
    SPAN,
    Measure,
    Place,
    Sum,
    coordinate,
    star,
    unit,
)
from particlemech.model import joints
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Mechanism


def revolute(spec: joints.Revolute, mechanism: Mechanism) -> list[Measure]:
    """Return two rows for each body but the hub: the places of one point on all its bodies coincide.

        Q_k - P = 0      P on the hub, Q_k on every other body                                (1)

    The multipliers are the force of the pin on body k.
    """
    hub, others = star(spec.bodies)
    P = mechanism.place(spec.point, hub)
    return [Measure(AXIS, hub, b, P, mechanism.place(spec.point, b), e) for b in others for e in AXES]  # (1)


def slot(spec: Any, mechanism: Mechanism) -> list[Measure]:
    """Return the row of the normal: a point of body 2 stays on a line fixed in body 1.

        n.(Q - P) = 0            n normal to the line, in body 1; P a place on it as drawn            (1)

    The multiplier is the normal force on body 2, at the present place of the point.
    """
    if spec.open:
        return []
    first, second = spec.bodies
    ux, uy = unit(spec.axis)
    P, Q = mechanism.drawn(spec.on_line), mechanism.place(spec.point, second)
    return [Measure(LINE, first, second, P, Q, (-uy, ux))]  # (1)


def prismatic(spec: joints.Prismatic, mechanism: Mechanism) -> list[Measure]:
    """Return the row of a slot and that of the angle: body 2 slides along a line fixed in body 1.

        theta2 - theta1 = 0      no relative rotation                                                 (1)

    The multiplier of (1) is the moment about the present place of the point.
    """
    return [*slot(spec, mechanism), Measure(ANGLE, spec.bodies[0], spec.bodies[1])]  # (1)


def weld(spec: joints.Weld, mechanism: Mechanism) -> list[Measure]:
    """Return three rows for each body but the hub: bodies that move as one.

        Q_k - P = 0                  the place where reactions are reported, on the hub and on body k         (1)
        theta_k - theta_hub = 0                                                                               (2)

    The place is the joint's point, by default the centre of mass of the second body (of the first, where the second is
    the ground).
    """
    hub, others = star(spec.bodies)
    centre = next(b for b in (spec.bodies[1], spec.bodies[0]) if b != GROUND)

    def place(body: str) -> Place:
        return mechanism.place(spec.point, body if spec.point is not None else centre)

    result = []
    for b in others:
        result += [Measure(AXIS, hub, b, place(hub), place(b), e) for e in AXES]  # (1)
        result.append(Measure(ANGLE, hub, b))  # (2)
    return result


def distance(spec: joints.Distance, mechanism: Mechanism) -> list[Measure]:
    """Return one row: a massless rod between a point of each body.

        |Q - P| - l = 0                                                                       (1)

    The multiplier is the force on body 2 along the line from P to Q: positive where the rod pushes. Not used:
    (d.d - l^2)/(2 l), whose value is not the error of the length once that is large.
    """
    (first, second), (p1, p2) = spec.bodies, spec.points
    length = spec.length or math.dist(mechanism.drawn(p1), mechanism.drawn(p2))
    return [Measure(SPAN, first, second, mechanism.place(p1, first), mechanism.place(p2, second), offset=length)]


def coupling(spec: joints.Coupling, mechanism: Mechanism) -> list[Sum]:
    """Return one row of two measures: the coordinate of one joint is a ratio times that of another.

        c2 - ratio c1 = 0        angles theta2 - theta1, or travels along a line of body 1            (1)

    The multiplier is the effort on the second coordinate.
    """
    first, second = spec.tied(mechanism)
    return [(coordinate(second, mechanism), coordinate(first, mechanism, factor=-spec.ratio))]  # (1)


def stop(spec: joints.Stop, mechanism: Mechanism) -> list[Measure]:
    """Return a row for each bound at which the coordinate is held.

    c - bound = 0                                                                                 (1)
    """
    return [coordinate(spec.of(mechanism), mechanism, offset=bound) for bound in spec.held]  # (1)


ROWS: dict[type, Any] = {
    joints.Revolute: revolute,
    joints.Prismatic: prismatic,
    joints.Slot: slot,
    joints.Weld: weld,
    joints.Distance: distance,
    joints.Coupling: coupling,
    joints.Gear: gearing.gear,
    joints.Rack: gearing.rack,
    joints.Belt: gearing.belt,
    joints.Rolling: gearing.rolling,
    joints.Cam: cams.cam,
    joints.Stop: stop,
    joints.Contact: gearing.contact,
}
