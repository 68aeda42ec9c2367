"""Impulses: speeds jump, places do not.

    A dx_dot = I,   I_r = V_r.P + w_r.H     P at a point of a body, H an impulsive couple   [P72] (4.9), (4.5)   (1)

Driven coordinates do not jump; what their drivers must give besides is A dx_dot - I in their rows. Where A is singular
(angles at gimbal lock, a rod that spins about its own axis without inertia) the jump of least norm is taken, angles
and travels measured in the tree's own length; speeds that the null space of A moves are *undetermined*. The velocities
of the bodies are unique in any case, because a motion in the null space of A has no kinetic energy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from particlemech.system import Array
from particlemech.tree.partials import V_O, V, W

if TYPE_CHECKING:
    from particlemech.tree.equations import Kane, TreeSystem
    from particlemech.tree.parts import Impulse

RANK = 1e-10  # eigenvalues of A below this fraction of the largest count as zero


class Jump(NamedTuple):
    """What impulses do to the stages of a tree."""

    speeds: Array  # (n_stage,) jump of all speeds
    undetermined: tuple[int, ...]  # stages whose jump is not determined
    efforts: Array  # (n_stage,) impulses of the drivers; 0 for free stages
    omega: Array  # (n_body, 3) jump of the angular velocities, rad/s
    velocity: Array  # (n_body, 3) jump of the velocities of the centres of mass


def struck(system: TreeSystem, t: float, y: Array) -> Array:
    """Return the state just after the impulses of the model at time t, (n,)."""
    now = {name: blow for name, blow in system.mechanism.impulses.items() if blow.time == t}
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
    c = system.compiled
    at = system.kane(t, y[system.layout.q], y[system.layout.v])
    given = _generalised(system, t, y, at, impulses)
    free = np.array(c.free, dtype=int)
    size = system.size_v
    speeds, lost = _solved(at.A[np.ix_(free, free)] * np.outer(size, size), given[free] * size)
    whole = np.zeros(len(given))
    whole[free] = size * speeds
    efforts = at.A @ whole - given
    efforts[free] = 0.0
    starts, path = c.paths
    n = len(c.topology.bodies)
    omega, velocity = np.zeros((n, 3)), np.zeros((n, 3))
    for i in range(1, n + 1):
        slots = slice(starts[i], starts[i + 1])
        omega[i - 1] = whole[path[slots]] @ at.slot[slots, W]
        velocity[i - 1] = whole[path[slots]] @ at.slot[slots, V]
    return Jump(whole, tuple(int(e) for e in free[lost]), efforts, omega, velocity)


def _generalised(system: TreeSystem, t: float, y: Array, at: Kane, impulses: Mapping[str, Impulse]) -> Array:
    """Return I of (1), (n_stage,)."""
    c = system.compiled
    starts, path = c.paths
    seen = system.observed(np.array([t]), y[None])
    total = np.zeros(len(at.f))
    for blow in impulses.values():
        i = c.topology.number(blow.body)
        S = seen.orientation(blow.body)[0]
        arm = S @ (np.array(c.mechanism.place(blow.point, blow.body)) - c.origins[i])
        P, H = np.array(blow.impulse), np.array(blow.moment)
        if blow.frame == "body":
            P, H = S @ P, S @ H
        slots = slice(starts[i], starts[i + 1])
        total[path[slots]] += at.slot[slots, V_O] @ P + at.slot[slots, W] @ (H + np.cross(arm, P))
    return total


def _solved(A: Array, b: Array) -> tuple[Array, Array]:
    """Return the solution of least norm of A x = b, A positive semidefinite, and which of x are not determined."""
    if not len(b):
        return b, np.zeros(0, dtype=bool)
    values, vectors = np.linalg.eigh(A)
    kept = values > RANK * values[-1]
    x = vectors[:, kept] @ ((vectors[:, kept].T @ b) / values[kept])
    return x, np.linalg.norm(vectors[:, ~kept], axis=1) > 1e-6
