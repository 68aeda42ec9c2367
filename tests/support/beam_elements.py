"""Frames of straight beams by finite elements: the witness of flexible links, sharing no formula with them.

Every node has three small displacements and three small rotations along global axes. A beam is made of elements that
bend in cubics (Euler and Bernoulli), twist in straight lines and keep their length: by a constraint, not by a large
stiffness. Holds, lengths, rigid arms and hinges are rows of C; what they leave is spanned by the columns of Z,

    C u = 0,   u = Z z,   Z^T M Z z'' + Z^T K Z z = Z^T f.                                                       (1)

Linear: joints stand still, deflections are small, nothing spins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh, null_space

Array = np.ndarray
RIGID = 1e-7  # of the largest frequency: below this a mode is a motion without deflection; rounding leaves 1e-8


class Section(NamedTuple):
    """What a beam is, per length."""

    EI: float | tuple[float, float]  # bending towards local y and towards local z
    GJ: float
    mass: float
    polar: float = 0.0  # moment of inertia about the axis of the beam
    rotary: float = 0.0  # moment of inertia about a diameter; a thin beam has none


def skew(v) -> Array:
    """Return the matrix of the cross product with v."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def rod(stiffness: float, mass: float, h: float) -> tuple[Array, Array]:
    """Return K and M of an element that stretches or twists in straight lines."""
    return stiffness / h * np.array([[1.0, -1.0], [-1.0, 1.0]]), mass * h / 6.0 * np.array([[2.0, 1.0], [1.0, 2.0]])


def bent(EI: float, mass: float, rotary: float, h: float) -> tuple[Array, Array]:
    """Return K and M of an element that bends in cubics, for (deflection, slope) at its two ends."""
    size = np.diag([1.0, h, 1.0, h])
    K = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]])
    M = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]])
    slopes = np.array([[36, 3, -36, 3], [3, 4, -3, -1], [-36, -3, 36, -3], [3, -1, -3, 4]])
    return size @ (EI / h**3 * K) @ size, size @ (mass * h / 420.0 * M + rotary / (30.0 * h) * slopes) @ size


def element(section: Section, h: float, axes: Array) -> tuple[Array, Array]:
    """Return K and M (12, 12) of one element in global axes; the columns of `axes` are its own, first lengthwise."""
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    EI_y, EI_z = np.broadcast_to(section.EI, 2)
    up = np.array([1.0, -1.0, 1.0, -1.0])  # a beam that rises towards z turns about -y
    parts = [
        ([0, 6], rod(0.0, section.mass, h), np.ones(2)),
        ([3, 9], rod(section.GJ, section.polar, h), np.ones(2)),
        ([1, 5, 7, 11], bent(EI_y, section.mass, section.rotary, h), np.ones(4)),
        ([2, 4, 8, 10], bent(EI_z, section.mass, section.rotary, h), up),
    ]
    for places, (k, m), sign in parts:
        K[np.ix_(places, places)] += k * np.outer(sign, sign)
        M[np.ix_(places, places)] += m * np.outer(sign, sign)
    T = np.kron(np.eye(4), axes)
    return T @ K @ T.T, T @ M @ T.T


