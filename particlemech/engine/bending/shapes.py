"""Shapes of a bending body: how every place of it moves with the modal coordinates.

    delta(x), psi(x)   displacement and rotation per modal coordinate, columns of 3, as drawn    [G88] (2.1-2, 2.1-8)
    turn(x)            rotation of the section: psi + e x delta'(x), slope-consistent, or psi as published           (1)
    S_jk(x) = int_0^x delta_j' . delta_k' ds   of the parts across the link: foreshortening                          (2)

In a table of a finite-element program the rotations are those of the sections, slopes included, so turn = psi there.
A place off the axis moves with its section, by delta + turn x (offset).

Shapes that are nearly alike, as high powers of x/L are, leave no digits to K and I_qq. Where the least eigenvalue of
their strains g_j = (delta_j'' across, delta_j' along, psi_j'), each of unit size, is below NEAR, shape j is replaced by
what it adds to the shapes before it (Gram and Schmidt), in the size of the shape itself:

    phi_j = c_j (delta_j - sum_{i<j} r_ij delta_i),   int g(phi_j).g(delta_i) ds = 0 for all i < j                  (3)
    max |phi_j| = max |delta_j| along the body,       phi = delta T                                                  (4)

T is upper triangular, `Field.mixed`. The modal coordinates are then those of phi; T q are those of the shapes as they
are given. The space of deflections, and so every frequency and motion, is the same. With "K" from the user the shapes
stay as they are, because K belongs to them. Powers x^2 ... x^n of a clamped beam: without (3), the least scaled
eigenvalue of I_qq is 1.5e-13 at n = 10, rounding spoils the fourth frequency by 5e-7 at n = 11, and K has no factors at
n = 12; with it the lowest frequencies are those of the powers to 1e-13 up to n = 16, and n = 17 is refused.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from particlemech.engine.bending.links import Shapes
from particlemech.engine.bending.members import Member
from particlemech.engine.system import Array
from particlemech.errors import ModelError, part
from particlemech.model.space import curves
from particlemech.model.space.curves import Curve
from particlemech.model.space.forms import AXES, curve

NEAR = 1e-7  # below it shapes are taken apart: x^2 ... x^7 stay (8e-7), with x^8 they do not (3e-8)
ALIKE = 1e-8  # what a shape adds to those before it, as part of its strains: less is rounding (x^17 has 6e-9)
EPS = 1e-14  # what shapes of different directions have in common after rounding
ROOT = 1e-9  # largest value at the origin, and slope there, as part of the largest of all
SHEAR = 0.1  # least part of a slope by which the sections of a table turn
ZERO = curves.polynomial((0.0,))
GRID = np.linspace(0.0, 1.0, 65)
Three = tuple[Curve, Curve, Curve]  # in axes of the drawing


@dataclass(frozen=True, eq=False)
class Field:
    """The shapes of one link or sub-link as curves on [0, 1] of its own length."""

    length: float
    along: Array  # (3,) e
    delta: tuple[Three, ...]  # [mode][component]
    psi: tuple[Three, ...]
    slopes: tuple[bool, ...]  # [mode]: its section turns with the slope of its displacement too
    stiffening: bool
    mixed: Array | None = None  # (m, m) T of (3); None: the shapes are as they are given

    @property
    def m(self) -> int:
        """The number of modes."""
        return len(self.delta)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """All curves that are not zero."""
        return tuple(c for mode in (*self.delta, *self.psi) for c in mode if c is not ZERO)

    def shapes(self, xi: Array) -> Shapes:
        """Return the shapes at stations (n,) on the axis; psi without slopes, as rotary inertia takes it."""
        x = np.outer(xi, self.length * self.along)
        return Shapes(x, _values(self.delta, xi), _values(self.psi, xi), self.short(xi))

    def turn(self, xi: Array) -> Array:
        """Return the rotation (1) of sections, (n, 3, m)."""
        slope = _values(tuple(tuple(c.derivative() for c in mode) for mode in self.delta), xi) / self.length
        slope *= np.array(self.slopes, dtype=float)
        return _values(self.psi, xi) + np.cross(self.along[None, :, None], slope, axis=1)

    def places(self, x: Array) -> Shapes:
        """Return the shapes at places (n, 3), off the axis too; psi is the rotation of the section (1)."""
        xi = np.clip(x @ self.along / self.length, 0.0, 1.0) if self.length > 0.0 else np.zeros(len(x))
        off = x - np.outer(xi, self.length * self.along)
        turn = self.turn(xi) if self.m else np.zeros((len(x), 3, 0))
        delta = _values(self.delta, xi) + np.cross(turn, off[:, :, None], axis=1)
        return Shapes(x, delta, turn, self.short(xi))

    def short(self, xi: Array) -> Array:
        """Return (2), (n, m, m)."""
        result = np.zeros((len(xi), self.m, self.m))
        for (j, k), terms in self._shortening.items():
            result[:, j, k] = result[:, k, j] = sum((of(xi) for of in terms), np.zeros(len(xi)))
        return result / self.length if self.length > 0.0 else result

    @functools.cached_property
    def _shortening(self) -> dict[tuple[int, int], list[Curve]]:
        """The curves whose sum is (2) of modes j and k <= j, on [0, 1]."""
        across = [_across(mode, self.along) for mode in self.delta] if self.stiffening else []
        return {
            (j, k): [(a * b).integral() for a, b in zip(across[j], across[k], strict=True) if a and b]
            for j in range(len(across))
            for k in range(j + 1)
        }


def _values(modes: Sequence[Sequence[Curve]], xi: Array) -> Array:
    """Return curves [mode][component] at places, (n, 3, m)."""
    result = np.zeros((len(xi), 3, len(modes)))
    for j, mode in enumerate(modes):
        for c in range(3):
            if mode[c] is not ZERO:
                result[:, c, j] = mode[c](xi)
    return result


def _across(mode: Sequence[Curve], along: Array) -> list[Curve | None]:
    """Return the slopes of a displacement in three directions, the part along the link taken out."""
    slopes = [c.derivative() if c is not ZERO else None for c in mode]
    result: list[Curve | None] = []
    for c in range(3):
        weights = np.eye(3)[c] - along[c] * along
        result.append(combined([(w, s) for w, s in zip(weights, slopes, strict=True) if s and abs(w) > 1e-15]))
    return result


def combined(terms: Sequence[tuple[float, Curve]]) -> Curve | None:
    """Return a sum of curves with factors."""
    if not terms:
        return None
    knots = curves.together([c for _, c in terms])
    pieces = [[w * p for p in c.on(knots).pieces] for w, c in terms]
    return Curve(tuple(sum(at[1:], at[0]) for at in zip(*pieces, strict=True)))


# -- from the description ------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=128)
def field(of: Member, consistent: bool = True, stiffening: bool = True) -> Field:
    """Return the shapes of a bending body, or of each of its sub-links."""
    delta: list[Three] = []
    psi: list[Three] = []
    slopes = []
    none = (ZERO, ZERO, ZERO)
    for n, mode in enumerate(of.body.modes, start=1):
        with part(f'key "modes": number {n}'):
            bends = mode.along is not None and abs(np.dot(mode.along, of.along)) < 1.0 - 1e-12
            shape = curve(mode.shape, clamped=bends)
            _check_root(shape, bends and of.body.K is None)
        axis = mode.along or mode.about or AXES["x"]
        vector = tuple(ZERO if abs(a) < 1e-15 else combined([(a, shape)]) or ZERO for a in axis)
        delta.append(vector if mode.along else none)  # type: ignore[arg-type]
        psi.append(vector if mode.about else none)  # type: ignore[arg-type]
        slopes.append(consistent)
    if of.body.shapes:
        for n in range(of.body.shapes.n):
            six = tuple(_column(of, n, c) for c in range(6))
            with part(f'key "shapes": mode {n + 1}'):
                _check_slopes(six, of, consistent)
            delta.append(six[:3])  # type: ignore[arg-type]
            psi.append(six[3:])  # type: ignore[arg-type]
            slopes.append(False)
    length, mixed = of.length / of.body.sublinks, None
    if of.body.K is None:
        with part('key "shapes"' if of.body.shapes else 'key "modes"'):
            mixed = _apart(delta, psi, np.array(of.along))
    if mixed is not None:
        delta, psi = ([_rooted(modes, mixed[:, j]) for j in range(len(modes))] for modes in (delta, psi))
    return Field(length, np.array(of.along), tuple(delta), tuple(psi), tuple(slopes), stiffening, mixed)


def mixture(modes: Sequence[Three], weights: Array) -> Three:
    """Return a sum of modes with factors."""
    result = []
    for c in range(3):
        terms = [(w, mode[c]) for w, mode in zip(weights, modes, strict=True) if mode[c] is not ZERO and w != 0.0]
        result.append(combined(terms) or ZERO)
    return result[0], result[1], result[2]


def _rooted(modes: Sequence[Three], weights: Array) -> Three:
    """Return a sum of modes that leaves the first point alone as they do; factors of 1e7 raise what rounding left."""
    result = []
    for c, made in enumerate(mixture(modes, weights)):
        if made is not ZERO:
            used = [mode[c] for w, mode in zip(weights, modes, strict=True) if mode[c] is not ZERO and w != 0.0]
            level = all(abs(of.derivative()(0.0)) <= ROOT * np.abs(of(GRID)).max() for of in used)
            slope = float(made.derivative()(0.0)) if level else 0.0
            made = combined([(1.0, made), (-1.0, curves.polynomial((float(made(0.0)), slope)))]) or ZERO
        result.append(made)
    return result[0], result[1], result[2]


def _apart(delta: Sequence[Three], psi: Sequence[Three], along: Array) -> Array | None:
    """Return T of (3), (m, m), or None where the shapes can stay as they are."""
    bent = [tuple(c.derivative().derivative() for c in mode) for mode in delta]
    slopes = [tuple(c.derivative() for c in mode) for mode in delta]
    twisted = [tuple(c.derivative() for c in mode) for mode in psi]
    every = [c for modes in (bent, slopes, twisted) for mode in modes for c in mode]
    xi, w = curves.gauss(curves.together(every), 2 * max(c.degree for c in every))
    across = np.eye(3) - np.outer(along, along)
    strains = [
        np.einsum("cd,sdj->scj", across, _values(bent, xi)),
        np.einsum("d,sdj->sj", along, _values(slopes, xi))[:, None],
        _values(twisted, xi),
    ]
    m = len(delta)
    g = np.concatenate([*((np.sqrt(w)[:, None, None] * of).reshape(-1, m) for of in strains), np.zeros((m, m))])
    size = np.linalg.norm(g, axis=0)
    if not size.all() or np.linalg.svd(g / size, compute_uv=False)[-1] ** 2 > NEAR:
        return None
    _, R = np.linalg.qr(g / size)
    R[np.abs(R) < EPS] = 0.0  # modes of different directions stay apart
    added = np.abs(np.diag(R))
    if added.min() < ALIKE:
        j = int(np.argmin(added))
        twin = int(np.argmax(np.abs(R[:j, j]))) if j else 0
        raise ModelError(
            f"number {j + 1} is alike to those before it, most of all number {twin + 1}: only {added[j]:.1g} of its "
            "strains are new; take it out, or make it different"
        )
    T = np.linalg.solve(R, np.diag(np.diag(R))) * np.outer(1.0 / size, size)  # (3) with c = 1
    for j in range(len(T)):
        given, made = (_largest(mixture(delta, of), mixture(psi, of)) for of in (np.eye(len(T))[j], T[:, j]))
        T[:, j] *= given / made  # (4)
    return T


def _largest(delta: Three, psi: Three) -> float:
    """Return the size of a mode: the largest displacement on the line, or rotation where there is none."""
    for of in (delta, psi):
        size = float(np.linalg.norm(_values((of,), GRID), axis=1).max())
        if size > 0.0:
            break
    return size


def _column(of: Member, mode: int, component: int) -> Curve:
    """Return one component of a mode of a table; displacements across the link leave it without slope."""
    assert of.body.shapes is not None
    values = of.body.shapes.column(mode, component)
    if not any(values):
        return ZERO
    across = component < 3 and abs(of.along[component]) < 1.0 - 1e-12
    result = curves.spline(of.body.shapes.x, values, clamped=across)
    with part(f'key "shapes": mode {mode + 1}, {("dx", "dy", "dz", "rx", "ry", "rz")[component]}'):
        _check_root(result, False)
    return result


def _check_slopes(six: Sequence[Curve], of: Member, consistent: bool) -> None:
    """Check that the sections of a table turn with the slope of its displacements, as far as shear lets them."""
    xi, along = np.linspace(0.0, 1.0, 33), np.array(of.along)
    bent = np.array([np.zeros(33) if c is ZERO else c.derivative()(xi) for c in six[:3]]).T / of.length
    slopes = np.cross(along, bent)
    turns = np.array([np.zeros(33) if c is ZERO else c(xi) for c in six[3:]]).T
    for c, word in enumerate(("rx", "ry", "rz")):
        own = float(slopes[:, c] @ slopes[:, c])
        if consistent and own > SHEAR * float(np.sum(slopes**2)) and slopes[:, c] @ turns[:, c] < SHEAR * own:
            raise ModelError(
                f"{word} is {turns[-1, c]:g} at the end, where the displacements slope by {slopes[-1, c]:g}; sections "
                "turn with them (rz = dy', ry = -dz' along x): correct the rotations, or set geometry = \"report\" in "
                "[bending]"
            )


def _check_root(shape: Curve, clamped: bool) -> None:
    """Check that a shape leaves the first point of a body alone, and its axis there too."""
    every = np.linspace(0.0, 1.0, 33)
    largest = float(np.abs(shape(every)).max())
    at = float(shape(0.0))
    if largest == 0.0:
        raise ModelError("the shape is zero all along the body; give it a size, or take it out")
    if abs(at) > ROOT * largest:
        raise ModelError(f"the shape is {at:g} at the first point, which is the joint; subtract this, or start from 0")
    if clamped:
        slope = float(shape.derivative()(0.0))
        if abs(slope) > ROOT * largest:
            raise ModelError(
                f"the shape has slope {slope:g} (per x/L) at the first point, where the body leaves its joint along "
                'its line; take the linear term out (the joint turns the body), or give "K"'
            )
