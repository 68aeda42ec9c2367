"""From the drawing to the start: driven coordinates and those of [initial] position go to their values, loops closed.

    phi(q, s) = 0,      s from 0, the drawing, to 1, the start                                              (1)

(1) are the rows of all loops, of the drivers with s times their motions at t = 0, and of the coordinates that
[initial] position names, likewise. Joints that are in no loop stay as drawn but for these: they are held too. Elsewhere
the rest moves as little as can be, in joint coordinates: of all steps d with J d = -phi the one with the least

    sum over joints of |omega_2 - omega_1|^2 + |v_2 - v_1|^2/L^2,    v both where the second has its place  (2)

and of these the one that moves floating bodies least. Steps are short, so that no branch is left.
Not used: the least movement of bodies, which would turn a hand back while its arm is led.

Where [initial] position says more than the joints leave free, as two angles of a four-bar, no pose on the way has them
all. Then their rows are met as well as can be, in least squares, while joints and drivers are held:

    d = d_h + N y,     y least with  J_w (d_h + N y) = -phi_w,     J_h d_h = -phi_h,   J_h N = 0            (3)

and in the end they must be right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech import rotations
from particlemech.engine.graph import in_no_loop
from particlemech.engine.recursive.compiled import AFLOAT, tabulate
from particlemech.engine.recursive.ties import deflections
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.signals import Constant, Linear, values
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import Initial
from particlemech.run.start import SINGULAR, rank, weights

if TYPE_CHECKING:
    from particlemech.engine.recursive.compiled import Compiled
    from particlemech.engine.recursive.equations import TreeSystem
    from particlemech.engine.recursive.observed import Observed

LEADING: Any = Mechanism.sections["drivers"].plain  # the driver of a coordinate
LONGEST = 0.1  # of a step: L for a travel, rad for an angle
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


def targets(mechanism: Mechanism) -> tuple[dict[str, Any], list[Target]]:
    """Return drivers that lead from the drawing to the start within a time of 1, and what they lead to."""
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
    return leading, found


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
        if name in mechanism.couplings:
            coupled |= {end for end, _ in joint.ends(mechanism)}  # type: ignore[attr-defined]
        elif joint.dof < 6:
            edges[name] = joint.bodies
    for name, driver in mechanism.drivers.items():
        if name not in mechanism.driven.values():
            edges[f"driver {name}"] = driver.between(mechanism)
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


def followed(made: TreeSystem, q: Array) -> Array:
    """Return the coordinates (n_q,) of the start, from those of the closed drawing; turns are counted."""
    leading, wanted = targets(made.mechanism)
    bent = any(value for value, _ in deflections.said(made.mechanism, made.compiled).values())
    if not any(target.value for target in wanted) and not bent:
        return q
    leads = made.mechanism.replaced(drivers=leading, initial=Initial())
    way = type(made)(tabulate(leads, made.compiled.topology, prescribes=False, leads=True))
    at = converted(made, q, way)
    parts = [row.part for row in way.layout.rows]
    said = [parts.index(f'driver "{target.driver}"') for target in wanted if not target.prescribed]
    over = _dependent(way, at, said)
    at = _led(way, at, wanted, said if over else [])
    if over:
        for target, row in zip([target for target in wanted if not target.prescribed], said, strict=True):
            _check_agreement(way, at, row, target)
    return converted(way, at, made)


def converted(source: TreeSystem, q: Array, target: TreeSystem, given: Mapping[int, float] | None = None) -> Array:
    """Return the coordinates of another system of the same frames: some have angles where others have quaternions.

    `given` are those of stages that drivers of the source prescribe; 0 where they are not given.
    """
    found, one, other = np.zeros(target.n_q), source.compiled, target.compiled
    for e in range(len(one.coordinates)):
        if one.coordinates[e].deflects:
            found[other.tables.stage[e]["q"]] = q[one.tables.stage[e]["q"]]
    for joint, stages in one.stages_of.items():
        here, there = one.quaternions.get(joint), other.quaternions.get(joint)
        numbers = np.array(
            [q[k] if (k := one.tables.stage[e]["q"]) >= 0 else (given or {}).get(e, 0.0) for e in stages]
        )
        if here is not None and there is not None:
            found[there : there + 4] = q[here : here + 4]
        elif here is not None:
            numbers[-3:] = rotations.angles(rotations.of_quaternion(q[here : here + 4])[None])[0]
        elif there is not None:
            found[there : there + 4] = rotations.quaternion(rotations.matrix(numbers[-3:])[None])[0]
        for e, value in zip(stages, numbers, strict=True):
            k = other.tables.stage[e]["q"]
            if k >= 0:
                found[k] = value
    return found


def transferred(source: TreeSystem, t: float, y: Array, target: TreeSystem) -> Array:
    """Return a state (n,) as that of another system of the same mechanism, by the names of coordinates.

    Some may be driven in one and free in the other, have angles where the other has quaternions, or be of joints that
    close a loop in one and carry a body in the other; what no joint holds any more floats where it is.
    """
    one, other, found = source.compiled, target.compiled, np.zeros(target.n)
    seen = source.observed(np.array([t]), y[None], np.zeros((1, len(one.coordinates))), told=False)
    q = source.bare(y)[: source.n_q]
    values = np.array([_carried(seen, of, other) for of in other.coordinates]).reshape(-1, 2)
    for joint, at in one.quaternions.items():
        if joint in other.stages_of and joint not in other.quaternions:
            angles, last = rotations.angles(rotations.of_quaternion(q[at : at + 4])[None]), other.stages_of[joint][-3:]
            rates = rotations.rates(angles, values[last.start : last.stop, 1][None])
            values[last.start : last.stop] = np.column_stack([angles[0], rates[0]])
    for joint, at in other.quaternions.items():
        if joint in one.quaternions and one.topology.turned(joint) == other.topology.turned(joint):
            found[at : at + 4] = q[one.quaternions[joint] : one.quaternions[joint] + 4]
            continue
        last = other.stages_of[joint][-3:]
        found[at : at + 4], values[last.start : last.stop, 1] = _turned(seen, other, joint)
    for stage, (value, rate) in zip(other.tables.stage, values, strict=True):
        if stage["q"] >= 0:
            found[stage["q"]] = value
        if stage["u"] >= 0:
            found[target.n_q + stage["u"]] = rate
    found[target.layout.x] = target.elements.carried(source.elements, y[-len(y[source.layout.x]) :])
    return found


def alike(one: Compiled, other: Compiled) -> bool:
    """Whether two systems have the same coordinates in the same order."""
    same = one.coordinates == other.coordinates and one.quaternions == other.quaternions
    return same and all(one.topology.turned(joint) == other.topology.turned(joint) for joint in one.quaternions)


def _afloat(other: Compiled, joint: str) -> str | None:
    """Return the body that floats by coordinates of this name, which are of no joint."""
    body = joint.removesuffix(AFLOAT)
    return body if body != joint and body in other.mechanism.bodies else None


def _turned(seen: Observed, other: Compiled, joint: str) -> tuple[Array, Array]:
    """Return the quaternion of a joint and its angular velocity in parent axes, in a motion of another system."""
    body = _afloat(other, joint)
    if body is not None:
        R, w = np.stack([np.eye(3), seen.orientation(body)[0]]), np.stack([np.zeros(3), seen.omega(body)[0]])
    else:
        sides = (1, 0) if other.topology.turned(joint) else (0, 1)
        R, w = (np.stack([seen._side(joint, side, level)[0] for side in sides]) for level in (0, 1))
    return rotations.quaternion((R[0].T @ R[1])[None])[0], R[0].T @ (w[1] - w[0])


def _carried(seen: Observed, of: Any, other: Compiled) -> Array:
    """Return a coordinate and its rate in a motion of another system of the mechanism, (2,); 0 of a new quaternion."""
    one, body = seen._compiled, _afloat(other, of.joint)
    if of.joint in other.quaternions and of.spins and of.joint not in one.quaternions:
        return np.zeros(2)
    if body is not None and of.joint not in one.stages_of:
        drawn = other.origins[other.topology.number(body)]
        axis = ("x", "y", "z").index(of.name)
        both = (seen._placed(body, drawn, level)[0] for level in (0, 1))
        return np.array([value[axis] for value in both]) - [drawn[axis], 0.0]
    place = {(c.joint, c.name): e for e, c in enumerate(one.coordinates)}.get((of.joint, of.name))
    if place is not None:
        return np.asarray(seen._sampled.x[0, place, :2])
    joint = seen.mechanism.joints.get(of.joint)
    known = joint is not None and of.name in joint.coordinate_names and not of.deflects
    found = np.array([seen._one(of.joint, of.name, level)[0] for level in (0, 1)] if known else [np.nan])
    if not np.isfinite(found).all():
        raise ModelError(f'"{of.label}" is no coordinate of the run it comes from; begin at the start instead')
    return found


# -- the way -----------------------------------------------------------------------------------------------------------


def _scaled(way: TreeSystem, s: float, q: Array) -> tuple[Array, Array, Array]:
    """Return rows, their rates by s, and their derivatives by coordinates in units of these, in lengths L."""
    at, scale, L = way.levels(s, q, np.zeros(way.n_v)), weights(way), way.scale.length
    return scale * at.phi / L, scale * at.phi_t / L, scale[:, None] * at.phi_q * way.size_v / L


def _dependent(way: TreeSystem, q: Array, said: list[int]) -> bool:
    """Return whether joints and drivers, and others of them, determine one of the rows of initial positions."""
    rows = _scaled(way, 0.0, q)[2]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-300)[:, None]
    held = np.delete(rows, said, axis=0)
    N = _free(held)
    return int(np.linalg.matrix_rank(rows[said] @ N, tol=DEPENDENT)) < len(said) if said else False


def _free(rows: Array) -> Array:
    """Return an orthonormal basis, in columns, of what rows leave free."""
    _, s, Vt = np.linalg.svd(rows)
    return Vt[rank(s, DEPENDENT) :].T


def _least(C: Array, wanted: Array, B: Array) -> Array:
    """Return d with C d = wanted and the least |B d|; of these the least."""
    U, sizes, Vt = np.linalg.svd(C)
    n = rank(sizes, SINGULAR)
    d, N = Vt[:n].T @ ((U[:, :n].T @ wanted) / sizes[:n]), Vt[n:].T
    if N.shape[1]:
        d = d - N @ np.linalg.lstsq(B @ N, B @ d, rcond=DEPENDENT)[0]
    return np.asarray(d)


def _relative(way: TreeSystem, q: Array) -> Array:
    """Return B, (n, n_v): what (2) adds the squares of, by speeds in units of these."""
    c, L = way.compiled, way.scale.length
    # a free joint ties nothing: whether it carries a body or another joint does must not matter
    tying = {name for name, joint in way.mechanism.joints.items() if joint.dof < 6}
    counts = [c.coordinates[e].joint in tying and not c.coordinates[e].deflects for e in c.free]
    own = np.eye(way.n_v)[counts]
    blocks = [own]
    direct = [cut for cut in c.topology.cuts if not cut.copied and way.mechanism.joints[cut.joint].coordinate_names]
    if direct:
        states = np.zeros((way.n_v, way.n_q + way.n_v + 1))
        states[:, : way.n_q], states[:, way.n_q : -1] = q, np.diag(way.size_v)
        still = np.zeros((way.n_v, len(c.coordinates)))
        seen = way.explicit.observed(np.zeros(way.n_v), states, still, told=False)
        for cut in direct:
            drawn = np.array(way.mechanism.joints[cut.joint].place(way.mechanism))
            w = [seen._sampled.omega[:, i] for i in (cut.first, cut.second)]
            v = [seen._velocity(i, drawn) for i in (cut.first, cut.second)]
            blocks += [(w[1] - w[0]).T, (v[1] - v[0]).T / L]
    return np.concatenate(blocks)


def _closed(way: TreeSystem, s: float, q: Array, said: list[int]) -> Array:
    """Return coordinates nearby that satisfy all rows, by (2); or (3) those of initial positions as well as can be."""
    B = _relative(way, q)
    for _ in range(ROUNDS):
        gap, _, C = _scaled(way, s, q)
        held = np.delete(C, said, axis=0)
        d = _least(held, -np.delete(gap, said), B)
        if said:
            N = _free(held)
            d = d + N @ np.linalg.lstsq(C[said] @ N, -(gap[said] + C[said] @ d), rcond=SINGULAR)[0]  # (3)
        q = way.moved(q, way.size_v * d)
        if not float(np.max(np.abs(d), initial=0.0)) > SETTLED:
            break
    return q


def _tangent(way: TreeSystem, s: float, q: Array) -> Array:
    """Return dq/ds in units of the speeds, by (2)."""
    _, rate, C = _scaled(way, s, q)
    return _least(C, -rate, _relative(way, q))


def _ahead(way: TreeSystem, s: float, step: float, q: Array, tangent: Array) -> tuple[Array, Array]:
    """Return the coordinates a step ahead by the formula of Runge and Kutta, and the step in units of the speeds."""
    size = way.size_v
    second = _tangent(way, s + 0.5 * step, way.moved(q, 0.5 * step * size * tangent))
    third = _tangent(way, s + 0.5 * step, way.moved(q, 0.5 * step * size * second))
    last = _tangent(way, s + step, way.moved(q, step * size * third))
    d = step * (tangent + 2.0 * second + 2.0 * third + last) / 6.0
    return way.moved(q, size * d), d


def _led(way: TreeSystem, q: Array, wanted: list[Target], said: list[int]) -> Array:
    """Return the end of (1); rows of `said` are met as well as can be."""
    s, step = 0.0, 1.0
    while s < 1.0:
        tangent = _tangent(way, s, q)
        step = min(step, 1.0 - s, LONGEST / max(float(np.max(np.abs(tangent), initial=0.0)), 1e-300))
        to = 1.0 if s + step > 1.0 - 1e-12 else s + step
        ahead, gone = _ahead(way, s, to - s, q, tangent)
        trial = _closed(way, to, ahead, said)
        gap = float(np.max(np.abs(np.delete(_scaled(way, to, trial)[0], said)), initial=0.0))
        near = float(np.max(np.abs(gone), initial=0.0)) <= 2.0 * LONGEST
        near = near and bool(np.max(np.abs(trial - ahead) / way.size_q, initial=0.0) <= LONGEST)
        if np.isfinite(gap) and gap <= OPEN and near:
            q, s, step = trial, to, 2.0 * step
        else:
            step *= 0.5
            if step < SHORTEST:
                raise ModelError(_unreached(wanted, s))
    return q


def _unreached(wanted: list[Target], s: float) -> str:
    """Return how far the way to the start led."""
    moving = [target for target in wanted if target.value]
    told = [f"{target.name} is {target.value:.6g}" for target in moving]
    reached = " and ".join(f"{s * target.value:.6g}" for target in moving)
    asked = " and ".join(told)
    return f"{asked} at t = 0, but followed from the drawing it gets to {reached} only; ask for less, or draw it nearer"


def _check_agreement(way: TreeSystem, q: Array, row: int, target: Target) -> None:
    """Raise where a coordinate is not what is asked for, because others determine it."""
    found = target.value + float(way.levels(1.0, q, np.zeros(way.n_v)).phi[row])
    size = 1.0 if way.layout.rows[row].angle else way.scale.length
    if abs(found - target.value) > AGREED * max(size, abs(target.value)):
        raise ModelError(
            f"{target.name} is {target.value:.9g}, but joints, drivers and other positions contradict this: nearest to "
            f"them all it is {found:.9g}; take one of them out"
        )
