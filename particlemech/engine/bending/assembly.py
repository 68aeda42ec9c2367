"""The parts of one bending body as one: its linear model, clamped at its first point.

Part k is carried by the end of part k-1. To the first order in all n modal coordinates q of the body, its frame moves
and turns by u_k q and t_k q, and its places by d q and p q, in axes of the drawing:

    u_0 = t_0 = 0,   u_{k+1} = u_k + t_k x end_k + delta_end,   t_{k+1} = t_k + psi_end                            (1)
    d = u_k + t_k x x_s + delta_s,    p = t_k + psi_s           of station s of part k                             (2)

    M = sum m_s d^T d + p^T J_s p + remainders,     K = diag(K_k)       the body clamped, about its straight line   (3)

Shapes of part k stand in the columns of its own modal coordinates. Vibrations are those of M against K,

    M v = mu K v,   mu = 1/omega^2,   v^T K v = 1                                                                  (4)

in this order, not K v = omega^2 M v: mu of the lowest is the largest, so they are the ones that rounding spares (the
other order loses as many digits of them as omega^2 has between the lowest and the highest).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import block_diag, eigh

from particlemech.engine.bending.links import LinkNumbers
from particlemech.engine.system import Array


class Carried(NamedTuple):
    """How the frame of a part, and its stations, move with the n modal coordinates of the body."""

    origin: Array  # (3,) of the frame, from the first point of the body
    u: Array  # (3, n) displacement of the frame
    t: Array  # (3, n) its rotation
    d: Array  # (s, 3, n) displacement of its stations
    p: Array  # (s, 3, n) their rotation, as rotary inertia takes it
    own: slice  # its own modal coordinates


def crossed(t: Array, x: Array) -> Array:
    """Return t x x of rotations (3, n) and places (..., 3), (..., 3, n)."""
    return np.cross(t, np.asarray(x)[..., None], axisa=0, axisb=-2, axisc=-2)


def carried(numbers: Sequence[LinkNumbers]) -> tuple[Carried, ...]:
    """Return how each part of a body moves, by (1) and (2), and last what stands at its second point: no stations."""
    n = sum(part.m for part in numbers)
    u, t, at, first, result = np.zeros((3, n)), np.zeros((3, n)), np.zeros(3), 0, []
    for part in numbers:
        own, stations = slice(first, first + part.m), part.stations
        d = u + crossed(t, stations.x)
        p = np.repeat(t[None], len(stations.x), axis=0)
        d[:, :, own] += stations.delta
        p[:, :, own] += stations.psi
        result.append(Carried(at, u, t, d, p, own))  # (2)
        u, t = u + crossed(t, part.end), t.copy()
        u[:, own] += part.end_delta
        t[:, own] += part.end_psi  # (1)
        at, first = at + part.end, first + part.m
    none = np.zeros((0, 3, n))
    return (*result, Carried(at, u, t, none, none, slice(n, n)))


def clamped(numbers: Sequence[LinkNumbers]) -> tuple[Array, Array]:
    """Return mass and stiffness (3) of a body that is held at its first point, over all its modal coordinates.

    Parameters
    ----------
    numbers : sequence of LinkNumbers
        The parts of one body, outward, all in the same axes.

    Returns
    -------
    M, K : (n, n) arrays
        Linear about the undeflected line; weight and loads are not in them.

    Examples
    --------
    >>> from particlemech.engine.bending.members import Member
    >>> from particlemech.engine.bending.quadrature import numbers
    >>> from particlemech.model.space.parts import Body
    >>> cubics = [{"along": "y", "shape": [0, 0, 1]}, {"along": "y", "shape": [0, 0, 0, 1]}]
    >>> beam = Body(points=("A", "B"), density=1.0, EI=1.0, modes=cubics, sublinks=4)
    >>> M, K = clamped(numbers("beam", Member(beam, (0, 0, 0), (1, 0, 0))))
    >>> mu, _ = vibrations(M, K)
    >>> round(float(mu[0] ** -0.25), 4)  # beta L of the first mode: 1.8751
    1.8751
    """
    n = sum(part.m for part in numbers)
    M = np.zeros((n, n))
    for part, at in zip(numbers, carried(numbers), strict=False):  # the last stands at the second point
        M += np.einsum("s,sca,scb->ab", part.station_mass, at.d, at.d, optimize=True)
        M += np.einsum("sca,scd,sdb->ab", at.p, part.station_inertia, at.p, optimize=True)
        mixed = at.u.T @ crossed(at.t, part.moment)
        M += part.mass * at.u.T @ at.u + mixed + mixed.T + at.t.T @ part.inertia @ at.t
    return 0.5 * (M + M.T), block_diag(*(part.K for part in numbers)) if n else np.zeros((0, 0))  # (3)


def vibrations(M: Array, K: Array) -> tuple[Array, Array]:
    """Return mu = 1/omega^2, (n,), the lowest frequency first, and the shapes v in the columns, (n, n), by (4)."""
    scale = 1.0 / np.sqrt(np.diag(K))
    pair = np.outer(scale, scale)
    mu, v = eigh(pair * M, pair * K)
    return np.maximum(mu[::-1], 0.0), scale[:, None] * v[:, ::-1]
