"""Strokes: the symbols of joints, ground and springs as plain lines and polygons, all sizes in multiples of r.

In the plane arrays end in (..., 2), in space in (..., 3). Nothing is drawn here.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from particlemech.engine.system import Array

TURNS = 9  # of a coil
BLOCK = (2.6, 1.7)  # half length and half width of a slider
PIN = 0.62  # half the width of a slit


def _unit(vector: Any) -> Array:
    array = np.asarray(vector, dtype=float)
    return array / (float(np.linalg.norm(array)) or 1.0)


def _left(u: Array) -> Array:
    return np.array([-u[1], u[0]])


def across(axis: Any) -> tuple[Array, Array]:
    """Return two unit vectors in space that are perpendicular to an axis and to each other."""
    u = _unit(axis)
    one = _unit(np.cross(u, np.eye(3)[int(np.argmin(np.abs(u)))]))  # 0 for a spring whose ends meet
    return one, np.cross(u, one)


# -- ground --------------------------------------------------------------------------------------------------------


def support(at: Any, towards: Any, r: float) -> tuple[Array, Array]:
    """Return the triangle at a place that the ground holds, (3, 2), and its hatched ground as segments, (n, 2, 2)."""
    into = _unit(towards)
    aside, foot = r * _left(into), np.asarray(at) + 3.2 * r * into
    return np.array([at, foot - 1.9 * aside, foot + 1.9 * aside]), hatched(foot - 3 * aside, foot + 3 * aside, into, r)


def hatched(a: Array, b: Array, into: Array, r: float) -> Array:
    """Return a line and oblique strokes on the side `into`, as segments, (n, 2, 2)."""
    length = float(np.linalg.norm(b - a))
    along = (b - a) / length
    starts = np.linspace(0.0, length, max(2, round(length / (1.1 * r))) + 1)[1:]
    strokes = [(a + s * along, a + (s - r) * along + r * into) for s in starts]
    return np.array([(a, b), *strokes])


def rail(a: Any, b: Any, r: float, out: float, under: float) -> Array:
    """Return the hatched rail under a path on the ground, (n, 2, 2), below or on its right; `out` beyond its ends."""
    u = _unit(np.subtract(b, a))
    into = -_left(u)
    if into[1] > 1e-9 or (abs(into[1]) <= 1e-9 and into[0] < 0.0):
        into = -into
    beyond, below = out * r * u, under * r * into
    return hatched(np.asarray(a) - beyond + below, np.asarray(b) + beyond + below, into, r)


def pyramid(at: Any, towards: Any, r: float) -> tuple[Array, Array]:
    """Return the support of a place in space: its foot, (4, 3), and the edges from the place to it, (4, 2, 3)."""
    u = _unit(towards)
    one, other = across(u)
    foot = np.array([np.asarray(at) + r * (2.6 * u + 1.6 * (a * one + b * other)) for a, b in SQUARE])
    return foot, np.array([(at, corner) for corner in foot])


BARREL = 1.2  # of r: half the width of a barrel, and how far it begins from its pin
FRICTION = "\u03bc"  # the mark of what rubs
SQUARE = ((-1, -1), (1, -1), (1, 1), (-1, 1))

# -- joints --------------------------------------------------------------------------------------------------------


def capsule(a: Any, b: Any, r: float) -> Array:
    """Return the outline of a slit in the plane, (n, 2): round at both ends."""
    u = _unit(np.subtract(b, a))
    if not u.any():
        u = np.array([1.0, 0.0])
    start = math.atan2(u[1], u[0])
    angles = start + np.linspace(-0.5 * math.pi, 0.5 * math.pi, 13)
    ring = r * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.vstack([np.asarray(b) + ring, np.asarray(a) - ring])


def block(at: Any, along: Any, r: float) -> Array:
    """Return the outline of a slider in the plane, (4, 2)."""
    u = _unit(along)
    length, width = BLOCK[0] * r * u, BLOCK[1] * r * _left(u)
    return np.array([np.asarray(at) + a * length + b * width for a, b in SQUARE])


def buffer(at: Any, along: Any, pin: bool, r: float) -> Array:
    """Return the outline of a stop at the end of a path, (4, 2) or (4, 3), clear of what slides when it is there."""
    u = _unit(along)
    face = np.asarray(at) + r * (PIN if pin else BLOCK[0]) * u
    side = BLOCK[1] * r * (_left(u) if len(u) == 2 else across(u)[0])
    aside = r * u if len(u) == 2 else BLOCK[1] * r * across(u)[1]  # in space a plate across the path
    corners = [face - side, face + side, face + side + aside, face - side + aside]
    return np.array(corners) - (0.0 if len(u) == 2 else 0.5 * aside)


def brick(at: Any, along: Any, r: float) -> Array:
    """Return the faces of a slider in space, (6, 4, 3)."""
    u = _unit(along)
    one, other = across(u)
    edges = np.array([BLOCK[0] * u, 0.8 * BLOCK[1] * one, 0.8 * BLOCK[1] * other]) * r
    corners = np.asarray(at) + np.array(list(product((-1.0, 1.0), repeat=3))) @ edges
    return corners[[[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]]


# -- springs -------------------------------------------------------------------------------------------------------


def coil(a: Array, b: Array, r: float) -> Array:
    """Return a coil between two places, (n, d): a zigzag in the plane, a helix in space."""
    length = float(np.linalg.norm(b - a)) or 1e-300
    u = (b - a) / length
    if len(a) == 2:
        s = np.concatenate([[0.0], np.linspace(0.2, 0.8, 2 * TURNS), [1.0]])
        side = np.concatenate([[0.0, 0.0], np.where(np.arange(2 * TURNS - 2) % 2, -1.0, 1.0), [0.0, 0.0]])
        return np.array(a + np.outer(s * length, u) + np.outer(1.3 * r * side, _left(u)))
    one, other = across(u)
    s = np.linspace(0.2, 0.8, 14 * TURNS)
    turned = 2.0 * math.pi * TURNS * (s - 0.2) / 0.6
    ring = 1.1 * r * (np.outer(np.cos(turned), one) + np.outer(np.sin(turned), other))
    return np.vstack([a, a + np.outer(s * length, u) + ring, b])


def dashpot(a: Array, b: Array, r: float) -> Array:
    """Return a dashpot between two places, (n, d): cup of the first, piston of the second; NaN between strokes."""
    length = float(np.linalg.norm(b - a)) or 1e-300
    u = (b - a) / length
    side = 1.3 * r * (_left(u) if len(a) == 2 else across(u)[0])
    gap = np.full((1, len(a)), np.nan)

    def at(s: float, w: float) -> Array:
        return np.asarray(a + s * length * u + w * side)

    bottom, rim, piston = 0.3, 0.7, 0.52
    cup = [at(rim, 1.0), at(bottom, 1.0), at(bottom, -1.0), at(rim, -1.0)]
    return np.vstack([
        at(0.0, 0.0), at(bottom, 0.0), gap, *cup, gap, at(piston, 0.8), at(piston, -0.8), gap, at(piston, 0.0), b,
    ])  # fmt: skip


def ram(a: Array, b: Array, barrel: float, rod: float, r: float) -> tuple[Array, Array]:
    """Return the axis of a barrel of the first of two places, (2, d), and that of the rod from its piston, (2, d).

    Where a stroke is longer than a barrel can be the piston stays at its foot.
    """
    length = float(np.linalg.norm(b - a)) or 1e-300
    u, foot = (b - a) / length, min(BARREL * r, 0.2 * barrel)
    piston = min(max(length - rod, foot), length)
    return np.array([a + foot * u, a + barrel * u]), np.array([a + piston * u, b])


def sleeve(axis: Array, r: float) -> Array:
    """Return the outline of a barrel in the plane, (4, 2)."""
    side = BARREL * r * _left(_unit(axis[1] - axis[0]))
    return np.array([axis[0] + side, axis[1] + side, axis[1] - side, axis[0] - side])


def piston(rod: Array, r: float) -> Array:
    """Return the outline of a piston in the plane at the end of its rod, (4, 2)."""
    return sleeve(np.array([rod[0], rod[0] + 0.5 * r * _unit(rod[1] - rod[0])]), 0.85 * r)


def spiral(d: int, axis: Any | None, r: float) -> Array:
    """Return the spiral of a torsion spring about the origin, (n, d)."""
    turned = np.linspace(0.0, 5.0 * math.pi, 70)
    size = r * np.linspace(0.9, 2.6, 70)
    return np.asarray(_circle(d, axis, size, turned))


def vane(d: int, axis: Any | None, r: float) -> Array:
    """Return a rotary damper about the origin, (n, d): an open ring and a vane in it; NaN between strokes."""
    ring = _circle(d, axis, np.full(50, 2.2 * r), np.linspace(0.15 * math.pi, 1.85 * math.pi, 50))
    wing = _circle(d, axis, r * np.array([-1.7, 1.7]), np.full(2, 0.5 * math.pi))
    return np.vstack([ring, np.full((1, d), np.nan), wing])


def bow(d: int, axis: Any | None, sign: float, r: float) -> Array:
    """Return the arc of a turning arrow about the origin, (n, d), from its tail to its tip."""
    turned = sign * np.linspace(-0.65 * math.pi, 0.75 * math.pi, 40)
    return np.asarray(_circle(d, axis, np.full(40, 4.2 * r), turned))


def _circle(d: int, axis: Any | None, size: Array, turned: Array) -> Array:
    flat = size[:, None] * np.column_stack([np.cos(turned), np.sin(turned)])
    if d == 2:
        return flat
    one, other = across((0.0, 0.0, 1.0) if axis is None else axis)
    return np.asarray(flat @ np.array([one, other]))


def track(at: Any, along: Any, reach: float) -> Array:
    """Return the ends of a line through a place, (2, d)."""
    u = _unit(along)
    return np.array([np.asarray(at) - reach * u, np.asarray(at) + reach * u])
