"""The integrals of [G88] appendix A and B over one link, as sums over its stations and its rigid remainder.

    2 T = (v, omega, q')^T [ I_mm    I_mL    I_mq ] (v, omega, q')        in link axes, at q = 0     (A-76 errata)   (1)
                           [ I_mL^T  I_LL    I_Lq ]
                           [ I_mq^T  I_Lq^T  I_qq ]

(A-36)..(A-39) are used with x in place of x - cm (errata). `local` gives the same matrix at any deflection, where the
integrals linear and quadratic in q, (A-17), (A-40), (A-51), (A-54), and the foreshortening enter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from particlemech._spec import Vector3, shown
from particlemech.errors import ModelError
from particlemech.flexible.links import LinkNumbers
from particlemech.flexible.parts import Link, check_rigid
from particlemech.flexible.stations import modal_mass, numbers, skew
from particlemech.inertia import Tensor
from particlemech.system import Array

DEFINITE = 1e-12  # least eigenvalue of a positive definite matrix, after scaling to a unit diagonal
ROUNDED = -1e-9  # that of one without negative energies, such as that of a rod, which turns about itself without any
ROOM = 0.5  # what a moment of inertia is raised by in a trial, as part of that of the stations
TABLE = ("xx", "yy", "zz", "xy", "xz", "yz")
PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True, eq=False)
class Integrals:
    """The integrals of one link, about its origin and in its axes, undeflected."""

    I_mm: Array  # (3, 3)
    I_mL: Array  # (3, 3)
    I_mq: Array  # (3, m)
    I_LL: Array  # (3, 3)
    I_Lq: Array  # (3, m)
    I_qq: Array  # (m, m)
    K: Array  # (m, m)

    @property
    def matrix(self) -> Array:
        """The local inertia matrix (1), (6 + m, 6 + m)."""
        return np.block(
            [
                [self.I_mm, self.I_mL, self.I_mq],
                [self.I_mL.T, self.I_LL, self.I_Lq],
                [self.I_mq.T, self.I_Lq.T, self.I_qq],
            ]
        )


def integrals(link: Link | LinkNumbers) -> Integrals:
    """Return the integrals of appendix A and B of a link; of a link that is cut up, those of its first sub-link.

    Parameters
    ----------
    link : Link or LinkNumbers
        As described, or as numbers.

    Returns
    -------
    Integrals
        I_mm, I_mL, I_mq, I_LL, I_Lq, I_qq and K.

    Examples
    --------
    >>> beam = Link(end=(2, 0, 0), mass=6.0, EI=1.0, modes=[{"along": "y", "shape": [0, 0, 1]}])
    >>> round(float(integrals(beam).I_mq[1, 0]), 12)  # m/3
    2.0
    """
    made = _numbers(link, "integrals")
    return Integrals(I_mm(made), I_mL(made), I_mq(made), I_LL(made), I_Lq(made), I_qq(made), made.K)


def _numbers(link: Link | LinkNumbers, asked: str) -> LinkNumbers:
    """Return the numbers of a link, or of its first sub-link."""
    if not isinstance(link, (Link, LinkNumbers)):
        raise ModelError(f'{asked} takes one link, got {shown(link)}; give one, such as mechanism.links["name"]')
    return numbers("link", link)[0] if isinstance(link, Link) else link


def I_mm(link: LinkNumbers) -> Array:
    """Return m 1, [G88] (A-6)."""
    return np.eye(3) * (link.mass + link.station_mass.sum())


def I_mL(link: LinkNumbers) -> Array:
    """Return m cm~^T, [G88] (A-13)."""
    first: Array = link.moment + link.station_mass @ link.stations.x
    return skew(first).T


def I_mq(link: LinkNumbers) -> Array:
    """Return int mu delta_j ds, [G88] (A-22), (A-23)."""
    return np.einsum("s,scj->cj", link.station_mass, link.stations.delta)


def I_LL(link: LinkNumbers) -> Array:
    """Return int mu x~^T x~ ds about the origin, with rotary inertia, [G88] (A-32)."""
    cross = skew(link.stations.x)
    second = np.einsum("s,sdc,sde->ce", link.station_mass, cross, cross)
    return link.inertia + second + link.station_inertia.sum(axis=0)


def I_Lq(link: LinkNumbers) -> Array:
    """Return int mu x~ delta_j + j psi_j ds, [G88] (A-44), (A-65), (A-72)."""
    moved = np.einsum("s,scd,sdj->cj", link.station_mass, skew(link.stations.x), link.stations.delta)
    return moved + np.einsum("scd,sdj->cj", link.station_inertia, link.stations.psi)


def I_qq(link: LinkNumbers) -> Array:
    """Return int mu delta_j.delta_k + psi_j. j psi_k ds, [G88] (A-59), (A-70), (A-73)."""
    return modal_mass(link.stations, link.station_mass, link.station_inertia)


def local(link: Link | LinkNumbers, q: Array) -> Array:
    """Return the local inertia matrix (1) at a deflection q, (6 + m, 6 + m); links.py (3)."""
    link = _numbers(link, "local")
    at, m = link.stations, link.m
    result = np.zeros((6 + m, 6 + m))
    c = skew(link.moment)
    result[:3, :3], result[:3, 3:6], result[3:6, :3], result[3:6, 3:6] = link.mass * np.eye(3), c.T, c, link.inertia
    short = np.einsum("sjk,k->sj", at.short, q)  # (n, m)
    r = at.x + at.delta @ q - 0.5 * np.outer(short @ q, link.along)
    G = np.concatenate(
        [np.broadcast_to(np.eye(3), (len(r), 3, 3)), -skew(r), at.delta - link.along[:, None] * short[:, None, :]],
        axis=2,
    )
    turn = np.concatenate([np.zeros((len(r), 3, 3)), np.broadcast_to(np.eye(3), (len(r), 3, 3)), at.psi], axis=2)
    result += np.einsum("s,sca,scb->ab", link.station_mass, G, G)
    return result + np.einsum("sca,scd,sdb->ab", turn, link.station_inertia, turn)


# -- what no link can have -----------------------------------------------------------------------------------------


def check(link: Link, made: LinkNumbers) -> None:
    """Check that no motion has negative energy, and that every mode moves mass; the message names what is to blame."""
    whole = integrals(made)
    if made.m and _least(whole.I_qq) <= DEFINITE:
        raise ModelError(_without_mass(whole.I_qq, float(np.linalg.eigvalsh(whole.I_qq)[0])))
    if not made.m or _least(whole.matrix) > ROUNDED:
        if link.inertia is not None:  # without a table it is a sum over stations, where one axis may stand alone
            check_rigid(*_rigid(whole), "origin")
        return
    entries = _blamed(link, made)
    raise ModelError(
        f"its inertia matrix [G88] (A-76) has the eigenvalue {np.linalg.eigvalsh(whole.matrix)[0]:.3g}, but none can "
        f"be negative: {entries}"
    )


def _least(matrix: Array) -> float:
    """Return the least eigenvalue after scaling to a unit diagonal, but for what is nothing beside the largest."""
    d = np.abs(np.diag(matrix))
    if not d.any():
        return 0.0
    d = np.maximum(d, DEFINITE * float(d.max()))
    return float(np.linalg.eigvalsh(matrix / np.sqrt(np.outer(d, d)))[0])


def _rigid(whole: Integrals) -> tuple[float, Vector3, Tensor]:
    """Return mass, centre and tensor about the origin."""
    mass = float(whole.I_mm[0, 0])
    mc = whole.I_mL.T
    com = np.array([mc[2, 1], mc[0, 2], mc[1, 0]]) / (mass or 1.0)
    x, y, z = com.tolist()
    xx, yy, zz, xy, xz, yz = (float(whole.I_LL[p]) for p in PLACES)
    return mass, (x, y, z), (xx, yy, zz, xy, xz, yz)


def _without_mass(qq: Array, least: float) -> str:
    """Return what to say where modes have no inertia of their own."""
    for j in range(len(qq)):
        if qq[j, j] <= 0.0:
            return (
                f"mode {j + 1} moves no mass, so its inertia I_qq [G88] (A-73) is {qq[j, j]:g}; a rotation needs "
                '"rotary" or a lump with "inertia", a displacement needs "density" or lumps'
            )
    d = np.sqrt(np.diag(qq))
    vector = np.linalg.eigh(qq / np.outer(d, d))[1][:, 0]
    one, other = sorted(np.argsort(-np.abs(vector))[:2] + 1)
    return (
        f"modes {one} and {other} move the mass alike, so I_qq [G88] (A-73) has the eigenvalue {least:.2g}; take one "
        "of them out, or make the shapes different"
    )


def _blamed(link: Link, made: LinkNumbers) -> str:
    """Return which entries of the table must change, each beside what the mass along the length has there.

    One entry after the other is given the value of the stations, a moment ROOM more, always the entry that lifts the
    least eigenvalue most.
    """
    mass, total = made.mass + made.station_mass.sum(), integrals(made)
    first = made.station_mass @ made.stations.x
    said = {f'"com" {axis}': ((made.moment + first)[k] / mass, first[k] / mass) for k, axis in enumerate("xyz")}
    for p, word in zip(PLACES, TABLE, strict=True):
        said[f'"inertia" {word}'] = total.I_LL[p], (total.I_LL - made.inertia)[p]
    moment, second = made.moment, made.inertia
    named: list[str] = []
    blamed: set[str] = set()
    while True:
        tried: list[tuple[float, str, Array, Array]] = []
        for k, axis in enumerate("xyz"):
            if link.com is not None and moment[k] != 0.0:
                changed = moment * (np.arange(3) != k)
                tried.append((_with(made, changed, second), f'"com" {axis}', changed, second))
        for p, word in zip(PLACES, TABLE, strict=True):
            if link.inertia is not None and second[p] != 0.0 and f'"inertia" {word}' not in blamed:
                cleared = second.copy()
                cleared[p] = cleared[p[::-1]] = ROOM * (total.I_LL - made.inertia)[p] if p[0] == p[1] else 0.0
                tried.append((_with(made, moment, cleared), f'"inertia" {word}', moment, cleared))
        if not tried:
            return "; and ".join(named) or "its mass is zero; give it one"
        least, word, moment, second = max(tried, key=lambda entry: entry[0])
        blamed.add(word)
        named.append(f"{word} is {said[word][0]:.6g}, where the mass along the link alone has {said[word][1]:.6g}")
        if least > ROUNDED:
            about = " (about the origin)" if any("inertia" in entry for entry in named) else ""
            return "; and ".join(named) + about + "; correct it, the mass or the modes"


def _with(made: LinkNumbers, moment: Array, second: Array) -> float:
    """Return the least scaled eigenvalue with another remainder."""
    return _least(integrals(replace(made, moment=moment, inertia=second)).matrix)
