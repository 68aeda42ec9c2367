"""Why a run cannot go on: one judge for all integrators, so that a mechanism ends alike whichever it is given.

Integrators stop where their steps lead nowhere; what stands in their way is a matter of the pose, not of them:

    phi(t, q) = 0 has no solution next to q for times from t1 on                a driver is at its limit         (1)
    phi_q has fewer independent rows at q than beside it                        the pose is singular             (2)

(1) is tried, not inferred: the rows are solved for times around the stop, each from the solution before, and the last
time that has one is found by ever smaller steps. Joints do not depend on time, so it is a driver that asks too much;
the rows that are left open there say which, and what holds it. Rows that depend on each other everywhere (redundant
joints) are no singular pose; only what is lost at a pose and there beside it makes one.
Rows are lengths here and speeds are ways, as in start.py, so verdicts are the same in all units.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy import linalg

from particlemech.engine.system import Array, Instant, counted
from particlemech.errors import ModelError
from particlemech.run.start import accelerations, moved, weights
from particlemech.run.trajectory import Status, Trajectory

CLOSED = 1e-10  # of the mechanism's length: rows this good are satisfied
ROUNDS = 40  # of Newton's method; next to a limit each quarters the gap only
PATIENCE = 8  # rounds in which the gap must be halved
REACH = 0.3  # of the mechanism's length: a solution farther away is another assembly
AHEAD = 0.02  # of the mechanism's time: how far beside a stop a limit is looked for
SOON = 1e-6  # of the mechanism's time: how far ahead a jam is looked for
NEAREST = 1e-7  # of the mechanism's time: where looking begins
SHARP = 1e-9  # of the mechanism's time: how well a limit is found
NULL = 1e-11  # of the largest singular value: below it rows depend on each other
DEPENDENT = 1e-9  # of a row: what is left of one that follows from others
NEAR = 0.01  # of the value beside it: a singular value this much smaller is being lost
WITHIN = 1e-12  # of a step: how well the beginning of a jam is found
BESIDE = 0.1  # of the mechanism's length: how far away "beside" is


class End(NamedTuple):
    """Why a run ends, when and in words."""

    status: Status
    t: float  # s
    message: str


def tired(system: Instant, t: float, y: Array, steps: int) -> str:
    """Return what is said of a run that takes too many steps: why, where the system can tell, and what helps."""
    told = getattr(system, "hurried", None)
    said: str = told(t, y) if told is not None else ""
    why, cure = (f", because {said}", "shorten the run") if said else ("", "loosen rtol, shorten the run")
    return f"{steps} steps at t = {t:g} s{why}; {cure} or raise max_steps"


def barred(system: Instant, t: float, y: Array) -> End | None:
    """Return the end of a run at a pose that its coordinates cannot describe, where the system knows such, or None."""
    told = getattr(system, "locked", None)
    said = told(t, y) if told is not None else None
    return None if said is None else End(Status.SINGULAR, t, f"{said} at t = {t:.6g} s")


def jammed(system: Instant, t: float, y: Array) -> End | None:
    """Return the end of a run at a state in which the friction of a joint jams, or just after it, or None.

    Just after: where a load turns round that friction has lightened so far, steps end before it.
    """
    told, lay = getattr(system, "jammed", None), system.layout
    said = told(t, np.array(y)) if told is not None else None
    if told is not None and said is None:
        q, v, x = y[lay.q], y[lay.v], y[lay.x]
        after, h = np.array(y), SOON * system.scale.time
        try:
            after[lay.v] += h * accelerations(system, t, q, v, x)[0]
            after[lay.q] += h * system.kinematics(t, q, v)
            said = told(t + h, after)
        except ModelError:  # there is nothing to follow from here
            said = None
    return None if said is None else End(Status.LOCKED, t, said)


def unjammed(system: Instant, part: Trajectory) -> Trajectory:
    """Return a part of a run up to its first sample at which the friction of a joint jams: IDA may step across."""
    asked, lay = getattr(system, "jams_at", None), system.layout
    if asked is None or not len(part.t):
        return part
    jams = np.flatnonzero(asked(part.t, part.y[:, lay.q], part.y[:, lay.v], part.y[:, lay.x]))
    end = jammed(system, float(part.t[jams[0]]), part.y[jams[0]]) if len(jams) else None
    if end is None:
        return part
    return replace(part, t=part.t[: jams[0]], y=part.y[: jams[0]], status=end.status, message=end.message)


def jams_between(system: Instant, before: tuple[float, Array, Array], t: Array, y: Array, yp: Array) -> End | None:
    """Return the end of a run whose friction jams within one of K steps, or None.

    Steps end at t (K,) with states and rates y, yp (K, n), the first begins at `before`. IDA, which follows its
    multipliers, may pass on from one solution to another where there is none between.
    """
    asked, lay = getattr(system, "jams_at", None), system.layout
    if asked is None:
        return None
    jams = np.flatnonzero(asked(t, y[:, lay.q], y[:, lay.v], y[:, lay.x]))
    if not len(jams):
        return None
    k = int(jams[0])
    one = before if k == 0 else (float(t[k - 1]), y[k - 1], yp[k - 1])
    h, low, high = float(t[k]) - one[0], 0.0, 1.0

    def at(s: float) -> tuple[float, Array]:
        curve = (1.0 - s) ** 2 * ((1.0 + 2.0 * s) * one[1] + s * h * one[2])
        return one[0] + s * h, curve + s * s * ((3.0 - 2.0 * s) * y[k] - (1.0 - s) * h * yp[k])

    while high - low > WITHIN:
        middle = 0.5 * (low + high)
        s, state = at(middle)
        parts = (state[None, part] for part in (lay.q, lay.v, lay.x))
        low, high = (low, middle) if asked(np.array([s]), *parts)[0] else (middle, high)
    return jammed(system, *at(high))


def posed(system: Instant, t: float, y: Array, cure: str, rows: bool) -> End | None:
    """Return the end of a run in a state (n,) through which coordinates, or rows if they are asked, do not lead."""
    end = jammed(system, t, y)
    if end is None and rows:
        end = judged(counted(system, y), t, y[system.layout.q], y[system.layout.v], cure)
    return end or barred(system, t, np.array(y))


def judged(system: Instant, t: float, q: Array, v: Array, cure: str) -> End | None:
    """Return why a run cannot go on from a state, or None where nothing is wrong with its pose.

    Parameters
    ----------
    system
        What moves.
    t, q, v
        The last state that the integrator trusts: time, s, positions (n_q,) and speeds (n_v,).
    cure
        What helps where the pose is singular, in words: that depends on the integrator.
    """
    if not system.n_row or not np.all(np.isfinite(q)):
        return None
    return locked(system, t, q) or singular(system, t, q, v, cure)


# -- drivers at their limits -----------------------------------------------------------------------------------------


def locked(system: Instant, t: float, q: Array, ahead: float | None = None) -> End | None:
    """Return the end of a run whose driver is at its limit within the time `ahead` of a state, s, or None; (1)."""
    rows = system.layout.rows
    if not any(row.part.startswith("driver") for row in rows):
        return None
    found = _limit(system, t, q, AHEAD * system.scale.time if ahead is None else ahead)
    if found is None:
        return None
    at, q, late = found
    C, phi = _rows(system, at, q)[1], _rows(system, late, q)[0]
    U, s, _ = linalg.svd(C)
    # what the driver asks for and no motion gives: its part along the rows that depend on each other there
    lost = np.r_[s < NEAR * s.max(initial=0.0), np.ones(len(C) - len(s), dtype=bool)]
    lost[: len(s)] |= s == s.min(initial=np.inf)
    share = np.abs(U[:, lost] @ (U[:, lost].T @ phi))
    order = [k for k in np.argsort(-share) if share[k] > 1e-3 * share.max()]
    drivers = [k for k, row in enumerate(rows) if row.part.startswith("driver")]
    # of several that part, the one that asks for most of what cannot be, which is the same in all formulations
    driver = rows[max(drivers, key=lambda k: share[k] * abs(phi[k]))].part
    held = [rows[k].part for k in order if not rows[k].part.startswith("driver")]
    opened = next((part for part in held if part.startswith("joint")), held[0] if held else None)
    where = f"; {opened} would {'open' if opened.startswith('joint') else 'lose its shape'}" if opened else ""
    return End(
        Status.LOCKED,
        at,
        f"{driver} is locked at t = {at:.6g} s: the joints cannot follow its motion any further{where}. "
        "Stop before, or change the motion or the lengths",
    )


def _limit(system: Instant, t: float, q: Array, ahead: float) -> tuple[float, Array, float] | None:
    """Return the last time at which the rows can be satisfied, the pose there and a time at which they cannot."""
    T, back = system.scale.time, NEAREST * system.scale.time
    good, here = t, _solved(system, t, q)
    while here is None and good > 0.0:  # the integrator has gone past it, where rows part slowly by a long way
        good, back = max(t - back, 0.0), 4.0 * back
        here = _solved(system, good, q)
    if here is None:
        return None
    jump = min([b for b in system.breaks if b > t] + [system.until])
    last = min(t + ahead, math.nextafter(jump, -math.inf))
    step = NEAREST * T
    while good < last:
        there = _solved(system, min(good + step, last), here)
        if there is not None:
            good, here, step = min(good + step, last), there, 4.0 * step
        elif step < SHARP * T:
            return good, here, good + NEAREST * T
        else:
            step *= 0.25
    return None


def _solved(system: Instant, t: float, q: Array) -> Array | None:
    """Return the pose next to q that satisfies all rows at time t, by Newton's method with least steps, or None."""
    L, way = system.scale.length, system.size_v / system.scale.length
    gone = np.zeros(system.n_v)
    gaps: list[float] = []
    for _ in range(ROUNDS):
        phi, C = _rows(system, t, q)
        gaps.append(float(np.max(np.abs(phi))))
        if gaps[-1] <= CLOSED * L:
            return q
        if len(gaps) > PATIENCE and not gaps[-1] < 0.5 * gaps[-1 - PATIENCE]:
            return None
        step = way * linalg.lstsq(C, phi, rcond=NULL)[0]
        # the rows are curved: a long step is cut short
        longest = float(np.max(np.abs(step / way), initial=0.0))
        step = -step * min(1.0, 0.1 * L / max(longest, 1e-300))
        q, gone = moved(system, q, step), gone + step / way
        if not np.max(np.abs(gone), initial=0.0) <= REACH * L:
            return None
    return None


