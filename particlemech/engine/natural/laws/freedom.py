"""A coordinate of a joint as the laws of forces see it: value, rate, and what an effort on it does; see readings.py.

    rate      r.(omega_2 - omega_1), r its reciprocal axis (6); of a travel a1.(v_2 - v_1), both where P2 is         (1)
    effort E  couple E r on the second body, -E r on the first; of a travel forces E a1 and -E a1, both at P2        (2)

(2) is the only load of this kind that does the power E times (1) and nothing on the other coordinates.
"""

from __future__ import annotations

import math
from typing import Any

from particlemech._jit import Records, kernel
from particlemech.engine.natural.laws.geometry import (
    Triple,
    cross,
    dot,
    minus,
    omega,
    place,
    push,
    times,
    twist,
    vector,
    velocity,
)
from particlemech.engine.natural.readings import FIRST, LAST, MIDDLE, SLIDE
from particlemech.engine.natural.where import NaturalNumbers
from particlemech.engine.system import Array

FREEDOM: list[Any] = [
    ("first", "i4"), ("second", "i4"), ("form", "i4"), ("theta", "i4"),
    *((name, "f8", (3,)) for name in ("a", "b", "m", "n", "w", "at1", "at2")),
]  # fmt: skip


def freedom(joint: str, coordinate: str | None, where: NaturalNumbers) -> tuple[Any, ...]:
    """Return the record of a coordinate; theta is the number of the state that counts its turns, -1: none."""
    reading = where.reading(joint, coordinate)
    seats = (where.seat(joint, side) for side in (0, 1))
    return *where.ends(joint), reading.form, where.counter(joint, coordinate), *reading[1:], *seats


@kernel
def axis(p: Records, q: Array) -> Triple:
    """Return the vector along which an effort of 1 acts, (2)."""
    a = vector(q, p.first, p.a)
    if p.form < FIRST:
        return a
    b = vector(q, p.second, p.b)
    s = dot(a, b)
    over = 1.0 / (1.0 - s * s)
    if p.form == FIRST:
        return times(over, minus(a, times(s, b)))
    if p.form == LAST:
        return times(over, minus(b, times(s, a)))
    return times(math.sqrt(over), cross(b, a))


@kernel
def offset(p: Records, q: Array) -> Triple:
    """Return P2 - P1."""
    return minus(place(q, p.second, p.at2), place(q, p.first, p.at1))


@kernel
def offset_rate(p: Records, v: Array) -> Triple:
    """Return the rate of P2 - P1."""
    return minus(velocity(v, p.second, p.at2), velocity(v, p.first, p.at1))


@kernel
def value(p: Records, near: float, q: Array) -> float:
    """Return the coordinate; an angle on the turn that is nearest to `near`."""
    if p.form == SLIDE:
        return dot(vector(q, p.first, p.a), offset(p, q))
    if p.form == MIDDLE:
        return math.asin(max(-1.0, min(1.0, dot(vector(q, p.first, p.a), vector(q, p.second, p.b)))))
    one, other = (p.second, p.first) if p.form == LAST else (p.first, p.second)
    w = vector(q, other, p.w)
    angle = math.atan2(dot(vector(q, one, p.n), w), dot(vector(q, one, p.m), w))
    return angle + 2.0 * math.pi * math.floor((near - angle) / (2.0 * math.pi) + 0.5)


@kernel
def speed(p: Records, q: Array, v: Array) -> float:
    """Return the rate of the coordinate, (1)."""
    w = omega(q, v, p.first)
    if p.form == SLIDE:
        return dot(vector(q, p.first, p.a), minus(offset_rate(p, v), cross(w, offset(p, q))))
    return dot(axis(p, q), minus(omega(q, v, p.second), w))


@kernel
def exert(p: Records, effort: float, q: Array, f: Array) -> None:
    """Add the effort to the forces f on full coordinates, (2)."""
    x, y, z = times(effort, axis(p, q))
    if p.form == SLIDE:
        push(p.second, p.at2, x, y, z, f)
        push(p.first, p.at1, -x, -y, -z, f)
        # the reaction acts where the second body has its point now: along the axis, but for a couple
        a, b, c = cross((x, y, z), offset(p, q))
        twist(p.first, q, a, b, c, f)
        return
    twist(p.second, q, x, y, z, f)
    twist(p.first, q, -x, -y, -z, f)
