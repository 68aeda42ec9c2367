"""From the drawing to the start: driven coordinates and those of [initial] position go to their values, loops closed.

    phi(q, s) = 0,      s from 0, the drawing, to 1, the start                                              (1)

(1) are the rows of all joints, of the drivers with s times their motions at t = 0, and of the coordinates that
[initial] position names, likewise. Joints that are in no loop stay as drawn but for these: they are held too. Elsewhere
the rest moves as little as can be, in joint coordinates: of all steps d with J d = -phi that with the least

    sum over joints of |omega_2 - omega_1|^2 + |v_2 - v_1|^2/L^2,    v both where the second has its place  (2)

and of these the one that moves floating chains least. Steps are short, so that no branch is left.
Not used: the least movement of bodies, which would turn a hand back while its arm is led.

Where [initial] position says more than the joints leave free, as two angles of a four-bar, no pose on the way has them
all. Then their rows are met as well as can be, in least squares, while joints and drivers are held:

    d = d_h + N y,     y least with  J_w (d_h + N y) = -phi_w,     J_h d_h = -phi_h,   J_h N = 0            (3)

and in the end they must be right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.graph import in_no_loop
from particlemech.engine.natural.compiled import tabulate
from particlemech.engine.natural.coordinates import axes
from particlemech.engine.natural.equations import SpatialSystem
from particlemech.engine.natural.rows import DRIVER_BY_SPEC
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.signals import Constant, Linear, values
from particlemech.model.space.drivers import DriverSpec
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import Initial
from particlemech.run.start import SINGULAR, weights

LEADING: Any = Mechanism.sections["drivers"].plain  # the driver of a coordinate
LONGEST = 0.1  # of a step: L for a place, 1 for a unit vector
SHORTEST = 1e-5  # of the whole way: a step below it leads nowhere
OPEN = 1e-9  # of the length: gap of a pose that is not closed
DEPENDENT = 1e-7  # part of a row that is no combination of others, below which it is one
ROUNDS = 30  # of Gauss and Newton's method
SETTLED = 1e-12  # step of theirs that counts as none
AGREED = 1e-7  # difference of a coordinate from what is asked of it, beside 1 or L


class Target(NamedTuple):
    """A value that the start has."""

    name: str  # in words
    value: float
    driver: str  # the driver that leads there
    prescribed: bool  # by a driver of the model; else an initial position


def targets(mechanism: Mechanism) -> tuple[Mechanism, list[Target]]:
    """Return a mechanism whose drivers lead from the drawing to the start within a time of 1, and what they lead to."""
    found, leading = [], {}
    for name, driver in mechanism.drivers.items():
        value = values(driver.motion, 0.0)[0]
        leading[name] = replace(driver, motion=Linear(rate=value))  # type: ignore[type-var]
        found.append(Target(f'driver "{name}"', value, name, True))
    as_drawn = set(_as_drawn(mechanism))
    said = {joint: _said(mechanism, joint, as_drawn) for joint in mechanism.initial.position}
    for joint, given in said.items():
        for coordinate, value in given.items():
            name = f"initial {coordinate} of {joint}"
            leading[name] = LEADING(joint=joint, coordinate=coordinate, motion=Linear(rate=value))
            found.append(Target(f'initial position of joint "{joint}": {coordinate}', value, name, False))
    for joint, coordinate in sorted(as_drawn - set(mechanism.driven)):
        if coordinate not in said.get(joint, {}):
            held = LEADING(joint=joint, coordinate=coordinate, motion=Constant())
            leading[f"{coordinate} of {joint} as drawn"] = held
    return mechanism.replaced(drivers=leading, initial=Initial()), found


def _said(mechanism: Mechanism, joint: str, as_drawn: set[tuple[str, str]]) -> dict[str, float]:
    """Return what is said of the coordinates of a joint that no driver leads.

    Of the two triples of 1-2-3 angles that are one rotation, (a, b, c) and (a + pi, pi - b, c + pi), it is that with b
    between -90 and 90 degrees, to which a way leads from the drawing.
    """
    given = {
        name: value
        for name, value in mechanism.named(joint, mechanism.initial.position[joint]).items()
        if (joint, name) not in mechanism.driven
    }
    names = mechanism.joints[joint].coordinate_names[-3:]
    if mechanism.joints[joint].spherical and all(name in given or (joint, name) in as_drawn for name in names):
        a, b, c = (given.get(name, 0.0) for name in names)
        if math.cos(b) < 0.0 and not any((joint, name) in mechanism.driven for name in names):
            given |= dict(zip(names, (a + math.pi, math.pi - b, c + math.pi), strict=True))
    return given


def _as_drawn(mechanism: Mechanism) -> Iterator[tuple[str, str]]:
    """Give the coordinates of joints in no loop: neither joints nor drivers nor couplings tie them to others."""
    edges: dict[str, tuple[str, ...]] = {}
    coupled = set()
    for name, joint in mechanism.joints.items():
        if not joint.bodies:
            coupled |= {end for end, _ in joint.ends(mechanism)}  # type: ignore[attr-defined]
        elif joint.dof < 6:
            edges[name] = joint.bodies
    for name, driver in mechanism.drivers.items():
        if name not in mechanism.driven.values():
            edge = DRIVER_BY_SPEC[type(driver)].edge(driver, mechanism)
            edges[f"driver {name}"] = edge.first, edge.second
    free = {name: joint.bodies for name, joint in mechanism.joints.items() if joint.bodies and joint.dof == 6}
    # a free joint ties nothing, but says where what floats is
    bridges = in_no_loop((GROUND, *mechanism.bodies), edges, free)
    for name, joint in mechanism.joints.items():
        if name in bridges and name not in coupled:
            yield from ((name, coordinate) for coordinate in joint.coordinate_names)


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
    parts = [row.part for row in way.layout.rows]
    said = [parts.index(f'driver "{target.driver}"') for target in wanted if not target.prescribed]
    if not _dependent(way, q, said):
        return _led(way, made, q, theta, wanted, [])
    q, theta = _led(way, made, q, theta, wanted, said)
    for target in wanted:
        _check_agreement(made, leading.drivers[target.driver], q, theta, target)
    return q, theta


def _scaled(way: SpatialSystem, s: float, q: Array) -> tuple[Array, Array, Array]:
    """Return rows, their rates by s, and their derivatives by coordinates in units of these, in lengths L."""
    at, scale, L = way.levels(s, q, np.zeros(way.n_v)), weights(way), way.scale.length
    return scale * at.phi / L, scale * at.phi_t / L, scale[:, None] * at.phi_q * way.size_q / L


def _dependent(way: SpatialSystem, q: Array, said: list[int]) -> bool:
    """Return whether joints and drivers, and others of them, determine one of the rows of initial positions."""
    rows = _scaled(way, 0.0, q)[2]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-300)[:, None]
    held = np.delete(rows, said, axis=0)
    N = _free(held)
    return int(np.linalg.matrix_rank(rows[said] @ N, tol=DEPENDENT)) < len(said) if said else False


def _free(rows: Array) -> Array:
    """Return an orthonormal basis, in columns, of what rows leave free."""
    _, s, Vt = np.linalg.svd(rows)
    return Vt[int(np.sum(s > DEPENDENT * s.max(initial=0.0))) :].T


def _least(C: Array, wanted: Array, B: Array) -> Array:
    """Return d with C d = wanted and the least |B d|; of these the least."""
    U, sizes, Vt = np.linalg.svd(C)
    rank = int(np.sum(sizes > SINGULAR * sizes.max(initial=0.0)))
    d, N = Vt[:rank].T @ ((U[:, :rank].T @ wanted) / sizes[:rank]), Vt[rank:].T
    if N.shape[1]:
        d = d - N @ np.linalg.lstsq(B @ N, B @ d, rcond=DEPENDENT)[0]
    return np.asarray(d)


def _relative(way: SpatialSystem, q: Array) -> Array:
    """Return B, (6 n_joint, n_q): what (2) adds the squares of, by coordinates in units of these."""
    c, z, L = way.compiled.coordinates, way.full(q), way.scale.length
    R = axes(z[None])[0]

    def omega(body: str) -> Array:
        J = np.zeros((3, len(z)))
        if body != GROUND:
            b = c.index[body]
            for i, (x, y, w) in enumerate(R[b].T):  # omega = sum d_i x d_i'/2
                J[:, 12 * b + 3 * (i + 1) : 12 * b + 3 * (i + 2)] = 0.5 * np.array([[0, -w, y], [w, 0, -x], [-y, x, 0]])
        return J

    def velocity(body: str, place: Array) -> Array:
        J = np.zeros((3, len(z)))
        if body != GROUND:
            b = c.index[body]
            for i, share in enumerate([1.0, *(R[b].T @ (place - z[12 * b : 12 * b + 3]))]):
                J[:, 12 * b + 3 * i : 12 * b + 3 * i + 3] = share * np.eye(3)
        return J

    blocks = [np.zeros((0, len(z)))]
    for joint in way.mechanism.joints.values():
        if joint.coordinate_names:
            first, second, place = *joint.bodies, np.subtract(joint.place(way.mechanism), c.origin)
            if second != GROUND:
                b = c.index[second]
                place = z[12 * b : 12 * b + 3] + R[b] @ (place - c.frames[b].centre)
            blocks += [omega(second) - omega(first), (velocity(second, place) - velocity(first, place)) / L]
    return np.asarray(np.concatenate(blocks) @ way.T * way.size_q)


def _closed(way: SpatialSystem, s: float, q: Array, said: list[int]) -> Array:
    """Return coordinates nearby that satisfy all rows, by (2); or (3) those of initial positions as well as can be."""
    B = _relative(way, q)
    for _ in range(ROUNDS):
        gap, _, C = _scaled(way, s, q)
        held = np.delete(C, said, axis=0)
        d = _least(held, -np.delete(gap, said), B)
        if said:
            N = _free(held)
            d = d + N @ np.linalg.lstsq(C[said] @ N, -(gap[said] + C[said] @ d), rcond=SINGULAR)[0]  # (3)
        q = q + way.size_q * d
        if not float(np.max(np.abs(d), initial=0.0)) > SETTLED:
            break
    return q


def _tangent(way: SpatialSystem, s: float, q: Array) -> Array:
    """Return dq/ds in units of the coordinates, by (2)."""
    _, rate, C = _scaled(way, s, q)
    return _least(C, -rate, _relative(way, q))


def _ahead(way: SpatialSystem, s: float, step: float, q: Array, tangent: Array) -> Array:
    """Return the coordinates a step ahead by the formula of Runge and Kutta: what is left free depends on the way."""
    size = way.size_q
    second = _tangent(way, s + 0.5 * step, q + 0.5 * step * size * tangent)
    third = _tangent(way, s + 0.5 * step, q + 0.5 * step * size * second)
    last = _tangent(way, s + step, q + step * size * third)
    return np.asarray(q + step * size * (tangent + 2.0 * second + 2.0 * third + last) / 6.0)


def _led(
    way: SpatialSystem, made: SpatialSystem, q: Array, theta: Array, wanted: list[Target], said: list[int]
) -> tuple[Array, Array]:
    """Return the end of (1); rows of `said` are met as well as can be."""
    s, step = 0.0, 1.0
    while s < 1.0:
        tangent = _tangent(way, s, q)
        step = min(step, 1.0 - s, LONGEST / max(_length(tangent), 1e-300))
        to = 1.0 if s + step > 1.0 - 1e-12 else s + step
        trial = _closed(way, to, _ahead(way, s, to - s, q, tangent), said)
        gap = float(np.max(np.abs(np.delete(_scaled(way, to, trial)[0], said)), initial=0.0))
        if np.isfinite(gap) and gap <= OPEN and _length((trial - q) / way.size_q) <= 2.0 * LONGEST:
            q, s, step = trial, to, 2.0 * step
            theta = made.angles(q, theta)
        else:
            step *= 0.5
            if step < SHORTEST:
                raise ModelError(_unreached(wanted, s))
    return q, theta


def _length(d: Array) -> float:
    """Return how far the vector that moves farthest goes."""
    vectors = d[: len(d) // 3 * 3].reshape(-1, 3)
    return float(np.sqrt(np.max(np.sum(vectors**2, axis=1), initial=0.0)))


def _unreached(wanted: list[Target], s: float) -> str:
    """Return how far the way to the start led."""
    moving = [target for target in wanted if target.value]
    told = [f"{target.name} is {target.value:.6g}" for target in moving]
    reached = " and ".join(f"{s * target.value:.6g}" for target in moving)
    asked = " and ".join(told)
    return f"{asked} at t = 0, but followed from the drawing it gets to {reached} only; ask for less, or draw it nearer"


def _check_agreement(made: SpatialSystem, driver: DriverSpec, q: Array, theta: Array, target: Target) -> None:
    """Raise where a coordinate is not what is asked for, because others determine it."""
    if target.prescribed:
        return
    joint, coordinate = driver.freedom(made.mechanism)
    z = np.zeros((1, made.n_v))
    seen = made.observed(np.zeros(1), q[None], z, z, np.append(theta, 0.0)[None])
    found = float(seen.coordinate(joint, coordinate)[0])
    size = 1.0 if coordinate.startswith("angle") else made.scale.length
    if abs(found - target.value) > AGREED * max(size, abs(target.value)):
        raise ModelError(
            f"{target.name} is {target.value:.9g}, but joints, drivers and other positions contradict this: nearest to "
            f"them all it is {found:.9g}; take one of them out"
        )
