"""Cams in absolute coordinates: the gap of what touches one."""

from __future__ import annotations

from particlemech.engine.absolute.measures import FLAT, ROLLER, Measure
from particlemech.model.cams import Cam
from particlemech.model.mechanism import Mechanism


def cam(spec: Cam, mechanism: Mechanism) -> list[Measure]:
    """Return the row of a follower, body 2, on a cam, body 1; none while it has lifted off.

        A(x) - S(u) = 0        contours.py (1)                                                        (1)

    P is the centre of the cam, Q that of the roller, or a place on the face, whose normal is e.
    """
    if not spec.holds:
        return []
    (first, second), (P, Q) = spec.bodies, spec.drawn(mechanism)
    contact = spec.contact(mechanism.drawn)
    if contact.flat:
        return [Measure(FLAT, first, second, P, Q, spec.normal(mechanism), contact=contact)]  # (1)
    return [Measure(ROLLER, first, second, P, Q, contact=contact)]  # (1)
