"""A mechanism close to a steady state: its equilibrium, and its equations linearised there.

    R = needed(q, v) - G^T lam = 0           steady: nothing accelerates, but driven joints may turn evenly        (1)
    M a + D dv + K dx = G^T dlam,  G dx = 0  small motions about it; dx along the speeds                           (2)
    dx = Z z:   Z^T M Z z'' + Z^T D Z z' + Z^T K Z z = 0            Z: the null space of the rows G                (3)
    M = d needed/da,  D = dR/dv,  K = dR/dx with lam held                                                          (4)

M is exact, and so are elasticity and damping of deflections in K and D; the rest is by central differences. D holds
dampers and, about a rotation, gyroscopic terms; K springs, weight, spin, what foreshortening makes of tension, and,
through lam, what the curvature of the rows makes of the forces in the joints of loops.

In what follows coordinates are those that are not locked, n of them, and divided by their sizes where that matters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech.analyses.vibration.conditions import Held
from particlemech.engine.recursive import entry_points
from particlemech.engine.recursive.compiled import Coordinate
from particlemech.engine.recursive.equations import TreeSystem, system
from particlemech.engine.recursive.start import start_state
from particlemech.engine.recursive.workspace import Workspace
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.signals import Constant
from particlemech.run.march import NO_INERTIA
from particlemech.run.start import weights

STEP = 1e-4  # of the size of a coordinate, in differences of fourth order
REST = 1e-7  # forces below this fraction of those that act count as none
MOVES = 1e-9  # of the mechanism's length per second: speeds below it are rounding
RANK = 1e-9  # of the largest singular value: rows below it are redundant
OPEN = 1e-9  # of the mechanism's length: a gap above it is not closed
ROUNDS = 50  # of Newton's method
FAR = {True: 30.0, False: 0.3}  # longest step of it, in sizes: of deflections, of all else
INSTANTS = 50  # on the way of drivers to a later time

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Linear:
    """Equations (2) about a steady state."""

    system: TreeSystem
    t: float
    y: Array  # (n_q + n_v + 1,) the steady state
    moving: Indices  # (n,) which of the speeds are not locked
    M: Array  # (n, n)
    D: Array  # (n, n)
    K: Array  # (n, n)
    Z: Array  # (n, f) of (3): orthonormal in coordinates divided by their sizes

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates dx; those of a quaternion are turns about the axes of the parent."""
        return tuple(of.speed for of in named(self.system, self.moving))

    def influence(self, point: str) -> Array:
        """Return how far a named point moves per unit of each coordinate, (3, n)."""
        made, n = self.system, len(self.moving)
        states = np.repeat(self.y[None], n + 1, axis=0)
        states[:, made.layout.v] = 0.0
        states[1 + np.arange(n), made.layout.v.start + self.moving] = 1.0
        still = np.zeros((n + 1, len(made.compiled.coordinates)))
        velocity = made.observed(np.full(n + 1, self.t), states, still, told=False).velocity(point)
        return (velocity[1:] - velocity[0]).T


def named(made: TreeSystem, moving: Indices) -> list[Coordinate]:
    """Return the coordinates of some of the speeds."""
    return [made.compiled.coordinates[made.compiled.free[k]] for k in moving.tolist()]


def null_space(rows: Array) -> Array:
    """Return an orthonormal basis of what rows (m, n) leave, (n, f); the unit vectors where there are none."""
    n = rows.shape[1]
    if not rows.any():
        return np.eye(n)
    _, s, Vt = np.linalg.svd(rows)
    return np.asarray(Vt[int(np.sum(s > RANK * s[0])) :].T)


