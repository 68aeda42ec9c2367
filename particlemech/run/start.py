"""The start: assembled positions, consistent velocities, accelerations and multipliers; and the same for samples.

    positions     least motion of mass from the drawing that satisfies all rows at t = 0; on the branch that
                  assembly.py has followed where lengths differ from the drawn ones, or where drivers and
                  [initial] set out from another pose than the drawing                            (1)
    velocities    least kinetic energy that satisfies joints, drivers and [initial]               (2)
    accelerations A (a, lam) = b; the least solution where joints are redundant                   (3)

A start at a change point, where (2) would mix branches of motion, is asked for the speeds that tell them apart
(branches.py).
(1) and (2) work on any System in the plane, (3) and projections on all. Rows that are angles are multiplied by L here,
so that every row is a length.
Linear algebra is numpy's alone: scipy costs half a second to import, and brings a second pool of BLAS threads that
fights with numpy's (seen: 0.2 s for 161 rows).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy import linalg

from particlemech.engine.plane import Assembled, PlanarInstant, Pose, rate_row
from particlemech.engine.system import Array, Instant
from particlemech.errors import ModelError
from particlemech.model.mechanism import Mechanism
from particlemech.run import branches

FAR = 0.5  # of the mechanism's length: how far assembly from a drawing in space may move a body
CLOSED = 1e-11  # of the mechanism's length: a drawing this good is polished, its lengths are not followed
CLEAR = 1e-6  # of the largest singular value of wrenches of length 1: above it none depends on others
SINGULAR = 1e-10  # reciprocal condition below which equations are solved in the least-norm sense
STILL = 1e-12  # of the mechanism's length in the time of the run: speeds below are rounding
ROUNDING = 1e-16  # of the mechanism's length: a gap this small is nothing but rounding
SOFT = 1e-8  # softening of projections: directions with a singular value below its root are left alone


# shares of the largest singular value, and of a row, below which rows follow from others or ask for nothing, with what
# they may then ask for in vain, of the largest: those of linkages drawn exactly, and nearly enough to count as exact
AGREED = ((1e-9, 1e-8), (1e-7, 1e-7))

Follow = Callable[[Mechanism], Assembled | None]


@dataclass(frozen=True)
class Start:
    """A consistent state, at t = 0 or where a run goes on."""

    q: Array
    v: Array
    a: Array
    lam: Array
    x: Array
    moved: dict[str, float]  # how far assembly moved each body, m; only what moved more than a rounding error
    t: float = 0.0  # s
    home: Pose | None = None  # of the plane: the drawing as assembled, None where that moved nothing
    forks: str = ""  # the part whose rows depend on others where branches of motion meet in it
    resumed: bool = False  # it goes on from elsewhere


def weights(system: Instant) -> Array:
    """Return the factors that turn rows into lengths, (n_row,)."""
    return np.array([system.scale.length if row.angle else 1.0 for row in system.layout.rows])


def speed_scales(system: Instant) -> Array:
    """Return what each speed counts beside a length, (n_v,): 1 for that of a place, 1/L for that of a direction.

    The least step in these is the same in all units; in the user's own, a small mechanism would be shifted where it
    has only to be turned, and a large one would be singular to rounding.
    """
    return system.size_v / system.scale.length


def rank(sizes: Array, share: float) -> int:
    """Return how many singular values count: more than a share of the largest, or of what rows of any effect have.

    Those of rows in lengths by speeds that count as lengths are about 1, unless they ask for nothing but rounding.
    """
    return int(np.sum(sizes > share * max(1.0, sizes.max(initial=0.0))))


def moved(system: Instant, q: Array, step: Array) -> Array:
    """Return coordinates (n_q,) a step (n_v,) along the speeds away: their sum, unless the system knows better."""
    own = getattr(system, "moved", None)
    found: Array = q + step if own is None else own(q, step)
    return found


class Stood(NamedTuple):
    """Where a mechanism in the plane stands at t = 0."""

    system: Any  # the system of the start; its rows count the turns that led there
    q: Array
    x: Array
    moved: dict[str, float]  # how far assembly moved each body, m
    home: Pose | None  # the drawing as assembled, None where that moved nothing


def stood(system: PlanarInstant, mechanism: Mechanism, follow: Follow | None = None) -> Stood:
    """Return (1), or say what stands against it.

    Parameters
    ----------
    system, mechanism
        What starts.
    follow
        Gives drawing and start of a mechanism that is not drawn as it stands; None if it has no way to it from the
        drawing.
    """
    found = None
    if follow is not None and (mechanism.stretched or mechanism.displaced or not _is_closed(system)):
        found = follow(mechanism)
    x = system.start_x.copy()
    if found is not None:
        x = system.turns(found.start)
        system = system.turning(x)
    q = closed(system, system.drawing if found is None else system.posed(found.start))
    moved = _moved(system, mechanism, q if found is None or not mechanism.displaced else system.posed(found.drawing))
    home = None
    if moved:
        home = found.drawing if found is not None and mechanism.displaced else _pose(system, q, x)
    return Stood(system, q, x, moved, home)


def start(system: PlanarInstant, mechanism: Mechanism, follow: Follow | None = None) -> Start:
    """Return a consistent start, or say what stands against it; arguments as of `stood`."""
    system, q, x, moved, home = stood(system, mechanism, follow)
    v = _velocities(system, mechanism, q)
    _check_inertia(system, mechanism, q)
    phi_t = system.levels(0.0, q, np.zeros(system.n_v)).phi_t if mechanism.drivers else None
    point = branches.change_point(system, q, system.rows_q(0.0, q), phi_t)
    moving = bool(
        np.max(np.abs(v / speed_scales(system)), initial=0.0) > STILL * system.scale.length / mechanism.run.duration
    )
    if point is not None and moving:
        v = branches.followed(point, *branches.said_in_plane(point, system, mechanism), "omega", v)
    try:
        a, lam = accelerations(system, 0.0, q, v, x)
    except ModelError:  # joints jam, or so it seems where loads are not determined
        check_loads(system, mechanism, Start(q, v, np.zeros(system.n_v), np.zeros(system.n_lam), x, moved, home=home))
        raise
    if point is not None and not moving:
        branches.check_rest(point, mechanism.run.duration, a, lam)
    return Start(q, v, a, lam, x, moved, home=home)


def check_loads(system: PlanarInstant, mechanism: Mechanism, begin: Start) -> None:
    """Raise where the load of a joint with friction is not determined."""
    dry = [name for name, joint in mechanism.joints.items() if joint.friction is not None and joint.friction.dry]
    if not dry:
        return
    q, v, a, x = (of[None] for of in (begin.q, begin.v, begin.a, begin.x))
    wrench = system.units_of(np.array([begin.t]), q)[0][0]
    size = linalg.norm(wrench, axis=0)
    s = linalg.svd(wrench / np.where(size > 0.0, size, 1.0), compute_uv=False)
    if wrench.shape[0] >= wrench.shape[1] and np.all(s > CLEAR * np.max(s, initial=0.0)):
        return  # no joints hold each other: all reactions are determined
    found, at = system.reactions_of(np.array([begin.t]), q, v, a, x), system.layout.reactions
    for k, (joint, body) in enumerate(at):
        if joint in dry and not found.known[0, k].all():
            raise ModelError(
                f'joint "{joint}": its load on "{body}" is not determined, so its friction is not: joints are '
                "redundant, or the start is a singular pose; take its friction out, or let another joint leave more "
                "free, as a slot does in place of a pin"
            )


# -- positions ---------------------------------------------------------------------------------------------------


def assembled(system: Instant, t: float, q: Array, rounds: int = 12) -> Array:
    """Return the nearest coordinates that satisfy all rows, by Newton's method with least-norm steps.

    Near a singular pose the ill-determined directions are left alone: there a small gap would ask for a large move.
    """
    scale, way, still = weights(system), speed_scales(system), np.zeros(system.n_v)
    best = np.inf
    for _ in range(rounds):
        at = system.levels(t, q, still)
        phi = scale * at.phi
        size = float(np.max(np.abs(phi), initial=0.0))
        if size >= 0.5 * best or size <= ROUNDING * system.scale.length:
            break
        best = size
        C = scale[:, None] * at.phi_q * way
        q = moved(system, q, -way * (C.T @ (_softened(C) @ phi)))
    return q


def projected(system: Instant, t: float, q: Array, v: Array) -> Array:
    """Return the nearest velocities that satisfy phi_q v + phi_t = 0."""
    scale, way = weights(system), speed_scales(system)
    at = system.levels(t, q, v)
    C, phi_t = scale[:, None] * at.phi_q * way, scale * at.phi_t
    inverse = _softened(C)
    for _ in range(3):
        v = v - way * (C.T @ (inverse @ (C @ (v / way) + phi_t)))
    return v


def least_step(system: Instant, t: float, q: Array, gap: Array) -> Array:
    """Return the least d with phi_q d = gap, (n_v,)."""
    scale, way = weights(system), speed_scales(system)
    C = scale[:, None] * system.levels(t, q, np.zeros(system.n_v)).phi_q * way
    return np.asarray(way * (C.T @ (_softened(C) @ (scale * gap))))


def _softened(C: Array) -> Array:
    """Return the inverse of C C^T, softened where C is nearly singular: C^T (inverse gap) is the least step."""
    # a long row would soften all others: the least step does not depend on the length of rows, so take it out; short
    # rows stay short, for they may be nothing but rounding
    size = np.maximum(linalg.norm(C, axis=1), 1.0)
    unit = C / size[:, None]
    inverse = linalg.inv(unit @ unit.T + SOFT * np.eye(len(unit)))
    return np.asarray(inverse / np.outer(size, size), dtype=float)


def _is_closed(system: PlanarInstant) -> bool:
    """Return whether the drawing satisfies all rows."""
    gap = np.max(np.abs(weights(system) * system.rows(0.0, system.drawing)), initial=0.0)
    return bool(gap <= CLOSED * system.scale.length)


def closed(system: PlanarInstant, q: Array) -> Array:
    """Return the nearest coordinates that satisfy all rows, or say which rows stay open."""
    L, q = system.scale.length, assembled(system, 0.0, q)
    gaps = np.abs(weights(system) * system.rows(0.0, q))
    if not np.all(np.isfinite(q)) or np.max(gaps, initial=0.0) > 1e-9 * L:
        worst = np.argsort(-gaps)
        parts = list(dict.fromkeys(system.layout.rows[k].part for k in worst if gaps[k] > 0.3 * gaps[worst[0]]))
        raise ModelError(
            f"the mechanism cannot be assembled from this drawing: {' and '.join(parts[:3])} stay open by "
            f"{gaps[worst[0]]:.3g} {system.mechanism.unit.length}; correct the lengths or the points there"
        )
    return q


def _pose(system: PlanarInstant, q: Array, x: Array) -> Pose:
    """Return where the bodies are."""
    zero = np.zeros_like(q)[None]
    at = system.motion(q[None], zero, zero, x[None])
    return Pose(at.com[0], at.angle[0])


def _moved(system: PlanarInstant, mechanism: Mechanism, q: Array) -> dict[str, float]:
    """Return how far the points and the centre of each body moved from the drawing, m."""
    zero = np.zeros_like(q)[None]
    after = system.motion(q[None], zero, zero, system.start_x[None])
    lay, moved = system.layout, {}
    for b, (body, spec) in enumerate(mechanism.bodies.items()):
        far = math.dist(after.com[0, b], mechanism.centre(body))
        for point in spec.points:
            far = max(far, math.dist(after.point[0, lay.points.index(point)], mechanism.points[point]))
        if far > 1e-9 * system.scale.length:
            moved[body] = far
    return moved


# -- velocities --------------------------------------------------------------------------------------------------


Asked = tuple[str, Array, Array]  # what asks for velocities, in words; its rows (m, n_v), and what they must give (m,)


def _velocities(system: PlanarInstant, mechanism: Mechanism, q: Array) -> Array:
    """Return (2), or name what contradicts what."""
    lay, L = system.layout, system.scale.length
    omega_q, point_q = system.omega_q(q), system.point_q(q)
    asked: list[Asked] = []
    for body, omega in mechanism.initial.omega.items():
        rows = L * omega_q[lay.bodies.index(body)][None]
        asked.append((f'initial omega of "{body}"', rows, np.array([L * omega])))
    for point, velocity in mechanism.initial.velocity.items():
        rows = point_q[lay.points.index(point)]
        asked.append((f'initial velocity of "{point}"', rows, np.array(velocity)))
    for joint, of, rate in mechanism.initially("rate"):
        unit = L if of.turn else 1.0
        asked.append((f'initial rate of "{joint}"', unit * rate_row(system, q, of)[None], np.array([unit * rate])))
    return least_velocities(system, q, system.mass, asked)


def least_velocities(
    system: Instant, q: Array, mass: Callable[[Array], Array], asked: list[Asked], driven: Array | None = None
) -> Array:
    """Return (2): the velocities of least kinetic energy that satisfy the rows at t = 0 and what is asked besides.

    `driven` (n_v,) is the momentum along the speeds of what moves while all of them are zero, by drivers.
    """
    at, scale, way = system.levels(0.0, q, np.zeros(system.n_v)), weights(system), speed_scales(system)
    names = [row.part for row in system.layout.rows]
    for name, rows, _ in asked:
        names += [name] * len(rows)
    matrix = np.vstack([scale[:, None] * at.phi_q, *(rows for _, rows, _ in asked)]) * way
    target = np.concatenate([-scale * at.phi_t, *(wanted for *_, wanted in asked)])
    # rest is what asks for nothing; large mechanisms are spared the decomposition
    if not np.any(target) and (driven is None or not np.any(driven)):
        return np.zeros(system.n_v)
    size = float(np.max(np.abs(target), initial=0.0))
    for share, left in AGREED:
        norms = linalg.norm(matrix, axis=1)
        norms[norms < share] = 1.0  # a row that asks for nothing is a rounding error, not to be scaled up
        U, s, Vt = linalg.svd(matrix / norms[:, None])
        held = rank(s, share)
        u = Vt[:held].T @ ((U[:, :held].T @ (target / norms)) / s[:held])
        if np.max(np.abs(matrix @ u - target), initial=0.0) <= left * size + 1e-12 * system.scale.length:
            break
    else:
        raise ModelError(
            f"the start contradicts itself: {_contradiction(system, target / norms, U[:, held:], names)}, up to "
            f"{size:.3g} {system.mechanism.unit.length}/s; drop one of them or change its value"
        )
    free = Vt[held:].T
    if free.shape[1]:
        M = way[:, None] * mass(q) * way
        reduced = free.T @ M @ free
        along = M @ u if driven is None else M @ u + way * driven
        u = u - free @ linalg.lstsq(reduced, free.T @ along, rcond=1e-12)[0]
    return np.asarray(way * u)


def _contradiction(system: Instant, target: Array, stresses: Array, names: list[str]) -> str:
    """Return which parts want velocities that contradict each other, in words."""
    # the contradiction is the part of the target along the left null space: its support says who takes part
    conflict = stresses @ (stresses.T @ target)
    strong = np.abs(conflict) > 0.05 * np.max(np.abs(conflict))
    parts = list(dict.fromkeys(n for n, used in zip(names, strong, strict=True) if used))
    said = [p for p in parts if not p.startswith(("joint", "body"))]
    if not said:  # joints ask for no speeds; who does may have long levers and little part
        asking = [n for n in dict.fromkeys(names) if not n.startswith(("joint", "body"))]
        share = {n: max(abs(c) for c, m in zip(conflict, names, strict=True) if m == n) for n in asking}
        # where no row asks, what drivers prescribe does
        moving = [f'driver "{name}"' for name in system.mechanism.drivers]
        said = [max(asking, key=lambda n: share[n])] if asking else [" or ".join(moving)] if moving else []
    through = [p for p in parts if p.startswith("joint")]
    if len(said) > 1:
        text = f"{' and '.join(said)} contradict each other"
        via = f" (they are tied together by {', '.join(through[:4])})" if through else ""
    else:
        text = f"{(said or parts)[0]} asks for a speed that cannot be"
        via = f" (it is held by {', '.join(through[:4])}; is this a dead centre?)" if through else " in this pose"
    return text + via


# -- accelerations -----------------------------------------------------------------------------------------------


def accelerations(system: Instant, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
    """Return (3): accelerations (n_v,) and multipliers (n_lam,)."""
    A, b = system.dynamics(t, q, v, x)
    way = speed_scales(system)
    A = np.hstack([A[:, : system.n_v] * way, A[:, system.n_v :]])
    rows = np.max(np.abs(A), axis=1, initial=0.0)
    # a row that asks for nothing and a reaction that moves nothing are left as rounding errors, whose size must not
    # be scaled up to 1: no row counts for less than a unit row, no reaction for less than it does to all the mass
    unit = 1.0 / weights(system)
    rows[len(b) - system.n_row :] = np.maximum(rows[len(b) - system.n_row :], unit)
    rows[rows == 0.0] = 1.0
    A, b = A / rows[:, None], b / rows
    columns = np.max(np.abs(A), axis=0, initial=0.0)
    for row, least in zip(system.layout.rows, unit / system.scale.mass, strict=True):
        if row.lam >= 0:
            columns[system.n_v + row.lam] = max(columns[system.n_v + row.lam], least)
    columns[columns == 0.0] = 1.0
    A = A / columns
    solution = solved(A, b) / columns
    return way * solution[: system.n_v], solution[system.n_v :]


def solved(A: Array, b: Array) -> Array:
    """Return the solution of A x = b, of least norm where A is singular."""
    if not len(b):
        return b
    try:
        inverse = linalg.inv(A)
    except linalg.LinAlgError:
        pass
    else:
        if linalg.norm(A, 1) * linalg.norm(inverse, 1) * SINGULAR < 1.0:
            x = inverse @ b
            return np.asarray(x + inverse @ (b - A @ x))
    return np.asarray(linalg.lstsq(A, b, rcond=SINGULAR)[0])


def _check_inertia(system: PlanarInstant, mechanism: Mechanism, q: Array) -> None:
    """Raise where something could move without any inertia against it."""
    light = [name for name in mechanism.bodies if mechanism.inertia(name) == 0.0]
    if not light:
        return
    scale, way = weights(system), speed_scales(system)
    _, s, Vt = linalg.svd(scale[:, None] * system.rows_q(0.0, q) * way)
    free = way[:, None] * Vt[rank(s, 1e-9) :].T
    values, vectors = linalg.eigh(free.T @ system.mass(q) @ free)
    if len(values) and values[0] < 1e-13 * system.scale.mass:
        omega = np.abs(system.omega_q(q) @ (free @ vectors[:, 0]))
        name = max(light, key=lambda b: float(omega[system.layout.bodies.index(b)]))
        raise ModelError(f'body "{name}": can turn although its inertia is 0; give it an inertia above zero')
