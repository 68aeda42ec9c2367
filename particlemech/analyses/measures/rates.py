"""Velocity ratios and mechanical advantage: what moves, per rate of the driver.

    ratio = rate of the output / rate of the driver,   advantage = 1 / ratio                                     (1)

Without losses the power that goes in comes out, so at rest an effort on the driver balances `advantage` times itself on
the output. Where a driver stands still the ratio of a run is not known, and NaN.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from particlemech.analyses.measures.curves import Span, zeros
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.signals import values

STANDS = 1e-9  # of its largest rate: a driver that is slower stands still


class Quantity(NamedTuple):
    """A coordinate that moves: of a joint, or what a driver prescribes."""

    name: str
    value: Array  # (K,)
    rate: Array  # (K,)
    turns: bool  # an angle


class Strokes(NamedTuple):
    """How long an output goes forward and back in a cycle."""

    rising: float  # s per cycle, its value grows
    falling: float  # s per cycle
    ratio: float  # of the longer to the shorter


def coordinate(result: Any, name: str) -> Quantity | None:
    """Return the coordinate that a name stands for: a driver, a joint with one, or "joint.coordinate"."""
    m = result.system.mechanism
    if name in m.drivers:
        driver = m.drivers[name]
        if getattr(driver, "joint", None) is not None:
            return _of_joint(result, name, driver.joint, driver.coordinate)
        course = np.array([values(driver.motion, float(t))[:2] for t in result.t])
        return Quantity(name, course[:, 0], course[:, 1], driver.turns(m))
    joint, _, of = name.partition(".")
    if joint in m.joints:
        return _of_joint(result, name, joint, of or None)
    return None


def _of_joint(result: Any, name: str, joint: str, of: str | None) -> Quantity:
    m = result.system.mechanism
    of = m.known_coordinate(joint, of)
    turns = str(of).startswith("angle")
    return Quantity(name, result.coordinate(joint, of), result.rate(joint, of), turns)


def labels(m: Any) -> dict[str, tuple[str, str]]:
    """Return joint and coordinate of all coordinates of a mechanism, by the head of their columns."""
    return {f"{joint}.{of}": (joint, of) for joint, spec in m.joints.items() for of in spec.coordinate_names}


def moving(result: Any, name: str) -> Array:
    """Return the rate of a coordinate, (K,), or the angular velocity of a body, (K,) or (K, 3), by name."""
    m = result.system.mechanism
    if (found := coordinate(result, name)) is not None:
        return found.rate
    if name in m.bodies:
        return np.asarray(result.omega(name))
    if name in m.points:
        raise ModelError(f'"{name}" is a point; ask for ratio(point="{name}")')
    known = [*m.drivers, *m.joints, *labels(m), *m.bodies]
    raise ModelError(f'"{name}" is no joint, coordinate or body{suggestion(name, known)}')


def driver(result: Any, name: str | None) -> Quantity:
    """Return the driver that a name stands for, or the only one."""
    m = result.system.mechanism
    if name is None:
        if len(m.drivers) != 1:
            many = f"has {len(m.drivers)} drivers ({', '.join(m.drivers)})" if m.drivers else "has no driver"
            raise ModelError(f'"{m.name}" {many}; say which moves the others: measures(driver="NAME"), or a joint')
        name = next(iter(m.drivers))
    found = coordinate(result, name)
    if found is None:
        known = [*m.drivers, *(joint for joint, spec in m.joints.items() if spec.coordinate_names)]
        raise ModelError(f'driver: "{name}" is no driver and no joint{suggestion(name, known)}')
    return found


def ratio(rate: Array, to: Quantity) -> Array:
    """Return a rate, (K,) or (K, d), per rate of the driver; (1)."""
    stands = np.abs(to.rate) <= STANDS * np.max(np.abs(to.rate), initial=1e-300)
    by = np.where(stands, np.nan, to.rate)
    return rate / (by if rate.ndim == 1 else by[:, None])


def advantage(found: Array) -> Array:
    """Return the mechanical advantage at velocity ratios (K,); infinite in dead points of the output; (1)."""
    with np.errstate(divide="ignore", over="ignore"):
        return 1.0 / found


def strokes(t: Array, of: Quantity, span: Span) -> Strokes:
    """Return for how long a coordinate rises and falls in a cycle."""
    at = zeros(t, of.rate, span)
    if not len(at):
        raise ModelError(
            f'time ratio: "{of.name}" never turns back within a cycle; name an output that goes to and fro'
        )
    edges = np.concatenate([[span.start], at, [span.end]])
    middle = np.interp(0.5 * (edges[1:] + edges[:-1]), t, of.rate)
    length = np.diff(edges)
    up, down = (float(length[side].sum()) / span.cycles for side in (middle > 0.0, middle < 0.0))
    return Strokes(up, down, max(up, down) / min(up, down))
