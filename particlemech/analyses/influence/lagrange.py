"""The equations of a mechanism in space after Lagrange, from influence coefficients: without sweeps.

    P*_l;kc = dI*_k;lc - 1/2 dI*_l;kc                                            [G88] (2.3-24)                 (1)
    I* u' + u^T P* u + K* x + C* u = tau + G^T lam,      G u' + gamma = 0        (2.3-25)                       (2)

of all motions, driven ones included. Speeds of a spherical joint are components of an angular velocity, no rates of
coordinates: with motions k, l, s that are its three, in cyclic order, (1) gains (Hamel)

    P*_l;kc += I*_sc,     P*_k;lc -= I*_sc                                                                      (3)

Driven motions are known, so that their rows of (2) say what drives them. The others follow from (2) within the motions
that the rows leave, u' = u0 + Z z with G Z = 0; rows may follow from each other. Multipliers are those of least norm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from particlemech.analyses.influence import rows
from particlemech.analyses.influence.acting import Acting, elastic
from particlemech.analyses.influence.coefficients import Frames, State
from particlemech.engine.recursive.compiled import Compiled
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.system import Array
from particlemech.model.signals import values

if TYPE_CHECKING:
    from particlemech.result.recursive import TreeResult

RANK = 1e-9  # singular values of the rows below this fraction of the largest, or of what moves most, count as zero
CANCELLED = 1e-9  # of what elasticity alone would accelerate: loads on stiff parts cancel it but for rounding
REFINED = 1  # times: M of short stiff parts has a condition of 1e8, and loses as many digits of their accelerations


@dataclass(frozen=True, eq=False)
class Influence:
    """Influence coefficients and matrices at one instant; n motions, driven ones included."""

    motions: tuple[str, ...]  # (n,)
    frames: tuple[str, ...]  # (L,) bodies, parts of bending ones, their sections, rotors, and copies in loops
    G: Array  # (L, 6, n) turning and moving of the frames, global axes
    H: Array  # (L, 6, n, n) d G[:, :, l]/d phi_k in [..., k, l]
    I: Array  # (n, n)
    dI: Array  # (n, n, n) dI*_k in [k]
    K: Array  # (n, n) of bodies, and of drives that yield
    C: Array  # (n, n)
    tau: Array  # (n,) all forces of the model, and weight
    triples: tuple[int, ...]  # each the first of three motions that are components of an angular velocity

    @property
    def P(self) -> Array:
        """P* of (1) and (3), (n, n, n): u^T P*[l] u is what motion l needs for the products of speeds."""
        result = np.swapaxes(self.dI, 0, 1) - 0.5 * self.dI
        for e in self.triples:
            for k, l, s in ((e, e + 1, e + 2), (e + 1, e + 2, e), (e + 2, e, e + 1)):
                result[l, k] += self.I[s]
                result[k, l] -= self.I[s]
        return result

    def bias(self, u: Array) -> Array:
        """Return u^T P* u, (n,)."""
        return self.P @ u @ u


class Instant(NamedTuple):
    """A mechanism at one instant."""

    t: float
    state: State
    influence: Influence
    pose: rows.Pose


class Influences:
    """What works out the influence coefficients of one mechanism, again and again."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, self.frames = compiled, Frames(compiled)
        self.K, self.C = elastic(self.frames)
        drivers = compiled.mechanism.drivers
        self.motion = {e: drivers[c.driver].motion for e, c in enumerate(compiled.coordinates) if c.driver is not None}

    def state(self, seen: Observed, sample: int) -> State:
        """Return the state at a sample of a motion; driven coordinates are what their drivers say."""
        record = seen._sampled
        x, u = record.x[sample, :, 0].copy(), record.x[sample, :, 1].copy()
        for e, motion in self.motion.items():
            x[e], u[e], _ = values(motion, float(seen.t[sample]))
        return State(x, u, {j: record.y[sample, k : k + 4] for j, k in self.compiled.quaternions.items()})

    def at(self, t: float, state: State, given: Array | None = None) -> Instant:
        """Return all at a state; `given` (n_custom, 9) is what Python functions gave there."""
        moved = self.frames.moved(state)
        pose = rows.Pose(self.frames, moved, state.u)
        I, dI, weight = self.frames.inertia(state, moved)
        tau = weight + Acting(pose, state.x, t, np.zeros((0, 9)) if given is None else given).tau
        G = np.array([np.concatenate([of.w, of.v]) for of in moved[1:]])
        H = np.array([np.concatenate([of.w_k, of.v_k]) for of in moved[1:]])
        labels, names = self.frames.labels, self.frames.topology.bodies
        return Instant(t, state, Influence(labels, names, G, H, I, dI, self.K, self.C, tau, self.frames.triples), pose)

    def sample(self, seen: Observed, k: int) -> Instant:
        """Return all at a sample of a motion."""
        return self.at(float(seen.t[k]), self.state(seen, k), seen._sampled.given[k])


