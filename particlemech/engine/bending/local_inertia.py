"""The integrals of [G88] appendix A and B over one bending body, as sums over its stations and its rigid remainder.

    2 T = (v, omega, q')^T [ I_mm    I_mL    I_mq ] (v, omega, q')        v of its first point, q = 0  (A-76 errata) (1)
                           [ I_mL^T  I_LL    I_Lq ]
                           [ I_mq^T  I_Lq^T  I_qq ]

(A-36)..(A-39) are used with x in place of x - cm (errata). `local` gives the same matrix at any deflection, where the
integrals linear and quadratic in q, (A-17), (A-40), (A-51), (A-54), and the foreshortening enter.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np

from particlemech.engine.bending.links import LinkNumbers
from particlemech.engine.bending.members import Member, member
from particlemech.engine.bending.quadrature import about_origin, modal_mass, skew
from particlemech.engine.bending.reduction import numbers
from particlemech.engine.system import Array
from particlemech.errors import ModelError, part
from particlemech.model import inertia as tensors
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import shown

DEFINITE = 1e-12  # least eigenvalue of a positive definite matrix, after scaling to a unit diagonal
ROUNDED = -1e-9  # that of one without negative energies, such as that of a rod, which turns about itself without any
ROOM = 0.5  # what a moment of inertia is raised by in a trial, as part of that of the stations
TABLE = ("xx", "yy", "zz", "xy", "xz", "yz")
PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True, eq=False)
class Integrals:
    """The integrals of one body, about its first point and in axes of the drawing, undeflected."""

    I_mm: Array  # (3, 3)
    I_mL: Array  # (3, 3)
    I_mq: Array  # (3, m)
    I_LL: Array  # (3, 3)
    I_Lq: Array  # (3, m)
    I_qq: Array  # (m, m)
    K: Array  # (m, m)

    @property
    def mass(self) -> float:
        """The mass of the body."""
        return float(self.I_mm[0, 0])

    @property
    def centre(self) -> Array:
        """Its centre of mass, from its first point, (3,); undeflected, as is the tensor."""
        return np.array([self.I_mL[1, 2], self.I_mL[2, 0], self.I_mL[0, 1]]) / (self.mass or 1.0)

    @property
    def central(self) -> Array:
        """Its tensor about the centre of mass, (3, 3)."""
        return self.I_LL - about_origin(self.mass, self.centre, np.zeros((3, 3)))

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


def integrals(of: Mechanism | Member | LinkNumbers, body: str | None = None) -> Integrals:
    """Return the integrals of appendix A and B of a bending body; of one that is cut up, those of its first part.

    Parameters
    ----------
    of : Mechanism, Member or LinkNumbers
        The mechanism, or a body with its line, or its numbers.
    body : str
        Name of the body, of a mechanism.

    Returns
    -------
    Integrals
        I_mm, I_mL, I_mq, I_LL, I_Lq, I_qq and K, about the first point, in axes of the drawing.

    Examples
    --------
    >>> from particlemech.model.space.parts import Body
    >>> beam = Body(points=("A", "B"), mass=6.0, EI=1.0, modes=[{"along": "y", "shape": [0, 0, 1]}])
    >>> round(float(integrals(Member(beam, (0, 0, 0), (2, 0, 0))).I_mq[1, 0]), 12)  # m/3
    2.0
    """
    made = _numbers(of, body, "integrals")
    return Integrals(I_mm(made), I_mL(made), I_mq(made), I_LL(made), I_Lq(made), I_qq(made), made.K)


def _numbers(of: Mechanism | Member | LinkNumbers, body: str | None, asked: str) -> LinkNumbers:
    """Return the numbers of a body, or of its first part."""
    if isinstance(of, LinkNumbers):
        return of
    if isinstance(of, Member):
        return numbers("body", of)[0]
    if not isinstance(of, Mechanism) or body is None:
        raise ModelError(f"{asked} takes a mechanism and the name of a bending body, got {shown(of)}, {shown(body)}")
    of.moving_body(body)
    if not of.bodies[body].bends:
        raise ModelError(f'{asked}: body "{body}" has no modes and does not bend; name one that does')
    with part(f'body "{body}"'):
        return numbers(body, member(of, body), of.bending.geometry == "consistent", of.bending.stiffening)[0]


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


def local(of: Mechanism | Member | LinkNumbers, q: Array, body: str | None = None) -> Array:
    """Return the local inertia matrix (1) at a deflection q, (6 + m, 6 + m); links.py (3)."""
    link = _numbers(of, body, "local")
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


# -- what no body can have -----------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=128)
def check(of: Member, made: LinkNumbers) -> None:
    """Check that no motion has negative energy, and that every mode moves mass; the message names what is to blame."""
    whole, given = integrals(made), of.body.inertia
    if _least(whole.I_qq) <= DEFINITE:
        raise ModelError(_without_mass(whole.I_qq, float(np.linalg.eigvalsh(whole.I_qq)[0])))
    if given is not None:
        tensors.check(whole.mass, tensors.tensor(given), tensors.RULES[1])
    if _least(whole.matrix) > ROUNDED:
        if given is not None:  # otherwise it is a sum over stations, where one axis may stand alone
            tensors.check(whole.mass, tensors.tensor(given), of.body.inertia_rule)
        return
    least = float(np.linalg.eigvalsh(whole.matrix)[0])
    raise ModelError(
        f"its inertia matrix [G88] (A-76) has the eigenvalue {least:.3g}, but none can be negative: {_blamed(of, made)}"
    )


def _least(matrix: Array) -> float:
    """Return the least eigenvalue after scaling to a unit diagonal, but for what is nothing beside the largest."""
    d = np.abs(np.diag(matrix))
    if not d.any():
        return 0.0
    d = np.maximum(d, DEFINITE * float(d.max()))
    return float(np.linalg.eigvalsh(matrix / np.sqrt(np.outer(d, d)))[0])


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


def _blamed(of: Member, made: LinkNumbers) -> str:
    """Return which entries of the model must change, each beside what the mass along the length has there.

    One entry after the other is given the value of the stations, a moment ROOM more, always the entry that lifts the
    least eigenvalue most.
    """
    own = replace(made, mass=0.0, moment=np.zeros(3), inertia=np.zeros((3, 3)))
    whole, along = integrals(made), integrals(own)
    centre, tensor, natural, spread = whole.centre, whole.central, along.centre, along.central
    said = {f'"com" {axis}': ((centre + of.first)[k], (natural + of.first)[k]) for k, axis in enumerate("xyz")}
    for p, word in zip(PLACES, TABLE, strict=True):
        said[f'"inertia" {word}'] = tensor[p], spread[p]
    named: list[str] = []
    while True:
        tried: list[tuple[float, str, Array, Array]] = []
        for k, axis in enumerate("xyz"):
            word = f'"com" {axis}'
            if of.com is not None and word not in named and centre[k] != natural[k]:
                changed = np.where(np.arange(3) == k, natural, centre)
                tried.append((_with(made, own, changed, tensor), word, changed, tensor))
        for p, entry in zip(PLACES, TABLE, strict=True):
            word = f'"inertia" {entry}'
            if of.body.inertia is not None and word not in named and tensor[p] != spread[p]:
                cleared = tensor.copy()
                cleared[p] = cleared[p[::-1]] = (1.0 + ROOM) * spread[p] if p[0] == p[1] else spread[p]
                tried.append((_with(made, own, centre, cleared), word, centre, cleared))
        if not tried:
            break
        least, word, centre, tensor = max(tried, key=lambda entry: entry[0])
        named.append(word)
        if least > ROUNDED:
            break
    if not named:
        return "its mass is zero; give it one"
    entries = (f"{w} is {said[w][0]:.6g}, where the mass along its line alone has {said[w][1]:.6g}" for w in named)
    return f"{'; and '.join(entries)}; correct it, the mass or the modes"


def _with(made: LinkNumbers, own: LinkNumbers, centre: Array, tensor: Array) -> float:
    """Return the least scaled eigenvalue with another centre and tensor about it."""
    mass = integrals(made).mass
    moment = mass * centre - own.station_mass @ own.stations.x
    inertia = about_origin(mass, centre, tensor) - I_LL(own)
    return _least(integrals(replace(made, moment=moment, inertia=inertia)).matrix)