class Near:
    """A mechanism near a state: R of (1), its derivatives, and what the rows leave."""

    def __init__(self, held: Held, t: float) -> None:
        self.made, self.t = system(held.mechanism), t
        c = self.made.compiled
        free = [c.coordinates[e] for e in c.free]
        self.moving: Indices = np.flatnonzero([not held.locks(of) for of in free])
        self.size = self.made.size_v[self.moving]
        self.soft = np.array([free[k].deflects for k in self.moving.tolist()], dtype=bool)
        self.elastic, self.damping = _deflections(self.made)
        # deflections are added exactly: differences of them would be their rounding errors
        bare = replace(c, tables=c.tables._replace(elastics=c.tables.elastics[:0]))
        self.place = Workspace(bare)
        self.at_q = np.array([max(int(c.tables.stage[e]["q"]), 0) for e in c.free], dtype=np.intp)

    def force(self, q: Array, v: Array, lam: Array) -> Array:
        """Return R of (1) without elasticity and damping of deflections, all speeds, (n_v,)."""
        made, out = self.made, np.zeros(self.made.n_v)
        y = np.concatenate([q, v, [0.0]])
        made.give(self.place.s.given, self.t, y)
        entry_points.unmet(self.t, y, out, self.place.address)
        if made.n_row:
            out += self.of_rows(q, lam)
        return -out

    def of_rows(self, q: Array, lam: Array) -> Array:
        """Return G^T lam, (n_v,)."""
        every = np.zeros(len(self.made.compiled.coordinates))
        entry_points.efforts_of(self.t, q, lam, every, self.place.address)
        return every[list(self.made.compiled.free)]

    def whole(self, q: Array, v: Array, lam: Array) -> Array:
        """Return R of (1), (n,)."""
        deflected = self.elastic @ q[self.at_q] + self.damping @ v
        return np.asarray((self.force(q, v, lam) + deflected)[self.moving])

    def slope(self, q: Array, v: Array, lam: Array, way: Array, speed: bool = False) -> Array:
        """Return the derivative of R along a way (n,), or a change of speeds, by differences of fourth order, (n,)."""
        d = np.zeros(self.made.n_v)
        d[self.moving] = way
        h = STEP / float(np.max(np.abs(way / self.size)))

        def at(k: float) -> Array:
            if speed:
                return self.force(q, v + k * h / self.made.scale.time * d, lam)
            return self.force(self.made.moved(q, k * h * d), v, lam)

        found = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h)
        exact = (self.damping if speed else self.elastic) @ d
        return np.asarray((found * (self.made.scale.time if speed else 1.0) + exact)[self.moving])

    def slopes(self, q: Array, v: Array, lam: Array, speed: bool = False) -> Array:
        """Return K or D, (n, n)."""
        n = len(self.moving)
        return np.array([self.slope(q, v, lam, way, speed) for way in np.eye(n)]).reshape(n, n).T

    # -- rows ----------------------------------------------------------------------------------------------------------

    def rows(self, q: Array) -> tuple[Array, Array]:
        """Return gaps (n_row,) and G (n_row, n), both as parts of the mechanism's length, by coordinates in sizes."""
        made = self.made
        at = made.levels(self.t, q, np.zeros(made.n_v))
        scale = weights(made) / made.scale.length
        return scale * at.phi, scale[:, None] * at.phi_q[:, self.moving] * self.size

    def closed(self, q: Array) -> Array:
        """Return the nearest coordinates that satisfy all rows while those that are locked stay."""
        best = np.inf
        for _ in range(ROUNDS if self.made.n_row else 0):
            gap, G = self.rows(q)
            far = float(np.max(np.abs(gap)))
            if far >= 0.5 * best or far < 1e-16:
                break
            best, step = far, np.zeros(self.made.n_v)
            step[self.moving] = self.size * np.linalg.lstsq(G, -gap, rcond=RANK)[0]
            q = self.made.moved(q, step)
        return q

    def multipliers(self, q: Array, v: Array) -> Array:
        """Return lam (n_row,) that leaves the least of R."""
        made = self.made
        none = np.zeros(made.n_row)
        if not made.n_row:
            return none
        scale = weights(made) / made.scale.length
        _, G = self.rows(q)
        return np.asarray(scale * np.linalg.lstsq(G.T, self.size * self.whole(q, v, none), rcond=RANK)[0])

    def yielding(self, q: Array, everything: bool) -> Array:
        """Return the freedoms that come into balance, (n, f), in sizes: all, or those that rigid bodies do not have."""
        _, G = self.rows(q)
        if everything:
            return null_space(G)
        joints = np.flatnonzero(~self.soft)
        rigid = np.zeros((len(self.size), 0))
        if len(joints):
            of_joints = null_space(G[:, joints])
            rigid = np.zeros((len(self.size), of_joints.shape[1]))
            rigid[joints] = of_joints
        return null_space(np.vstack([G, rigid.T]))


