"""Where bodies stand, from the vectors of a pose and their rates.

With B the basis of a group in columns, completed by a x b where it has two, and B_0 the same as drawn:

    R = B B_0^-1,   R_dot = B_dot B_0^-1,   R_ddot = B_ddot B_0^-1                                            (1)
    S(omega) = R_dot R^T,      S(alpha) = antisymmetric part of R_ddot R^T,      S(w) x = w x x                (2)

A group that spins about its only direction P has omega = P x P_dot, alpha = P x P_ddot, [J84] (9) and (13), and for R
the shortest rotation from the drawing. Places follow along the way from the ground: arms of groups, vectors of ties.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlemech.analyses.loops.draft import Draft
from particlemech.analyses.loops.graph import Route
from particlemech.analyses.loops.groups import Group
from particlemech.analyses.vectors import Accelerations
from particlemech.engine.system import Array

MIRRORED = 1e-6  # difference of unit vectors from which they are two


class Turning(NamedTuple):
    """How a group stands and turns."""

    R: Array  # (3, 3) rotation since the drawing
    omega: Array  # (3,)
    alpha: Array  # (3,)

    def arm(self, drawn: Array) -> Array:
        """Return an arm as drawn, its velocity and its acceleration, (3, 3)."""
        v = self.R @ drawn
        rate = np.cross(self.omega, v)
        return np.array([v, rate, np.cross(self.alpha, v) + np.cross(self.omega, rate)])


STILL = Turning(np.eye(3), np.zeros(3), np.zeros(3))


def turning(group: Group, a: Accelerations) -> Turning:
    """Return how a group turns, (1) and (2)."""
    if group.fixed:
        return STILL
    index, v = a.pose.of.index, a.velocities
    at = [4 * index[name] for name in group.basis]
    levels = [[x[n : n + 3] for n in at] for x in (a.pose.x, v.x_dot, a.x_ddot)]
    drawn = [group.drawn[name] for name in group.basis]
    if group.spins:
        (P,), (P_dot,), (P_ddot,) = levels
        return Turning(_shortest(drawn[0], P), np.cross(P, P_dot), np.cross(P, P_ddot))
    if len(drawn) == 2:
        (p, q), (p_dot, q_dot), (p_ddot, q_ddot) = levels
        drawn.append(np.cross(drawn[0], drawn[1]))
        levels[0].append(np.cross(p, q))
        levels[1].append(np.cross(p_dot, q) + np.cross(p, q_dot))
        levels[2].append(np.cross(p_ddot, q) + 2.0 * np.cross(p_dot, q_dot) + np.cross(p, q_ddot))
    back = np.linalg.inv(np.transpose(drawn))
    R, R_dot, R_ddot = (np.transpose(level) @ back for level in levels)  # (1)
    return Turning(R, _axial(R_dot @ R.T), _axial(R_ddot @ R.T))  # (2)


def _axial(S: Array) -> Array:
    """Return w of the antisymmetric part of S(w), (3,)."""
    return 0.5 * np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]])


def _shortest(one: Array, other: Array) -> Array:
    """Return the shortest rotation from a unit vector to another, (3, 3); half a turn about any axis across."""
    c, w = float(one @ other), np.cross(one, other)
    if c < -1.0 + 1e-12:
        across = np.linalg.svd(one[None])[2][1]
        return 2.0 * np.outer(across, across) - np.eye(3)
    S = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    return np.eye(3) + S + S @ S / (1.0 + c)


def placed(draft: Draft, route: Route, turns: dict[str, Turning], a: Accelerations) -> Array:
    """Return the end of a way, its velocity and its acceleration, (3, 3)."""
    total = np.zeros((3, 3))
    for body, arm in route.arms:
        total += turns[draft.groups[body].name].arm(arm)
    for name, sign in route.vectors:
        total += sign * np.array([a.pose.vector(name), a.velocities.vector_dot(name), a.vector_ddot(name)])
    return total


def upright(draft: Draft, a: Accelerations, turns: dict[str, Turning]) -> bool:
    """Return whether no group is mirrored: each direction is where the rotation of its group takes it."""
    for group in dict.fromkeys(draft.groups.values()):
        if group.fixed or group.spins:
            continue
        R = turns[group.name].R
        if np.linalg.det(R) < 0.0:
            return False
        if any(np.abs(a.pose.direction(name) - R @ u).max() > MIRRORED for name, u in group.drawn.items()):
            return False
    return all(_followed(draft, name, turns, a) for name in draft.mechanism.drivers)


def _followed(draft: Draft, driver: str, turns: dict[str, Turning], a: Accelerations) -> bool:
    """Return whether an angle that a dial drives is the one asked for, not half a turn off."""
    relation = draft.model.relations.get(f"turn of {driver}")
    if relation is None:
        return True
    m, n, _, dial = relation.ties
    tie = draft.graph.ties[draft.graph.drives[driver].tie]
    D = a.pose.direction(dial)
    follower = turns[draft.groups[tie.second].name].R @ draft.groups[tie.first].drawn[m]
    return bool((D[0] * a.pose.direction(m) + D[1] * a.pose.direction(n)) @ follower > 0.0)
