"""How the coordinates of joints are read off their two bodies, by vectors as drawn.

Index 1: fixed in the first body, 2: in the second; a, b unit vectors; every angle is zero in the drawing.

    SLIDE    a1.(P2 - P1)                            travel along a1                                            (1)
    PLAIN    atan2(n1.w2, m1.w2)                     angle about a1 = a2, with w = m, a triad m, n, a           (2)
    FIRST    atan2(n1.w2, m1.w2)                     angle about a1 of rotations about a1, ..., b2; w = b       (3)
    MIDDLE   asin(a1.b2)                             angle about b2 x a1, between the two                       (4)
    LAST     atan2(n2.w1, m2.w1)                     angle about b2; w = a                                      (5)

A universal joint has (3) and (5), a spherical one (3), (4) and (5) with a = x, b = z: dextral 1-2-3 angles.
Where the rotation axes are a1, b2 and, for (4), c = b2 x a1/|b2 x a1|, an effort on one coordinate alone is the moment
along the reciprocal of its axis, whose product with the relative angular velocity is the rate of the coordinate:

    PLAIN a1,   FIRST (a1 - s b2)/(1 - s^2),   MIDDLE c,   LAST (b2 - s a1)/(1 - s^2),     s = a1.b2            (6)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlemech.engine.natural.frames import At, triad
from particlemech.engine.polynomials import Poly, dot3
from particlemech.engine.system import Array
from particlemech.model.spec import Vector3

SLIDE, PLAIN, FIRST, MIDDLE, LAST = range(5)
NONE: Vector3 = (0.0, 0.0, 0.0)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class Reading(NamedTuple):
    """One coordinate, (1) to (5)."""

    form: int
    a: Vector3
    b: Vector3 = NONE
    m: Vector3 = NONE
    n: Vector3 = NONE
    w: Vector3 = NONE

    @property
    def turns(self) -> bool:
        """Whether it counts turns."""
        return self.form in (PLAIN, FIRST, LAST)


def travel(axis: Vector3) -> Reading:
    """Return (1)."""
    return Reading(SLIDE, axis)


def angle(axis: Vector3) -> Reading:
    """Return (2)."""
    m, n, _ = triad(axis)
    return Reading(PLAIN, axis, m=m, n=n, w=m)


def crossed(a: Vector3, b: Vector3) -> tuple[Reading, Reading]:
    """Return (3) and (5); m and n are so long that sine and cosine have squares of sum 1 where a.b is as drawn."""
    one, other = np.array(a), np.array(b)
    c = float(one @ other)
    across = 1.0 - c * c
    first = (other - c * one) / across
    last = (one - c * other) / across
    return (
        Reading(FIRST, a, b, _vector(first), _vector(np.cross(one, first)), b),
        Reading(LAST, a, b, _vector(last), _vector(-np.cross(other, last)), a),
    )


def ball() -> tuple[Reading, Reading, Reading]:
    """Return (3), (4) and (5): dextral 1-2-3 angles."""
    first, last = crossed(X, Z)
    return first, Reading(MIDDLE, X, Z), last


def _vector(v: Array) -> Vector3:
    x, y, z = v.tolist()
    return x, y, z


class Measure(NamedTuple):
    """A coordinate in polynomials."""

    sine: Poly  # of an angle, or the travel itself
    cosine: Poly | None = None  # None: of a travel, and of (4), which its sine tells
    slides: bool = False


def measured(reading: Reading, at: At) -> Measure:
    """Return a coordinate in the coordinates of two frames."""
    one, other = at.first, at.second
    if reading.form == SLIDE:
        return Measure(dot3(one.direction(reading.a), at.gap()), slides=True)
    if reading.form == MIDDLE:
        return Measure(dot3(one.direction(reading.a), other.direction(reading.b)))
    if reading.form == LAST:
        one, other = other, one
    w = other.direction(reading.w)
    return Measure(dot3(one.direction(reading.n), w), dot3(one.direction(reading.m), w))


# -- numbers: z, v, a are coordinates, rates and second rates at K samples, (K, n) each --------------------------------


def _padded(z: Array, last: float) -> Array:
    """Return samples (K, n) with one number more, which the place -1 of a polynomial without a coordinate finds."""
    return np.concatenate([z, np.full((len(z), 1), last)], axis=1)


def _value(poly: Poly, z: Array) -> Array:
    """Return a polynomial, (K,)."""
    (i, j, c), z = poly.packed, _padded(z, 1.0)
    return np.asarray((z[:, i] * z[:, j]) @ c)


def _rate(poly: Poly, z: Array, v: Array) -> Array:
    """Return its rate, (K,)."""
    (i, j, c), z, v = poly.packed, _padded(z, 1.0), _padded(v, 0.0)
    return np.asarray((v[:, i] * z[:, j] + z[:, i] * v[:, j]) @ c)


def _second(poly: Poly, z: Array, v: Array, a: Array) -> Array:
    """Return its second rate, (K,)."""
    (i, j, c), w = poly.packed, _padded(v, 0.0)
    return np.asarray(_rate(poly, z, a) + (w[:, i] * w[:, j]) @ (2.0 * c))


def value(measure: Measure, z: Array, near: Array | float = 0.0) -> Array:
    """Return a coordinate, (K,): an angle on the turn that is nearest to `near`."""
    s = _value(measure.sine, z)
    if measure.slides:
        return s
    if measure.cosine is None:
        return np.arcsin(np.clip(s, -1.0, 1.0))
    found = np.arctan2(s, _value(measure.cosine, z))
    return np.asarray(found + math.tau * np.round((near - found) / math.tau))


def rate(measure: Measure, z: Array, v: Array) -> Array:
    """Return its rate, (K,)."""
    s, s_dot = _value(measure.sine, z), _rate(measure.sine, z, v)
    if measure.slides:
        return s_dot
    if measure.cosine is None:
        return np.asarray(s_dot / np.sqrt(1.0 - s * s))
    c, c_dot = _value(measure.cosine, z), _rate(measure.cosine, z, v)
    return np.asarray((c * s_dot - s * c_dot) / (s * s + c * c))


def second_rate(measure: Measure, z: Array, v: Array, a: Array) -> Array:
    """Return its second rate, (K,)."""
    s_ddot = _second(measure.sine, z, v, a)
    if measure.slides:
        return s_ddot
    s, first = _value(measure.sine, z), rate(measure, z, v)
    if measure.cosine is None:
        return np.asarray((s_ddot + s * first**2) / np.sqrt(1.0 - s * s))
    c, c_dot = _value(measure.cosine, z), _rate(measure.cosine, z, v)
    grown = s * _rate(measure.sine, z, v) + c * c_dot
    return np.asarray((c * s_ddot - s * _second(measure.cosine, z, v, a) - 2.0 * first * grown) / (s * s + c * c))


def slope(measure: Measure, z: Array) -> Array:
    """Return the slope of a driver's row by its coordinate, (K,): what turns its multiplier into the effort."""
    if measure.slides:
        return np.ones(len(z))
    s = _value(measure.sine, z)
    return np.sqrt(1.0 - s * s) if measure.cosine is None else np.hypot(s, _value(measure.cosine, z))


def gradient(measure: Measure, z: Array) -> Array:
    """Return the derivative of a coordinate by all coordinates, (n,), at one instant z (n,)."""
    ds = _gradient(measure.sine, z)
    if measure.slides:
        return ds
    s = float(_value(measure.sine, z[None])[0])
    if measure.cosine is None:
        return ds / math.sqrt(1.0 - s * s)
    c = float(_value(measure.cosine, z[None])[0])
    return np.asarray((c * ds - s * _gradient(measure.cosine, z)) / (s * s + c * c))


def _gradient(poly: Poly, z: Array) -> Array:
    (i, j, c), n, z = poly.packed, len(z), np.append(z, 1.0)
    by = np.concatenate([i, j]) % (n + 1)  # the last is none
    return np.asarray(np.bincount(by, np.concatenate([c * z[j], c * z[i]]), n + 1)[:n], dtype=float)
