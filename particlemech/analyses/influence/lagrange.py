"""The equations of a chain after Lagrange, [G88] (2.3-25), from influence coefficients: without sweeps.

    I* phi'' + phi'^T P* phi' + K* phi + C phi' = tau              of all motions, driven ones included         (1)

Driven motions are known, so their rows give what drives them and the others the accelerations. See influence.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech._jit import ArgumentBlock, fresh
from particlemech.analyses.influence.coefficients import EACH, loaded, matrices, second_order, sprung
from particlemech.analyses.influence.sheet import Sheet
from particlemech.engine.bending.compiled import tabulate
from particlemech.engine.bending.equations import FlexibleSystem
from particlemech.engine.bending.links import DRIVEN, FLOATS, FREE, Chain
from particlemech.engine.bending.workspace import Workspace
from particlemech.engine.system import Array
from particlemech.model.signals import values

if TYPE_CHECKING:
    from particlemech.result.bending import BendingResult


def released(chain: Chain) -> Chain:
    """Return a chain whose driven joints are free: motions like all others."""
    joints = (replace(j, state=FREE, motion=None) if j.state == DRIVEN else j for j in chain.joints)
    return replace(chain, joints=tuple(joints))


@dataclass(frozen=True, eq=False)
class Influence:
    """Influence coefficients and matrices of (5) to (8) at one place of the chain; n motions, driven ones included."""

    motions: tuple[str, ...]  # (n,)
    links: tuple[str, ...]  # the base, then all links and sub-links: those of G and H
    G: Array  # (L, 6, n) turning and moving of the frames of the links, global axes
    H: Array  # (L, 6, n, n) d G[:, :, l]/d phi_k in [..., k, l]
    I: Array  # (n, n)
    dI: Array  # (n, n, n) dI*_k in [k]
    K: Array  # (n, n)
    C: Array  # (n, n)
    tau: Array  # (n,) loads, springs between places, and weight
    spins: bool  # motions 3, 4, 5 are turns of the base

    @property
    def P(self) -> Array:
        """P* of (7), (n, n, n): phi'^T P*[l] phi' is what motion l needs for the products of speeds."""
        result = np.swapaxes(self.dI, 0, 1) - 0.5 * self.dI
        if self.spins:
            for k, l, r in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
                result[3 + l, 3 + k] += self.I[3 + r]
                result[3 + k, 3 + l] -= self.I[3 + r]
        return result

    def bias(self, u: Array) -> Array:
        """Return phi'^T P* phi', (n,)."""
        return np.einsum("k,lkc,c->l", u, self.P, u, optimize=True)


class Influences:
    """What works out the influence coefficients of one chain, again and again."""

    def __init__(self, chain: Chain) -> None:
        self.compiled = compiled = tabulate(released(chain))
        self.place = Workspace(compiled)
        n, L = compiled.n_v, len(compiled.tables.link)
        most = max(int(compiled.tables.link["modes"].max()), 1)
        M = EACH + most
        per_motion = (n, 3), (n, 3), (n, 3), (n, most, 3), (L, 6, n), (M, n), (n, n, 6)
        group = fresh(Sheet, *per_motion, (1 + most, M, M), (M, n), (n, n), (n, n, n), (n,), (n,))
        self.sheet: Sheet = group.part
        self.argument_block = ArgumentBlock(compiled.group, self.place.work_arrays, group)
        self.K, self.C = self._elastic("K", "stiffness", "spring"), self._elastic("C", "damping", "damper")

    def _elastic(self, of: str, in_drives: str, in_joints: str) -> Array:
        """Return K* or C*, [G88] (2.3-15)."""
        tables: Any = self.compiled.tables
        result = np.zeros((self.compiled.n_v, self.compiled.n_v))
        for link in tables.link:
            m, u = int(link["modes"]), int(link["u"])
            result[u : u + m, u : u + m] = getattr(tables, of)[link["pairs"] : link["pairs"] + m * m].reshape(m, m)
        for joint in tables.joint[1:]:
            for at, of_joint in ((joint["du"], in_drives), (joint["u"], in_joints)):
                if at >= 0:
                    result[at, at] += joint[of_joint]
        return result

    def at(self, t: float, q: Array, deep: bool = True, second: bool = False, speeds: Array | None = None) -> Influence:
        """Return all at coordinates q of the released chain; dI* if `deep`, H if `second`, else zeros.

        tau has the forces of springs between places; `speeds` (n,) those of their dampers, default at rest.
        """
        f, address = self.sheet, self.argument_block.address
        matrices(t, q, deep, address)
        loaded(address)
        sprung(np.zeros(len(f.I)) if speeds is None else np.ascontiguousarray(speeds), address)
        L, n = f.G.shape[0], len(f.I)
        H = np.zeros((L, 6, n, n))
        for i in range(L if second else 0):
            f.h[:] = 0.0
            second_order(i, address)
            H[i] = np.moveaxis(f.h, 2, 0)
        names = (self.compiled.chain.base.name, *(link.name for link in self.compiled.chain.links))
        labels = tuple(c.label for c in self.compiled.coordinates)
        spins = self.compiled.chain.base.state == FLOATS
        arrays = (f.G.copy(), H, f.I.copy(), f.dI.copy(), self.K, self.C, f.tau.copy())
        return Influence(labels, names, *arrays, spins)

    def whole(self, made: FlexibleSystem, t: float, y: Array) -> tuple[Array, Array, Array, Array]:
        """Return coordinates (n_q,) and speeds (n,) of all motions, which are free, (n_v,), and driven rates, (n,)."""
        lay, extra = made.layout, made.n_q - made.n_v
        n = self.compiled.n_v
        labels = {c.label: k for k, c in enumerate(self.compiled.coordinates)}
        free = np.array([labels[c.label] for c in made.compiled.coordinates], dtype=int)
        x, u, rate = np.zeros(n), np.zeros(n), np.zeros(n)
        x[free], u[free] = y[lay.q][extra:], y[lay.v]
        for joint in made.compiled.chain.joints:
            if joint.state == DRIVEN and joint.motion is not None:
                k = labels[f"{joint.name}.{joint.coordinate}"]
                x[k], u[k], rate[k] = values(joint.motion, t)
        q = np.concatenate([y[lay.q][:7], x[6:]]) if extra else x
        return q, u, free, rate


class Solution(NamedTuple):
    """Accelerations, and what drives the chain besides its motors, of all motions."""

    motions: tuple[str, ...]
    a: Array  # (n,)
    effort: Array  # (n,) zero for free ones


def solved(influences: Influences, made: FlexibleSystem, t: float, y: Array) -> Solution:
    """Return (1) solved at a state of a chain; its controllers act as they do in its system."""
    q, u, free, a = influences.whole(made, t, y)
    at = influences.at(t, q, speeds=u)
    x = np.delete(q, 3) if at.spins else q.copy()
    if at.spins:
        x[3:6] = 0.0  # K* has nothing to do with the base
    acting = at.tau - at.bias(u) - at.K @ x - at.C @ u + _motors(influences, made, t, y, at.G)
    right = acting[free] - at.I[free] @ a
    a = a.copy()
    a[free] = np.linalg.solve(at.I[np.ix_(free, free)], right)
    effort = at.I @ a - acting
    effort[free] = 0.0
    return Solution(at.motions, a, effort)


def _motors(influences: Influences, made: FlexibleSystem, t: float, y: Array, G: Array) -> Array:
    """Return what motors and Python functions exert, and springs where their coordinates are 0, (n,)."""
    labels = [c.label for c in influences.compiled.coordinates]
    result = np.zeros(len(labels))
    now = made.observed(np.array([t]), y[None])
    for i, joint in enumerate(made.compiled.chain.joints, start=1):
        label = f"{joint.name}.{joint.coordinate}"
        if label in labels:
            acting = joint.pull + sum(values(effort, t)[0] for effort in joint.efforts)
            if joint.controllers:
                acting += float(now._sampled.given[0, i])
            result[labels.index(label)] += acting
    for link in {link + 1 for _, link, _ in made.compiled.chain.customs}:
        outer = now._sampled.outer[0, link].reshape(2, 3) @ now._rotation(link)[0].T
        result += G[link].T @ outer.reshape(6)
    return result


def compared(result: BendingResult, samples: int) -> list[tuple[str, float, float, str, float]]:
    """Return how far (1) differs from a run at some of its samples: quantity, largest difference, size, where, when."""
    made, lay = result.system, result.system.layout
    influences = Influences(made.compiled.chain)
    free = [c.label for c in made.compiled.coordinates]
    driven = {f"{j.name}.{j.coordinate}": j.driver for j in made.compiled.chain.joints if j.state == DRIVEN}
    worst: dict[str, tuple[float, float, str, float]] = {}
    sizes = {label: 1.0 / size for label, size in zip(free, made.size_v, strict=True)}
    for k in np.unique(np.linspace(0, len(result.t) - 1, samples).astype(int)).tolist():
        t, y = float(result.t[k]), result._y[k]
        other = solved(influences, made, t, y)
        mine = dict(zip(free, made.slopes(t, y)[1][lay.v], strict=True))
        for label, a, effort in zip(other.motions, other.a, other.effort, strict=True):
            if label in mine:
                what, ours, theirs = "accelerations by Lagrange", mine[label] * sizes[label], a * sizes[label]
            else:
                what, ours, theirs = f"effort of {driven[label]} by Lagrange", result.effort(driven[label])[k], effort
            largest, size, where, when = worst.get(what, (0.0, 0.0, label, t))
            if abs(ours - theirs) >= largest:
                largest, where, when = abs(ours - theirs), label, t
            worst[what] = (float(largest), max(size, float(abs(ours))), where, when)
    return [(what, *found) for what, found in worst.items()]
