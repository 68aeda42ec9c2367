"""Impulses: speeds jump, places do not.

    A dx_dot = I,   I_r = V_r.P + w_r.H     P at a point of a body, H an impulsive couple   [P72] (4.9), (4.5)   (1)

Driven coordinates do not jump; what their drivers must give besides is A dx_dot - I in their rows. The jump is found by
the same sweep as accelerations (tasks.strike). Where A is singular (angles at gimbal lock, a rod that spins about its
own axis without inertia) the jump of least norm is taken, angles and travels measured in the tree's own length; speeds
that the null space of A moves are *undetermined*. The velocities of the bodies are unique even then, because a
motion in the null space of A has no kinetic energy; an impulse that pushes along such a motion is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlemech.engine.recursive.entry_points import NONE, SETTLED, STRIKE, ask
from particlemech.engine.recursive.workspace import Workspace
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.impulses import due
from particlemech.model.signals import values
from particlemech.run.jumps import jump as held_jump

if TYPE_CHECKING:
    from particlemech.engine.recursive.equations import TreeSystem
    from particlemech.engine.recursive.tables import WorkArrays
    from particlemech.model.space.parts import Impulse

RANK = 1e-12  # eigenvalues of A, scaled to a diagonal of ones, below this count as zero
REGULAR = 1e-10  # least pivot above which the sweep is trusted
BALANCED = 1e-9  # part of the impulse that nothing answers, from which it is refused


class Jump(NamedTuple):
    """What impulses do to the stages of a mechanism."""

    speeds: Array  # (n_stage,) jump of all speeds
    undetermined: tuple[int, ...]  # stages whose jump is not determined
    efforts: Array  # (n_stage,) impulses of the drivers; 0 for free stages
    rows: Array  # (n_row,) impulses of rows, of least norm where they are redundant


def struck(system: TreeSystem, t: float, y: Array) -> Array:
    """Return the state just after the impulses of the model at time t, (n,)."""
    now = due(system.mechanism, t)
    if not now:
        return y
    found = jump(system, t, y, now)
    after = y.copy()
    after[system.layout.v] += found.speeds[list(system.compiled.free)]
    after[-1] += work(system, t, y, after)
    return after


def work(system: TreeSystem, t: float, before: Array, after: Array) -> float:
    """Return the work of a jump, the change of the kinetic energy."""
    kinetic = system.observed(np.array([t, t]), np.stack([before, after])).kinetic
    return float(kinetic[1] - kinetic[0])


def jump(system: TreeSystem, t: float, y: Array, impulses: Mapping[str, Impulse]) -> Jump:
    """Return what impulses do in a state (n,), (1)."""
    place, q, v = Workspace(system.compiled), y[system.layout.q], y[system.layout.v]
    s = place.s
    ask(SETTLED, t, system.bare(y), NONE, NONE, place.address)
    given = _about_joints(system, s, impulses)
    if system.n_row:
        return _held(system, t, y, given)
    s.load[:] = given
    if ask(STRIKE, t, q, v, NONE, place.address) < REGULAR:
        return _least(system, t, y, given)
    return Jump(s.x[:, 2].copy(), (), s.tau[:, 1].copy(), np.zeros(0))


def carrying(system: TreeSystem, before: TreeSystem, t: float, q: Array) -> tuple[Array, Array]:
    """Return what jumps of the rates of driven stages do along free speeds, (n_v,), and the mass matrix of these."""
    now, then = (
        {
            (of.joint, of.name): values(made.mechanism.drivers[of.driver].motion, t)[1]
            for of in made.compiled.coordinates
            if of.driver
        }
        for made in (system, before)
    )
    ends = [(of.joint, of.name) for of in system.compiled.coordinates]
    jumps = np.array([now.get(end, 0.0) - then.get(end, 0.0) for end in ends])
    A, free = system.masses(q, t), np.array(system.compiled.free, dtype=int)
    return -(A @ jumps)[free], A[np.ix_(free, free)]


def _about_joints(system: TreeSystem, s: WorkArrays, impulses: Mapping[str, Impulse]) -> Array:
    """Return moment about O and impulse on every body, (n_body + 1, 6)."""
    c, total = system.compiled, np.zeros_like(s.load)
    for one in impulses.values():
        place = c.mechanism.place(one.point, one.body)
        i = c.topology.spot(one.body, place)
        S = s.S[i].reshape(3, 3)
        arm = S @ (np.array(place) - c.origins[i])
        P, H = np.array(one.impulse), np.array(one.moment)
        if one.frame == "body":
            P, H = S @ P, S @ H
        total[i] += np.concatenate([H + np.cross(arm, P), P])
    return total


def _least(system: TreeSystem, t: float, y: Array, given: Array) -> Jump:
    """Return the jumps of least norm, by A as a whole."""
    q, free = y[system.layout.q], np.array(system.compiled.free, dtype=int)
    A, wanted = system.masses(q, t), system.pushed(t, q, given)
    speeds = np.zeros(len(A))
    speeds[free], lost, left = least_norm(A[np.ix_(free, free)], wanted[free], system.size_v)
    if left > BALANCED:
        trouble = system.locked(t, y) or "it meets no inertia"
        raise ModelError(f"an impulse pushes along a motion that nothing resists: {trouble}; change one of them")
    efforts = A @ speeds - wanted
    efforts[free] = 0.0
    return Jump(speeds, tuple(int(e) for e in free[lost]), efforts, np.zeros(0))


def _held(system: TreeSystem, t: float, y: Array, given: Array) -> Jump:
    """Return the jumps where rows hold: jumps.py; a driver takes what is left over along its coordinate."""
    q, v, free = y[system.layout.q], y[system.layout.v], np.array(system.compiled.free, dtype=int)
    A, wanted = system.masses(q, t), system.pushed(t, q, given)
    speeds = np.zeros(len(A))
    found = held_jump(system, t, q, v, wanted[free], A[np.ix_(free, free)])
    speeds[free] = found.speeds
    efforts = A @ speeds - wanted - system.along_stages(t, q, found.rows)
    efforts[free] = 0.0
    return Jump(speeds, (), efforts, found.rows)


def least_norm(A: Array, b: Array, size: Array) -> tuple[Array, NDArray[np.bool_], float]:
    """Return the solution of A x = b, A positive semidefinite, which of x it leaves open, and what of b is left over.

    Scaled to a diagonal of ones first, so that heavy and light parts count alike; where x is open it is the one of
    least norm in units of `size`.
    """
    if not len(b):
        return b, np.zeros(0, dtype=bool), 0.0
    diagonal = np.sqrt(np.maximum(np.diag(A), 1e-300))
    values, vectors = np.linalg.eigh(A / np.outer(diagonal, diagonal))
    kept = values > RANK
    x = (vectors[:, kept] @ ((vectors[:, kept].T @ (b / diagonal)) / values[kept])) / diagonal
    null = vectors[:, ~kept] / (diagonal * size)[:, None]
    lost = np.linalg.norm(null, axis=1) > 1e-6 * np.max(np.linalg.norm(null, axis=1), initial=1e-300)
    if lost.any():
        basis = np.linalg.qr(null)[0]
        x = size * (x / size - basis @ (basis.T @ (x / size)))
    left = np.linalg.norm(vectors[:, ~kept].T @ (b / diagonal)) / max(float(np.linalg.norm(b / diagonal)), 1e-300)
    return x, lost, float(left)
