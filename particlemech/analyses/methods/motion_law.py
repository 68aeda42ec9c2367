"""The motion law: inertia forces and inertia torques join the others, and moments are taken where it pays; [E] II.

For any group S of bodies and any point P

    F_contact + F_distance + F_inertia = 0                                                               (1)
    M_contact + M_distance + M_inertia = 0                                                               (2)

    F_inertia = -m a_G                                              of each body                         (3)
    T_inertia = -I alpha - omega x I omega                          its inertia torque                   (4)
    M_inertia = (G - P) x F_inertia + T_inertia                                                          (5)

For each free stage S is all that hangs on its joint, P the joint's point O. Along a travelling stage (1), about the
axis of a turning one (2) meet no reaction of that joint, only its springs and motors, and those of joints farther out
are inside S:

    a.(sum of forces) + tau = 0,   or   a.(sum of moments about O) + tau = 0                             (6)

These are n equations for n accelerations. They are affine in the x_ddot, so they are written down for a few *trials*:
in the first, the tree moves as it does and the unknown x_ddot are zero; in each other one it is at rest and one of them
is 1. In a trial the accelerations go from the centre of mass of a body to that of the next one, over the joint:

    alpha = alpha_k + sum (a x_ddot + a_dot x_dot)                                                       (7)
    a_G = a_Gk + [alpha_k x (O - G_k) + omega_k x (omega_k x (O - G_k))]
          + sum (a x_ddot + 2 omega_k x a x_dot) + [alpha x (G - O) + omega x (omega x (G - O))]         (8)

The effort of a driver is what is missing in (6) for its own stage.
"""

from __future__ import annotations

import numpy as np

from particlemech.analyses.methods.instant import Instant, Solution, fitted
from particlemech.engine.system import Array


def solved(at: Instant) -> Solution:
    """Return accelerations and efforts of one instant."""
    length, mass = at.units
    n = len(at.free)
    trials = np.zeros((n + 1, len(at.turn)))
    trials[0] = at.x_ddot
    trials[np.arange(1, n + 1), at.free] = 1.0
    moving = np.zeros((n + 1, 1))
    moving[0] = 1.0  # only in the first trial are there speeds, and forces
    force, torque = _inertia(at, trials, moving)
    force += moving * (at.F + at.weight)[:, None]
    torque += moving * at.M[:, None]
    sums = np.array([_summed(at, e, force, torque) for e in range(len(at.turn))]).reshape(-1, n + 1)
    sums[:, 0] += at.tau
    size = at.reach[at.free]
    unit = mass * length**2
    found = fitted(-sums[at.free, 1:] * np.outer(size, size) / unit, sums[at.free, 0] * size / unit)
    x_ddot, efforts = at.x_ddot.copy(), np.zeros(len(at.turn))
    x_ddot[at.free] = found.x * size
    efforts[at.driven] = -(sums[at.driven, 0] + sums[at.driven, 1:] @ x_ddot[at.free])
    return Solution(
        method="motion-law",
        x_ddot=x_ddot,
        efforts=efforts,
        size=n,
        condition=found.condition,
        undetermined=tuple(int(e) for e in at.free[found.lost]),
        unbalanced=found.unbalanced,
    )


def _inertia(at: Instant, trials: Array, moving: Array) -> tuple[Array, Array]:
    """Return inertia force (3) and inertia torque (4) of all bodies in all trials, (n_body + 1, n + 1, 3) each."""
    shape = len(at.mass), len(trials), 3
    alpha, a, force, torque = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for i in at.bodies:
        k = at.parent[i]
        alpha[i] = alpha[k]
        a[i] = a[k] + _farther(alpha[k], moving * at.omega[k], at.O[i] - at.G[k])
        for e in at.stages[i]:
            own = trials[:, e, None] * at.axis[e]
            if at.turn[e]:
                alpha[i] += own + moving * at.axis_dot[e] * at.x_dot[e]  # (7)
            else:
                a[i] += own + moving * 2.0 * np.cross(at.omega[k], at.axis[e]) * at.x_dot[e]  # (8)
        a[i] += _farther(alpha[i], moving * at.omega[i], at.G[i] - at.O[i])
        force[i] = -at.mass[i] * a[i]
        torque[i] = -alpha[i] @ at.I[i] - moving * np.cross(at.omega[i], at.I[i] @ at.omega[i])
    return force, torque


def _farther(alpha: Array, omega: Array, arm: Array) -> Array:
    """Return alpha x arm + omega x (omega x arm): the acceleration of a point against another of the same body."""
    return np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))


def _summed(at: Instant, e: int, force: Array, torque: Array) -> Array:
    """Return the sums of (6) for stage e in all trials, without tau, (n + 1,)."""
    joint = next(i for i in at.bodies if e in at.stages[i])
    group = list(at.outboard[joint])
    if not at.turn[e]:
        return force[group].sum(axis=0) @ at.axis[e]
    arms = at.G[group] - at.O[joint]
    moments = np.cross(arms[:, None], force[group]) + torque[group]  # (5)
    return moments.sum(axis=0) @ at.axis[e]
