"""What a picture of a mechanism consists of, as plain polygons and lines in metres; no drawing is done here.

All sizes are multiples of one radius r, taken from the mechanism itself, so that a mechanism of 4 cm and one of 4 m
look alike. A place fixed on a body is given as in the model, in the drawing at t = 0, and carried along by a pose:

    place = com + R(turn) (at - centre)                                                              (1)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from particlemech.description import GROUND
from particlemech.mechanism import Mechanism, size
from particlemech.result import Result
from particlemech.system import Array

ROUND = np.linspace(0.0, 2.0 * math.pi, 32, endpoint=False)


@dataclass(frozen=True)
class Pose:
    """Where the parts of a mechanism are at one instant."""

    mechanism: Mechanism
    point: dict[str, Array]  # (2,) m
    com: dict[str, Array]  # (2,) m
    turn: dict[str, float]  # rad since the drawing

    def place(self, body: str, at: Sequence[float] | Array) -> Array:
        """Return where a place fixed on a body is now, by (1)."""
        if body == GROUND:
            return np.array(at, dtype=float)
        return self.com[body] + self.turned(body, np.array(at) - self.mechanism.centre(body))

    def turned(self, body: str, vector: Sequence[float] | Array) -> Array:
        """Return a direction fixed on a body as it points now."""
        return rotated(vector, self.turn.get(body, 0.0))


def rotated(vector: Sequence[float] | Array, angle: float) -> Array:
    """Return a vector turned counter-clockwise."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def drawn(mechanism: Mechanism) -> Pose:
    """Return the pose of the drawing."""
    point = {name: np.array(place) for name, place in mechanism.points.items()}
    com = {body: np.array(mechanism.centre(body)) for body in mechanism.bodies}
    return Pose(mechanism, point, com, dict.fromkeys(mechanism.bodies, 0.0))


def poses(result: Result, samples: Iterable[int]) -> list[Pose]:
    """Return the poses at some samples of a result."""
    m = result.system.mechanism
    point = {name: result[name] for name in m.points}
    com = {body: result.com(body) for body in m.bodies}
    # the angles count from the start, the drawing may lie before it
    turn = {body: result.angle(body) + _assembled_turn(m, body, point, com[body][0]) for body in m.bodies}
    return [
        Pose(
            m,
            {name: path[k] for name, path in point.items()},
            {body: path[k] for body, path in com.items()},
            {body: float(angle[k]) for body, angle in turn.items()},
        )
        for k in samples
    ]


def _assembled_turn(m: Mechanism, body: str, point: dict[str, Array], com: Array) -> float:
    """Return by how much the assembly turned a body away from its drawing, rad."""
    centre = np.array(m.centre(body))
    before = [np.array(m.points[p]) - centre for p in m.bodies[body].points]
    after = [point[p][0] - com for p in m.bodies[body].points]
    sine = sum(float(a[0] * b[1] - a[1] * b[0]) for a, b in zip(before, after, strict=True))
    cosine = sum(float(a @ b) for a, b in zip(before, after, strict=True))
    return math.atan2(sine, cosine)


def radius(m: Mechanism) -> float:
    """Return half the width of a rod, m: small against the mechanism and against its median body."""
    spans = [_span([m.points[p] for p in body.points]) for body in m.bodies.values()]
    typical = float(np.median([span for span in spans if span > 0.0] or [math.inf]))
    return min(0.045 * size(m), 0.1 * typical)


def _span(places: Sequence[tuple[float, float]]) -> float:
    return max(math.dist(a, b) for a in places for b in places)


# -- bodies ------------------------------------------------------------------------------------------------------


def outline(pose: Pose, body: str, r: float) -> Array:
    """Return the outline of a body, (n, 2): its points in a rounded hull; a box where it is one point on a slide."""
    spec = pose.mechanism.bodies[body]
    axis = _axis(pose, body)
    places = [pose.point[p] for p in spec.points]
    if len(places) == 1:
        places.append(pose.com[body])
        if axis is not None:
            return _box(np.array(places), axis, r)
    return rounded(places, r)


def rounded(places: Sequence[Array], r: float) -> Array:
    """Return the hull of discs of radius r about some places, (n, 2)."""
    ring = r * np.column_stack([np.cos(ROUND), np.sin(ROUND)])
    return hull(np.vstack([place + ring for place in places]))


def hull(points: Array) -> Array:
    """Return the convex hull, counter-clockwise (Andrew's monotone chain)."""
    order = sorted(map(tuple, points.tolist()))
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
    return np.array(halves[0] + halves[1])


def _axis(pose: Pose, body: str) -> Array | None:
    """Return the direction along which a body slides without turning, if it does."""
    for joint in pose.mechanism.joints.values():
        if hasattr(joint, "direction") and joint.moment and joint.bodies[1] == body:
            return pose.turned(joint.bodies[0], joint.direction)
    return None


def _box(places: Array, axis: Array, r: float) -> Array:
    along = axis / np.hypot(*axis)
    across = np.array([-along[1], along[0]])
    s, h = places @ along, places @ across
    corners = [(s.min() - 2.6 * r, h.min() - 1.7 * r), (s.max() + 2.6 * r, h.min() - 1.7 * r),
               (s.max() + 2.6 * r, h.max() + 1.7 * r), (s.min() - 2.6 * r, h.max() + 1.7 * r)]  # fmt: skip
    return np.array([a * along + b * across for a, b in corners])


# -- joints and ground -------------------------------------------------------------------------------------------