def _deflections(made: TreeSystem) -> tuple[Array, Array]:
    """Return stiffness and damping of deflections, (n_v, n_v) each."""
    K, C = np.zeros((2, made.n_v, made.n_v))
    stage = made.compiled.tables.stage
    for r, s, k, c in made.compiled.tables.elastics.tolist():
        one, other = stage[r]["u"], stage[s]["u"]
        K[one, other] += k
        C[one, other] += c
    return K, C


# -- the state ---------------------------------------------------------------------------------------------------------


def begun(near: Near) -> Array:
    """Return the start (q, v, W) at the time that is asked for; speeds are 0 unless something is said of them."""
    made, m = near.made, near.made.mechanism
    y = start_state(made)
    said = m.initial
    if not (said.rate or said.omega or said.velocity or said.mode_rates or said.deflection_rate or m.impulses):
        y[made.layout.v] = 0.0
    locked = np.setdiff1d(np.arange(made.n_v), near.moving)
    y[made.layout.v][locked] = 0.0
    if near.t and made.n_row and not all(isinstance(of.motion, Constant) for of in m.drivers.values()):
        last = near.t
        for near.t in np.linspace(0.0, last, INSTANTS + 1)[1:].tolist():
            y[made.layout.q] = near.closed(y[made.layout.q])
    gap, _ = near.rows(y[made.layout.q])
    if np.max(np.abs(gap), initial=0.0) > OPEN:
        raise ModelError(f"the loops do not close at t = {near.t:g} s; ask for another time")
    return y


def settled(near: Near, y: Array, everything: bool) -> Array:
    """Return a state in balance and at rest, (1): deflections, or everything that is not driven or locked.

    Without `everything` base and joints stay as they are, in loops as near to it as the deflections let them. With it
    the balance is the one that Newton's method finds from the start, be it stable or not.
    """
    made, y = near.made, y.copy()
    lay = made.layout
    if not everything and not near.soft.any():
        return y
    y[lay.v][near.moving if everything else near.moving[near.soft]] = 0.0
    q, v, before = y[lay.q].copy(), y[lay.v], np.inf
    longest = np.where(near.soft, FAR[True], FAR[False])
    for _ in range(ROUNDS):
        lam, Z = near.multipliers(q, v), near.yielding(q, everything)
        ways = near.size[:, None] * Z
        force = ways.T @ near.whole(q, v, lam)
        K = np.array([ways.T @ near.slope(q, v, lam, way) for way in ways.T]).reshape(len(force), len(force)).T
        step = Z @ np.linalg.lstsq(K, -force, rcond=1e-10 if everything else 1e-14)[0]
        far = float(np.max(np.abs(step), initial=0.0))
        if not np.isfinite(far):
            break
        whole = np.zeros(made.n_v)
        whole[near.moving] = near.size * step / max(1.0, float(np.max(np.abs(step) / longest, initial=0.0)))
        q = near.closed(made.moved(q, whole))
        if far < 1e-13 or (far < 1e-9 and far >= 0.5 * before):
            if np.any(np.abs(force) > REST * np.abs(K).sum()):
                break  # nothing holds against it
            y[lay.q] = q
            return y
        before = far
    what = "the mechanism finds" if everything else "the deflections find"
    raise ModelError(f"{what} no balance at t = {near.t:g} s; are the loads beyond what it can bear?")


