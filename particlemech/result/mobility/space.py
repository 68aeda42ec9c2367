"""Mobility of a mechanism in space in one pose: what can be said without running it.

    dof        = stages - rank G            velocities that no joint resists; G: rows of joints by all stages     (1)
    redundancy = rows - rank G              self-stresses: joint loads that hold each other                       (2)
    redundant joints: those that some self-stress loads                                                           (3)

Drivers are left out: what they drive counts as free, and their rows do not count. A count knows neither pose nor
dimensions, so it can disagree with (1); then the redundancy is a matter of the pose or, as that of Bennett's linkage,
of the design. Second poses tell which: the mechanism is moved a little along velocities that it allows, and (2) is
asked again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from particlemech.engine.recursive.compiled import tabulate
from particlemech.engine.recursive.equations import TreeSystem
from particlemech.engine.recursive.following import converted
from particlemech.engine.recursive.impulse import least_norm
from particlemech.engine.recursive.start import prepared
from particlemech.engine.recursive.ties.deflections import DEFLECTION
from particlemech.engine.system import Array
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.mobility import Mobility
from particlemech.result.recursive import TreeResult
from particlemech.run.start import Start, assembled, rank, weights
from particlemech.run.stated import stated
from particlemech.run.trajectory import Phase

RANK = 1e-8  # singular values below this fraction of the largest count as zero
TRAVEL = 0.08  # way to a second pose, in lengths of the mechanism or rad
STEPS = 8  # in which that way is made
CLOSED = 1e-9  # largest gap of a pose that counts as one, in lengths


def judged(mechanism: Mechanism) -> Mobility:
    """Return the mobility of a mechanism in its start."""
    made, begin = prepared(mechanism, mechanism.run.duration)
    loose = undriven(made)
    q, pose = begin.q, converted(made, begin.q, loose)
    G = _rows(loose, pose)
    rank = _rank(G)
    redundancy = len(G) - rank
    still = np.zeros(loose.n_v)
    elsewhere = _redundancy_elsewhere(loose, pose) if redundancy else None
    free, c = np.array(made.compiled.free, dtype=int), made.compiled
    A = made.mass(q)
    lost = np.zeros(len(free), dtype=bool) if made.n_row else least_norm(A, np.zeros(len(free)), made.size_v)[1]
    return Mobility(
        by_count=count(mechanism) + sum(of.deflects for of in c.coordinates),
        by_rank=_freedoms(loose, pose) - rank,
        drivers=len(mechanism.drivers),
        redundancy=redundancy,
        redundant=_standing(loose, replace(begin, q=pose, v=still)).stressed if redundancy else (),
        cause="none" if not redundancy else "cannot tell" if elsewhere is None else "design" if elsewhere else "pose",
        elsewhere=elsewhere,
        cuts=tuple(made.cuts) if mechanism.loops or made.cuts else None,
        undetermined=_undetermined(made, begin),
        modal=sum(len(stages) for stages in c.modes_of.values()),
        deflecting=sum(of.name == DEFLECTION for of in c.coordinates),
        loose=tuple(c.coordinates[int(e)].speed for e in free[lost]),
        condition=None if made.n_row else _condition(A, made.size_v),
    )


def count(mechanism: Mechanism) -> int:
    """Return the degrees of freedom by count, without deflections."""
    return 6 * len(mechanism.bodies) - sum(joint.takes(mechanism) for joint in mechanism.joints.values())


def degrees_of_freedom(mechanism: Mechanism, result: Any) -> int:
    """Return the degrees of freedom in the start of a run (1), drivers left out; without loops by count."""
    if not mechanism.loops and all(joint.stages for joint in mechanism.joints.values()) and not result.system.n_row:
        return sum(joint.dof for joint in mechanism.joints.values()) + _deflecting(result.system)
    if isinstance(result.system, TreeSystem):
        made, begin = result.system, result.start
    else:
        made, begin = prepared(mechanism, mechanism.run.duration)
    loose = undriven(made)
    return loose.n_v - _rank(_rows(loose, converted(made, begin.q, loose)))


def _deflecting(made: Any) -> int:
    """Return how many coordinates are deflections."""
    return sum(of.deflects for of in made.compiled.coordinates) if isinstance(made, TreeSystem) else 0


def undriven(made: TreeSystem) -> TreeSystem:
    """Return the system of the same frames without drivers."""
    if not made.mechanism.drivers:
        return made
    mechanism = made.mechanism.replaced(drivers=dict.fromkeys(made.mechanism.drivers))
    return TreeSystem(tabulate(mechanism, made.compiled.topology))


def _condition(A: Array, size: Array) -> float:
    return float(np.linalg.cond(A * np.outer(size, size))) if len(A) else 1.0


def _rows(made: TreeSystem, q: Array) -> Array:
    """Return the rows of joints in lengths, by speeds in units of these."""
    G = made.levels(0.0, q, np.zeros(made.n_v)).phi_q
    return np.asarray(weights(made)[:, None] * G * made.size_v / made.scale.length)


def _rank(G: Array) -> int:
    return rank(np.asarray(np.linalg.svd(G, compute_uv=False)), RANK) if G.size else 0


def _freedoms(made: TreeSystem, q: Array) -> int:
    """Return how many independent motions the stages of the tree make: fewer than stages at gimbal lock."""
    if made.mechanism.bends:
        return made.n_v
    n, y = made.n_v, np.zeros((made.n_v, made.n))
    y[:, made.layout.q], y[:, made.layout.v] = q, np.diag(made.size_v)
    if not n:
        return 0
    seen = made.observed(np.zeros(n), y, np.zeros((n, len(made.compiled.coordinates))), told=False)._sampled
    moved = np.concatenate([seen.omega, seen.v / made.scale.length], axis=2).reshape(n, -1)
    return _rank(moved)


def _standing(made: TreeSystem, begin: Start) -> TreeResult:
    """Return the start as a result with one sample."""
    y = made.layout.state(begin.q, begin.v, begin.x)
    return TreeResult(*stated(Phase(made, "none", np.zeros(1), y[None])), dict)


def _undetermined(made: TreeSystem, begin: Start) -> tuple[str, ...]:
    """Return the reactions that are not determined, by the same rule that marks them in a result."""
    columns = _standing(made, begin).reaction_columns() if made.n_row else {}
    return tuple(name for name, column in columns.items() if np.isnan(column).any())


# -- second poses ------------------------------------------------------------------------------------------------------


def _redundancy_elsewhere(made: TreeSystem, q: Array) -> int | None:
    """Return the least redundancy among poses that can be reached from this one, None if there is none."""
    return min((len(G) - _rank(G) for G in (_rows(made, pose) for pose in _poses(made, q))), default=None)


def _poses(made: TreeSystem, q: Array) -> Iterator[Array]:
    """Yield poses some way off; generic directions, since a special one may keep what makes the pose special."""
    rng = np.random.default_rng(1)
    for _ in range(3):
        wish = rng.standard_normal(made.n_v)
        for sign in (1.0, -1.0):
            pose = _moved(made, q, sign * wish)
            if pose is not None:
                yield pose


def _moved(made: TreeSystem, q: Array, wish: Array) -> Array | None:
    """Return a pose TRAVEL away, nearly along `wish`, scaled; None if the mechanism does not move so far."""
    still, scale = np.zeros(made.n_v), weights(made)
    for _ in range(STEPS):
        G = _rows(made, q)
        _, s, Vt = np.linalg.svd(G)
        free = Vt[rank(s, RANK) :].T
        wish = free @ (free.T @ wish)
        way = float(np.abs(wish).max(initial=0.0))
        if way < RANK:
            return None
        wish = wish / way
        q = assembled(made, 0.0, made.moved(q, TRAVEL / STEPS * wish * made.size_v))
        if np.max(np.abs(scale * made.levels(0.0, q, still).phi), initial=0.0) > CLOSED * made.scale.length:
            return None
    return q