def pins(m: Mechanism) -> list[str]:
    """Return the points at which bodies turn."""
    return [point for point, _ in _turning(m)]


def _turning(m: Mechanism) -> list[tuple[str, bool]]:
    """Return the points at which bodies turn, and whether the ground is one of those bodies."""
    found = [j for j in m.joints.values() if hasattr(j, "point") and not hasattr(j, "direction") and j.dof]
    return [(j.point, GROUND in j.bodies) for j in found]


def anchors(m: Mechanism) -> list[tuple[float, float]]:
    """Return the places held by the ground: pins, ends of rods and of springs."""
    places = [m.points[point] for point, grounded in _turning(m) if grounded]
    places += [at for ends in _lines(m) for body, at in ends if body == GROUND]
    return list(dict.fromkeys(places))


def support(place: tuple[float, float], below: bool, r: float) -> tuple[Array, Array]:
    """Return the triangle under a fixed place, and its hatched ground as segments, (n, 2, 2)."""
    down = -1.0 if below else 1.0
    right, up = np.array([r, 0.0]), np.array([0.0, -r * down])
    foot = np.array(place) - 3.2 * up
    triangle = np.array([place, foot - 1.9 * right, foot + 1.9 * right])
    return triangle, hatched(foot - 3.0 * right, foot + 3.0 * right, np.array([0.0, down]), r)


def hatched(a: Array, b: Array, into: Array, r: float) -> Array:
    """Return a line and oblique strokes on the side `into`, as segments, (n, 2, 2)."""
    length = float(np.hypot(*(b - a)))
    along = (b - a) / length
    starts = np.linspace(0.0, length, max(2, round(length / (1.1 * r))) + 1)[1:]
    strokes = [(a + s * along, a + (s - r) * along + r * into) for s in starts]
    return np.array([(a, b), *strokes])


def slides(drawing: Pose, seen: Sequence[Pose]) -> list[tuple[str, Array, Array, bool]]:
    """Return the slides: body that holds the line, its two ends on that body, and whether it also guides the angle."""
    m, result = drawing.mechanism, []
    sliding: list[Any] = [joint for joint in m.joints.values() if hasattr(joint, "direction")]
    for joint in sliding:
        body: str = joint.bodies[0]
        anchor: Array = np.array(m.points[joint.point])
        along: Array = np.array(joint.direction) / math.hypot(*joint.direction)
        if len(seen) > 1:
            travel = [
                float((pose.point[joint.point] - pose.place(body, anchor)) @ pose.turned(body, along)) for pose in seen
            ]
        elif body == GROUND:
            travel = [-0.5 * size(m), 0.5 * size(m)]
        else:
            travel = [0.9 * float((np.array(m.points[p]) - anchor) @ along) for p in m.bodies[body].points]
        low, high = min(0.0, *travel), max(0.0, *travel)
        result.append((body, anchor + low * along, anchor + high * along, joint.moment))
    return result


def rail(a: Array, b: Array, r: float) -> Array:
    """Return the hatched rail under a slide on the ground, (n, 2, 2)."""
    along = (b - a) / np.hypot(*(b - a))
    into = np.array([along[1], -along[0]])
    if into[1] > 1e-9 or (abs(into[1]) <= 1e-9 and into[0] < 0.0):
        into = -into
    return hatched(a - 4.0 * r * along + 1.9 * r * into, b + 4.0 * r * along + 1.9 * r * into, into, r)


# -- lines between bodies ----------------------------------------------------------------------------------------


End = tuple[str, tuple[float, float]]  # body, and a place on it in the drawing


def _ends(m: Mechanism, part: Any) -> tuple[End, End] | None:
    """Return the two ends of a part that lies between two places, if it does."""
    places: Any = getattr(part, "at", None)
    if getattr(part, "points", None) is not None:
        places = [m.points[p] for p in part.points]
    bodies: Any = getattr(part, "bodies", ())
    return ((bodies[0], places[0]), (bodies[1], places[1])) if places is not None and len(bodies) == 2 else None


def _lines(m: Mechanism) -> list[tuple[End, End]]:
    return [ends for part in (*m.joints.values(), *m.forces.values()) if (ends := _ends(m, part))]


def rods(pose: Pose) -> list[Array]:
    """Return the massless rods, (2, 2) each."""
    m = pose.mechanism
    return [np.array([pose.place(*end) for end in ends]) for j in m.joints.values() if (ends := _ends(m, j))]


def springs(pose: Pose, r: float) -> list[Array]:
    """Return the springs as zigzag lines, (n, 2) each."""
    m = pose.mechanism
    found = [ends for force in m.forces.values() if (ends := _ends(m, force))]
    return [zigzag(pose.place(*a), pose.place(*b), 1.3 * r) for a, b in found]


def zigzag(a: Array, b: Array, width: float, turns: int = 9) -> Array:
    """Return a coil between two places, seen from the side."""
    length = float(np.hypot(*(b - a))) or 1.0
    along = (b - a) / length
    across = np.array([-along[1], along[0]])
    s = np.concatenate([[0.0], np.linspace(0.2, 0.8, 2 * turns), [1.0]])
    side = np.concatenate([[0.0, 0.0], np.where(np.arange(2 * turns - 2) % 2, -1.0, 1.0), [0.0, 0.0]])
    return np.array(a + np.outer(s * length, along) + np.outer(side * width, across))


def length_of(path: Array) -> float:
    """Return the length of a path, m."""
    return sum(math.dist(a, b) for a, b in pairwise(path))
