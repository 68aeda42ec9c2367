"""Shapes of bodies as plain polygons: rounded outlines in the plane, boxes, cylinders and disks in space.

A body in space is shown by the box of its mass and inertia, or by the cylinder where it is round and long, or by the
disk where it is round and flat; a slender one is a line already:

    a_i^2 = 6 (I_j + I_k - I_i) / m        edges along the principal axes; a slender rod is a line of its length    (1)
    R^2 = 2 I_3 / m                        disk, I_1 = I_2 = I_3/2                                                  (2)
    R^2 = 2 I_1 / m,  L^2 = 12 (I_2 - I_1/2) / m        cylinder, I_2 = I_3                                         (3)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from particlemech.model.inertia import Tensor

Place = tuple[float, ...]
Line = tuple[Place, Place]
Array = NDArray[np.float64]

RING = tuple((math.cos(math.pi * k / 16.0), math.sin(math.pi * k / 16.0)) for k in range(32))
FLAT = 1e-3  # of the longest edge: what counts as no thickness, and as no difference
SLENDER = 0.12  # of the longest edge: what is thinner both ways is shown by its lines alone, if these are long enough
ROUND = 0.02  # relative difference of two edges that counts as a round body
CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))  # (8, 3)
FACES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))  # corners of each


def rounded(places: Sequence[Place], r: float) -> tuple[Place, ...]:
    """Return the outline of the hull of discs of radius r about some places."""
    return hull([(x + r * c, y + r * s) for x, y in places for c, s in RING])


LUG, NEAR = (5.0, 0.4), 0.5  # of a stop beside a pin: its length, r, and width, rad; how far off it begins, r
TOOTH = ((0.30, -1.0), (0.20, 1.0), (-0.20, 1.0), (-0.30, -1.0))  # part of a pitch, and above the pitch circle


def wheel(at: Place, radius: float, phase: float = 0.0) -> tuple[Place, ...]:
    """Return a circle in the plane with a mark on it that shows how it stands, phase in rad."""
    count = 72
    rim = [phase + 2.0 * math.pi * k / count for k in range(count + 1)]
    places = [(radius, a) for a in rim] + [(0.7 * radius, phase)]
    return tuple((at[0] + r * math.cos(a), at[1] + r * math.sin(a)) for r, a in places)


def gear(at: Place, radius: float, teeth: int, phase: float, ring: bool = False) -> tuple[Place, ...]:
    """Return the outline of a gear in the plane, a tooth at the angle `phase`, rad; teeth of a ring point inwards."""
    pitch, high = 2.0 * math.pi / teeth, radius * min(2.0 / teeth, 0.2)
    corners = [
        (radius + (-high if ring else high) * up, phase + pitch * (k - part))
        for k in range(teeth)
        for part, up in TOOTH
    ]
    return tuple((at[0] + r * math.cos(a), at[1] + r * math.sin(a)) for r, a in [*corners, corners[0]])


def rack(at: Place, along: Place, radius: float, teeth: int) -> tuple[Place, ...]:
    """Return the outline of a rack in the plane, as long as one turn of its pinion, a gap at its place of contact.

    `along` is its unit direction, with the pinion to the left of it.
    """
    pitch, high = 2.0 * math.pi * radius / teeth, radius * min(2.0 / teeth, 0.2)
    first = -(teeth // 2)
    corners = [(pitch * (first + k + 0.5 - part), high * up) for k in range(2 * (teeth // 2)) for part, up in TOOTH]
    back = [(corners[-1][0], -3.0 * high), (corners[0][0], -3.0 * high), corners[0]]
    (x, y), (u, v) = at, along
    return tuple((x + s * u - h * v, y + s * v + h * u) for s, h in [*corners, *back])


def sector(places: Sequence[Place]) -> tuple[float, float]:
    """Return between which angles places in the plane are seen from the origin; where they surround it, of one, twice.

    >>> sector([(1.0, 1.0), (1.0, -1.0)]) == (-math.pi / 4.0, math.pi / 4.0)
    True
    """
    sizes = [math.hypot(*place) for place in places]
    towards = [sum(place[i] / size for place, size in zip(places, sizes, strict=True)) for i in (0, 1)]
    x, y = towards if math.hypot(*towards) > FLAT else places[0]
    middle = math.atan2(y, x)
    turned = [math.remainder(math.atan2(y, x) - middle, 2.0 * math.pi) for x, y in places]
    low, high = min(turned), max(turned)
    return (middle + low, middle + high) if high - low < math.pi - FLAT else (middle, middle)


def lugs(
    edges: tuple[float, float], lower: float | None, upper: float | None, r: float
) -> tuple[tuple[tuple[float, float], ...], ...]:
    """Return stops about the origin, on which a body lies when it has turned to a bound.

    Its sides lie r beyond the lines at the angles `edges`, as drawn.
    """
    (size, wide), side = LUG, math.asin(1.0 / LUG[0])
    if lower is not None and upper is not None:
        left = 2.0 * math.pi - (upper - lower) - (edges[1] - edges[0]) - 2.0 * side
        wide = min(wide, 0.5 * left) if left > 0.0 else wide  # after more than a turn they lie over each other
    corners = [(math.hypot(1.0, NEAR), math.atan2(1.0, NEAR)), *((size, side + wide * k / 8.0) for k in range(9))]
    both = ((edges[0], lower, -1.0), (edges[1], upper, 1.0))
    turned = [[(s * r, edge + bound + way * a) for s, a in corners] for edge, bound, way in both if bound is not None]
    return tuple(tuple((s * math.cos(a), s * math.sin(a)) for s, a in one) for one in turned)


def hull(points: Sequence[Place]) -> tuple[Place, ...]:
    """Return the convex hull in the plane, counter-clockwise (Andrew's monotone chain)."""
    order = sorted((x, y) for x, y in points)
    halves = []
    for run in (order, order[::-1]):
        half: list[tuple[float, float]] = []
        for x, y in run:
            while len(half) > 1:
                (x0, y0), (x1, y1) = half[-2:]
                if (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) > 0.0:
                    break
                half.pop()
            half.append((x, y))
        halves.append(half[:-1])
    return (*halves[0], *halves[1])


def faces(mass: float, com: Place, tensor: Tensor, lines: Sequence[Line] = ()) -> tuple[tuple[Place, ...], ...]:
    """Return the faces of the box, cylinder or disk of a mass and inertia about its centre.

    There are none where it is a line or a point, nor where it is slender and its lines show its length already.
    """
    if mass == 0.0:
        return ()
    xx, yy, zz, xy, xz, yz = tensor
    moments, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])  # smallest first
    moments = np.maximum(moments, 0.0)  # rounding
    edges = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / mass, 0.0))  # (1), longest first
    length = max(
        (math.dist(one, other) for one, other in combinations({p for line in lines for p in line}, 2)), default=0
    )
    if edges[1] <= (SLENDER if length > 0.6 * edges[0] else FLAT) * edges[0]:
        return ()
    if edges[2] <= FLAT * edges[0] and edges[0] - edges[1] <= FLAT * edges[0]:
        ring = np.array(com) + np.sqrt(2.0 * moments[2] / mass) * np.array(RING) @ axes[:, :2].T  # (2)
        return (tuple(map(tuple, ring.tolist())),)
    if edges[1] - edges[2] <= ROUND * edges[1] and edges[0] > 1.5 * edges[1]:
        return _cylinder(np.array(com), np.sqrt(2.0 * moments[0] / mass), edges[0], axes)
    corners = (np.array(com) + (CORNERS * edges) @ axes.T).tolist()
    return tuple(tuple(tuple(corners[k]) for k in face) for face in FACES)


