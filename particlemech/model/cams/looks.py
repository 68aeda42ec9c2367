"""What a cam looks like: its profile, and the roller, face or edge on its follower."""

from __future__ import annotations

from math import cos, sin
from typing import Any

from particlemech.model.cams.profile import contour
from particlemech.model.primitives import Looks, Outline, Part, Strap
from particlemech.model.shapes import wheel

DRAWN_EVERY = 4  # of the places of a profile: what a picture shows


def looks(of: Any, part: Part, mechanism: Any, r: float) -> Looks:
    """Return the profile on the cam, and the roller, face or edge on its follower."""
    (cam, follower), (P, Q) = of.bodies, of.drawn(mechanism)
    spots = contour(of.contact(mechanism.drawn), of.radius or 0.0)
    shown = [(P[0] + s.at[0], P[1] + s.at[1]) for s in spots[::DRAWN_EVERY]]
    profile = Outline(part, cam, (*shown, shown[0]))
    if of.radius is not None:
        return profile, Outline(part, follower, wheel(Q, of.radius))
    if of.follower == "knife":
        _, phi = of.polar(mechanism)
        ends = [(Q[0] + 3.0 * r * cos(phi + a), Q[1] + 3.0 * r * sin(phi + a)) for a in (-0.4, 0.4)]
        return profile, Outline(part, follower, (Q, *ends, Q))
    (nx, ny), d = of.normal(mechanism), (Q[0] - P[0], Q[1] - P[1])
    reach = 1.1 * max(abs(s.normal[0] * s.at[1] - s.normal[1] * s.at[0]) for s in spots)
    aside = nx * d[1] - ny * d[0]
    ends = [(Q[0] - (aside + s) * -ny, Q[1] - (aside + s) * nx) for s in (-reach, reach)]
    return profile, Strap(part, ((follower, ends[0]), (follower, ends[1])))
