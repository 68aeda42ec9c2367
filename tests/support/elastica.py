"""Beams in the plane that bend without stretching, in loops: a witness of bending bodies that shares no formula.

A beam of length L is its slope angle along s = 0 ... 1, one element of high degree,

    theta(s) = sum_k c_k P_k(2 s - 1),   r(s) = r_0 + L int_0^s (cos theta, sin theta) ds,                      (1)

with Legendre polynomials P_k. This is Euler's elastica: lengths are kept, slopes need not be small, and one coefficient
is a rigid bar. With J = dr/dq and J' q' = -L int_0^s theta'^2 (cos theta, sin theta) ds, q = (r_0, c),

    M = mu L int J^T J ds,   V = EI/(2 L) int (d theta/ds)^2 ds = c^T K c / 2,
    M q'' = -mu L int J^T (J' q' - g) ds - K (c + b c').                                                         (2)

Pins, guides and motors are rows G(q) - g(t) = 0 with multipliers, solved for accelerations:

    [M  G_q^T; G_q  0] [q''; lam] = [f; g'' - (G_q)' q'].                                                        (3)

Integrals are by Gauss: those up to s by the matrix that integrates the interpolating polynomial. Steps are DOP853's.
Convergence is with the degree, faster than any power; `degree` and `rtol` are the only numerical parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.polynomial import legendre
from scipy.integrate import solve_ivp

Array = np.ndarray
NODES = 24  # of Gauss


def _integrals(n=NODES):
    """Return nodes and weights on 0 ... 1, and the matrix (n, n) of integrals from 0 to each node."""
    x, w = legendre.leggauss(n)
    to_coefficients = np.linalg.inv(legendre.legvander(x, n - 1))
    up_to = np.column_stack([legendre.legval(x, legendre.legint(row, lbnd=-1)) for row in to_coefficients.T])
    return 0.5 * (x + 1.0), 0.5 * w, 0.5 * up_to


S, W, UP_TO = _integrals()
TO_COEFFICIENTS = np.linalg.inv(legendre.legvander(2.0 * S - 1.0, NODES - 1))


@dataclass(frozen=True)
class Beam:
    """A uniform beam; EI = None: a rigid bar. `tip` is a point mass at its end."""

    start: tuple[float, float]
    end: tuple[float, float]
    mass: float  # in all
    EI: float | None = None
    damping: float = 0.0  # b of (2), s
    tip: float = 0.0


@dataclass
class Elastica:
    """A system of beams: rows are added by `pin`, `slide` and `drive`."""

    beams: list[Beam]
    degree: int = 8
    gravity: tuple[float, float] = (0.0, 0.0)
    rows: list = field(default_factory=list)  # ([(factor, beam, end 0 or 1)], components, g(t) -> value, rate, second)

    def __post_init__(self):
        self.sizes = [2 + (1 if beam.EI is None else self.degree) for beam in self.beams]
        ends = np.cumsum([0, *self.sizes])
        self.slices = [slice(a, b) for a, b in pairwise(ends)]
        self.n = int(ends[-1])
        self.lengths = [float(np.hypot(*np.subtract(b.end, b.start))) for b in self.beams]
        self.P = [legendre.legvander(2.0 * S - 1.0, size - 3) for size in self.sizes]  # (nodes, k)
        self.K = [self._stiffness(k) for k in range(len(self.beams))]

    def _stiffness(self, b):
        size = self.sizes[b] - 2
        slopes = np.column_stack(
            [legendre.legval(2.0 * S - 1.0, 2.0 * legendre.legder(np.eye(size)[k])) for k in range(size)]
        )
        EI = self.beams[b].EI or 0.0
        return EI / self.lengths[b] * slopes.T @ (W[:, None] * slopes)

    # -- rows ------------------------------------------------------------------------------------------------------

    def pin(self, one, other):
        """Join (beam, end) to (beam, end), or to a place of the ground."""
        fixed = not isinstance(other[1], int)
        sides = [(1.0, *one)] + ([] if fixed else [(-1.0, *other)])
        place = np.array(other if fixed else (0.0, 0.0), dtype=float)
        self.rows.append((sides, np.eye(2), lambda t: (place, 0.0 * place, 0.0 * place)))

    def slide(self, one, normal, offset):
        """Hold (beam, end) on the line normal . r = offset."""
        still = np.array([offset]), np.zeros(1), np.zeros(1)
        self.rows.append(([(1.0, *one)], np.array([normal], dtype=float), lambda t: still))

    def drive(self, one, centre, radius, rate, angle=0.0):
        """Lead (beam, end) round a circle at a constant rate: the end of a driven crank."""

        def motion(t):
            e = np.array([np.cos(angle + rate * t), np.sin(angle + rate * t)])
            across = np.array([-e[1], e[0]])
            return np.array(centre) + radius * e, radius * rate * across, -radius * rate**2 * e

        self.rows.append(([(1.0, *one)], np.eye(2), motion))

    # -- motion ----------------------------------------------------------------------------------------------------

    def at_nodes(self, b, q, v):
        """Return r (nodes, 2), J (nodes, 2, size), J' q' (nodes, 2), and the same at the end, of a beam (1)."""
        part, P, L = self.slices[b], self.P[b], self.lengths[b]
        theta, rate = P @ q[part][2:], P @ v[part][2:]
        e = np.column_stack([np.cos(theta), np.sin(theta)])
        across = np.column_stack([-e[:, 1], e[:, 0]])
        of_c = across[:, :, None] * P[:, None, :]  # (nodes, 2, k)
        swing = -e * (rate**2)[:, None]
        k = P.shape[1]
        J, J_end = np.zeros((NODES, 2, 2 + k)), np.zeros((2, 2 + k))
        J[:, :, :2], J_end[:, :2] = np.eye(2), np.eye(2)
        J[:, :, 2:] = L * (UP_TO @ of_c.reshape(NODES, -1)).reshape(NODES, 2, k)
        J_end[:, 2:] = L * np.einsum("g,gik->ik", W, of_c)
        r, end = q[part][:2] + L * UP_TO @ e, q[part][:2] + L * W @ e
        return (r, J, L * UP_TO @ swing), (end, J_end, L * W @ swing)

    def accelerations(self, t, q, v):
        """Return q'', multipliers, and gaps of the rows (3)."""
        M, f, ends = np.zeros((self.n, self.n)), np.zeros(self.n), {}
        g = np.array(self.gravity)
        for b, beam in enumerate(self.beams):
            part = self.slices[b]
            (_, J, bias), (end, J_end, end_bias) = self.at_nodes(b, q, v)
            w = beam.mass * W
            M[part, part] = np.einsum("g,gik,gil->kl", w, J, J) + beam.tip * J_end.T @ J_end
            f[part] = np.einsum("g,gik,gi->k", w, J, g - bias) + beam.tip * J_end.T @ (g - end_bias)
            f[part][2:] -= self.K[b] @ (q[part][2:] + beam.damping * v[part][2:])
            start = np.zeros_like(J_end)
            start[:, :2] = np.eye(2)
            ends[b, 0] = q[part][:2], start, np.zeros(2)
            ends[b, 1] = end, J_end, end_bias
        A, bias, gaps, speeds = [], [], [], []
        for sides, components, motion in self.rows:
            place, rate, second = motion(t)
            row, b_row, value = np.zeros((len(components), self.n)), 0.0, 0.0
            for factor, b, end in sides:
                r, J, swing = ends[b, end]
                row[:, self.slices[b]] += factor * components @ J
                b_row, value = b_row + factor * components @ swing, value + factor * components @ r
            A.append(row)
            bias.append(second - b_row)
            gaps.append(value - place)
            speeds.append(rate)
        A, bias = np.vstack(A), np.concatenate(bias)
        m = len(A)
        matrix = np.block([[M, A.T], [A, np.zeros((m, m))]])
        solution = np.linalg.solve(matrix, np.concatenate([f, bias]))
        return solution[: self.n], solution[self.n :], np.concatenate(gaps), (M, A, np.concatenate(speeds))

    def start(self):
        """Return q and v at t = 0: straight as drawn, in the rigid motion that rows prescribe, or at rest."""
        q, v, rigid = np.zeros(self.n), np.zeros(self.n), []
        for b, beam in enumerate(self.beams):
            d = np.subtract(beam.end, beam.start)
            q[self.slices[b]][:3] = *beam.start, np.arctan2(d[1], d[0])
            rigid += [self.slices[b].start + k for k in range(3)]
        _, _, gaps, (_, A, speeds) = self.accelerations(0.0, q, v)
        if np.abs(gaps).max() > 1e-12:
            raise ValueError(f"drawn open by {np.abs(gaps).max():.1e}")
        v[rigid] = np.linalg.lstsq(A[:, rigid], speeds, rcond=None)[0]
        if np.abs(A @ v - speeds).max() > 1e-10 * (1.0 + np.abs(speeds).max()):
            raise ValueError("no rigid motion has these speeds")
        return q, v

    def run(self, times, rtol=1e-9):
        """Return q and v at times, (K, n) each."""
        q, v = self.start()

        def rates(t, y):
            return np.concatenate([y[self.n :], self.accelerations(t, y[: self.n], y[self.n :])[0]])

        made = solve_ivp(
            rates, (times[0], times[-1]), np.concatenate([q, v]), "DOP853", times, rtol=rtol, atol=1e-3 * rtol
        )
        if not made.success:
            raise ArithmeticError(made.message)
        return made.y[: self.n].T, made.y[self.n :].T

    def place(self, b, q, s):
        """Return where a beam has its place s = 0 ... 1, (K, 2)."""
        part = self.slices[b]
        found = []
        for row in q:
            theta = self.P[b] @ row[part][2:]
            e = np.column_stack([np.cos(theta), np.sin(theta)])
            whole = legendre.legint(TO_COEFFICIENTS @ e, lbnd=-1, axis=0)
            found.append(row[part][:2] + 0.5 * self.lengths[b] * legendre.legval(2.0 * s - 1.0, whole))
        return np.array(found)

    def deflection(self, b, q, s=0.5):
        """Return how far a place of a beam is to the left of its chord, (K,)."""
        one, other, at = (self.place(b, q, x) for x in (0.0, 1.0, s))
        return to_the_left(one, other, at)

    def energy(self, q, v):
        """Return kinetic, bending and gravitational energy, (K, 3)."""
        found = []
        for row, rate in zip(q, v, strict=True):
            kinetic = bent = weight = 0.0
            for b, beam in enumerate(self.beams):
                part = self.slices[b]
                (r, J, _), (end, J_end, _) = self.at_nodes(b, row, rate)
                speed = J @ rate[part]
                kinetic += 0.5 * beam.mass * W @ np.sum(speed**2, axis=1)
                kinetic += 0.5 * beam.tip * np.sum((J_end @ rate[part]) ** 2)
                bent += 0.5 * row[part][2:] @ self.K[b] @ row[part][2:]
                weight -= np.array(self.gravity) @ (beam.mass * W @ r + beam.tip * end)
            found.append((kinetic, bent, weight))
        return np.array(found)


def to_the_left(one, other, at):
    """Return the distance of places to the left of the line from one to another, (K,)."""
    chord, arm = np.asarray(other) - one, np.asarray(at) - one
    cross = chord[:, 0] * arm[:, 1] - chord[:, 1] * arm[:, 0]
    return cross / np.linalg.norm(chord[:, :2], axis=1)