def _cylinder(centre: Array, radius: float, length: float, axes: Array) -> tuple[tuple[Place, ...], ...]:
    """Return the two ends and the sides of a cylinder along the first axis."""
    ring = radius * np.array(RING[::2]) @ axes[:, 1:].T
    one, other = (tuple(map(tuple, (centre + ring + side * length * axes[:, 0]).tolist())) for side in (-0.5, 0.5))
    sides = [(one[k - 1], one[k], other[k], other[k - 1]) for k in range(len(one))]
    return (one, other, *sides)


def bones(centre: Place, places: Sequence[Place], start: Place | None = None) -> list[Line]:
    """Return the lines that show a body in space: from where it starts to all its places and its centre of mass.

    Without a start, two places are joined to each other where the centre lies between them, and otherwise all to the
    centre. A centre that lies on another line has none of its own.
    """
    if start is None:
        joined = len(places) == 2 and _between(places[0], centre, places[1])
        start, places = (places[0], places[1:]) if joined else (centre, places)
    lines = [(start, place) for place in places if place != start]
    if start != centre and not any(_between(one, centre, other) for one, other in lines):
        lines.append((start, centre))
    return lines


def _between(one: Place, middle: Place, other: Place) -> bool:
    """Return whether a place lies on the way from one to another."""
    return math.dist(one, middle) + math.dist(middle, other) <= (1.0 + FLAT**2) * math.dist(one, other)
