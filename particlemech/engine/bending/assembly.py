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

from particlemech.engine.bending.links import LinkNumbers, Shapes
from particlemech.engine.system import Array

NOTHING = 1e-12  # of the inertia across: what a body has about its line where it has none


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
    return _mass(numbers, carried(numbers), n), block_diag(*(part.K for part in numbers)) if n else np.zeros((0, 0))


def _mass(numbers: Sequence[LinkNumbers], moved: Sequence[Carried], n: int) -> Array:
    """Return M of (3), (n, n)."""
    M = np.zeros((n, n))
    for part, at in zip(numbers, moved, strict=False):  # the last stands at the second point
        M += np.einsum("s,sca,scb->ab", part.station_mass, at.d, at.d, optimize=True)
        M += np.einsum("sca,scd,sdb->ab", at.p, part.station_inertia, at.p, optimize=True)
        mixed = at.u.T @ crossed(at.t, part.moment)
        M += part.mass * at.u.T @ at.u + mixed + mixed.T + at.t.T @ part.inertia @ at.t
    return 0.5 * (M + M.T)  # (3)


def afloat(at: Carried, x: Array) -> Carried:
    """Return how the frame of a part and its stations, at x (s, 3), move where the body floats: six motions first."""

    def moving(place: Array, own: Array) -> Array:  # of places (..., 3), with what modes do there, (..., 3, n)
        turned = np.swapaxes(np.cross(np.eye(3), place[..., None, :]), -1, -2)
        shift = np.broadcast_to(np.eye(3), turned.shape)
        return np.concatenate([shift, turned, own], axis=-1)

    def turning(own: Array) -> Array:
        still = np.zeros((*own.shape[:-1], 3))
        return np.concatenate([still, still + np.eye(3), own], axis=-1)

    return Carried(
        at.origin, moving(at.origin, at.u), turning(at.t), moving(at.origin + x, at.d), turning(at.p), at.own
    )


def spared(numbers: Sequence[LinkNumbers], part: int, at: Shapes) -> tuple[float, Array]:
    """Return how much mass can be taken from a place of a body that floats, until some motion meets no inertia.

    Parameters
    ----------
    numbers : sequence of LinkNumbers
        The parts of one body, outward, all in the same axes.
    part : int
        Number of the part that holds the place, from 0.
    at : Shapes
        The shapes there (n = 1).

    Returns
    -------
    mass : float
        With it goes a rotary inertia: as that of the whole body about its line, as that of a rod across.
    inertia : (3, 3) array
        That rotary inertia.
    """
    e, moved = numbers[0].along, carried(numbers)
    n = sum(one.m for one in numbers)
    floating = [afloat(of, one.stations.x) for one, of in zip(numbers, moved, strict=False)]
    M = _mass(numbers, floating, 6 + n)
    total, about = M[0, 0], float(e @ M[3:6, 3:6] @ e)
    across = total * float(moved[-1].origin @ moved[-1].origin) / 12.0
    if about <= NOTHING * across:  # nothing resists a turn about its line, and it must be held against that
        about = across
        M[3:6, 3:6] += about * np.outer(e, e)
    own = np.zeros((2, 3, n))
    own[0], own[1] = moved[part].u + crossed(moved[part].t, at.x[0]), moved[part].t
    own[0][:, moved[part].own] += at.delta[0]
    own[1][:, moved[part].own] += at.psi[0]
    here = afloat(Carried(moved[part].origin, own[0], own[1], own[:1], own[1:], moved[part].own), at.x)
    R = across * (np.eye(3) - np.outer(e, e)) + about * np.outer(e, e)
    taken = total * here.d[0].T @ here.d[0] + here.p[0].T @ R @ here.p[0]
    most = 1.0 / float(eigh(taken, M, eigvals_only=True)[-1])
    return most * total, most * R


def vibrations(M: Array, K: Array) -> tuple[Array, Array]:
    """Return mu = 1/omega^2, (n,), the lowest frequency first, and the shapes v in the columns, (n, n), by (4)."""
    scale = 1.0 / np.sqrt(np.diag(K))
    pair = np.outer(scale, scale)
    mu, v = eigh(pair * M, pair * K)
    return np.maximum(mu[::-1], 0.0), scale[:, None] * v[:, ::-1]