def linearised(held: Held, t: float = 0.0, settle: bool | str = True, state: Array | None = None) -> Linear:
    """Return (2) about the start of a mechanism, or another state (q, v, W).

    Deflections come into balance first if `settle`, with "all" joints and base too.
    """
    near = Near(held, t)
    made, lay = near.made, near.made.layout
    y = begun(near) if state is None else np.array(state, dtype=float)
    if settle:
        y = settled(near, y, settle == "all")
    q, v = y[lay.q], y[lay.v]
    if (locked := made.locked(t, y)) is not None:
        raise ModelError(f"{locked}; start elsewhere")
    lam, M = near.multipliers(q, v), made.mass(q, t)[np.ix_(near.moving, near.moving)]
    Z = near.size[:, None] * null_space(near.rows(q)[1])
    check_inertia(near, Z.T @ M @ Z, Z)
    K, D = near.slopes(q, v, lam), near.slopes(q, v, lam, speed=True)
    if settle:
        _check_steady(near, y, lam, K, D)
    return Linear(made, t, y, near.moving, M, D, K, Z)


def check_inertia(near: Near, M: Array, Z: Array) -> None:
    """Raise where a free motion meets no inertia; M (f, f) is that of the freedoms Z (n, f)."""
    if not len(M):
        return
    # each motion beside its own inertia: light modes beside a heavy base are no fault
    own = np.sqrt(np.maximum(np.diag(M), 0.0))
    lost = own <= NO_INERTIA * own.max()
    names = [of.speed for of in named(near.made, near.moving)]
    if lost.any():
        loose = names[int(np.argmax(np.abs(Z[:, int(np.argmax(lost))]) / near.size))]
        raise ModelError(f'"{loose}" meets no inertia: give what moves with it some, or take this freedom out')
    values, vectors = np.linalg.eigh(M / np.outer(own, own))
    if values[0] > NO_INERTIA:
        return
    share = np.abs(Z @ (vectors[:, 0] / own)) / near.size
    one, other = sorted(np.argsort(-share)[:2].tolist())
    raise ModelError(
        f'"{names[one]}" and "{names[other]}" meet no inertia where one undoes the other: what lies between them has '
        "none; give it some, or take one of them out"
    )


def _check_steady(near: Near, y: Array, lam: Array, K: Array, D: Array) -> None:
    """Raise where something accelerates, or moves so that the equations do not stay what they are."""
    made, lay, size = near.made, near.made.layout, near.size
    q, v = y[lay.q], y[lay.v]
    names = named(made, near.moving)
    rate = made.levels(near.t, q, v).phi_t * weights(made)
    fast = np.abs(v[near.moving]) / size > MOVES
    turning = [of.speed for of, moves in zip(names, fast, strict=True) if moves and (of.spins or made.n_row)]
    if turning or np.max(np.abs(rate), initial=0.0) > MOVES * made.scale.length:
        who = f'"{turning[0]}" does' if turning else "a driver moves its loops"
        raise ModelError(
            f"the start moves: {who}; small motions are those about rest, or about what turns steadily: hold what is "
            "driven, and give no rates"
        )
    _, G = near.rows(q)
    Z = null_space(G)
    acting = size * (np.abs(K) @ size + np.abs(D) @ size / made.scale.time)
    scale = np.maximum(acting, np.max(acting, initial=0.0) * 1e-3)
    for force in (near.whole(q, v, lam), K @ v[near.moving] * made.scale.time):
        left = Z @ (Z.T @ (size * force))
        moving = np.abs(left) > REST * scale
        if np.any(moving):
            worst = int(np.argmax(np.where(moving, np.abs(left), 0.0)))
            raise ModelError(
                f'no steady state: {-left[worst] / size[worst]:.3g} acts on "{names[worst].speed}"; start where all '
                'forces balance, let settle = "all" find it, lock or drive this joint, or take settle = False for '
                "small motions about a moving state"
            )


def seen(near: Near, y: Array) -> Any:
    """Return the motion at one instant by name, with the joints held as they are where there are no loops."""
    made = near.made
    if made.n_row:
        return made.observed(np.array([near.t]), y[None])
    place = Workspace(made.compiled)
    entry_points.places(near.t, y, place.address)
    return made.observed(np.array([near.t]), y[None], place.s.x[None, :, 2].copy())
