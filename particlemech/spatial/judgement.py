"""Mobility of a mechanism in space in one pose: what can be said without running it.

    dof        = 6 n_body - rank J          velocities that no joint resists                              (1)
    redundancy = columns of J - rank J      self-stresses: joint loads that hold each other               (2)
    redundant joints: those that some self-stress loads                                                   (3)

J holds the wrenches of unit reactions of all joints on the bodies; drivers are left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlemech.spatial.mechanism import Mechanism
from particlemech.spatial.start import prepared

RANK = 1e-8  # singular values below this fraction of the largest count as zero


class Judgement(NamedTuple):
    """What `check` prints of a mechanism in space."""

    by_count: int  # 6 n_body minus what the joints take
    by_rank: int  # (1)
    drivers: int
    redundancy: int  # (2)
    redundant: tuple[str, ...]  # joints (3)


def judged(mechanism: Mechanism) -> Judgement:
    """Return the mobility of a mechanism in its start."""
    made, begin = prepared(mechanism, mechanism.run.duration)
    every = made.compiled.every
    scale = np.array([made.scale.length if row.angle else 1.0 for row in every])
    phi_q = scale[:, None] * made.every(0.0, made.full(begin.q), made.full(begin.v, rates=True)).phi_q
    parts = [row.part for row in every]
    joints = np.array([part.startswith("joint") for part in parts])
    own = phi_q[[part.startswith("body") for part in parts]]
    # velocities of rigid bodies: what their own rows leave, six each
    _, _, Vt = np.linalg.svd(own)
    rigid = Vt[len(own) :].T
    J = phi_q[joints] @ rigid
    U, s, _ = np.linalg.svd(J) if J.size else (np.zeros((0, 0)), np.zeros(0), None)
    rank = int(np.sum(s > RANK * s.max(initial=0.0)))
    names = [part.removeprefix('joint "')[:-1] for part in np.array(parts, dtype=object)[joints]]
    loaded = np.linalg.norm(U[:, rank:], axis=1) > RANK if len(U) else np.zeros(0, dtype=bool)
    return Judgement(
        by_count=6 * len(mechanism.bodies) - sum(6 - joint.dof for joint in mechanism.joints.values()),
        by_rank=rigid.shape[1] - rank,
        drivers=len(mechanism.drivers),
        redundancy=len(J) - rank,
        redundant=tuple(dict.fromkeys(name for name, is_loaded in zip(names, loaded, strict=True) if is_loaded)),
    )
