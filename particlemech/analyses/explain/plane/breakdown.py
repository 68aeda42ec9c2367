"""A mechanism at one instant as the method of equivalent particles sees it: every number that goes into its equations.

    unknowns      accelerations a (n_q,) of particle coordinates, multipliers lam (n_lam,) of cut joints and drivers

    balance       proj . sum outboard (rate of momentum - applied - reactions) = 0        (1)  [A00] 2.4
    rows          phi_q a + gamma = 0                                                     (2)  [A00] (4), (6)
                  distances of particles, joints of the tree that are no pins, cut joints, drivers

Both together are the index-reduced system A (a, lam) = b: as many equations as unknowns, linear in them. The rate of
momentum is summed here over the three particles of every body, along the chains; the library itself uses three
constants per body and one sweep over the tree (engine/particles/chain.py). That (1) vanishes with these sums, and with
the a and lam of the library, is a check of both.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from particlemech.analyses.explain.plane.chains import Chain, beyond, chains, outboard
from particlemech.analyses.explain.plane.equivalent import Equivalent, equivalents
from particlemech.engine.particles.equations import ParticleSystem
from particlemech.engine.particles.topology import Topology, cut
from particlemech.engine.plane import Motion
from particlemech.engine.system import Array, Row
from particlemech.run.start import accelerations, weights

RANK = 1e-8  # of the largest singular value: rows that add less than this say nothing new
RATE, APPLIED, REACTION = 0, 1, 2  # places in what is balanced


class Wrenches(NamedTuple):
    """What is balanced, about the centroid of the drawing: force x, force y, N, moment, N m; each (n_body, 3)."""

    rate: Array  # of momentum, from the particles
    applied: Array  # weight, loads, springs, dampers, motors
    reaction: Array  # of cut joints and drivers


class BalanceRow(NamedTuple):
    """One equation (1)."""

    joint: str  # of the tree; empty for a chain that floats
    body: str  # the first body outboard
    about: str  # what is balanced, in words
    outboard: tuple[str, ...]  # bodies
    terms: Array  # (3,) N or N m: rate of momentum, applied, reactions
    moment: bool  # N m rather than N

    @property
    def remainder(self) -> float:
        """What is left of (1), N or N m."""
        return float(self.terms[RATE] - self.terms[APPLIED] - self.terms[REACTION])


class ConstraintRow(NamedTuple):
    """One row phi on every level, in m, m/s and m/s^2, or without the metres."""

    part: str  # such as 'joint "B"'
    number: int  # among the rows of its part and role, from 1 on
    role: str  # "distance", "tree joint", "cut joint" or "driver"
    angle: bool  # dimensionless
    value: float  # phi
    rate: float  # phi_q v + phi_t
    gamma: float  # what velocities and drivers add to the second rate
    second: float  # phi_q a + gamma, (2)
    lam: float | None  # N, or N m for an angle; None where the row has no multiplier


class Sizes(NamedTuple):
    """Numbers of unknowns and equations."""

    accelerations: int
    multipliers: int
    balances: int
    rows: dict[str, int]  # by role
    redundant: int  # rows that say nothing new in this pose
    integrated: int  # unknowns of the stabilised system that IDA integrates

    @property
    def freedom(self) -> int:
        """Accelerations that the rows leave open, drivers included among the rows."""
        return self.accelerations - sum(self.rows.values()) + self.redundant


@dataclass(frozen=True)
class Breakdown:
    """All numbers of the method at one instant; arrays of bodies are in the order of `topology.order`."""

    system: ParticleSystem
    t: float  # s
    q: Array  # (n_q,) m, from the centroid of the drawing
    v: Array  # (n_q,) m/s
    x: Array  # (n_x,) angles, states of elements, work
    a: Array  # (n_q,) m/s^2
    lam: Array  # (n_lam,) N or N m
    motion: Motion  # one sample, bodies in the order of the model
    topology: Topology
    chains: tuple[Chain, ...]
    bodies: tuple[Equivalent, ...]
    own: Wrenches  # of each body
    sums: Wrenches  # of each body and all that is outboard of it, by chains.py (1)
    balances: tuple[BalanceRow, ...]
    rows: tuple[ConstraintRow, ...]
    sizes: Sizes

    @property
    def unbalanced(self) -> float:
        """The largest remainder of (1) beside the largest term, moments divided by the mechanism's length."""
        L = self.system.scale.length
        unit = [L if row.moment else 1.0 for row in self.balances]
        left = [abs(row.remainder) / u for row, u in zip(self.balances, unit, strict=True)]
        # at rest all terms of a row may vanish: forces of the bodies say what is large
        large = [float(np.abs(row.terms).max()) / u for row, u in zip(self.balances, unit, strict=True)]
        large += [float(np.abs(of[:, :2]).max(initial=0.0)) for of in self.own]
        return max(left, default=0.0) / max(large) if any(large) else 0.0


