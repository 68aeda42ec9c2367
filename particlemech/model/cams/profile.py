"""The profile of a cam: where its follower touches it, with its curvature; what can be made, and what can not.

A turn of the cam by u gives x by A(x) = S(u) and phi = alpha + B(x) - sense u, contours.py (1). With ' = d/du:

    x' = S'/A_x,  x'' = (S'' - A_xx x'^2)/A_x,  phi' = B_x x' - sense,  phi'' = B_xx x'^2 + B_x x''          (1)

A roller's centre runs on the pitch curve; the profile lies one radius r inside:

    kappa = -sense (x'(2 x' phi' + x phi'') - x phi'(x'' - x phi'^2))/(x'^2 + x^2 phi'^2)^(3/2)              (2)
    rho = 1/kappa - r            negative where it is hollow; undercut where kappa r >= 1                    (3)

A flat face has the distance x = h(phi) from the centre; it touches at h e + h_phi K e, e the normal of the face:

    h_phi = x'/phi',   h_phiphi = (x'' - h_phi phi'')/phi'^2,   rho = h + h_phiphi, undercut where rho <= 0  (4)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import atan2, cos, degrees, hypot, inf, pi, sin, sqrt
from typing import NamedTuple

from particlemech.contours import ARM, FACE, OFFSET
from particlemech.errors import ModelError
from particlemech.model.cams.lift import Contact

COUNT = 720  # places round a cam
NEAR = 1e-9  # rad, on both sides of where pieces meet


class Spot(NamedTuple):
    """Where a follower touches when its cam has turned by u; in the axes of the cam, from its centre."""

    u: float  # rad
    x: float  # m
    phi: float  # rad
    at: tuple[float, float]  # m
    normal: tuple[float, float]  # unit, outwards
    radius: float  # m, of curvature: (3), (4); inf where it is straight
    order: float  # phi' beside its sign: not positive where the profile folds back


def inverse(contact: Contact, A: float) -> float:
    """Return x where A(x) has a value."""
    form, p, length, c = contact.form, contact.p, contact.length, contact.c
    if form == OFFSET:
        return hypot(A, p)
    if form == ARM:
        return sqrt(c * c + length * length - 2.0 * c * length * cos(A / length))
    return c * cos(A / c) + p if form == FACE else A / p


def spot(contact: Contact, radius: float, u: float) -> Spot:
    """Return where it touches."""
    S, S1, S2 = contact.lift(u)
    x = inverse(contact, S)
    _, A1, A2, B, B1, B2 = contact.way(x)
    x1 = S1 / A1
    x2 = (S2 - A2 * x1 * x1) / A1
    phi = contact.alpha + B - contact.sense * u
    phi1, phi2 = B1 * x1 - contact.sense, B2 * x1 * x1 + B1 * x2  # (1)
    e, order = (cos(phi), sin(phi)), -contact.sense * phi1
    if contact.flat:
        h1 = x1 / phi1
        rho = x + (x2 - h1 * phi2) / (phi1 * phi1)  # (4)
        return Spot(u, x, phi, (x * e[0] - h1 * e[1], x * e[1] + h1 * e[0]), e, rho, order)
    size = hypot(x1, x * phi1)
    bend = -contact.sense * (x1 * (2.0 * x1 * phi1 + x * phi2) - x * phi1 * (x2 - x * phi1 * phi1))
    rho = size**3 / bend - radius if bend else inf  # (2), (3)
    out, across = -contact.sense * x * phi1 / size, contact.sense * x1 / size
    n = out * e[0] - across * e[1], out * e[1] + across * e[0]
    return Spot(u, x, phi, (x * e[0] - radius * n[0], x * e[1] - radius * n[1]), n, rho, order)


def angles(contact: Contact, count: int = COUNT) -> Iterator[float]:
    """Give angles of one turn, and both sides of where pieces of a law meet."""
    begins = [piece[0] for piece in contact.pieces] if len(contact.pieces) < count else []
    yield from sorted({*(2.0 * pi * k / count for k in range(count)), *(b + s for b in begins for s in (NEAR, -NEAR))})


@lru_cache(maxsize=64)
def contour(contact: Contact, radius: float) -> tuple[Spot, ...]:
    """Return the profile all round, to be looked at and to be drawn."""
    return tuple(spot(contact, radius, u) for u in angles(contact))


def makeable(contact: Contact, radius: float) -> None:
    """Check that a profile can be made: that it goes round its centre, and that the follower reaches all of it."""
    _swings(contact)
    spots = contour(contact, radius)
    low = min(spots, key=lambda s: s.x)
    if low.x <= radius:
        what = "the face" if contact.flat else f"a roller of radius {radius:g}"
        raise ModelError(
            f"its base circle is too small: {what} comes as near as {low.x:.6g} to its centre, at a cam angle of "
            f"{degrees(low.u):.4g} deg; draw the follower farther away, or lower the lift"
        )
    fold = min(spots, key=lambda s: s.order)
    if fold.order <= 0.0:
        raise ModelError(
            f"its profile folds back at a cam angle of {degrees(fold.u):.4g} deg, where the follower runs away faster "
            "than the cam turns; spread the lift over a larger angle, or draw the follower farther away"
        )
    _rounded(contact, radius, spots)


def _rounded(contact: Contact, radius: float, spots: tuple[Spot, ...]) -> None:
    """Check that nothing is undercut."""
    if contact.flat:
        sharp = min(spots, key=lambda s: s.radius)
        if sharp.radius <= 0.0:
            raise ModelError(
                f"its profile is undercut: at a cam angle of {degrees(sharp.u):.4g} deg its radius of curvature would "
                f"be {sharp.radius:.6g}, and a flat face touches convex profiles only; draw the face farther away by "
                f"more than {-sharp.radius:.6g}, or take a slower law"
            )
        return
    bends = [(1.0 / (s.radius + radius) if s.radius + radius else inf, s) for s in spots if s.radius != inf]
    most, sharp = max(bends, key=lambda pair: pair[0], default=(0.0, spots[0]))
    if radius * most >= 1.0:
        raise ModelError(
            f"its profile is undercut: at a cam angle of {degrees(sharp.u):.4g} deg the roller's centre runs on a "
            f"radius of {1.0 / most:.6g}, the roller has {radius:g}; take a roller below that, draw it farther away, "
            "or spread the lift over a larger angle"
        )


def _swings(contact: Contact) -> None:
    """Check that the angle of a follower that swings tells how far it is."""
    if contact.form not in (ARM, FACE):
        return
    S = [contact.lift(u)[0] for u in angles(contact)]
    low, high = ((s / contact.length if contact.form == ARM else pi + s / contact.c) for s in (min(S), max(S)))
    if not 0.0 < low <= high < pi:
        what = "arm" if contact.form == ARM else "normal of its face"
        raise ModelError(
            f"the {what} would stand at {degrees(low):.4g} to {degrees(high):.4g} deg to the line from the pivot "
            "to the cam, and must stay between 0 and 180 deg; lower the lift, or move the pivot"
        )


def pressure(normal: tuple[float, float], way: tuple[float, float]) -> float:
    """Return the angle between the common normal and the way of the follower, 0 to pi/2."""
    cross, dot = normal[0] * way[1] - normal[1] * way[0], normal[0] * way[0] + normal[1] * way[1]
    return atan2(abs(cross), abs(dot))
