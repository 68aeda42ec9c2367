"""A mechanism near a pose, by as many coordinates as it has freedoms: its equations of motion in these.

    phi(t, q) = 0,  z(q) = z                      the pose q(z), by Newton's method                                  (1)
    G v = -phi_t,   B v = z'                      v = N z' + ...                                                     (2)
    G a = -gamma,   B a = z'' - B' v              a = N z'' + ...                                                    (3)
    r(z, z', z'') = N^T needed(t, q, v, a) = 0    by virtual power: joints and drivers do none                       (4)
    M = dr/dz'' = N^T M_q N,   C = dr/dz',   K = dr/dz                                                               (5)
    m = prod (1 + 1/|z - z_i|^2),   s = 1/(1 - dz . grad log m)                                                      (6)
    (G; B)^T mu = needed,  K = N^T (d needed/dz - d(G; B)^T/dz mu)     along the speeds N, where nothing moves       (7)

z are named coordinates, so (4) is the same at all times where drivers turn evenly and all else rests against them. G
has a row for every joint and driver; those that depend on others change nothing. K holds what the curvature of the
rows makes of the forces in joints, because N in (4) is that of the pose.

Newton's step s dz of m r, where dz is that of r alone, passes by the poses z_i that are known.

M is exact, and so are elasticity and damping of deflections in K and C; the rest is by differences of fourth order.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from particlemech.analyses.poses.posing import null_space
from particlemech.engine.system import Array, Levels, Reducible
from particlemech.run.start import moved, weights

STEP = 1e-4  # of the size of a coordinate, in differences of fourth order
RANK = 1e-9  # of the largest singular value: rows below it are redundant
OPEN = 1e-9  # of the mechanism's length: a gap above it is not closed
ROUNDS = 50  # of Newton's method
SHORT = 1e-2  # rad or lengths: turns need not be counted anew after a step shorter than this
WELL = 0.05  # of the best choice: a coordinate of a joint that moves less gives way to those of bodies


class Pose(NamedTuple):
    """A pose."""

    q: Array  # (n_q,)
    x: Array  # (n_x,) extra states: they count turns


class Motion(NamedTuple):
    """A motion of the mechanism at one instant."""

    pose: Pose
    v: Array  # (n_v,)
    a: Array  # (n_v,)
    N: Array  # (n_v, f) of (2)


class Owned(NamedTuple):
    """States that motors and controllers own, of those that act."""

    names: tuple[str, ...]  # "force.state"
    at: Array  # (n,) of int, where they are in x
    sizes: Array  # (n,)


def owned(system: Reducible) -> Owned:
    """Return the states that elements of a system own."""
    elements: Any = getattr(system, "elements", None)
    if elements is None:
        return Owned((), np.zeros(0, dtype=int), np.zeros(0))
    first = system.layout.x.stop - system.layout.x.start - 1 - elements.n
    names = tuple(elements.names[k] for k in elements.moving)
    return Owned(names, first + elements.moving, elements.sizes[elements.moving])


class Chart:
    """A system near a state (q, v, x), its home: poses and motions by z, counted from there."""

    def __init__(self, system: Reducible, t: float, y: Array) -> None:
        self.system, self.t, lay = system, t, system.layout
        self.home, self.v = Pose(y[lay.q].copy(), y[lay.x].copy()), y[lay.v].copy()
        self.owned = owned(system)
        self.size, self.scale = system.size_v, weights(system) / system.scale.length
        self._choose()
        self.rates = self._along(self.home, self.v)[0] @ self.v  # z' of the state

    def _choose(self) -> None:
        self.which = self._chosen()
        of = [self.system.named[k] for k in self.which]
        self.names = tuple(one.label for one in of)
        self.soft = np.array([one.deflects for one in of], dtype=bool)
        self.unit = np.array([one.size for one in of])

    @property
    def f(self) -> int:
        """The number of freedoms."""
        return len(self.which)

    @property
    def own(self) -> Array:
        """The states at home that elements own, (n,)."""
        return np.asarray(self.home.x[self.owned.at])

    def owning(self, pose: Pose, own: Array) -> Pose:
        """Return a pose with other states of elements."""
        x = pose.x.copy()
        x[self.owned.at] = own
        return Pose(pose.q, x)

    def rehomed(self, pose: Pose, t: float | None = None, anew: bool = False) -> Chart:
        """Return the same chart with another home and time; its coordinates chosen `anew` if wanted."""
        other = copy.copy(self)
        other.home = Pose(pose.q, self.system.recounted(pose.q, pose.x))
        other.t = self.t if t is None else t
        if anew:
            other._choose()
        return other

    # -- rows ----------------------------------------------------------------------------------------------------------

    def levels(self, pose: Pose, v: Array | None = None) -> Levels:
        """Return the rows of joints and drivers, as parts of the mechanism's length, by speeds in their sizes."""
        made = self.system
        if getattr(made, "counting", False):
            made = made.turning(pose.x)  # type: ignore[attr-defined]
        at, s = made.levels(self.t, pose.q, np.zeros(made.n_v) if v is None else v), self.scale
        return Levels(s * at.phi, s * at.phi_t, s * at.gamma, s[:, None] * at.phi_q * self.size)

    def _along(self, pose: Pose, v: Array) -> tuple[Array, Array]:
        return self.system.along(pose.q, v, pose.x, self.which)

    def _chosen(self) -> list[int]:
        """Return the named coordinates that are z: of joints, then of bodies, then deflections; best first."""
        named, every = self.system.named, list(range(len(self.system.named)))
        G = self.levels(self.home).phi_q
        over = np.array([of.size for of in named])[:, None]
        B = self.system.along(self.home.q, np.zeros(self.system.n_v), self.home.x, every)[0] * self.size / over
        soft = np.array([of.deflects for of in named], dtype=bool)
        # those of joints are counted while nothing deflects
        bent = np.any(B[soft] != 0.0, axis=0) if soft.any() else np.zeros(B.shape[1], dtype=bool)
        rigid = np.zeros((B.shape[1], 0))
        if not bent.all():
            inner = null_space(G[:, ~bent])
            rigid = np.zeros((B.shape[1], inner.shape[1]))
            rigid[~bent] = inner
        found: list[int] = []
        for N, groups in ((rigid, (False, True)), (null_space(G), (None,))):
            left = B @ N
            for k in found:
                left = _without(left, left[k])
            for of_body in groups:
                own = soft if of_body is None else ~soft & np.array([of.of_body == of_body for of in named], dtype=bool)
                while len(found) < N.shape[1]:
                    size = np.linalg.norm(left, axis=1)
                    norms, best = np.where(own, size, 0.0), float(np.where(~soft, size, 0.0).max(initial=0.0))
                    k = int(np.argmax(norms))
                    if norms[k] <= (WELL * best if of_body is False else RANK * np.abs(B).max()):
                        break
                    found.append(k)
                    left = _without(left, left[k])
        return sorted(found)

    # -- poses and motions ---------------------------------------------------------------------------------------------

    def pose(self, z: Array, near: Pose | None = None, rounds: int = ROUNDS) -> Pose:
        """Return (1), from a pose nearby; after one round it misses by the square of what it has missed before."""
        made, best = self.system, np.inf
        at = near or (self.led(self.motion(self.home), z) if np.any(z) else self.home)
        for _ in range(rounds):
            rows = self.levels(at)
            gap = np.concatenate([rows.phi, self._off(at, z) / self.unit])
            far = float(np.max(np.abs(gap), initial=0.0))
            if far < 1e-16 or not far < 0.5 * best:
                break
            best = far
            B = self._along(at, np.zeros(made.n_v))[0]
            step = np.linalg.lstsq(self._square(rows.phi_q, B), -gap, rcond=RANK)[0]
            at = self.moved(at, self.size * step)
        return at

    def _off(self, pose: Pose, z: Array) -> Array:
        """Return by how much a pose is off z, (f,)."""
        return self.system.away(self.home, pose, self.which) - z

    def gap(self, pose: Pose) -> float:
        """Return how far the rows are open, as a part of the mechanism's length."""
        return float(np.max(np.abs(self.levels(pose).phi), initial=0.0))

    def deflation(self, step: Array, known: list[Pose]) -> float:
        """Return s of (6) for a step (f,) from home, in units of the coordinates."""
        slope = 0.0
        for pose in known:
            d = self.system.away(pose, self.home, self.which) / self.unit
            square = max(float(d @ d), 1e-12)
            slope -= 2.0 * float(d @ step) / (square * (square + 1.0))
        return 1.0 / (1.0 - slope) if slope != 1.0 else 1.0

    def led(self, at: Motion, way: Array) -> Pose:
        """Return a pose moved along the freedoms, (f,), to the first order."""
        return self.moved(at.pose, at.N @ way)

    def moved(self, pose: Pose, step: Array) -> Pose:
        """Return a pose a step along the speeds away; a step that turns nothing far leaves the count of turns."""
        q = moved(self.system, pose.q, step)
        near = float(np.max(np.abs(step) / self.size, initial=0.0)) < SHORT
        return Pose(q, pose.x if near else self.system.recounted(q, pose.x))

    def _square(self, G: Array, B: Array) -> Array:
        return np.vstack([G, B * self.size / self.unit[:, None]])

    def motion(self, pose: Pose, rates: Array | None = None) -> Motion:
        """Return (2) and (3) with z' and without z''."""
        made, zero = self.system, np.zeros(self.system.n_v)
        z = np.zeros(self.f) if rates is None else rates
        B = self._along(pose, zero)[0]
        if not made.n_row and self.f == made.n_v and np.array_equal(B, np.eye(self.f)):
            return Motion(pose, z, zero, B)
        rows = self.levels(pose)
        inverse = self.size[:, None] * np.linalg.pinv(self._square(rows.phi_q, B), rcond=RANK)
        n, N = made.n_row, inverse[:, made.n_row :] / self.unit
        v = N @ z - inverse[:, :n] @ rows.phi_t
        a = -inverse[:, :n] @ (self.levels(pose, v) if np.any(v) else rows).gamma
        return Motion(pose, v, a - N @ self._along(pose, v)[1] if np.any(v) else a, N)

    # -- forces --------------------------------------------------------------------------------------------------------

    def missing(self, at: Motion) -> Array:
        """Return (4), (f,)."""
        return np.asarray(at.N.T @ self._needed(self.system, at))

    def acting(self, at: Motion) -> Array:
        """Return the forces that act along the freedoms, whatever their signs, (f,)."""
        return np.asarray(np.abs(at.N).T @ np.abs(self._needed(self.system, at)))

    def largest(self, at: Motion) -> float:
        """Return the largest force that acts along any speed, in units of its coordinate: what rounding is part of."""
        return float(np.max(np.abs(self.size * self._needed(self.system, at)), initial=0.0))

    def _needed(self, made: Reducible, at: Motion) -> Array:
        return made.needed(self.t, at.pose.q, at.v, at.a, at.pose.x)

    def flow(self, at: Motion) -> Array:
        """Return the rates of the states that elements own, (n,)."""
        if not self.owned.names:
            return np.zeros(0)
        made: Any = self.system
        y = made.layout.state(at.pose.q, at.v, at.pose.x)
        return np.asarray(made.elements.rates(self.t, made.state(self.t, y), at.pose.x)[made.elements.moving])

    def mass(self) -> Array:
        """Return M at home, (f, f)."""
        at = self.motion(self.home)
        M = at.N.T @ self.system.mass(at.pose.q) @ at.N
        return np.asarray(0.5 * (M + M.T))

    def stiffness(self, rates: Array | None = None, fine: bool = True) -> Array:
        """Return K at home, (f, f); roughly, by differences of second order, if not `fine`."""
        here, limp = self.motion(self.home, rates), self.system.limp
        total = self._needed(self.system, here)
        bent = total - self._needed(limp, here)  # forces of deflections, held
        S = self._square(self.levels(self.home).phi_q, self._along(self.home, np.zeros(self.system.n_v))[0])
        mu = np.linalg.pinv(S.T, rcond=RANK) @ (self.size * total)

        def moving(z: Array) -> Array:
            at = self.motion(self.pose(z, self.led(here, z), ROUNDS if fine else 1), rates)
            return np.asarray(at.N.T @ (self._needed(limp, at) + bent))

        def still(z: Array) -> Array:
            at = Motion(self.led(here, z), here.v, here.a, here.N)
            S = self._square(self.levels(at.pose).phi_q, self._along(at.pose, here.v)[0])
            return np.asarray(here.N.T @ (self._needed(limp, at) + bent - S.T @ mu / self.size))

        rest = not np.any(here.v) and not np.any(here.a)
        K = slopes(still if rest else moving, STEP * self.unit, fine)
        return K + here.N.T @ self.system.elasticity[0] @ here.N

    def damping(self, rates: Array) -> Array:
        """Return C at home, (f, f)."""
        here, limp = self.motion(self.home, rates), self.system.limp

        def at(more: Array) -> Array:
            return np.asarray(here.N.T @ self._needed(limp, self.motion(self.home, rates + more)))

        step = STEP * self.unit / self.system.scale.time
        return slopes(at, step) + here.N.T @ self.system.elasticity[1] @ here.N