def _rows(system: Instant, t: float, q: Array) -> tuple[Array, Array]:
    """Return phi and phi_q as lengths, by displacements of unit size."""
    scale, at = weights(system), system.levels(t, q, np.zeros(system.n_v))
    return scale * at.phi, scale[:, None] * at.phi_q * (system.size_v / system.scale.length)


# -- singular poses --------------------------------------------------------------------------------------------------


def singular(system: Instant, t: float, q: Array, v: Array, cure: str) -> End | None:
    """Return the end of a run at a singular pose, or None; (2)."""
    s = singular_values(system, t, q)
    beside = [singular_values(system, t, other) for other in _neighbours(system, t, q, v)]
    if not len(s) or not beside:
        return None
    usual = np.max(beside, axis=0)
    lost = (usual > NULL) & (s < NEAR * usual)
    if not lost.any():
        return None
    least = float(s[lost].min())
    how = f"condition number {1.0 / least:.1g}" if least > NULL else "rows of its joints depend on each other there"
    how += f", at {_losing(system, t, q, lost)}"
    return End(Status.SINGULAR, t, f"the mechanism comes too close to a singular pose at t = {t:.6g} s ({how}); {cure}")


def _losing(system: Instant, t: float, q: Array, lost: Array) -> str:
    """Return the part whose rows lose most of their effect with some singular values; joints before drivers."""
    C, parts = _rows(system, t, q)[1], [row.part for row in system.layout.rows]
    U = linalg.svd(C / np.maximum(linalg.norm(C, axis=1), 1e-9)[:, None])[0]
    share = np.sum(U[:, : len(lost)][:, lost] ** 2, axis=1)
    return max(parts, key=lambda part: (part.startswith("joint"), sum(share[[p == part for p in parts]])))


