"""Screw joint: the axis is common, and the travel along it is the pitch times the angle about it.

Of all angles that the pose allows, one turn apart, the nearest to travel/pitch is meant, so no turns need be counted.
"""

from __future__ import annotations

import math
from dataclasses import replace

from particlemech.engine.quaternions.instant import Instant, Row, beside, turned
from particlemech.model.space.joints import Screw

SPEC = Screw


def rows(spec: Screw, at: Instant) -> list[Row]:
    """Return five rows."""
    P, u = spec.place(at.mechanism), spec.direction
    travel = at.held(spec.bodies, P, u)
    angle = turned(at.bodies[spec.first], at.bodies[spec.second], u)
    angle += math.tau * round((travel.value / spec.pitch - angle) / math.tau)
    turn = at.unturned(spec.bodies, P, u, angle)
    thread = replace(
        travel,
        moment=-spec.pitch * turn.moment,
        value=travel.value - spec.pitch * turn.value,
        bias=travel.bias - spec.pitch * turn.bias,
    )
    return [*(at.held(spec.bodies, P, e) for e in beside(u)), *at.aligned(spec.bodies, P, u), thread]
