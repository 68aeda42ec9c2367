"""What impulses do to a system with rows: speeds jump, places do not.

    M (v+ - v-) = J + G^T L        J: the impulses along the speeds; L: impulses of the rows, G = phi_q           (1)
    G v+ = -phi_t                  joints hold, and drivers keep their motion                                    (2)
    W = J.(v- + v+)/2 - L.phi_t    work, the change of the kinetic energy where v- satisfies (2) too             (3)

The rows are solved first, by their own geometry, then (1) along the speeds that they leave free: together, masses of
1e-4 and 1e4 kg would make well placed rows look singular. Redundant rows leave L open but not v+. Any system with a
mass matrix and rows can ask; the rest of the module is for the plane, where a place C of a body moves by

    C' = r' + omega K (C - r),     J = (dr'/dv)^T P + (domega/dv)^T (H + (C - r) x P)                            (4)

P an impulse at C and H an impulsive couple, r the centre of mass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.plane import PlanarInstant, Reactions
from particlemech.engine.statics import decomposed, stacked
from particlemech.engine.system import Array, Instant
from particlemech.errors import ModelError
from particlemech.model.impulses import Impulse, due
from particlemech.run.start import Start, accelerations, rank, solved, speed_scales, weights

RANK = 1e-9  # of the largest singular value: rows below follow from others
LEFT = 1e-9  # part of the impulses that nothing answers, from which they are refused
REFINED = 1  # times: A has a condition of 1e8 where bodies have short stiff parts, and loses as many digits by itself
INERT = 1e-12  # least eigenvalue of a mass matrix with a diagonal of ones, below which a motion meets no inertia
SLOWEST = 1e-10  # of L/T: what is slower is at rest
APART = 1e-6  # of the largest gamma: what rows may miss after a jump


class Jump(NamedTuple):
    """The jump of one state."""

    speeds: Array  # (n_v,) v+ - v-
    rows: Array  # (n_row,) L of (1), of least norm where rows are redundant; N s or N m s
    work: float  # (3), J


def _rows(system: Instant, t: float, q: Array) -> tuple[Array, Array]:
    """Return G in units of length, each row of length 1, (n_row, n_v), and the factors that make it so, (n_row,)."""
    scale = weights(system)
    G = scale[:, None] * system.levels(t, q, np.zeros(system.n_v)).phi_q * speed_scales(system)
    norms = np.linalg.norm(G, axis=1)
    norms[norms < RANK] = 1.0  # a row that asks for nothing is a rounding error, not to be scaled up
    return G / norms[:, None], scale / norms


def jump(system: Instant, t: float, q: Array, v: Array, push: Array, mass: Array) -> Jump:
    """Return what impulses `push` (n_v,) along the speeds do to speeds v (n_v,), by (1) and (2).

    Parameters
    ----------
    system, t, q, v
        A state just before.
    push
        J of (1), (n_v,).
    mass
        M of (1), (n_v, n_v).
    """
    at, way, (G, factor) = system.levels(t, q, v), speed_scales(system), _rows(system, t, q)
    U, s, Vt = np.linalg.svd(G)
    n = rank(s, RANK)
    U, s, held, free = U[:, :n], s[:n], Vt[:n], Vt[n:]
    M, J = way[:, None] * mass * way / system.scale.mass, way * push / system.scale.mass
    u = -held.T @ ((U.T @ (factor * (at.phi_q @ v + at.phi_t))) / s)  # (2)
    A = free @ M @ free.T
    size = np.sqrt(np.where(np.diag(A) > 0.0, np.diag(A), 1.0))  # heavy and light parts count alike
    A = A / np.outer(size, size)
    for _ in range(1 + REFINED):  # (1) along what is free
        u = u + free.T @ (solved(A, (free @ (J - M @ u)) / size) / size)
    left = M @ u - J
    largest = np.max(np.abs(np.concatenate([J, M @ u])), initial=0.0)
    if np.max(np.abs(free @ left), initial=0.0) > LEFT * largest:
        raise ModelError(
            f"at t = {t:g} s an impulse pushes along a motion that nothing resists; "
            "give the bodies there an inertia, or strike elsewhere"
        )
    speeds, rows = way * u, system.scale.mass * factor * (U @ ((held @ left) / s))  # (1) along what is held
    return Jump(speeds, rows, float(push @ (v + 0.5 * speeds) - rows @ at.phi_t))  # (3)


def resisted(system: Any, q: Array) -> bool:
    """Whether all motions that the rows leave meet inertia, light ones beside heavy ones."""
    way, (G, _) = speed_scales(system), _rows(system, 0.0, q)
    _, s, Vt = np.linalg.svd(G)
    free = Vt[rank(s, RANK) :]
    A = free @ (way[:, None] * system.mass(q) * way) @ free.T
    size = np.sqrt(np.maximum(np.diag(A), 1e-300))
    return not len(A) or bool(np.linalg.eigvalsh(A / np.outer(size, size))[0] > INERT)


# -- the plane -----------------------------------------------------------------------------------------------------


class Wrench(NamedTuple):
    """The impulses on one body together."""

    body: int  # in the order of the model
    force: Array  # (2,) N s
    moment: float  # about the centre of mass, N m s


def wrenches(system: PlanarInstant, t: float, y: Array, impulses: Mapping[str, Impulse]) -> list[Wrench]:
    """Return impulses as wrenches about the centres of mass, global axes."""
    found, lay = [], system.layout
    seen = system.sight(t, y[lay.q], y[lay.v], y[lay.x])
    for one in impulses.values():
        force = np.array(one.impulse)
        if one.frame == "body":
            force = seen.turned(one.body, force)[0]
        centre = system.mechanism.centre(one.body)
        x, y_ = (
            seen.place_on(one.body, system.mechanism.place(one.point, one.body)) - seen.place_on(one.body, centre)
        )[0]
        found.append(Wrench(lay.bodies.index(one.body), force, one.moment + x * force[1] - y_ * force[0]))
    return found


def along_speeds(system: PlanarInstant, q: Array, x: Array, applied: list[Wrench]) -> Array:
    """Return J of (4), (n_v,): the velocities of a body at unit speeds are their derivatives."""
    n = system.n_v
    poses, units, extra = np.tile(q, (n, 1)), np.eye(n), np.tile(x, (n, 1))
    push = np.zeros(n)
    for one in applied:
        push += system.seen("com_v", one.body, poses, units, None, extra) @ one.force
        push += system.seen("omega", one.body, poses, units, None, extra) * one.moment
    return push


def jump_of(system: PlanarInstant, t: float, y: Array, impulses: Mapping[str, Impulse]) -> Jump:
    """Return what impulses do in a state (n,)."""
    q, v, x = (y[part] for part in (system.layout.q, system.layout.v, system.layout.x))
    push = along_speeds(system, q, x, wrenches(system, t, y, impulses))
    return jump(system, t, q, v, push, system.mass(q))


def after(system: PlanarInstant, t: float, y: Array, found: Jump) -> Array:
    """Return the state just after a jump, (n,); its work is added to that of the run."""
    lay, struck = system.layout, y.copy()
    struck[lay.v] += found.speeds
    struck[lay.x.stop - 1] += found.work
    if _contradictory(system, t, struck) and not _contradictory(system, t, y):
        raise ModelError(
            f"the impulse at t = {t:g} s strikes the mechanism in a singular pose, where the speeds after it belong to "
            "no one branch of its motion; strike a little earlier or later"
        )
    return struck


def _contradictory(system: PlanarInstant, t: float, y: Array) -> bool:
    """Whether no accelerations satisfy the rows, G a = -gamma, with the speeds of a state: these mix branches."""
    lay = system.layout
    G, factor = _rows(system, t, y[lay.q])
    gamma = factor * system.levels(t, y[lay.q], y[lay.v]).gamma
    U, s, _ = np.linalg.svd(G)
    missed = U[:, rank(s, RANK) :].T @ gamma
    least = SLOWEST**2 * system.scale.length / system.scale.time**2
    return bool(np.max(np.abs(missed), initial=0.0) > max(APART * np.max(np.abs(gamma), initial=0.0), least))


def struck(system: PlanarInstant, t: float, y: Array) -> Array:
    """Return the state just after the impulses of the model at time t, (n,)."""
    now = due(system.mechanism, t)
    return after(system, t, y, jump_of(system, t, y, now)) if now else y


def struck_start(system: PlanarInstant, begin: Start) -> Start:
    """Return a start after the impulses at t = 0; work counts from then on."""
    if not due(system.mechanism, 0.0):
        return begin
    v = struck(system, 0.0, system.layout.state(begin.q, begin.v, begin.x))[system.layout.v]
    a, lam = accelerations(system, 0.0, begin.q, v, begin.x)
    return replace(begin, v=v, a=a, lam=lam)


def reactions(system: PlanarInstant, t: float, y: Array, found: Jump, impulses: Mapping[str, Impulse]) -> Reactions:
    """Return the impulses of all joints and drivers, as reactions of one sample: the equilibrium of impulses.

    The rates of momentum that accelerations v+ - v- would add are the jumps of momentum; forces that are finite have
    no part in these.
    """
    q, v, x = (y[part] for part in (system.layout.q, system.layout.v, system.layout.x))
    rest = system.balance(t, q, v, np.zeros(system.n_v), x)
    moved = system.balance(t, q, v, found.speeds, x)
    missing = (moved.missing - rest.missing).reshape(-1, 3)
    for one in wrenches(system, t, y, impulses):
        missing[one.body] -= [*one.force, one.moment / system.scale.length]
    return decomposed(stacked([moved._replace(missing=missing.ravel())]), system.layout.efforts)