def singular_values(system: Instant, t: float, q: Array) -> Array:
    """Return the singular values of phi_q beside the largest, rows of unit length, descending."""
    C = _rows(system, t, q)[1]
    # a row that asks for nothing is a rounding error, not to be scaled up
    s = linalg.svd(C / np.maximum(linalg.norm(C, axis=1), 1e-9)[:, None], compute_uv=False)
    return np.asarray(s / max(s.max(initial=0.0), 1e-300))


def _neighbours(system: Instant, t: float, q: Array, v: Array) -> list[Array]:
    """Return poses a little before and after this one on its way, and aside along what it might do otherwise."""
    L, way = system.scale.length, system.size_v / system.scale.length
    _, C = _rows(system, t, q)
    _, s, Vt = linalg.svd(C)
    free = Vt[int(np.sum(s > NEAR * s.max(initial=0.0))) :]
    directions = [free.T @ (free @ (v / way)), *free]
    found = []
    for d in directions:
        longest = float(np.max(np.abs(d), initial=0.0))
        for side in (1.0, -1.0) if longest > 0.0 else ():
            other = _solved(system, t, moved(system, q, side * BESIDE * L / longest * way * d))
            if other is not None:
                found.append(other)
    return found


# -- redundant rows --------------------------------------------------------------------------------------------------


def redundant(system: Instant, t: float, q: Array, v: Array) -> list[int]:
    """Return the rows that follow from those before them, at this pose and at all beside it; drivers come last."""
    rows = system.layout.rows
    order = sorted(range(len(rows)), key=lambda k: rows[k].part.startswith("driver"))
    poses = [(t, q), *((t, other) for other in _neighbours(system, t, q, v))]
    for step in (0.01, 0.02):
        at = t + step * system.scale.time
        later = _solved(system, at, q) if at < min([b for b in system.breaks if b > t] + [system.until]) else None
        if later is not None:
            poses.append((at, later))
    found = set(order)
    for at, pose in poses:
        found &= _following(_rows(system, at, pose)[1], order)
    return sorted(found)


def _following(C: Array, order: list[int]) -> set[int]:
    """Return the rows of a matrix that depend on those before them in an order, by Gram and Schmidt, twice."""
    found, basis = set(), np.zeros((0, C.shape[1]))
    for k in order:
        row, size = C[k], float(linalg.norm(C[k]))
        for _ in range(2):
            row = row - basis.T @ (basis @ row)
        left = float(linalg.norm(row))
        if left <= DEPENDENT * max(size, DEPENDENT):
            found.add(k)
        else:
            basis = np.vstack([basis, row / left])
    return found
