"""Where bodies turn: instant centres, centrodes and inflection circles in the plane, screw axes in space.

Of two bodies i and j with angular velocities w and velocities v at the centres of mass c, k x (x, y) = (-y, x):

    u = (v_j - w_j k x c_j) - (v_i - w_i k x c_i),   W = w_j - w_i          j against i, at the origin           (1)
    P = k x u / W                                                           instant centre                        (2)

The place P of j does not move against i. Its acceleration against i, of which Coriolis's part vanishes there, is

    a_P = a_j(P) - a_i(P),   d = a_P / W^2                                                                       (3)

and points of j whose paths on i are straight for the moment lie on the inflection circle: from P, across, by d.
In space (1) is a motor (W, u): a screw about the line through W x u / W^2, of pitch u.W / W^2.                   (4)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import GROUND

PARALLEL = 1e-9  # W beside what moves past in the mechanism's length: bodies that turn less do not turn


class Centrodes(NamedTuple):
    """The curves along which the instant centre moves on both bodies; they roll on each other."""

    fixed: Array  # (K, 2) on the first, in its axes as drawn: of the ground, global
    moving: Array  # (K, 2) on the second, in its axes as drawn


class Circle(NamedTuple):
    """Inflection circles at the samples."""

    pole: Array  # (K, 2) the instant centre, on the circle
    centre: Array  # (K, 2)
    diameter: Array  # (K,)


class Screw(NamedTuple):
    """Screw axes at the samples."""

    point: Array  # (K, 3) of the axis, nearest to the origin
    direction: Array  # (K, 3) unit vectors
    pitch: Array  # (K,) travel per rad


def across(a: Array) -> Array:
    """Return k x a of vectors (K, 2)."""
    return np.stack([-a[:, 1], a[:, 0]], axis=1)


def _check(m: Any, body: str, against: str) -> None:
    for name in (body, against):
        if name != GROUND and name not in m.bodies:
            raise ModelError(f'body "{name}" unknown{suggestion(name, [*m.bodies, GROUND])}')
    if body == against:
        raise ModelError(f'"{body}" does not move against itself; name two bodies')


def anchored(result: Any, body: str, level: int) -> Array:
    """Return the path of one place of a body, its velocity (1) or its acceleration (2), (K, d).

    It is the centre of mass, or the first point of a body whose mass is not known.
    """
    if body in result.system.mechanism.massless:
        return np.asarray((result.__getitem__, result.velocity, result.acceleration)[level](_first(result, body)))
    return np.asarray((result.com, result.com_velocity, result.com_acceleration)[level](body))


def _first(result: Any, body: str) -> str:
    return str(result.system.mechanism.bodies[body].points[0])


def _anchor_drawn(result: Any, body: str) -> Array:
    """Return where that place is drawn, (d,)."""
    m = result.system.mechanism
    return np.array(m.place(_first(result, body), body) if body in m.massless else m.centre(body))


def _twist(result: Any, body: str) -> tuple[Array, Array]:
    """Return angular velocity, (K,) or (K, 3), and velocity at the origin, (K, d), of a body."""
    n, d = len(result.t), len(result.system.mechanism.gravity)
    if body == GROUND:
        return np.zeros(n) if d == 2 else np.zeros((n, 3)), np.zeros((n, d))
    w, c, v = result.omega(body), anchored(result, body, 0), anchored(result, body, 1)
    return w, v - (w[:, None] * across(c) if d == 2 else np.cross(w, c))


def _turning(result: Any, w: Array, u: Array) -> Array:
    """Whether bodies turn against each other at the samples, (K,)."""
    size = float(result.system.scale.length)
    turn = np.abs(w) if w.ndim == 1 else np.linalg.norm(w, axis=1)
    return np.asarray((turn * size > PARALLEL * np.linalg.norm(u, axis=1)) & (turn > 0.0))


def instant_centre(result: Any, body: str, against: str) -> Array:
    """Return the instant centre of two bodies in the plane, (K, 2); NaN where it is at infinity; (2)."""
    m = result.system.mechanism
    if m.kind != "planar":
        raise ModelError(f'instant centres are those of the plane, "{m.name}" is in space; ask for its screw_axis')
    _check(m, body, against)
    (w_j, u_j), (w_i, u_i) = _twist(result, body), _twist(result, against)
    w, u = w_j - w_i, u_j - u_i
    return across(u) / np.where(_turning(result, w, u), w, np.nan)[:, None]


def centrodes(result: Any, body: str, against: str) -> Centrodes:
    """Return the centrodes of two bodies."""
    P = instant_centre(result, body, against)
    return Centrodes(on_drawing(result, against, P), on_drawing(result, body, P))


def on_drawing(result: Any, body: str, place: Array) -> Array:
    """Return places (K, 2) that are global as they are fixed on a body, in the drawing."""
    if body == GROUND:
        return place
    seen = result._sight()
    c, s = np.cos(seen.angle(body)), np.sin(seen.angle(body))
    x, y = (place - anchored(result, body, 0)).T
    drawn: Array = np.stack([c * x + s * y, c * y - s * x], axis=1) + _anchor_drawn(result, body)
    return drawn


def inflection(result: Any, body: str, against: str) -> Circle:
    """Return the inflection circle of a body in its motion against another; (3)."""
    P = instant_centre(result, body, against)
    w = _twist(result, body)[0] - _twist(result, against)[0]
    square = np.where(w * w == 0.0, np.nan, w * w)  # what stands has none
    d = (_acceleration(result, body, P) - _acceleration(result, against, P)) / square[:, None]
    return Circle(P, P + 0.5 * d, np.linalg.norm(d, axis=1))


def _acceleration(result: Any, body: str, place: Array) -> Array:
    """Return the acceleration of the point of a body that is at a place (K, 2)."""
    if body == GROUND:
        return np.zeros_like(place)
    arm, w, alpha = place - anchored(result, body, 0), result.omega(body), result.alpha(body)
    found: Array = anchored(result, body, 2) + alpha[:, None] * across(arm) - (w**2)[:, None] * arm
    return found


def screw_axis(result: Any, body: str, against: str) -> Screw:
    """Return the screw about which a body moves against another in space; NaN where it does not turn; (4)."""
    m = result.system.mechanism
    if m.kind == "planar":
        raise ModelError(f'screw axes are those of space, "{m.name}" is in the plane; ask for its instant_centre')
    _check(m, body, against)
    (w_j, u_j), (w_i, u_i) = _twist(result, body), _twist(result, against)
    w, u = w_j - w_i, u_j - u_i
    size = np.where(_turning(result, w, u), np.linalg.norm(w, axis=1), np.nan)
    point = np.cross(w, u) / (size**2)[:, None]
    return Screw(point, w / size[:, None], np.sum(w * u, axis=1) / size**2)
