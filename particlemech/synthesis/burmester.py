"""Burmester's points and curves of given poses: which points of a body stay at one distance from a centre.

Four poses, with (1) of dyads.py: a point q is on the circle-point curve if a centre is as far from all its places X_j,

    det (Re(q - X_j), Im(q - X_j), (|X_j|^2 - |q|^2) / 2) = 0,   j = 1, 2, 3                                     (1)

The pole q0 of the first pose and pose f, -D_f / F_f, is on that curve. On a line q0 + t e the row of pose f is t times
a constant row, the others are linear in t: so each line through the pole has two points more, the roots of a quadratic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech._jit import entry
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.synthesis import asked, dyads

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SAMPLES = 720  # lines through the pole
TRUE = 1e-9  # of the size: points whose distances differ by more are left out
FAR = 1e3  # sizes: points farther away are left out


@dataclass(frozen=True, eq=False)
class BurmesterPairs:
    """Points of a body that stay at one distance from a centre in all poses, and points that stay on a line.

    Attributes
    ----------
    circle_points : array, shape (K, 2)
        Where they are in the first pose. Of five poses at most four; of four those of the curve.
    centre_points : array, shape (K, 2)
        Their centres, in the same order.
    circle_curve, centre_curve : array, shape (2, n, 2)
        Of four poses: both points on each line through a pole, NaN where there are none; else of length 0.
    slider_points : array, shape (L, 2)
        Points whose places are on one line, in the first pose: one of four poses, none of five; of three 360 of their
        circle.
    """

    circle_points: Array
    centre_points: Array
    circle_curve: Array
    centre_curve: Array
    slider_points: Array


def pairs(points: ArrayLike, angles: ArrayLike, samples: int = SAMPLES) -> BurmesterPairs:
    """Return Burmester's circle points and centre points of three, four or five poses.

    Parameters
    ----------
    points
        Where a point of the body is in each pose, (N, 2).
    angles
        Angles of the body, (N,), rad.
    samples
        How many lines sample the curves of four poses, default 720.

    Returns
    -------
    BurmesterPairs
        Any two of its pairs make a four-bar whose coupler goes through the poses. Of three poses every point is a
        circle point, so there are slider points only.

    Raises
    ------
    ModelError
        If there are fewer than three or more than five poses, two are the same, or all are parallel.

    Examples
    --------
    >>> import numpy as np
    >>> from particlemech import synthesis
    >>> poses = [(0, 0), (1, 1.5), (2, 2), (3, 1.5), (4, 0.5)], [0.0, 0.2, 0.6, 0.7, 1.3]
    >>> found = synthesis.pairs(*poses)
    >>> len(found.circle_points)
    2
    """
    verb = "pairs"
    z, turned = asked.points(verb, points), asked.array(verb, "angles", angles)
    if len(z) != len(turned):
        raise ModelError(f"{verb}: {len(z)} points and {len(turned)} angles; give one angle for each point")
    if not 3 <= len(z) <= 5:
        raise ModelError(f"{verb}: of three, four or five poses, got {len(z)}; motion() fits linkages to more")
    asked.apart(verb, z, turned)
    D, E = z - z[0], np.exp(1j * (turned - turned[0]))
    size = float(np.max(np.abs(D))) or 1.0
    nothing = np.zeros((2, 0), dtype=complex)
    q, G, curves = np.zeros(0, dtype=complex), np.zeros(0, dtype=complex), (nothing, nothing)
    sliders = np.zeros(0, dtype=complex)
    if len(z) == 5:
        found, centres = np.zeros(4, dtype=complex), np.zeros(4, dtype=complex)
        count = _of_five(D / size, E, np.zeros((4, 7)), np.zeros(15, dtype=complex), found, centres)
        if count < 0:
            raise ModelError(f"{verb}: all poses are parallel, so points move alike; turn one of them")
        q, G = size * found[:count], size * centres[:count]
    elif len(z) == 4:
        curves = _curves(D / size, E, samples)
        known = np.isfinite(curves[0])
        q, G, curves = size * curves[0][known], size * curves[1][known], (size * curves[0], size * curves[1])
    if len(z) < 5:
        at = np.zeros(1 if len(z) == 4 else 360, dtype=complex)
        there = _sliders(D / size, E, at)
        sliders = size * at if there else sliders
    put = [np.stack([(z[0] + w).real, (z[0] + w).imag], axis=-1) for w in (q, G, *curves, sliders)]
    return BurmesterPairs(*put)


@entry
def _of_five(D: Array, E: Array, M: Array, work: Array, q: Array, G: Array) -> int:
    return dyads.of_five(D, E, 1.0, M, work, q, G)


@entry
def _sliders(D: Array, E: Array, out: Array) -> bool:
    there = True
    if len(D) == 4:
        out[0], there = dyads.slider_of_four(D, E)
        return there
    for k in range(len(out)):
        turn = 2.0 * np.pi * k / len(out)
        out[k], one = dyads.slider_of_three(D, E, complex(np.cos(turn), np.sin(turn)))
        there = there and one
    return there


def _curves(D: Array, E: Array, samples: int) -> tuple[Array, Array]:
    """Return circle points and their centres, (2, samples) complex, NaN where there are none."""
    first = 1 + int(np.argmax(np.abs(E[1:] - 1.0)))
    others = [j for j in (1, 2, 3) if j != first]
    turn = E[first] - 1.0
    if abs(turn) < 1e-9:
        raise ModelError("pairs: all poses are parallel, so points move alike; turn one of them")
    pole = -D[first] / turn
    e = np.exp(1j * np.pi * (np.arange(samples) + 0.5) / samples)
    f = turn * e
    row = np.stack([-f.real, -f.imag, (np.conj(pole) * f).real], axis=-1)

    def rows(t: Array) -> Array:  # of the other two poses, (..., 2, 3)
        q = (pole + t * e)[..., None]
        X = D[others] + E[others] * q
        return np.stack([(q - X).real, (q - X).imag, 0.5 * (np.abs(X) ** 2 - np.abs(q) ** 2)], axis=-1)

    def determinant(t: float) -> Array:
        two = rows(np.full(samples, t))
        return np.einsum("ki,ki->k", row, np.cross(two[:, 0], two[:, 1]))

    low, middle, high = (determinant(t) for t in (-1.0, 0.0, 1.0))
    a, b, c = 0.5 * (low + high) - middle, 0.5 * (high - low), middle
    with np.errstate(all="ignore"):
        root = -0.5 * (b + np.where(b >= 0.0, 1.0, -1.0) * np.sqrt(b * b - 4.0 * a * c))
        t = np.sort(np.array([root / a, c / root]), axis=0)  # NaN where there are none
        q = pole + t * e
        three = np.concatenate([np.broadcast_to(row, (2, samples, 3))[:, :, None], rows(t)], axis=2)
        centre = _centre(three)
        X = D + E * q[..., None]
        distance: Any = np.abs(X - centre[..., None])
        spread: Any = np.max(distance, axis=-1) - np.min(distance, axis=-1)
        r: Any = distance[..., 0]
        true = (spread <= TRUE * (1.0 + r)) & (r < FAR)
    return np.where(true, q, np.nan), np.where(true, centre, np.nan)


def _centre(rows: Array) -> Array:
    """Return the solution G of rows (n, 3) . (Re G, Im G, 1) = 0 of rank 2, by their null vector."""
    known: Any = np.isfinite(rows).all(axis=(-1, -2))
    filled = np.where(known[..., None, None], rows, 0.0)
    scaled = filled / np.maximum(np.linalg.norm(filled, axis=-1, keepdims=True), 1e-300)
    null = np.linalg.svd(scaled)[2][..., -1, :]
    with np.errstate(all="ignore"):
        return np.where(known, (null[..., 0] + 1j * null[..., 1]) / null[..., 2], np.nan)
