"""Stations: the mass of a bending body at quadrature points, its stiffness, and its sub-links.

Mass along the length stands at the points of a Gauss rule, as equivalent particles,

    m_s = mu(x_s) w_s,    J_s = j w_s        mu mass and j rotary inertia per length, w_s weights of the rule       (1)

with enough of them between knots that every product of two of the quantities 1, x, delta(x), psi(x), and x S(x), is
integrated without error: all integrals of [G88] appendix A are sums over stations (local_inertia.py). What the table of
the model says beyond these sums is the rigid remainder

    m_r = m - sum m_s,   m_r c_r = m c - sum m_s x_s,   I_r = I - sum (m_s x~^T x~ + J_s)                           (2)

which may be negative by itself. Stiffness, [G88] (B-5), (B-6), D diagonal where it differs between directions:

    K_jk = int delta_j''. EI delta_k'' + psi_j'. GJ psi_k' + (e.delta_j') EA (e.delta_k') ds                         (3)

Of rotary inertia j only what is about the line acts on psi alone. What is about directions across it, as that of a
section, resists the slopes of bending too (Rayleigh's beam), so psi of stations has them then.

A body of N sub-links is N links of this kind, each with the modes scaled to its own length and its stretch of mass and
stiffness. Products S S, of fourth order in the deflection, are left to the same rule. All is in axes of the drawing,
from the first point of each part.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from particlemech.engine.bending import shapes
from particlemech.engine.bending.damping import damping
from particlemech.engine.bending.links import LinkNumbers, Shapes
from particlemech.engine.bending.members import Member
from particlemech.engine.bending.shapes import Field
from particlemech.engine.system import Array
from particlemech.errors import ModelError, part
from particlemech.model import inertia as tensors
from particlemech.model.space import curves, materials
from particlemech.model.space.curves import Curve
from particlemech.model.space.forms import Profile, curve
from particlemech.model.space.parts import Lump
from particlemech.model.spec import FrozenMapping

SAME = 1e-9  # difference of masses that counts as none, as a fraction
GRID = np.linspace(0.0, 1.0, 65)


def skew(a: Array) -> Array:
    """Return the matrices a~ with a~ b = a x b, (..., 3, 3)."""
    x, y, z = np.moveaxis(np.asarray(a, dtype=float), -1, 0)
    zero = np.zeros_like(x)
    rows = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def tensor(given: Sequence[float]) -> Array:
    """Return an inertia of three or six numbers as a matrix, (3, 3)."""
    xx, yy, zz, xy, xz, yz = tensors.tensor(tuple(given))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def about_origin(mass: float, com: Sequence[float] | Array, central: Array) -> Array:
    """Return an inertia about the origin, from that about the centre of mass, (3, 3)."""
    c = skew(np.array(com))
    return np.asarray(central + mass * c.T @ c)


@functools.lru_cache(maxsize=128)  # a mechanism is asked for them again and again, and its variants share most of them
def numbers(name: str, of: Member, consistent: bool = True, stiffening: bool = True) -> tuple[LinkNumbers, ...]:
    """Return a bending body as numbers, one link for each of its sub-links, in axes of the drawing."""
    body, field = of.body, shapes.field(of, consistent, stiffening)
    n = body.sublinks
    along = np.array(of.along)
    result = []
    for k in range(n):
        stretch = k / n, (k + 1) / n
        at, mass, inertia = _stations(of, field, stretch)
        first, remainder = _remainder(of, at, mass, inertia)
        K = _stiffness(of, field, stretch)
        tip = field.places(of.length / n * along[None])
        made = LinkNumbers(
            name=name,
            part=k,
            names=tuple(f"q{k * field.m + j + 1}" for j in range(field.m)),
            end=np.array(of.end) / n,
            along=along,
            mass=float(first[0]),
            moment=first[1:],
            inertia=remainder,
            stations=at,
            station_mass=mass,
            station_inertia=inertia,
            end_delta=tip.delta[0],
            end_psi=tip.psi[0],
            end_short=tip.short[0],
            K=K,
            C=np.zeros((field.m, n * field.m)),
        )
        result.append(made)
    C = damping(of, result)
    return tuple(replace(made, C=C[k * field.m : (k + 1) * field.m]) for k, made in enumerate(result))


def modal_mass(at: Shapes, mass: Array, inertia: Array) -> Array:
    """Return I_qq, [G88] (A-59), (A-70), (A-73), (m, m)."""
    moved = np.einsum("s,scj,sck->jk", mass, at.delta, at.delta)
    return moved + np.einsum("scj,scd,sdk->jk", at.psi, inertia, at.psi)


# -- mass ----------------------------------------------------------------------------------------------------------


def _stations(of: Member, field: Field, stretch: tuple[float, float]) -> tuple[Shapes, Array, Array]:
    """Return the stations of one sub-link: shapes there, masses (n,) and rotary inertias (n, 3, 3), by (1)."""
    mu = density(of).part(*stretch)
    xi, w = curves.gauss(
        curves.together((*field.curves, mu)), mu.degree + max(2, *(2 * c.degree for c in field.curves), 0)
    )
    smooth = field.shapes(xi)
    mass = field.length * w * mu(xi)
    rotary = rotary_of(of)
    inertia = (field.length * w)[:, None, None] * rotary
    if resists_slopes(of):
        smooth = replace(smooth, psi=field.turn(xi))  # what resists turns across the line resists slopes
    if not mass.any() and not inertia.any():
        smooth, mass, inertia = field.shapes(np.zeros(0)), np.zeros(0), np.zeros((0, 3, 3))
    mine = [lump for lump in of.body.lumps if holds(of, stretch, lump)]
    if not mine:
        return smooth, mass, inertia
    x = np.array([lump.x - stretch[0] * of.length for lump in mine])
    lumped = field.places(np.outer(x, field.along))
    return (
        Shapes(*(np.concatenate([getattr(s, f) for s in (smooth, lumped)]) for f in ("x", "delta", "psi", "short"))),
        np.concatenate([mass, [lump.mass for lump in mine]]),
        np.concatenate([inertia, [tensor(lump.inertia) for lump in mine]]),
    )


def holds(of: Member, stretch: tuple[float, float], lump: Lump) -> bool:
    """Return whether a lump is on a stretch; one between two is at the end of the first."""
    at = min(lump.x / of.length, 1.0)
    return stretch[0] < at <= stretch[1] or (at == 0.0 and stretch[0] == 0.0)


def rotary_of(of: Member) -> Array:
    """Return the rotary inertia per length, (3, 3)."""
    if of.body.rho is not None:
        return materials.rotary(of.body, of.along)
    return tensor(of.body.rotary or (0.0, 0.0, 0.0))


def resists_slopes(of: Member) -> bool:
    """Whether rotary inertia resists the slopes of bending: it is about directions across the line too."""
    rotary = rotary_of(of)
    return bool(np.abs(rotary - np.outer(of.along, of.along) @ rotary).max() > SAME * np.abs(rotary).max())


def density(of: Member) -> Curve:
    """Return the mass per length."""
    if of.body.rho is not None and of.body.section is not None:
        return curves.polynomial((of.body.rho * of.body.section.area,))
    if of.body.density is None:
        even = 0.0 if of.body.lumps else (of.body.mass or 0.0) / of.length
        return curves.polynomial((even,))
    with part('key "density"'):
        mu = curve(of.body.density)
        least = float(mu(GRID).min())
        if least < 0.0:
            raise ModelError(f"is {least:g} at x/L = {GRID[int(mu(GRID).argmin())]:g}; mass per length is not negative")
    return mu


def _sums(at: Shapes, mass: Array, inertia: Array) -> tuple[Array, Array]:
    """Return mass and first moment of stations, (4,), the second moment, (3, 3), about the origin."""
    cross = skew(at.x)
    first = np.array([mass.sum(), *(mass @ at.x)])
    second = np.einsum("s,sdc,sde->ce", mass, cross, cross) + inertia.sum(axis=0)
    return first, second


def _remainder(of: Member, at: Shapes, mass: Array, inertia: Array) -> tuple[Array, Array]:
    """Return mass and first moment, (4,), and second moment, (3, 3), of the rigid remainder (2)."""
    first, second = _sums(at, mass, inertia)
    rest, rest_second = np.zeros(4), np.zeros((3, 3))
    if of.body.sublinks > 1:
        _check_cut(of)
        return rest, rest_second
    total = first[0] if of.body.mass is None else of.body.mass
    if abs(total - first[0]) > SAME * max(total, first[0]):
        if of.com is None or of.body.inertia is None:
            missing = "com" if of.com is None else "inertia"
            raise ModelError(
                f'key "mass": is {total:g}, but {first[0]:g} stands along the length and at places; give "{missing}" '
                'too, or leave "mass" out'
            )
        rest[0] = total - first[0]
    if of.com is not None:
        rest[1:] = total * np.array(of.com) - first[1:]
    if of.body.inertia is not None:
        com = ((first[1:] + rest[1:]) / (total or 1.0)).tolist()
        rest_second = about_origin(total, com, tensor(of.body.inertia)) - second
    return rest, rest_second


def _check_cut(of: Member) -> None:
    """Check that the mass of a link with sub-links is all along its length and at places."""
    if of.body.mass is None or (of.body.density is None and of.body.rho is None and not of.body.lumps):
        return
    along = float(density(of).integral()(1.0)) * of.length + sum(lump.mass for lump in of.body.lumps)
    if abs(along - of.body.mass) > SAME * of.body.mass:
        raise ModelError(
            f'key "mass": is {of.body.mass:g}, but {along:g} stands along the length and at places, and sublinks = '
            f'{of.body.sublinks} leave no room for the rest; leave "mass" out'
        )


# -- stiffness -----------------------------------------------------------------------------------------------------


def _stiffness(of: Member, field: Field, stretch: tuple[float, float]) -> Array:
    """Return K by (3), (m, m), or as it is given."""
    if of.body.K is not None:
        K = np.array(of.body.K)
    else:
        e, L = field.along, field.length
        across = np.eye(3) - np.outer(e, e)
        bent = [tuple(c.derivative().derivative() for c in mode) for mode in field.delta]
        axial = [tuple(c.derivative() for c in mode) for mode in field.delta]
        twisted = [tuple(c.derivative() for c in mode) for mode in field.psi]
        # rotations of a table are slopes of bending, but for those about the link
        turned = np.outer(e, e) if of.body.shapes else np.eye(3)
        K = (
            _energy(of, "EI", bent, across, stretch) / L**3
            + _energy(of, "GJ", twisted, turned, stretch) / L
            + _energy(of, "EA", axial, np.outer(e, e), stretch) / L
        )
    if field.m:
        _check_stiffness(K)
    return K


def _energy(of: Member, word: str, modes: list[tuple[Curve, ...]], onto: Array, stretch: tuple[float, float]) -> Array:
    """Return int a_j . P D P a_k dxi of curves a [mode][component], with D the stiffness and P a projection."""
    m = len(modes)
    every = [c for mode in modes for c in mode]
    given = getattr(of.body, word)
    if m == 0:
        return np.zeros((0, 0))
    values = np.array([[c(GRID) for c in mode] for mode in modes])  # (m, 3, n)
    seen = np.abs(np.einsum("cd,jds->jcs", onto, values)).max(axis=2)
    if seen.max() <= SAME * np.abs(values).max():
        return np.zeros((m, m))
    if of.body.section is not None:
        return _of_section(of, word, modes, onto)
    stiffness = _by_axis(given, word, stretch, seen)
    degree = 2 * max(c.degree for c in every) + max(d.degree for d in stiffness)
    xi, w = curves.gauss(curves.together((*every, *stiffness)), degree)
    a = np.array([[c(xi) for c in mode] for mode in modes])  # (m, 3, n)
    a = np.einsum("cd,jds->jcs", onto, a)
    return np.einsum("s,cs,jcs,kcs->jk", w, np.array([d(xi) for d in stiffness]), a, a)


def _of_section(of: Member, word: str, modes: list[tuple[Curve, ...]], onto: Array) -> Array:
    """Return the energy as above where a section gives the stiffness, a constant tensor D."""
    every = [c for mode in modes for c in mode]
    xi, w = curves.gauss(curves.together(every), 2 * max(c.degree for c in every))
    a = np.einsum("cd,jds->jcs", onto, np.array([[c(xi) for c in mode] for mode in modes]))
    if word == "GJ":
        off = np.abs(a - np.einsum("c,d,jds->jcs", of.along, of.along, a)).max(axis=(1, 2))
        if off.max() > SAME * np.abs(a).max():
            raise ModelError(
                f'key "section": mode {int(np.argmax(off)) + 1} turns sections about an axis across the body, which no '
                'section resists by itself; bend it by a mode "along" a direction, or give EI and GJ for "section"'
            )
    return np.einsum("s,cd,jcs,kds->jk", w, materials.stiffness(of.body, of.along, word), a, a)


def _by_axis(
    given: FrozenMapping[Profile] | Profile | None, word: str, stretch: tuple[float, float], seen: Array
) -> list[Curve]:
    """Return the stiffness for the components x, y, z; one that a mode needs must be there."""
    which = int(np.argmax(seen.max(axis=1)))
    if given is None:
        raise ModelError(f'key "{word}" is missing, and mode {which + 1} works against it; add it, or give "K"')
    result = []
    for c, axis in enumerate("xyz"):
        one = given.get(axis) if isinstance(given, FrozenMapping) else given
        needed = seen[:, c].max() > SAME * seen.max()
        if one is None and needed:
            which = int(np.argmax(seen[:, c]))
            raise ModelError(f'key "{word}": mode {which + 1} works against direction {axis}, which has none; add it')
        if one is None:
            result.append(shapes.ZERO)
            continue
        with part(f'key "{word}"'):
            whole = curve(one)
            least = float(whole(GRID).min())
            if least <= 0.0:
                raise ModelError(f"is {least:g} at x/L = {GRID[int(whole(GRID).argmin())]:g}; it must be above zero")
        result.append(whole.part(*stretch))
    return result


def _check_stiffness(K: Array) -> None:
    """Check that every deflection takes energy."""
    scale = np.sqrt(np.abs(np.diag(K)))
    for j, s in enumerate(scale):
        if s == 0.0 or K[j, j] < 0.0:
            raise ModelError(f"the stiffness of mode {j + 1} is {K[j, j]:g}; give it one, or take the mode out")
    values, vectors = np.linalg.eigh(K / np.outer(scale, scale))
    if values[0] < 1e-12:
        worst = [f"{j + 1}" for j in np.argsort(-np.abs(vectors[:, 0]))[:2]]
        raise ModelError(
            f"the stiffness matrix of the modes is not positive definite (scaled eigenvalue {values[0]:.2g}), by modes "
            f"{' and '.join(worst)}; their shapes may be alike: take one out, or correct K"
        )
