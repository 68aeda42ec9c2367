"""Newton and Euler: every body is free, and all reactions are solved for; [E] I.

Each body has six equations; the joint j that carries it pushes with R_j at O_j and with the couple T_j, and every joint
c on it pushes back:

    m a_G = F + m g + R_j - sum R_c                                                                      (1)
    I alpha + omega x I omega = M + (O_j - G) x R_j + T_j - sum [(O_c - G) x R_c + T_c]                  (2)

with all moments about its centre of mass G. The accelerations follow from those of the parent k:

    alpha = alpha_k + sum (a x_ddot + a_dot x_dot)                              turning stages           (3)
    a_O = a_Ok + alpha_k x d + omega_k x (omega_k x d)
          + sum (a x_ddot + 2 omega_k x a x_dot)                                travelling stages        (4)
    a_G = a_O + alpha x r + omega x (omega x r)                                                          (5)

A joint with f stages brings six unknowns: for each stage its x_ddot, or the effort of its driver, and 6 - f components
of R and T across the stages. Along the stages R and T are the efforts, a.R = tau + effort or a.T = tau + effort:

    R = N+ (tau + effort) + B rho,   N the axes in rows, N+ its inverse (right), B N^T = 0               (6)

So N bodies have 6 N equations for 6 N unknowns. Below, whatever depends on the unknowns is an array (3, n + 1): a
column for each of them, and what is known in the last.
"""

from __future__ import annotations

import numpy as np

from particlemech.analyses.methods.instant import SAME, Instant, Solution, fitted
from particlemech.engine.system import Array


def solved(at: Instant) -> Solution:
    """Return accelerations, efforts and reactions of one instant."""
    length, mass = at.units
    across = [_across(at, i, turn) for i in range(len(at.mass)) for turn in (False, True)]  # B of R and of T
    n_stage, n = len(at.turn), len(at.turn) + sum(len(B) for B in across)
    alpha, a = _accelerations(at, n)
    R, T = _joints(at, across, n)
    rows = [_balance(at, i, alpha, a, R, T) for i in at.bodies]
    whole = np.array(rows).reshape(-1, n + 1)  # two vector equations per body
    # in units of the tree: a moment is a length times a force, an acceleration of 1 needs a force of 1
    row = np.tile(np.repeat([mass * length, mass * length**2], 3), len(at.bodies))
    column = np.empty(n)
    column[at.free] = at.reach[at.free]
    column[at.driven] = mass * length**2 / at.reach[at.driven]
    column[n_stage:] = np.concatenate([np.full(len(B), mass * length ** (1 + k % 2)) for k, B in enumerate(across)])
    found = fitted(whole[:, :-1] * column / row[:, None], -whole[:, -1] / row)
    unknown = found.x * column
    x_ddot, efforts = at.x_ddot.copy(), np.zeros(n_stage)
    x_ddot[at.free], efforts[at.driven] = unknown[at.free], unknown[at.driven]
    reactions = np.zeros((len(across), 3))
    at_column = n_stage
    for k, B in enumerate(across):
        reactions[k] = unknown[at_column : at_column + len(B)] @ B
        at_column += len(B)
    return Solution(
        method="newton-euler",
        x_ddot=x_ddot,
        efforts=efforts,
        size=len(whole),
        condition=found.condition,
        undetermined=tuple(int(e) for e in at.free[found.lost[at.free]]),
        unbalanced=found.unbalanced,
        force=reactions[0::2],
        moment=reactions[1::2],
    )


def _tilde(w: Array) -> Array:
    """Return the matrix of w x."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def _along(at: Instant, i: int, turn: bool) -> list[int]:
    """Return the turning or the travelling stages of the joint that carries body i."""
    return [e for e in at.stages[i] if at.turn[e] == turn]


def _across(at: Instant, i: int, turn: bool) -> Array:
    """Return B of (6) for the force or the moment of a joint, directions in rows; none for the ground."""
    if i == 0:
        return np.zeros((0, 3))
    _, sizes, directions = np.linalg.svd(at.axis[_along(at, i, turn)])
    return directions[int(np.sum(sizes > SAME)) :]


def _accelerations(at: Instant, n: int) -> tuple[Array, Array]:
    """Return alpha and a_G of all bodies, (n_body + 1, 3, n + 1): (3), (4), (5)."""
    alpha, a_O, a_G = np.zeros((3, len(at.mass), 3, n + 1))
    for i in at.bodies:
        k = at.parent[i]
        d, r, turning = at.O[i] - at.O[k], at.G[i] - at.O[i], _tilde(at.omega[i])
        alpha[i] = alpha[k]
        a_O[i] = a_O[k] - _tilde(d) @ alpha[k]  # alpha x d = -d x alpha
        a_O[i, :, -1] += np.cross(at.omega[k], np.cross(at.omega[k], d))
        for e in at.stages[i]:
            own = alpha[i] if at.turn[e] else a_O[i]
            products = at.axis_dot[e] if at.turn[e] else 2.0 * np.cross(at.omega[k], at.axis[e])
            own[:, -1] += at.axis[e] * at.x_ddot[e] + products * at.x_dot[e]
            if e in at.free:
                own[:, e] += at.axis[e]
        a_G[i] = a_O[i] - _tilde(r) @ alpha[i]
        a_G[i, :, -1] += turning @ turning @ r
    return alpha, a_G


def _joints(at: Instant, across: list[Array], n: int) -> tuple[Array, Array]:
    """Return R and T of the joints that carry each body, (n_body + 1, 3, n + 1): (6)."""
    pushes = np.zeros((len(at.mass), 2, 3, n + 1))
    column = len(at.turn)
    for i in range(len(at.mass)):
        for turn in (False, True):
            push, B, stages = pushes[i, int(turn)], across[2 * i + turn], _along(at, i, turn)
            push[:, column : column + len(B)] = B.T
            column += len(B)
            if not stages:
                continue
            inverse = np.linalg.pinv(at.axis[stages], rcond=SAME)
            push[:, -1] = inverse @ at.tau[stages]
            for e, direction in zip(stages, inverse.T, strict=True):
                if e in at.driven:
                    push[:, e] = direction
    return pushes[:, 0], pushes[:, 1]


def _balance(at: Instant, i: int, alpha: Array, a: Array, R: Array, T: Array) -> tuple[Array, Array]:
    """Return left minus right side of (1) and (2) for one body, (3, n + 1) each."""
    force, moment = at.mass[i] * a[i] - R[i], at.I[i] @ alpha[i] - T[i] - _tilde(at.O[i] - at.G[i]) @ R[i]
    force[:, -1] -= at.F[i] + at.weight[i]
    moment[:, -1] += np.cross(at.omega[i], at.I[i] @ at.omega[i]) - at.M[i]
    for c in at.bodies:
        if at.parent[c] == i:
            force += R[c]
            moment += _tilde(at.O[c] - at.G[i]) @ R[c] + T[c]
    return force, moment
