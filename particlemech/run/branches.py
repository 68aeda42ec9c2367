"""Change points: poses in which branches of motion meet, and what a start there must say.

Where rows depend on each other, w^T phi_q = 0, velocities v that satisfy phi_q v + phi_t = 0 can be followed only if
accelerations exist for them, phi_q a + gamma(v) = 0, that is

    w^T gamma(v) = 0  for all w                                                            (1)

which is quadratic in v. Where rows are redundant for good, (1) holds for all v. At a change point (a parallelogram or
a kite on one line) it does not: of the velocities that the joints allow, only those of a branch satisfy it, and those
of least kinetic energy, a mixture, do not. A start there needs as many speeds as tell the branches apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, NoReturn

import numpy as np
from numpy import linalg

from particlemech.engine.plane import PlanarInstant, rate_row
from particlemech.engine.system import Array, Instant
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Mechanism

DEPENDENT = 1e-9  # of the largest singular value: rows below depend on each other
SHORT = 1e-6  # a row this short may be nothing but rounding (of welds: 1e-17), which must not become CURVED
CURVED = 1e-7  # of speed^2/length: what (1) may be by rounding; a pose assembled to 1e-12 gives 1e-11
ON_BRANCH = 1e-6  # of speed^2/length: how well speeds that a user typed must meet a branch
SLOWEST = 1e-12  # of L/T: slower velocities are rounding
LITTLE = 0.01  # of the run: after this time drivers that begin at rest show where they go


class Speed(NamedTuple):
    """A speed that a start may say, as that of a length."""

    name: str  # of a body or a coordinate, in the words of the model
    row: Array  # (n_v,) beside scaled velocities
    unit: str
    size: float = 1.0  # a speed of this many lengths is 1 in its unit
    grounded: bool = False  # it is against the ground, where people measure


@dataclass(frozen=True)
class ChangePoint:
    """A pose in which rows depend on each other."""

    system: Instant
    q: Array
    row: Array  # (n_row,) factors that make rows lengths, of length 1 at most
    way: Array  # (n_v,) factors that make speeds those of lengths
    C: Array  # (n_row, n_v) rows in these factors
    stresses: Array  # (n_row, n_w) all w
    free: Array  # (n_v, n_free) velocities that the rows allow, orthonormal
    offset: float | Array = 0.0  # (n_w,) what is left out of (1): from rest, directions count, not accelerations

    def bent(self, v: Array) -> Array:
        """Return (1), (n_w,), m/s^2."""
        gamma = self.system.levels(0.0, self.q, v).gamma
        return np.asarray(self.stresses.T @ (self.row * gamma) - self.offset)

    def form(self, u: Array) -> Array:
        """Return the quadratic part of (1) at scaled velocities, times L, (n_w,)."""
        v = self.way * u
        return self.system.scale.length * (0.5 * (self.bent(v) + self.bent(-v)) - self.bent(np.zeros_like(v)))

    def astray(self, u: Array) -> bool:
        """Whether scaled velocities are on no branch."""
        error = np.max(np.abs(self.bent(self.way * u))) * self.system.scale.length
        return bool(error > ON_BRANCH * float(u @ u))

    @property
    def forked(self) -> bool:
        """Whether (1) has solutions: where its form is definite, the joints give way at first, and no further."""
        if self.stresses.shape[1] > 1:
            return True
        n = self.free.shape[1]
        form = np.array([[self.form(self.free[:, i] + self.free[:, k])[0] for i in range(n)] for k in range(n)])
        alone = 0.25 * np.diag(form)
        values = linalg.eigvalsh(0.5 * (form - alone[:, None] - alone))
        return bool(values[0] < -CURVED and values[-1] > CURVED)

    @property
    def part(self) -> str:
        """The part whose rows take most part in the dependence, joints before drivers."""
        share = np.sum(self.stresses**2, axis=1)
        every = [r.part for r in self.system.layout.rows]
        return max(every, key=lambda p: (p.startswith("joint"), sum(share[[q == p for q in every]])))

    def slope(self, u: Array, among: Array) -> Array:
        """Return the derivatives of (1) times L along the columns of `among`, (n_w, n)."""
        L, v, speed = self.system.scale.length, self.way * u, linalg.norm(u)  # a form: steps may be as long as u
        steps = [(self.bent(v + speed * self.way * n), self.bent(v - speed * self.way * n)) for n in among.T]
        return np.stack([0.5 * L / speed * (more - less) for more, less in steps], axis=1)

    def drift(self, t: float) -> Array | None:
        """Return the direction in which drivers move until t, scaled, (n_v,); None if they rest or are at a limit."""
        then, now = (self.system.levels(at, self.q, np.zeros_like(self.way)).phi for at in (t, 0.0))
        gap = self.row * (then - now)
        if np.max(np.abs(gap), initial=0.0) <= 1e-13 * self.system.scale.length:
            return None
        u = linalg.lstsq(self.C, -gap, rcond=DEPENDENT)[0]
        met = linalg.norm(self.C @ u + gap) <= 1e-3 * linalg.norm(gap)  # else a dead centre of the driver
        return np.asarray(u / linalg.norm(u)) if met else None


def change_point(system: Instant, q: Array, phi_q: Array, phi_t: Array | None, pace: float = 0.0) -> ChangePoint | None:
    """Return the pose if rows depend on each other in it and (1) asks something of velocities.

    phi_q (n_row, n_v) and, where drivers move, phi_t (n_row,) are those of the pose at t = 0; `pace` is how fast, as a
    speed, what moves that is no velocity here: prescribed coordinates.
    """
    L = system.scale.length
    row = np.array([L if r.angle else 1.0 for r in system.layout.rows])
    way = system.size_v / L
    C = row[:, None] * phi_q * way
    norms = np.maximum(linalg.norm(C, axis=1), SHORT)
    row, C = row / norms, C / norms[:, None]
    try:  # rows that are far from dependent, as most are, are spared the decomposition
        linalg.cholesky(C @ C.T - 1e-12 * len(C) * np.eye(len(C)))
    except linalg.LinAlgError:
        pass
    else:
        return None
    U, s, Vt = linalg.svd(C)
    rank = int(np.sum(s > DEPENDENT * s.max(initial=0.0)))
    point = ChangePoint(system, q, row, way, C, U[:, rank:], Vt[rank:].T)
    if not point.stresses.shape[1] or not point.free.shape[1]:
        return None
    base = np.zeros(len(way)) if phi_t is None else linalg.lstsq(C, -row * phi_t, rcond=DEPENDENT)[0]
    asking = _asking(point, base, pace)
    return replace(point, stresses=asking) if asking.shape[1] else None


def _asking(point: ChangePoint, base: Array, pace: float) -> Array:
    """Return the w, orthonormal, for which (1) asks something of velocities that satisfy the rows, one of them `base`.

    Any will do: a form that vanishes at more of them than it has coefficients vanishes.
    """
    n, speed, scale = point.free.shape[1], float(linalg.norm(base)), point.system.scale
    if speed <= SLOWEST * scale.length / scale.time:  # rounding: no driver moves
        base, speed = np.zeros_like(base), pace or 1.0
    speed = max(speed, pace)
    z = np.random.default_rng(0).normal(size=(2 + min(n * (n + 1) // 2, 20), n))
    tried = np.array([base, *(base + speed * (point.free @ of) / linalg.norm(of) for of in z)])
    asked = np.array([point.bent(point.way * u) for u in tried]).T * point.system.scale.length
    U, s, _ = linalg.svd(asked)
    return np.asarray(point.stresses @ U[:, : int(np.sum(s > CURVED * speed**2))])


# -- with speeds --------------------------------------------------------------------------------------------------


def followed(point: ChangePoint, asked: list[Array], others: list[Speed], kind: str, v: Array) -> Array:
    """Return velocities of the branch that the speeds given belong to.

    Parameters
    ----------
    point
        The pose.
    asked
        Rows (n_v,) of what was said about its speeds, beside scaled velocities.
    others, kind
        What may be said of them, and the word for it.
    v
        Velocities of least kinetic energy, not all zero, (n_v,).

    Returns
    -------
    Array
        Velocities with the same demands met that satisfy (1), (n_v,).

    Raises
    ------
    ModelError
        If more than one branch has the speeds given, with the name of what tells them apart, or none.
    """
    u = v / point.way
    open_ = _deciding(point, u, _left(point, asked))
    found = _branches(point, u, open_)
    if len(found) == 1:
        return point.way * found[0]
    if open_.shape[1] < 2 and not found:
        raise ModelError(
            "the start contradicts itself: its joints allow the initial speeds only at first, for no branch of motion "
            "through this singular pose has them; change them, or leave one out"
        )
    missing = _missing(point, others, u, asked)
    values = ""
    if len(missing) == 1 and found:
        of = missing[0]
        speeds = sorted(_plain(float(of.row @ w) / of.size) for w in found)
        values = f" ({' or '.join(speeds)} {of.unit})"
    which = " and ".join(f'"{of.name}"' for of in missing) or "more of its parts"
    raise ModelError(
        "the start is a change point, where branches of motion meet, and the speeds that are given fit more than one "
        f"of them: give the initial {kind} of {which} too{values}, or draw the mechanism a little beside this pose"
    )


def said_in_plane(point: ChangePoint, system: PlanarInstant, mechanism: Mechanism) -> tuple[list[Array], list[Speed]]:
    """Return the rows of speeds that [initial] states, each (n_v,), scaled; and the turning of all bodies."""
    lay, L = system.layout, system.scale.length
    point_q, omega_q = system.point_q(point.q) * point.way, system.omega_q(point.q) * point.way
    rows = [omega_q[lay.bodies.index(b)] for b in mechanism.initial.omega]
    rows += [rate_row(system, point.q, of) * point.way for _, of, _ in mechanism.initially("rate")]
    rows += [row for p in mechanism.initial.velocity for row in point_q[lay.points.index(p)]]
    grounded = {b for j in mechanism.joints.values() if GROUND in j.bodies for b in j.bodies}
    pairs = zip(mechanism.bodies, omega_q, strict=True)
    return rows, [Speed(b, L * row, "rad/s", L, b in grounded) for b, row in pairs]


def _left(point: ChangePoint, asked: list[Array]) -> Array:
    """Return the velocities that rows and demands leave open, (n_v, n), orthonormal."""
    if not asked:
        return point.free
    rows = np.array(asked)
    rows = (rows / np.maximum(linalg.norm(rows, axis=1), 1e-300)[:, None]) @ point.free
    _, s, Vt = linalg.svd(rows)
    return np.asarray(point.free @ Vt[int(np.sum(s > DEPENDENT)) :].T)


def _deciding(point: ChangePoint, u: Array, left: Array) -> Array:
    """Return the part of `left` that leads from u to a branch, or from one to another, (n_v, n), orthonormal."""
    if not left.shape[1]:
        return left
    speed, slopes = linalg.norm(u), point.slope(u, left)
    if point.astray(u):
        z = np.random.default_rng(1).normal(size=left.shape[1])
        slopes = np.vstack([slopes, point.slope(u + speed * (left @ z), left)])
    _, s, Vt = linalg.svd(slopes)
    return np.asarray(left @ Vt[: int(np.sum(s > CURVED * speed))].T)


def _branches(point: ChangePoint, u: Array, open_: Array) -> list[Array]:
    """Return the velocities of all branches that differ from u along at most one column `open_`; none if more."""
    if open_.shape[1] > 1:
        return []
    found = _on_line(point, u, open_[:, 0]) if open_.shape[1] else [u]
    return [w for w in found if not point.astray(w)]


def _on_line(point: ChangePoint, u: Array, n: Array) -> list[Array]:
    """Return all u + z n that satisfy (1)."""
    n = n * linalg.norm(u)
    low, here, high = (point.bent(point.way * (u + k * n)) for k in (-1.0, 0.0, 1.0))
    square, slope = 0.5 * (low + high) - here, 0.5 * (high - low)
    k = int(np.argmax(np.abs(square) + np.abs(slope)))
    if abs(square[k]) < CURVED * abs(slope[k]):
        return [u - here[k] / slope[k] * n]
    half, rest = 0.5 * slope[k] / square[k], here[k] / square[k]
    under = half * half - rest
    if under < 0.0:
        return []
    return [u + (-half + sign * math.sqrt(under)) * n for sign in (-1.0, 1.0)]


def _missing(point: ChangePoint, others: list[Speed], u: Array, asked: list[Array]) -> list[Speed]:
    """Return the speeds that, known besides, would leave no choice of branches."""
    missing: list[Speed] = []
    while (open_ := _deciding(point, u, _left(point, asked))).shape[1]:
        moving = [float(linalg.norm(of.row @ open_)) for of in others]
        most = max(moving, default=0.0)
        if most <= 1e-6:
            break  # nothing of these tells
        # one against the ground is what people measure
        k = max((k for k, of in enumerate(moving) if of > 0.1 * most), key=lambda k: (others[k].grounded, moving[k]))
        missing.append(others[k])
        asked = [*asked, others[k].row]
    return missing


def _plain(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-9 else value:.6g}"


# -- from rest ----------------------------------------------------------------------------------------------------


def check_rest(point: ChangePoint, duration: float, a: Array, lam: Array) -> None:
    """Refuse to leave a change point from rest where neither drivers nor forces say along which branch.

    What rests in balance there goes on resting. A driver that sets out from rest says nothing about the bodies that
    could follow it in two ways. Forces may say it: where the accelerations they cause are those of a branch.

    Parameters
    ----------
    point
        The pose.
    duration
        Of the run, s.
    a, lam
        Accelerations (n_v,) and multipliers (n_lam,) at rest there.
    """
    drift = point.drift(LITTLE * duration)
    point = replace(point, offset=point.bent(np.zeros_like(a)))
    if drift is not None:
        open_ = _deciding(point, drift, point.free)
        if open_.shape[1] > 1 or len(_branches(point, drift, open_)) > 1:
            _refuse_rest("its drivers set out")
    size, held = linalg.norm(a / point.way), np.max(np.abs(lam), initial=0.0) / point.system.scale.mass
    if size > CURVED * held and np.max(np.abs(point.form(a / point.way / size))) > ON_BRANCH and point.forked:
        _refuse_rest("its forces set it off")


def _refuse_rest(what: str) -> NoReturn:
    raise ModelError(
        f"the start is a change point, where branches of motion meet, and {what} from rest, which does not say along "
        "which of them; draw the mechanism a little beside this pose, on the branch that is meant"
    )