class Frame:
    """Beams, bodies and how they hang together."""

    def __init__(self) -> None:
        self.places: list[Array] = []
        self.blocks: list[tuple[list[int], Array, Array]] = []  # numbers of unknowns, K, M
        self.rows: list[tuple[list[int], Array]] = []  # numbers of unknowns, rows of C

    def node(self, place) -> int:
        """Add a free node."""
        self.places.append(np.array(place, dtype=float))
        return len(self.places) - 1

    def unknowns(self, *nodes: int) -> list[int]:
        """Return the numbers of the unknowns of nodes, six each."""
        return [6 * node + k for node in nodes for k in range(6)]

    def beam(self, start: int, end, section: Section, n: int, y=(0.0, 0.0, 0.0)) -> list[int]:
        """Add a beam of n elements from a node to a place; `y` shows its local y axis if the section needs one."""
        step = (np.array(end, dtype=float) - self.places[start]) / n
        h = float(np.linalg.norm(step))
        e = step / h
        side = np.array(y) - e * (e @ np.array(y))
        if not side.any():
            side = np.linalg.svd(e[None, :])[2][1]
        side /= np.linalg.norm(side)
        K, M = element(section, h, np.column_stack([e, side, np.cross(e, side)]))
        nodes = [start]
        for _ in range(n):
            nodes.append(self.node(self.places[nodes[-1]] + step))
            pair = self.unknowns(*nodes[-2:])
            self.blocks.append((pair, K, M))
            self.rows.append((pair, np.concatenate([-e, np.zeros(3), e, np.zeros(3)])[None, :]))
        return nodes

    def body(self, node: int, mass: float, centre, inertia) -> None:
        """Add a rigid body: its centre of mass from the node, its inertia about the node, all in global axes."""
        lever = skew(centre)
        M = np.block([[mass * np.eye(3), -mass * lever], [mass * lever, np.array(inertia, dtype=float)]])
        self.blocks.append((self.unknowns(node), np.zeros((6, 6)), M))

    def hold(self, node: int, what: str = "xyzabc") -> None:
        """Hold displacements x, y, z and rotations a, b, c of a node."""
        self.rows.append((self.unknowns(node), np.eye(6)[["xyzabc".index(k) for k in what]]))

    def rigid(self, start: int, place) -> int:
        """Add a node that a rigid arm holds."""
        node = self.node(place)
        self.rows.append((self.unknowns(start, node), np.hstack([-self.lever(start, place), np.eye(6)])))
        return node

    def revolute(self, start: int, axis, stiffness: float = 0.0) -> int:
        """Add a node at the place of another that may turn about an axis, against a spring if it has one."""
        node, e = self.node(self.places[start]), np.array(axis) / np.linalg.norm(axis)
        kept = np.zeros((5, 6))
        kept[:3, :3], kept[3:, 3:] = np.eye(3), null_space(e[None, :]).T
        pair = self.unknowns(start, node)
        self.rows.append((pair, np.hstack([-kept, kept])))
        turn = np.concatenate([np.zeros(3), -e, np.zeros(3), e])
        self.blocks.append((pair, stiffness * np.outer(turn, turn), np.zeros((12, 12))))
        return node

    def lever(self, node: int, place) -> Array:
        """Return the motion (6, 6) of a place that moves with a node, per motion of the node."""
        move = np.eye(6)
        move[:3, 3:] = -skew(np.array(place) - self.places[node])
        return move

    def at(self, node: int, place=None) -> Array:
        """Return the motion (6, unknowns) of a place that moves with a node; the transpose takes force and moment."""
        rows = np.zeros((6, 6 * len(self.places)))
        rows[:, self.unknowns(node)] = self.lever(node, self.places[node] if place is None else place)
        return rows

    def assembled(self) -> Assembled:
        """Return the equations (1)."""
        n = 6 * len(self.places)
        K, M = np.zeros((n, n)), np.zeros((n, n))
        for places, k, m in self.blocks:
            K[np.ix_(places, places)] += k
            M[np.ix_(places, places)] += m
        C = np.zeros((sum(len(rows) for _, rows in self.rows), n))
        first = 0
        for places, rows in self.rows:
            C[first : first + len(rows), places] = rows
            first += len(rows)
        Z = null_space(C) if len(C) else np.eye(n)
        return Assembled(Z, Z.T @ K @ Z, Z.T @ M @ Z, M)


class Assembled(NamedTuple):
    """The equations of a frame in the coordinates its constraints leave free."""

    Z: Array  # (unknowns, free)
    K: Array
    M: Array
    mass: Array  # (unknowns, unknowns) before constraints

    def modes(self) -> tuple[Array, Array]:
        """Return angular frequencies, smallest first, and shapes (unknowns, modes) of generalised mass one."""
        squares, shapes = eigh(self.K, self.M)
        omega = np.sqrt(np.abs(squares))
        return np.where(omega < RIGID * omega[-1], 0.0, omega), self.Z @ shapes

    def frequencies(self, n: int) -> Array:
        """Return the lowest n angular frequencies that bend or twist something."""
        omega, _ = self.modes()
        return omega[omega > 0.0][:n]

    def weight(self, g) -> Array:
        """Return the loads (unknowns,) of gravity g (3,)."""
        return self.mass @ np.tile(np.concatenate([g, np.zeros(3)]), len(self.mass) // 6)

    def deflection(self, load: Array) -> Array:
        """Return the displacements (unknowns,) at rest under a load (unknowns,)."""
        return self.Z @ cho_solve(cho_factor(self.K), self.Z.T @ load)

    def step(self, load: Array, t: Array) -> Array:
        """Return the displacements (times, unknowns) after a load is put on at t = 0, mode by mode:

        z = p (1 - cos omega t) / omega^2,   or p t^2 / 2 for a motion without deflection,   p = shape . load.   (2)
        """
        omega, shapes = self.modes()
        moving = omega > 0.0
        w = np.where(moving, omega, 1.0)
        history = np.where(moving, (1.0 - np.cos(np.outer(t, w))) / w**2, 0.5 * t[:, None] ** 2)
        return history * (shapes.T @ load) @ shapes.T
