"""Mobility of a mechanism in space in one pose: what can be said without running it.

    dof        = 6 n_body - rank J          velocities that no joint resists                              (1)
    redundancy = columns of J - rank J      self-stresses: joint loads that hold each other               (2)
    redundant joints: those that some self-stress loads                                                   (3)

J holds the wrenches of unit reactions of all joints on the bodies; drivers are left out. A count knows neither pose nor
dimensions, so it can disagree with (1); then the redundancy is a matter of the pose or, as that of Bennett's linkage,
of the design. Second poses tell which: the mechanism is moved a little along velocities that it allows, and (2) is
asked again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from particlemech.engine.natural.equations import SpatialSystem, system
from particlemech.engine.natural.start import prepared
from particlemech.engine.system import Array
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.mobility import Mobility
from particlemech.result.natural import LoopResult
from particlemech.run.start import Start, assembled, weights
from particlemech.run.trajectory import Course, Phase, Status

RANK = 1e-8  # singular values below this fraction of the largest count as zero
TRAVEL = 0.08  # way to a second pose, in lengths of the mechanism or rad
STEPS = 8  # in which that way is made
CLOSED = 1e-9  # largest gap of a pose that counts as one, in lengths


def judged(mechanism: Mechanism) -> Mobility:
    """Return the mobility of a mechanism in its start."""
    made, begin = prepared(mechanism, mechanism.run.duration)
    rank, stresses, parts = _held(made, begin.q)
    redundancy = stresses.shape[1]
    loaded = {part for part, row in zip(parts, stresses, strict=True) if np.linalg.norm(row) > RANK}
    elsewhere = _redundancy_elsewhere(mechanism, made, begin) if redundancy else None
    return Mobility(
        by_count=6 * len(mechanism.bodies) - sum(6 - joint.dof for joint in mechanism.joints.values()),
        by_rank=6 * len(mechanism.bodies) - rank,
        drivers=len(mechanism.drivers),
        redundancy=redundancy,
        redundant=tuple(name for name in mechanism.joints if f'joint "{name}"' in loaded),
        cause="none" if not redundancy else "cannot tell" if elsewhere is None else "design" if elsewhere else "pose",
        elsewhere=elsewhere,
        cuts=tuple(made.cuts),
        undetermined=_undetermined(made, begin),
    )


def degrees_of_freedom(made: SpatialSystem, begin: Start) -> int:
    """Return the degrees of freedom in the start of a system that is there already (1), drivers left out."""
    return 6 * len(made.mechanism.bodies) - _held(made, begin.q)[0]


def _held(made: SpatialSystem, q: Array) -> tuple[int, Array, list[str]]:
    """Return the rank of J, its self-stresses (n_row, redundancy), and the joint of each of its rows."""
    every, z = made.compiled.every, made.full(q)
    scale = np.array([made.scale.length if row.angle else 1.0 for row in every])
    phi_q = scale[:, None] * made.every(0.0, z, np.zeros_like(z)).phi_q
    own = phi_q[[row.part.startswith("body") for row in every]]
    # velocities of rigid bodies: what their own rows leave, six each
    rigid = np.linalg.svd(own)[2][len(own) :].T
    J = phi_q[[row.part.startswith("joint") for row in every]] @ rigid
    parts = [row.part for row in every if row.part.startswith("joint")]
    if not J.size:
        return 0, np.eye(len(J)), parts
    U, s, _ = np.linalg.svd(J)
    rank = int(np.sum(s > RANK * s.max(initial=0.0)))
    return rank, U[:, rank:], parts


def _undetermined(made: SpatialSystem, begin: Start) -> tuple[str, ...]:
    """Return the reactions that are not determined, by the same rule that marks them in a result."""
    lay, y = made.layout, np.zeros((1, made.n))
    y[0, lay.q], y[0, lay.v], y[0, lay.x] = begin.q, begin.v, begin.x
    drawn = Phase(made, "none", np.zeros(1), y, False, {})
    now = LoopResult(made, begin, Course([drawn], Status.COMPLETED, "completed", {}), dict)
    return tuple(name for name, column in now.reaction_columns().items() if np.isnan(column).any())


# -- second poses ------------------------------------------------------------------------------------------------------


def _redundancy_elsewhere(mechanism: Mechanism, made: SpatialSystem, begin: Start) -> int | None:
    """Return the least redundancy among poses that can be reached from the start, None if there is none."""
    if mechanism.drivers:  # they hold the mechanism in its pose
        made = system(mechanism.replaced(drivers=dict.fromkeys(mechanism.drivers)), mechanism.run.cut)
    return min((_held(made, q)[1].shape[1] for q in _poses(made, begin.q)), default=None)


def _poses(made: SpatialSystem, q: Array) -> Iterator[Array]:
    """Yield poses some way off; generic directions, since a special one may keep what makes the pose special."""
    rng = np.random.default_rng(1)
    for _ in range(3):
        wish = rng.standard_normal(made.n_q)
        for sign in (1.0, -1.0):
            pose = _moved(made, q, sign * wish)
            if pose is not None:
                yield pose


def _moved(made: SpatialSystem, begin: Array, wish: Array) -> Array | None:
    """Return a pose TRAVEL away, nearly along `wish`, scaled; None if the mechanism does not move so far."""
    q, still, scale = begin, np.zeros(made.n_q), weights(made)
    for _ in range(STEPS):
        rows = scale[:, None] * made.levels(0.0, q, still).phi_q * made.size_q / made.scale.length
        _, s, Vt = np.linalg.svd(rows)
        free = Vt[int(np.sum(s > RANK * s.max(initial=0.0))) :].T
        wish = free @ (free.T @ wish)
        way = float(np.abs(wish).max(initial=0.0))
        if way < RANK:
            return None
        wish = wish / way
        q = assembled(made, 0.0, q + TRAVEL / STEPS * wish * made.size_q)
        if np.max(np.abs(scale * made.levels(0.0, q, still).phi), initial=0.0) > CLOSED * made.scale.length:
            return None
    return q if np.abs((q - begin) / made.size_q).max() > 0.25 * TRAVEL else None