class Solution(NamedTuple):
    """What (2) gives."""

    a: Array  # (n,) accelerations of all motions
    effort: Array  # (n,) of what drives them; zero for free ones
    multipliers: dict[str, Array]  # of the rows of each joint and driver


def solved(influences: Influences, now: Instant) -> Solution:
    """Return (2) solved at one instant."""
    at, x, u, n = now.influence, now.state.x, now.state.u, influences.frames.n
    a = np.zeros(n)
    for e, motion in influences.motion.items():
        a[e] = values(motion, now.t)[2]
    free = np.array([e for e in range(n) if e not in influences.motion], dtype=int)
    size, length = np.asarray(influences.compiled.tables.stage["size"])[free], influences.compiled.scale.length
    held = rows.every(now.pose, x, now.t)
    G = np.array([row.G for row in held]).reshape(-1, n)
    gamma = np.array([row.gamma for row in held])
    U, s, V = np.linalg.svd(G[:, free] * size)
    # rows of which no more is left are rounding, be they all
    largest = max(s.max(initial=0.0), np.abs(at.G[:, :, free] * size).max(initial=0.0), min(1.0, length))
    rank = int(np.sum(s > RANK * largest))
    Z = np.zeros((n, len(free) - rank))
    Z[free] = size[:, None] * V[rank:].T
    needed = at.bias(u) + at.K @ np.where(at.K.any(axis=1), x, 0.0) + at.C @ u - at.tau
    M = Z.T @ at.I @ Z
    own = np.sqrt(np.diag(M))
    M /= np.outer(own, own)
    for _ in range(1 + REFINED):
        a[free] -= size * (V[:rank].T @ ((U.T @ (gamma + G @ a))[:rank] / s[:rank]))
        a -= Z @ (np.linalg.solve(M, Z.T @ (needed + at.I @ a) / own) / own)
    unbalanced = at.I @ a + needed
    lam = U[:, :rank] @ ((V[:rank] @ (size * unbalanced[free])) / s[:rank])
    effort = unbalanced - G.T @ lam
    effort[free] = 0.0
    by = {part: lam[[r for r, row in enumerate(held) if row.part == part]] for part in {row.part for row in held}}
    return Solution(a, effort, by)


def compared(result: TreeResult, samples: int) -> list[tuple[str, float, float, str, float]]:
    """Return how far (2) differs from a run at some of its samples: quantity, largest difference, size, where, when."""
    compiled = result.system.compiled
    influences, size = Influences(compiled), np.asarray(compiled.tables.stage["size"])
    drivers = {name: result.effort(name) for name in result.mechanism.drivers}
    driven = {c.driver: e for e, c in enumerate(compiled.coordinates) if c.driver is not None}
    worst: dict[str, tuple[float, float, str, float]] = {}

    def note(what: str, ours: float, theirs: float, where: str, t: float, least: float = 0.0) -> None:
        if not np.isfinite(ours):
            return  # self-stress of a loop leaves it open
        largest, range_, at, when = worst.get(what, (0.0, 0.0, where, t))
        if abs(ours - theirs) >= largest:
            largest, at, when = abs(ours - theirs), where, t
        worst[what] = largest, max(range_, abs(ours), least), at, when

    for k in np.unique(np.linspace(0, len(result.t) - 1, samples).astype(int)).tolist():
        t, other = float(result.t[k]), solved(influences, influences.sample(result, k))
        x, free = result._sampled.x[k], list(compiled.free)
        M = result.system.mass(result._projected[0][k], t)
        held = CANCELLED * np.abs(result.system.elasticity[0] @ x[free, 0]) / np.maximum(np.diag(M), 1e-300)
        for e, least in zip(free, held / size[free], strict=True):
            ours, theirs = (float(of[e] / size[e]) for of in (x[:, 2], other.a))
            note("accelerations by Lagrange", ours, theirs, compiled.coordinates[e].speed, t, float(least))
        for name, efforts in drivers.items():
            found = other.effort[driven[name]] if name in driven else other.multipliers[name][0]
            note(f"effort of {name} by Lagrange", float(efforts[k]), float(found), name, t)
    return [(what, *found) for what, found in worst.items()]
