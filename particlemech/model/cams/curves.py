"""Cams given by points of their contour: smooth curves about the centre of the cam.

The contour is r = R(phi) with the normal n = (R, -R')/sqrt(R^2 + R'^2) along r and across it. A roller's centre runs on
the contour moved by its radius along n; a flat face whose normal is n has the distance h = R n_r from the centre:

    pitch curve   R e_r + radius n        support   h(psi) = R^2/sqrt(R^2 + R'^2),  psi = phi - atan2(R', R)        (1)

Both are smooth curves through many places of these kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import atan2, degrees, hypot, pi

from particlemech.contours import PLAIN
from particlemech.errors import ModelError
from particlemech.model.cams.lift import Contact, Piece, curve

COUNT = 360  # places of (1); of more, second derivatives show the rounding of their places
SAME = 1e-9  # of the size: the last point is the first again
Places = tuple[tuple[float, float], ...]  # from the centre of the cam, m


@lru_cache(maxsize=64)
def around(places: Places, radius: float, flat: bool) -> tuple[Piece, ...]:
    """Return S over phi of a roller (a knife has the radius 0), or of a flat face over the angle of its normal."""
    contour = curve(*_ordered(places, "the contour does not go round the centre once; list its points in order"))
    if not flat and radius == 0.0:
        return tuple(contour)
    own, count = Contact(False, PLAIN, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, tuple(contour)), max(COUNT, 6 * len(places))
    found, begin = [], atan2(places[0][1], places[0][0])  # of the drawing, however that is turned
    for k in range(count):
        phi = begin + 2.0 * pi * k / count
        R, slope, _ = own.lift(phi)
        size = hypot(R, slope)
        if flat:
            found.append((phi - atan2(slope, R), R * R / size))
        else:
            x, y = R + radius * R / size, -radius * slope / size
            found.append((phi + atan2(y, x), hypot(x, y)))
    for k, (angle, _) in enumerate(found):
        if not (found[(k + 1) % count][0] - angle) % (2.0 * pi) < pi:
            cure = "is not convex" if flat else f"is hollower than a roller of radius {radius:g} can follow"
            raise ModelError(f"its contour {cure} at {degrees(angle) % 360.0:.4g} deg; take another follower")
    return tuple(curve(*_turning(found)))


def _ordered(places: Sequence[tuple[float, float]], fails: str) -> tuple[list[float], list[float]]:
    """Return increasing angles within a turn and distances of places that go round, either way."""
    size = max(hypot(x, y) for x, y in places)
    if hypot(places[0][0] - places[-1][0], places[0][1] - places[-1][1]) < SAME * size:
        places = places[:-1]
    polar = [(atan2(y, x), hypot(x, y)) for x, y in places]
    for way in (polar, polar[::-1]):
        steps = [(other[0] - one[0]) % (2.0 * pi) for one, other in zip(way, [*way[1:], way[0]], strict=True)]
        if all(0.0 < step < pi for step in steps) and abs(sum(steps) - 2.0 * pi) < 1e-6:
            return _turning(way)
    raise ModelError(fails)


def _turning(polar: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Return angles that increase within a turn, from the least on, and the values with them."""
    ordered = sorted((angle % (2.0 * pi), value) for angle, value in polar)
    return [angle for angle, _ in ordered], [value for _, value in ordered]
