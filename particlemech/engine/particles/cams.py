"""Cams in the particle formulation: the row of what touches one, never a tree joint."""

from __future__ import annotations

from particlemech.engine.particles.frames import At, RowPoly, Swing, Touch
from particlemech.engine.particles.gearing import between
from particlemech.engine.polynomials import Poly

AXIS = (1.0, 0.0)


def cam(at: At) -> list[RowPoly]:
    """Return the row of a follower, body 2, that touches a cam, body 1; none while it has lifted off.

        A(x) - S(u) = 0        contours.py (1)                                                        (1)

    The multiplier pushes body 2 away, along the common normal where it touches: times the length of the gradient it is
    the force. Not used: the lift as a coupling of two coordinates, which gives the motion but no force on the guides.
    """
    spec, (d, drawn) = at.spec, between(at)
    if not spec.holds:
        return []
    contact = spec.contact(at.drawn)
    normal = spec.normal_of(at.drawn) if contact.flat else AXIS
    n, e = at.second.direction(normal), at.first.direction(AXIS)
    touch = Touch(contact, at.curve(tuple(contact.segments())), n, e, (*normal, *AXIS))
    return [RowPoly(Poly.constant(0.0), swings=(Swing(1.0, d, drawn, touch=touch),))]  # (1)