def broken_down(system: ParticleSystem, t: float, q: Array, v: Array, x: Array) -> Breakdown:
    """Return all numbers of the method at a state that satisfies its rows.

    Parameters
    ----------
    system
        Made without cuts other than those of the model's [run].
    t
        s.
    q, v, x
        (n_q,) coordinates and speeds, (n_x,) angles and work.
    """
    a, lam = accelerations(system, t, q, v, x)
    topology = cut(system.mechanism, system.mechanism.run.cut)
    every, bodies = chains(topology), equivalents(system, q, v, a)
    own, proj = _wrenches(system, t, q, v, a, lam, x, bodies)
    stacked = outboard(every, {name: np.stack([of[b] for of in own]) for b, name in enumerate(topology.order)})
    summed = np.stack([stacked[name] for name in topology.order], axis=1)
    rows = _rows(system, t, q, v, a, lam, x)
    return Breakdown(
        system, t, q, v, x, a, lam,
        motion=system.motion(q[None], v[None], a[None], x[None]),
        topology=topology,
        chains=every,
        bodies=bodies,
        own=own,
        sums=Wrenches(*summed),
        balances=_balances(system, topology, summed, proj),
        rows=rows,
        sizes=_sizes(system, t, q, rows),
    )  # fmt: skip


def _wrenches(
    system: ParticleSystem, t: float, q: Array, v: Array, a: Array, lam: Array, x: Array, bodies: tuple[Equivalent, ...]
) -> tuple[Wrenches, Array]:
    """Return what is balanced, and the projections of (1), (n_free, 3).

    The library has rate - applied - reactions as one, linear in a and lam: without both it is minus what is applied,
    and what lam adds to that is minus the reactions.
    """
    still, none = np.zeros_like(a), np.zeros_like(lam)
    unmoved, proj = system.wrenches(t, q, v, still, none, x)
    held, _ = system.wrenches(t, q, v, still, lam, x)
    origin = np.array(system.compiled.origin)
    rate = np.array([body.rate_of_momentum(origin) for body in bodies]).reshape(-1, 3)
    return Wrenches(rate, -unmoved, unmoved - held), proj


def _balances(system: ParticleSystem, topology: Topology, summed: Array, proj: Array) -> tuple[BalanceRow, ...]:
    """Return the rows (1); `summed` (3, n_body, 3) are the wrenches of all that is outboard."""
    result = []
    for free, by in zip(system.compiled.free, proj, strict=True):
        b, moment = int(free["body"]), bool(free["moment"])
        body = topology.order[b]
        edge = topology.tree.get(body)
        place = (
            "its particle 1" if edge is None else edge.spec.point if isinstance(edge.spec.point, str) else edge.joint
        )
        about = f"moment about {place}" if moment else f"force along ({by[0]:.4g}, {by[1]:.4g})"
        out = tuple(beyond(topology, body))
        result.append(BalanceRow(edge.joint if edge else "", body, about, out, summed[:, b] @ by, moment))
    return tuple(result)


def _rows(
    system: ParticleSystem, t: float, q: Array, v: Array, a: Array, lam: Array, x: Array
) -> tuple[ConstraintRow, ...]:
    phi, phi_t, gamma, phi_q = system.levels(t, q, v, x)
    rate, second = phi_q @ v + phi_t, phi_q @ a + gamma
    result, seen = [], Counter[tuple[str, str]]()
    for r, row in enumerate(system.layout.rows):
        role = _role(row)
        seen[row.part, role] += 1
        numbers = float(phi[r]), float(rate[r]), float(gamma[r]), float(second[r])
        force = float(lam[row.lam]) if row.lam >= 0 else None
        result.append(ConstraintRow(row.part, seen[row.part, role], role, row.angle, *numbers, force))
    return tuple(result)


def _role(row: Row) -> str:
    """Return why a row is there; a pin of three bodies may carry one of them and be cut at another."""
    word = row.part.partition(" ")[0]
    if word == "joint":
        return "cut joint" if row.lam >= 0 else "tree joint"
    return "distance" if word == "body" else word


def _sizes(system: ParticleSystem, t: float, q: Array, rows: tuple[ConstraintRow, ...]) -> Sizes:
    values = np.linalg.svd(weights(system)[:, None] * system.rows_q(t, q), compute_uv=False)
    rank = int(np.count_nonzero(values > RANK * values.max(initial=0.0)))
    roles = dict.fromkeys(("distance", "tree joint", "cut joint", "driver"), 0) | Counter(row.role for row in rows)
    return Sizes(system.n_q, system.n_lam, system.places.n_free, roles, len(rows) - rank, system.n)
