"""What a method is given and what it gives back: one instant of a tree, and its accelerations.

Rows of bodies are numbered as in the topology, row 0 is the ground; all vectors are in global axes. Accelerations are
not part of an instant: every method works them out in its own way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlemech.engine.recursive.entry_points import NONE, SETTLED, ask
from particlemech.engine.recursive.equations import TreeSystem
from particlemech.engine.recursive.workspace import Workspace
from particlemech.engine.system import Array

RANK = 1e-13  # singular values below this fraction of the largest count as zero: light parts beside heavy ones do not
SAME = 1e-8  # axes of a joint that span a direction by less than this leave it to the reaction, as at gimbal lock
MOVED = 1e-6  # part in the null space from which an unknown counts as not determined


@dataclass(frozen=True, eq=False)
class Instant:
    """A tree at one instant: places, velocities, and all forces but those that the joints and drivers find."""

    system: TreeSystem
    t: float
    y: Array  # the state it was made from
    parent: tuple[int, ...]  # of each body; -1 for the ground
    stages: tuple[range, ...]  # of the joint that carries each body
    outboard: tuple[tuple[int, ...], ...]  # each body and all that hangs on it; for the ground, all
    free: NDArray[np.intp]  # stages whose acceleration is unknown
    driven: NDArray[np.intp]  # stages whose effort is unknown instead
    turn: NDArray[np.bool_]  # (n_stage,) a rotation rather than a translation
    mass: Array  # (n_body + 1,)
    I: Array  # (n_body + 1, 3, 3) inertia dyadic about G
    O: Array  # (n_body + 1, 3) points of the joints, on the child
    G: Array  # (n_body + 1, 3) centres of mass
    omega: Array  # (n_body + 1, 3)
    v_O: Array  # (n_body + 1, 3)
    v_G: Array  # (n_body + 1, 3)
    axis: Array  # (n_stage, 3) unit vectors
    axis_dot: Array  # (n_stage, 3)
    x_dot: Array  # (n_stage,)
    x_ddot: Array  # (n_stage,) as prescribed; 0 where it is unknown
    tau: Array  # (n_stage,) effort of springs, dampers and motors in the joints
    F: Array  # (n_body + 1, 3) applied (contact) forces
    M: Array  # (n_body + 1, 3) their moment about G
    weight: Array  # (n_body + 1, 3) gravity (distance) forces

    @property
    def bodies(self) -> range:
        """Numbers of the bodies, parents before children."""
        return range(1, len(self.mass))

    @property
    def units(self) -> tuple[float, float]:
        """Length and mass in which the equations are of the order of 1."""
        return self.system.scale.length, self.system.scale.mass or 1.0

    @property
    def reach(self) -> Array:
        """What counts as a unit of each stage, (n_stage,): 1 for an angle, the tree's length for a travel."""
        return np.where(self.turn, 1.0, self.units[0])


@dataclass(frozen=True, eq=False)
class Solution:
    """What one method finds at one instant; forces and moments of joints act on the child, moments about O."""

    method: str
    x_ddot: Array  # (n_stage,) of all stages, driven ones as prescribed
    efforts: Array  # (n_stage,) of the drivers; 0 for free stages
    size: int  # equations that were solved at once
    condition: float  # of their matrix, in the tree's own units
    undetermined: tuple[int, ...]  # stages whose acceleration the equations leave open: that of least norm is given
    unbalanced: float  # part of the forces that meets no inertia at all, as a fraction
    force: Array | None = None  # (n_body + 1, 3) reaction of the joint that carries each body, where it was formed
    moment: Array | None = None  # (n_body + 1, 3)


def instant(system: TreeSystem, t: float, y: Array) -> Instant:
    """Return one instant of a tree in the state y = (q, v, W)."""
    c, place = system.compiled, Workspace(system.compiled)
    system.give(place.s, t, y)
    # solves nothing, so it fills the work arrays at singular poses too
    ask(SETTLED, t, y, NONE, NONE, place.address)
    s, m = place.s, c.tables
    free = np.array(c.free, dtype=np.intp)
    S, mass = s.S.reshape(-1, 3, 3), m.body["mass"]
    xx, yy, zz, xy, xz, yz = m.body["inertia"].T
    tensor = np.moveaxis(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), 2, 0)
    F = s.load[:, 3:].copy()
    F[0] = 0.0  # what pushes the ground moves nothing
    return Instant(
        system=system,
        t=t,
        y=y,
        parent=(-1, *c.topology.parent),
        stages=(range(0), *(c.stages_of[joint] for joint in c.topology.joints)),
        outboard=tuple(c.topology.outboard(i) for i in range(len(mass))),
        free=free,
        driven=np.setdiff1d(np.arange(len(c.coordinates)), free),
        turn=np.array([coordinate.turn for coordinate in c.coordinates], dtype=bool),
        mass=mass,
        I=S @ tensor @ np.swapaxes(S, 1, 2),
        O=s.O.copy(),
        G=s.O + s.r,
        omega=s.omega.copy(),
        v_O=s.v.copy(),
        v_G=s.v + np.cross(s.omega, s.r),
        axis=s.axis.copy(),
        axis_dot=s.axis_dot.copy(),
        x_dot=s.x[:, 1].copy(),
        x_ddot=s.x[:, 2].copy(),
        tau=s.tau[:, 0].copy(),
        F=F,
        M=s.load[:, :3] - np.cross(s.r, F),
        weight=mass[:, None] * m.gravity,
    )


class Fitted(NamedTuple):
    """The solution of least norm of linear equations."""

    x: Array
    condition: float
    lost: NDArray[np.bool_]  # unknowns that the equations leave open
    unbalanced: float  # what is left of the right side, as a fraction


def fitted(A: Array, b: Array) -> Fitted:
    """Return the solution of least norm of A x = b, equations and unknowns of the order of 1."""
    if not A.size:
        return Fitted(np.zeros(A.shape[1]), 1.0, np.zeros(A.shape[1], dtype=bool), 0.0)
    U, sizes, V = np.linalg.svd(A)
    rank = int(np.sum(sizes > RANK * sizes[0]))
    x = V[:rank].T @ ((U[:, :rank].T @ b) / sizes[:rank])
    left = b - A @ x
    x += V[:rank].T @ ((U[:, :rank].T @ left) / sizes[:rank])
    whole = float(np.abs(b).max())
    condition = float(sizes[0] / sizes[-1]) if sizes[-1] > 0.0 else np.inf
    unbalanced = float(np.abs(b - A @ x).max()) / whole if whole > 0.0 else 0.0
    return Fitted(x, condition, np.linalg.norm(V[rank:], axis=0) > MOVED, unbalanced)
