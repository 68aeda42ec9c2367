"""Bending bodies as the engine takes them: as their parts, or, with `keep = n`, as one part with few coordinates.

Of the clamped body (assembly.py) with all modal coordinates q of its parts, q = Q p keeps

    Q = [V_n, G]                      the n lowest vibrations, and static shapes                                  (1)
    G = K^-1 F - V_n V_n^T F          F: what a force and a moment at the second point do to q, (n_all, 6)         (2)

V_n^T K V_n = 1. G is what forces and moments at the second point do beyond the vibrations that are kept: the residual
flexibility of MacNeal and Rubin, as shapes. With it every static deflection by what acts there is that of all parts,
exactly, and joints, loads and bodies at the end of the body meet its true flexibility. V_n and G are orthogonal in M
and in K. G is made of vibrations of its own by M and K, so that both are diagonal over all of p; combinations whose
flexibility is below RESIDUAL of that of all parts are left out (those that nothing bends, and all where n is large).

Not used: V_n alone (three vibrations leave 0.14 % of the deflection by a force at the end of a beam out, and 13 % of
the turn by a moment there); fixed-interface vibrations with constraint shapes (Craig and Bampton), as exact in statics,
but then no coordinate is a vibration of the clamped body, which is what a user knows of a beam and can damp by a ratio.

The price of G is its own frequencies, which lie above those left out. A uniform beam in one plane, keep = 3 of 8 parts
with two cubics each, has 3 + 2 coordinates in place of 16; the last two vibrate 1.14 and 3.7 times as fast as the
fourth and the fifth vibration, and the highest frequency is 211 times the lowest, in place of 1090 times. A beam with a
heavy load at its end that is turned by a motor bends as all parts say to 3e-5, with keep = 1 already, 20 times faster.
Spin changes shapes: turning as fast as it vibrates slowest, its first frequency is right to 3e-5 with keep = 3, six
times faster to 2 % only (keep = 6: 0.2 %; keep = 14, all there is beside the static shapes: 1e-9).

Shapes of the reduced body are those of the parts, put together by assembly.py (1), as curves on the whole length:

    delta = u_k + t_k x e s + delta_k(s),    psi = e (e.t_k) + psi_k(s),   s from the beginning of part k          (3)

Its sections turn by psi + e x delta' = t_k + turn_k(s), and its foreshortening is that of the slopes of (3), so that
places are those of the chain of parts to the second order of bending in both planes. As with any single part, twisting
does not turn the plane of bending: where both are large, keep the parts.

A coordinate is the largest displacement of its shape (of torsion: rotation), positive there; vibrations come first, the
lowest at the front, then static shapes. Of vibrations with equal frequencies each is made of as few modal coordinates
as can be: that of a round beam along y, and that along z.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.polynomial import Chebyshev
from scipy.linalg import cho_factor, cho_solve, eigh, qr

from particlemech.engine.bending import quadrature, shapes
from particlemech.engine.bending.assembly import Carried, carried, clamped, vibrations
from particlemech.engine.bending.damping import damping
from particlemech.engine.bending.links import LinkNumbers, Shapes
from particlemech.engine.bending.members import Member
from particlemech.engine.bending.shapes import ZERO, Field, Three
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.space import curves
from particlemech.model.space.curves import Curve

RESIDUAL = 1e-10  # flexibility that is left out, as part of that of all parts
EQUAL = 1e-7  # relative difference of frequencies squared that count as one
NOTHING = 1e-12  # of a shape, by energy: what counts as rounding


@functools.lru_cache(maxsize=128)
def numbers(name: str, of: Member, consistent: bool = True, stiffening: bool = True) -> tuple[LinkNumbers, ...]:
    """Return a bending body as numbers, in axes of the drawing: its parts, or the one it is reduced to.

    Parameters
    ----------
    name : str
        Of the body, which the numbers carry.
    of : Member
        The body with its line.
    consistent, stiffening : bool
        `geometry` and `stiffening` of the mechanism.

    Returns
    -------
    tuple of LinkNumbers
        `of.body.parts` of them, outward; their C are rows of one matrix over the modal coordinates of all.

    Raises
    ------
    ModelError
        If mass, stiffness or shapes cannot be, or parts do not go with the geometry.
    """
    if of.body.sublinks > 1 and not consistent:
        raise ModelError(
            'key "sublinks": with geometry = "report" in [bending] bending does not turn what comes next, so '
            'sub-links would shear off; set geometry = "consistent"'
        )
    parts = quadrature.numbers(name, of, consistent, stiffening)
    if of.body.keep is None:
        return parts
    Q, moved, whole = _basis(parts, of.body.keep), carried(parts), field(of, consistent, stiffening)
    m, stations = Q.shape[1], [part.stations for part in parts]
    x = np.concatenate([at.origin + one.x for one, at in zip(stations, moved, strict=False)])
    tip = moved[-1]
    made = LinkNumbers(
        name=name,
        part=0,
        names=tuple(f"q{j + 1}" for j in range(m)),
        end=tip.origin,
        along=parts[0].along,
        mass=parts[0].mass,  # a body of several parts has no rigid remainder
        moment=parts[0].moment,
        inertia=parts[0].inertia,
        stations=Shapes(
            x,
            np.concatenate([at.d @ Q for at in moved]),
            np.concatenate([at.p @ Q for at in moved]),
            whole.short(np.clip(x @ whole.along / whole.length, 0.0, 1.0)),
        ),
        station_mass=np.concatenate([part.station_mass for part in parts]),
        station_inertia=np.concatenate([part.station_inertia for part in parts]),
        end_delta=tip.u @ Q,
        end_psi=tip.t @ Q,
        end_short=whole.short(np.ones(1))[0],
        K=Q.T @ clamped(parts)[1] @ Q,
        C=np.zeros((m, m)),
    )
    return (replace(made, C=damping(of, (made,))),)


@functools.lru_cache(maxsize=128)
def field(of: Member, consistent: bool = True, stiffening: bool = True) -> Field:
    """Return the shapes of each part of a bending body, or of the one it is reduced to, on its whole length."""
    part = shapes.field(of, consistent, stiffening)
    if of.body.keep is None:
        return part
    parts = quadrature.numbers("body", of, consistent, stiffening)
    Q, moved = _basis(parts, of.body.keep), carried(parts)[:-1]
    modes = [_curves(part, moved, Q[:, j]) for j in range(Q.shape[1])]
    return Field(
        of.length,
        part.along,
        tuple(delta for delta, _ in modes),
        tuple(psi for _, psi in modes),
        (part.slopes[0],) * len(modes),  # all modes of a body are of one sort
        stiffening,
    )


# -- which shapes ------------------------------------------------------------------------------------------------------


def _basis(parts: Sequence[LinkNumbers], keep: int) -> Array:
    """Return Q of (1), (n_all, m)."""
    M, K = clamped(parts)
    kept = _aligned(*vibrations(M, K))[:, :keep]
    tip = carried(parts)[-1]
    F = np.concatenate([tip.u, tip.t]).T
    flexible = cho_solve(cho_factor(K), F)
    full = np.einsum("nk,nk->k", F, flexible)
    used = full > 0.0
    F, flexible = (of[:, used] / np.sqrt(full[used]) for of in (F, flexible))
    rest = flexible - kept @ (kept.T @ F)  # (2), columns of unit flexibility before
    rest -= kept @ (kept.T @ (K @ rest))  # again: what rounding left
    size, mixed = np.linalg.eigh(rest.T @ K @ rest)
    G = rest @ (mixed[:, size > RESIDUAL] / np.sqrt(size[size > RESIDUAL]))
    if G.shape[1]:
        pseudo, turned = eigh(G.T @ M @ G)
        G = _aligned(pseudo[::-1], G @ turned[:, ::-1])
    Q = np.concatenate([kept, G], axis=1)
    strain = np.sqrt(np.diag(K))[:, None] * np.abs(Q)
    Q[strain < NOTHING * strain.max(axis=0)] = 0.0
    return Q * _scale(parts, Q)


def _aligned(mu: Array, V: Array) -> Array:
    """Return vibrations where those of equal frequencies, which any mixture of them is too, are told apart.

    Each of c equal ones is zero where the others have their largest coordinates, then made orthogonal again.
    """
    result, first = V.copy(), 0
    while first < len(mu):
        last = first + 1
        while last < len(mu) and mu[last] > (1.0 - EQUAL) * mu[last - 1]:
            last += 1
        c = last - first
        if c > 1:
            some = V[:, first:last]
            rows = np.sort(qr(some.T, mode="r", pivoting=True)[1][:c])
            result[:, first:last] = some @ np.linalg.qr(np.linalg.inv(some[rows]))[0]  # V^T K V = 1 still
        first = last
    return result


def _scale(parts: Sequence[LinkNumbers], Q: Array) -> Array:
    """Return the factors, (m,), that make the largest displacement of each shape, or else its rotation, plus one."""
    moved = carried(parts)
    d = np.concatenate([*(at.d for at in moved), *(at.u[None] for at in moved)]) @ Q
    p = np.concatenate([*(at.p for at in moved), *(at.t[None] for at in moved)]) @ Q
    d, p = d.reshape(-1, Q.shape[1]), p.reshape(-1, Q.shape[1])
    length = float(np.linalg.norm(moved[-1].origin))
    moves = np.abs(d).max(axis=0) > 1e-9 * length * np.abs(p).max(axis=0)
    of = np.where(moves, d[np.argmax(np.abs(d), axis=0), range(Q.shape[1])], 0.0)
    turned = p[np.argmax(np.abs(p), axis=0), range(Q.shape[1])]
    return 1.0 / np.where(moves, of, turned)


def _curves(part: Field, moved: Sequence[Carried], q: Array) -> tuple[Three, Three]:
    """Return displacement and rotation (3) of a body for modal coordinates q of all its parts, (n_all,)."""
    n, e = len(moved), part.along
    delta: list[list[Chebyshev]] = [[], [], []]
    psi: list[list[Chebyshev]] = [[], [], []]
    for k, at in enumerate(moved):
        u, t, own = at.u @ q, at.t @ q, q[at.own]
        slope, twist = part.length * np.cross(t, e), e * (e @ t)
        bent, turned = shapes.mixture(part.delta, own), shapes.mixture(part.psi, own)
        for c in range(3):
            line, level = curves.polynomial((u[c], slope[c])), curves.polynomial((twist[c],))
            for of, rigid, local in ((delta, line, bent), (psi, level, turned)):
                here = shapes.combined([(1.0, rigid), (1.0, local[c])])
                assert here is not None
                of[c] += [
                    Chebyshev(p.coef, domain=[(k + float(p.domain[0])) / n, (k + float(p.domain[1])) / n])
                    for p in here.pieces
                ]
    dx, dy, dz, rx, ry, rz = (_or_zero(Curve(tuple(pieces))) for pieces in (*delta, *psi))
    return (dx, dy, dz), (rx, ry, rz)


def _or_zero(curve: Curve) -> Curve:
    """Return a curve, or the one that is known to be zero."""
    return curve if any(p.coef.any() for p in curve.pieces) else ZERO
