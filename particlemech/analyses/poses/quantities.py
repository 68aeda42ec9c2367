"""Quantities of a motion by name: what drivers drive, what actuators push, what a motion is said by.

    "A.angle", "guide.travel"    a coordinate of a joint since the drawing; "A" where it has one
    "P.x", "P.y", "P.z"          a coordinate of a point, global; "P" for all of them
    "rod.angle"                  the angle of a body since the drawing, in the plane; "rod.x" that of its centre of mass
    "cylinder"                   what a driver of the model drives, since the drawing

Each has a value c(q), a row C with c' = C v, and what its second rate is where the speeds do not change:

    c'' = C a + (C' v)                                                                                        (1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.acting import Spot


class Seen(Protocol):
    """A motion at K samples by name; levels are 0, the place, 1, its rate, 2, its second rate."""

    t: Array  # (K,) s

    def point(self, name: str, level: int) -> Array:
        """Return the place of a point or its rates, (K, 2 or 3)."""

    def place(self, body: str, drawn: Sequence[float], level: int) -> Array:
        """Return a place of a body, given as drawn, or its rates, (K, 2 or 3)."""

    def body(self, name: str, what: str, level: int) -> Array:
        """Return a quantity of a body or its rates, (K,)."""

    def coordinate(self, joint: str, name: str, level: int) -> Array:
        """Return a coordinate of a joint or its rates, (K,)."""


class Quantity(NamedTuple):
    """A scalar of a motion by name."""

    name: str  # as it was asked for
    turn: bool  # an angle rather than a length
    read: Callable[[Any, int], Array]  # of a motion, at a level, (K,)
    joint: tuple[str, str] | None = None  # whose coordinate it is, and which


def _of_joint(mechanism: Any, joint: str, coordinate: str | None) -> Quantity:
    name = mechanism.known_coordinate(joint, coordinate)
    turn = name.startswith("angle")
    return Quantity(f"{joint}.{name}", turn, lambda seen, n: seen.coordinate(joint, name, n), (joint, name))


def _of_point(point: str, axes: str, axis: str) -> Quantity:
    return Quantity(f"{point}.{axis}", False, lambda seen, n: seen.point(point, n)[:, axes.index(axis)])


def _of_body(body: str, what: str) -> Quantity:
    return Quantity(f"{body}.{what}", what == "angle", lambda seen, n: seen.body(body, what, n))


def _rotation(name: str, bodies: Sequence[str]) -> Quantity:
    """Return the angle between two bodies of the plane."""

    def read(seen: Any, level: int) -> Array:
        one, other = (0.0 if b not in seen.mechanism.bodies else seen.body(b, "angle", level) for b in bodies)
        return np.asarray(other - one)

    return Quantity(name, True, read)


def _distance(name: str, ends: Sequence[Spot]) -> Quantity:
    """Return the distance of two places, d = |r|: d' = r.r'/d, d'' = (r'.r' + r.r'' - d'^2)/d."""

    def read(seen: Any, level: int) -> Array:
        r, v, a = (seen.place(*ends[1], k) - seen.place(*ends[0], k) for k in range(3))
        d = np.linalg.norm(r, axis=1)
        rate = np.sum(r * v, axis=1) / d
        return (d, rate, (np.sum(v * v + r * a, axis=1) - rate**2) / d)[level]

    return Quantity(name, False, read)


def _since(drawn: float, of: Quantity) -> Quantity:
    """Return a quantity less what it is in the drawing."""
    return of._replace(read=lambda seen, level: of.read(seen, level) - (0.0 if level else drawn))


def of_driver(mechanism: Any, name: str, axes: str) -> Quantity:
    """Return what a driver of a mechanism drives, since the drawing as its motion counts."""
    driver = mechanism.drivers[name]
    if getattr(driver, "joint", None) is not None:
        return _of_joint(mechanism, driver.joint, driver.coordinate)._replace(name=name)
    if getattr(driver, "points", None) is not None:
        return _since(driver.drawn(mechanism), _distance(name, driver.ends(mechanism)))
    if getattr(driver, "axis", None) is not None:
        (end,), k = driver.ends(mechanism), axes.index(driver.axis)
        of = Quantity(name, False, lambda seen, level: seen.place(*end, level)[:, k])
        return _since(mechanism.drawn(driver.point)[k], of)
    return _rotation(name, driver.bodies)


def quantities(
    mechanism: Any, name: str, axes: str, bodies: dict[str, tuple[str, ...]], joints: bool | None = None
) -> list[Quantity]:
    """Return the quantities that a name stands for: one, or all coordinates of a point or of a joint.

    Parameters
    ----------
    mechanism
        With its drivers.
    name
        See above; of a joint and a point of one name alike the whole must be said.
    axes
        "xy" or "xyz".
    bodies
        What bodies have, by name.
    joints
        Whether joints are meant, as where actuators are named, or points; None: a name of both is refused.
    """
    if not isinstance(name, str):
        raise ModelError(f"quantities are asked for by name, got {name!r}")
    head, _, tail = name.partition(".")
    if head in mechanism.joints and tail in mechanism.joints[head].coordinate_names:
        return [_of_joint(mechanism, head, tail)]
    if head in mechanism.points and tail in tuple(axes):
        return [_of_point(head, axes, tail)]
    if head in bodies and tail in bodies[head]:
        return [_of_body(head, tail)]
    if name in mechanism.joints and name in mechanism.points and joints is None:
        joint = ", ".join(f'"{name}.{of}"' for of in mechanism.joints[name].coordinate_names)
        raise ModelError(f'"{name}" is a joint and a point: say {joint or "nothing"} or "{name}.x"')
    if name in mechanism.drivers:
        return [of_driver(mechanism, name, axes)]
    if name in mechanism.joints and (joints is not False or name not in mechanism.points):
        return [_of_joint(mechanism, name, of) for of in mechanism.joints[name].coordinate_names]
    if name in mechanism.points:
        return [_of_point(name, axes, axis) for axis in axes]
    known = [*mechanism.drivers, *mechanism.joints, *mechanism.points]
    known += [f"{j}.{of}" for j, joint in mechanism.joints.items() for of in joint.coordinate_names]
    known += [f"{p}.{axis}" for p in mechanism.points for axis in axes]
    known += [f"{b}.{of}" for b, every in bodies.items() for of in every]
    raise ModelError(f'"{name}" is no coordinate of a joint, point or body{suggestion(name, known)}')