class Tangent(Chart):
    """A chart whose coordinates are those of the space of all that can move at home: they serve in every regular pose.

    They have no names, and are those of a pose to the first order only.
    """

    def _choose(self) -> None:
        self._ways = null_space(self.levels(self.home).phi_q)
        f = self._ways.shape[1]
        self.which, self.names = list(range(f)), ("",) * f
        self.soft, self.unit = np.zeros(f, dtype=bool), np.ones(f)

    def _along(self, pose: Pose, v: Array) -> tuple[Array, Array]:
        return self._ways.T / self.size, np.zeros(self.f)

    def _off(self, pose: Pose, z: Array) -> Array:
        return np.zeros(self.f)


def slopes(of: Callable[[Array], Array], steps: Array, fine: bool = True) -> Array:
    """Return the derivatives of a function (m,) of (f,) at zero by differences of fourth or second order, (m, f)."""
    columns = []
    for h, d in zip(steps, np.diag(steps), strict=True):
        near = of(d) - of(-d)
        columns.append((8.0 * near - (of(2.0 * d) - of(-2.0 * d))) / (12.0 * h) if fine else near / (2.0 * h))
    return np.array(columns).reshape(len(steps), -1).T if columns else np.zeros((0, 0))


def _without(rows: Array, way: Array) -> Array:
    """Return rows (m, n) without their parts along one (n,)."""
    unit = way / max(float(np.linalg.norm(way)), 1e-300)
    return rows - np.outer(rows @ unit, unit)
