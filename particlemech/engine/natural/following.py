"""From the drawing to the start: driven coordinates and those of [initial] position go to their values, loops closed.

    phi(q, s) = 0,      s from 0, the drawing, to 1, the start                                              (1)

(1) are the rows of all joints, of the drivers with s times their motions at t = 0, and of the coordinates that
[initial] position names, likewise. Steps are short, so that no branch is left, and the least in the mechanism's own
measure: lengths beside L, directions beside 1. Coordinates that others already determine, as all but one of a four-bar,
are not followed but must be right in the end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from particlemech.engine.natural.compiled import tabulate
from particlemech.engine.natural.equations import SpatialSystem
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.signals import Constant, Linear, values
from particlemech.model.space.drivers import Coordinate
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import Initial
from particlemech.run.start import SINGULAR, assembled, weights

LONGEST = 0.1  # of a step: L for a place, 1 for a unit vector
SHORTEST = 1e-5  # of the whole way: a step below it leads nowhere
OPEN = 1e-9  # of the length: gap of a pose that is not closed
DEPENDENT = 1e-7  # part of a row that is no combination of others, below which it is one
AGREED = 1e-7  # difference of a coordinate from what is asked of it, beside 1 or L


class Target(NamedTuple):
    """A value that the start has."""

    name: str  # in words
    value: float
    driver: str  # the driver that leads there


def targets(mechanism: Mechanism) -> tuple[Mechanism, list[Target]]:
    """Return a mechanism whose drivers lead from the drawing to the start within a time of 1, and what they lead to."""
    found, leading = [], {}
    for name, driver in mechanism.drivers.items():
        value = values(driver.motion, 0.0)[0]
        leading[name] = replace(driver, motion=Linear(rate=value))  # type: ignore[type-var]
        found.append(Target(f'driver "{name}"', value, name))
    for joint in mechanism.initial.position:
        for coordinate, value in mechanism.named(joint, mechanism.initial.position[joint]).items():
            if (joint, coordinate) not in mechanism.driven:
                name = f"initial {coordinate} of {joint}"
                leading[name] = Coordinate(joint=joint, coordinate=coordinate, motion=Linear(rate=value))
                found.append(Target(f'initial position of joint "{joint}": {coordinate}', value, name))
    return mechanism.replaced(drivers=leading, initial=Initial()), found


def at_drawing(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with all drivers held where they are drawn."""
    held = {name: replace(d, motion=Constant(value=0.0)) for name, d in mechanism.drivers.items()}  # type: ignore[type-var]
    return mechanism.replaced(drivers=held, initial=Initial())


def followed(made: SpatialSystem, q: Array) -> tuple[Array, Array]:
    """Return the coordinates (n_q,) of the start, from those of the closed drawing; and the angles of joints there."""
    theta = made.angles(q, np.zeros(made.n_theta))
    leading, wanted = targets(made.mechanism)
    if not any(target.value for target in wanted):
        return q, theta
    way = SpatialSystem(tabulate(leading, made.compiled.topology))
    late = _dependent(way, q, wanted)
    if late:
        shorter = leading.replaced(drivers=dict.fromkeys(target.driver for target in late))
        way = SpatialSystem(tabulate(shorter, made.compiled.topology))
        wanted = [target for target in wanted if target not in late]
    q, theta = _led(way, made, q, theta, wanted)
    for target in late:
        _check_agreement(made, leading.drivers[target.driver], q, theta, target)
    return q, theta


def _scaled(way: SpatialSystem, s: float, q: Array) -> tuple[Array, Array, Array]:
    """Return rows, their rates by s, and their derivatives by coordinates in units of these, in lengths L."""
    at, scale, L = way.levels(s, q, np.zeros(way.n_v)), weights(way), way.scale.length
    return scale * at.phi / L, scale * at.phi_t / L, scale[:, None] * at.phi_q * way.size_q / L


def _dependent(way: SpatialSystem, q: Array, wanted: list[Target]) -> list[Target]:
    """Return the initial positions that joints, drivers and others before them determine."""
    rows = _scaled(way, 0.0, q)[2]
    parts = [row.part for row in way.layout.rows]
    given = {f'driver "{target.driver}"': target for target in wanted if not target.name.startswith("driver")}
    basis = _orthonormal(rows[[part not in given for part in parts]])
    late = []
    for part, target in given.items():
        row = rows[parts.index(part)]
        rest = row - basis.T @ (basis @ row)
        rest = rest - basis.T @ (basis @ rest)
        size = float(np.linalg.norm(rest))
        if size <= DEPENDENT * float(np.linalg.norm(row)):
            late.append(target)
        else:
            basis = np.vstack([basis, rest / size])
    return late


def _orthonormal(rows: Array) -> Array:
    """Return an orthonormal basis of the space that rows span."""
    _, s, Vt = np.linalg.svd(rows, full_matrices=False)
    return Vt[s > DEPENDENT * s.max(initial=0.0)]


def _led(way: SpatialSystem, made: SpatialSystem, q: Array, theta: Array, wanted: list[Target]) -> tuple[Array, Array]:
    """Return the end of (1)."""
    s, step = 0.0, 1.0
    while s < 1.0:
        _, rate, C = _scaled(way, s, q)
        tangent = np.linalg.lstsq(C, -rate, rcond=SINGULAR)[0]
        fastest = float(np.max(np.abs(tangent), initial=0.0))
        step = min(step, 1.0 - s, LONGEST / max(fastest, 1e-300))
        to = 1.0 if s + step > 1.0 - 1e-12 else s + step
        trial = assembled(way, to, q + way.size_q * tangent * (to - s))
        gone = float(np.max(np.abs(trial - q) / way.size_q, initial=0.0))
        gap = float(np.max(np.abs(_scaled(way, to, trial)[0]), initial=0.0))
        if np.isfinite(gap) and gap <= OPEN and gone <= 2.0 * LONGEST:
            q, s, step = trial, to, 2.0 * step
            theta = made.angles(q, theta)
        else:
            step *= 0.5
            if step < SHORTEST:
                raise ModelError(_unreached(wanted, s))
    return q, theta


def _unreached(wanted: list[Target], s: float) -> str:
    """Return how far the way to the start led."""
    moving = [target for target in wanted if target.value]
    told = [f"{target.name} is {target.value:.6g}" for target in moving]
    reached = " and ".join(f"{s * target.value:.6g}" for target in moving)
    asked = " and ".join(told)
    return f"{asked} at t = 0, but followed from the drawing it gets to {reached} only; ask for less, or draw it nearer"


def _check_agreement(made: SpatialSystem, driver: Coordinate, q: Array, theta: Array, target: Target) -> None:
    """Raise where a coordinate that others determine is not what is asked for."""
    joint, coordinate = driver.freedom(made.mechanism)
    z = np.zeros((1, made.n_v))
    seen = made.observed(np.zeros(1), q[None], z, z, np.append(theta, 0.0)[None])
    found = float(seen.coordinate(joint, coordinate)[0])
    size = 1.0 if coordinate.startswith("angle") else made.scale.length
    if abs(found - target.value) > AGREED * max(size, abs(target.value)):
        raise ModelError(
            f"{target.name} is {target.value:.9g}, but joints, drivers and the positions before it make it "
            f"{found:.9g}; take it out, or write that"
        )
