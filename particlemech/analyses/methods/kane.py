"""Kane's method: partial velocities turn the motion law into a recipe; [E] III, whose numbers are used here.

The speeds u_r are those of the free stages; driven ones are known, so that omega_t and v_t collect them:

    omega = sum omega_r u_r + omega_t,   v = sum v_r u_r + v_t                                           (3)
    F_r  = sum v_r.R + sum omega_r.T              applied forces and couples                             (4)-(6)
    F*_r = sum v_r.R* + sum omega_r.T*                                                                   (7), (9), (12)
    R* = -m a                                                                                            (8)
    T* = -I alpha - omega x I omega                                                                      (10)
    F_r + F*_r = 0                                                                                       (13)

In a tree stage r moves all that hangs on its joint like one rigid body, about or along its axis a. For a point P there

    omega_r = a,  v_r = a x (P - O)       turning                omega_r = 0,  v_r = a        travelling         (14)

and nothing else. Differentiation of (3) gives the accelerations that (8) and (10) ask for,

    alpha = sum omega_r u_r' + sum omega_r' u_r,   a = sum v_r u_r' + sum v_r' u_r      sums over all stages     (15)

so that (13) is linear in the u_r'.

Forces that do no work are left out by (13). To have one after all, the joint is given a speed in its direction, which
remains zero: then (13) for that speed names the force [a partial velocity as in (14)]. The effort of a driver is found
alike, from the stage that it drives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlemech.analyses.methods.instant import SAME, Instant, Solution, fitted
from particlemech.engine.system import Array


class Partial(NamedTuple):
    """Partial velocities of a body for all stages, and their rates; zero where a stage does not move it."""

    omega: Array  # (n_stage, 3)
    v: Array  # (n_stage, 3) of G
    omega_dot: Array  # (n_stage, 3)
    v_dot: Array  # (n_stage, 3)


def solved(at: Instant, reactions: bool = True) -> Solution:
    """Return accelerations and efforts of one instant, and reactions if asked."""
    length, mass = at.units
    partial = partials(at)
    active = _active(at, partial)  # F_r, (6)
    A, c = _inertia(at, partial)
    size, free, unit = at.reach[at.free], at.free, mass * length**2
    right = active + c - A @ at.x_ddot
    found = fitted(A[np.ix_(free, free)] * np.outer(size, size) / unit, right[free] * size / unit)  # (13)
    x_ddot, efforts = at.x_ddot.copy(), np.zeros(len(at.turn))
    x_ddot[free] = found.x * size
    efforts[at.driven] = (A @ x_ddot - c - active)[at.driven]
    force, moment = _evidence(at, partial, x_ddot) if reactions else (None, None)
    return Solution(
        method="kane",
        x_ddot=x_ddot,
        efforts=efforts,
        size=len(free),
        condition=found.condition,
        undetermined=tuple(int(e) for e in free[found.lost]),
        unbalanced=found.unbalanced,
        force=force,
        moment=moment,
    )


def partials(at: Instant) -> tuple[Partial, ...]:
    """Return the partial velocities of all bodies, the ground first: (14) with P = G."""
    every = tuple(Partial(*np.zeros((4, len(at.turn), 3))) for _ in at.mass)
    for j in at.bodies:
        for e in at.stages[j]:
            a, a_dot = at.axis[e], at.axis_dot[e]
            for i in at.outboard[j]:
                p = every[i]
                if at.turn[e]:
                    p.omega[e], p.omega_dot[e] = a, a_dot
                    p.v[e] = np.cross(a, at.G[i] - at.O[j])
                    p.v_dot[e] = np.cross(a_dot, at.G[i] - at.O[j]) + np.cross(a, at.v_G[i] - at.v_O[j])
                else:
                    p.v[e], p.v_dot[e] = a, a_dot
    return every


def _active(at: Instant, partial: tuple[Partial, ...]) -> Array:
    """Return F_r of all stages, (n_stage,): (4), (5), (6); springs and motors of a joint work on its own stages."""
    F = at.tau.copy()
    for i in at.bodies:
        F += partial[i].v @ (at.F[i] + at.weight[i]) + partial[i].omega @ at.M[i]
    return F


def _inertia(at: Instant, partial: tuple[Partial, ...]) -> tuple[Array, Array]:
    """Return A (n_stage, n_stage) and c (n_stage,) of F*_r = -A u' + c."""
    n = len(at.turn)
    A, c = np.zeros((n, n)), np.zeros(n)
    for i in at.bodies:
        p, I, omega = partial[i], at.I[i], at.omega[i]
        A += at.mass[i] * p.v @ p.v.T + p.omega @ I @ p.omega.T
        force = -at.mass[i] * (at.x_dot @ p.v_dot)  # (8) with u' = 0
        torque = -I @ (at.x_dot @ p.omega_dot) - np.cross(omega, I @ omega)  # (10) with u' = 0
        c += p.v @ force + p.omega @ torque  # (7), (9)
    return A, c


def _evidence(at: Instant, partial: tuple[Partial, ...], x_ddot: Array) -> tuple[Array, Array]:
    """Return the reactions of the joints, (n_body + 1, 3) each, by speeds across their stages that remain zero."""
    force, moment = np.zeros((2, len(at.mass), 3))
    both = []  # active and inertia forces of the bodies in the motion found
    for i, p in enumerate(partial):
        a, alpha = x_ddot @ p.v + at.x_dot @ p.v_dot, x_ddot @ p.omega + at.x_dot @ p.omega_dot  # (15)
        torque = -at.I[i] @ alpha - np.cross(at.omega[i], at.I[i] @ at.omega[i])
        both.append((at.F[i] + at.weight[i] - at.mass[i] * a, at.M[i] + torque))
    for j in at.bodies:
        for turn, reaction in ((False, force), (True, moment)):
            for b in _directions(at.axis[[e for e in at.stages[j] if at.turn[e] == turn]]):
                total = 0.0  # F_r + F*_r of a speed in the direction b
                for i in at.outboard[j]:
                    push, couple = both[i]
                    total += np.cross(b, at.G[i] - at.O[j]) @ push + b @ couple if turn else b @ push
                reaction[j] -= total * b
    return force, moment


def _directions(axes: Array) -> Array:
    """Return unit vectors at right angles to axes (k, 3) and to each other, in rows."""
    _, sizes, vectors = np.linalg.svd(axes)
    return vectors[int(np.sum(sizes > SAME)) :]
