"""The full coordinates of bodies in space: centre of mass and three unit vectors each, with constant mass.

Forces, results and reactions are written in them. What is integrated are fewer: see shared.py.

Body b, numbered as in the model, has Z[12 b ... 12 b + 11] = (r, d1, d2, d3): its centre of mass, from the computing
origin (the drawing's centroid, so that far-away drawings lose no digits), and its axes. As drawn these are the global
ones. Rows of its own keep it rigid, dimensionless:

    (d_i.d_i - 1)/2 = 0,  i = 1, 2, 3                           cosines squared            [J84] (2)        (1)
    d1.d2 = d1.d3 = d2.d3 = 0                                   dot products               [J84] (3)        (2)

With xi a mass element's components beside the centre, its velocity is r' + sum xi_i d_i', so

    T = (m r'.r' + sum_ij E_ij d_i'.d_j')/2,    E_ij = sum of m xi_i xi_j = (tr J/2) delta_ij - J_ij        (3)
    omega = sum_i d_i x d_i'/2,    alpha = sum_i d_i x d_i''/2                                              (4)

J is the inertia tensor about the centre, body axes. M is constant, so there are no gyroscopic terms: they come with the
multipliers of (1) and (2). E is singular for plates, and for rods, whose spin has no inertia at all.
Not used: Euler angles (singular poses), quaternions (rows of the fourth degree), d3 = d1 x d2 as a definition (places
would be quadratic).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from particlemech.engine.natural.frames import COORDINATES, RowPoly, own_frame
from particlemech.engine.polynomials import Poly, Vec3, dot3
from particlemech.engine.system import Array
from particlemech.model.space.mechanism import Mechanism, extent


class Coordinates:
    """The bodies of a mechanism as numbered here, in model order, and where they are drawn."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.origin, self.L = extent(mechanism)  # global; rms distance of the drawing's places from it, length
        self.order = tuple(mechanism.bodies)
        self.index = {name: b for b, name in enumerate(self.order)}
        centres = (np.subtract(mechanism.centre(name), self.origin).tolist() for name in self.order)
        self.frames = tuple(own_frame(b, (x, y, z)) for b, (x, y, z) in enumerate(centres))

    @cached_property
    def drawing(self) -> Array:
        """Z as drawn, (12 n_body,)."""
        return np.concatenate([[*frame.centre, *np.eye(3).ravel()] for frame in self.frames])

    @cached_property
    def blocks(self) -> Array:
        """m and E of (3), (n_body, 4, 4): M of a body is its block, each entry times the unit matrix (3, 3)."""
        result = np.zeros((len(self.order), 4, 4))
        for b, name in enumerate(self.order):
            xx, yy, zz, xy, xz, yz = self.mechanism.inertia(name)
            J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            result[b, 0, 0] = self.mechanism.mass(name)
            result[b, 1:, 1:] = 0.5 * np.trace(J) * np.eye(3) - J
        return result

    @cached_property
    def mass(self) -> Array:
        """M, (12 n_body, 12 n_body)."""
        n = len(self.order)
        M = np.zeros((n, 4, 3, n, 4, 3))
        for b, block in enumerate(self.blocks):
            M[b, :, :, b] = np.einsum("ij,xy->ixjy", block, np.eye(3))
        return M.reshape(COORDINATES * n, COORDINATES * n)


def own_rows(e1: Vec3, e2: Vec3, e3: Vec3, third: bool = True) -> list[RowPoly]:
    """Return (1) and (2) of the unit vectors of a body; the third is held by another body if it is not its own."""
    own = (e1, e2, e3) if third else (e1, e2)
    polys = [(dot3(e, e) - Poly.constant(1.0)) * 0.5 for e in own]  # (1)
    polys += [dot3(e1, e2), dot3(e1, e3), dot3(e2, e3)]  # (2)
    return [RowPoly(poly, angle=True) for poly in polys]


def centres(z: Array) -> Array:
    """Return r of all bodies, (K, n_body, 3), for Z (K, 12 n_body); for its rates, those of r."""
    return z.reshape(len(z), z.shape[1] // 12, 4, 3)[:, :, 0]


def axes(z: Array) -> Array:
    """Return d1, d2, d3 of all bodies in columns, (K, n_body, 3, 3), for Z (K, 12 n_body): v = axes v_b."""
    return np.swapaxes(z.reshape(len(z), z.shape[1] // 12, 4, 3)[:, :, 1:], 2, 3)


def turning(z: Array, rates: Array) -> Array:
    """Return (4), (K, n_body, 3), for Z and its rates (K, 12 n_body): omega, or alpha for its second rates."""
    d, d_dot = (a.reshape(len(a), a.shape[1] // 12, 4, 3)[:, :, 1:] for a in (z, rates))
    return 0.5 * np.cross(d, d_dot).sum(axis=2)


def kinetic_energy(blocks: Array, v: Array) -> Array:
    """Return (3) of all bodies together, (K,), for rates v (K, 12 n_body)."""
    w = v.reshape(len(v), v.shape[1] // 12, 4, 3)
    return 0.5 * np.einsum("bij,kbix,kbjx->k", blocks, w, w)
