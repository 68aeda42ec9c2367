"""Polynomials of at most second degree, built once when a mechanism is tabulated.

In particle coordinates every body-fixed point is linear and every lower pair at most quadratic; in space the same is
true of a body's centre and axes. So joints are written as vector algebra on Vec and Vec3, and come out as monomials

    c * s(t) * Z_i * Z_j        index -1 stands for the factor 1, signal 0 for the constant 1      (1)

which one kernel evaluates and differentiates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Monomial = tuple[int, int, int]  # i <= j, signal


@dataclass(frozen=True)
class Poly:
    """A sum of monomials (1)."""

    terms: dict[Monomial, float]

    @cached_property
    def packed(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
        """The coordinates i and j of all terms, -1 where there is none, and their factors, (n,) each."""
        i, j = (np.array([key[k] for key in self.terms], dtype=np.intp) for k in (0, 1))
        return i, j, np.array(list(self.terms.values()), dtype=float)

    @staticmethod
    def constant(c: float) -> Poly:
        """Return the constant c."""
        return Poly({(-1, -1, 0): c})

    @staticmethod
    def variable(i: int) -> Poly:
        """Return the coordinate Z_i."""
        return Poly({(-1, i, 0): 1.0})

    @staticmethod
    def signal(s: int) -> Poly:
        """Return the time function with index s."""
        return Poly({(-1, -1, s): 1.0})

    def __add__(self, other: Poly) -> Poly:
        terms = dict(self.terms)
        for key, c in other.terms.items():
            terms[key] = terms.get(key, 0.0) + c
        return Poly(terms)

    def __neg__(self) -> Poly:
        return Poly({key: -c for key, c in self.terms.items()})

    def __sub__(self, other: Poly) -> Poly:
        terms = dict(self.terms)
        for key, c in other.terms.items():
            terms[key] = terms[key] - c if key in terms else -c
        return Poly(terms)

    def __mul__(self, other: Poly | float) -> Poly:
        if not isinstance(other, Poly):
            return Poly({key: c * other for key, c in self.terms.items()})
        terms: dict[Monomial, float] = {}
        for (i, j, s), c in self.terms.items():
            for (k, m, z), d in other.terms.items():
                factors = sorted(f for f in (i, j, k, m) if f >= 0)
                if len(factors) > 2 or (s and z):
                    raise ValueError("a row may hold at most two coordinates and one signal per term")
                i2, j2 = ([-1, -1, *factors])[-2:]
                key = (i2, j2, s or z)
                terms[key] = terms.get(key, 0.0) + c * d
        return Poly(terms)

    __rmul__ = __mul__


@dataclass(frozen=True)
class Vec:
    """A plane vector of polynomials."""

    x: Poly
    y: Poly

    @staticmethod
    def constant(x: float, y: float) -> Vec:
        """Return the constant vector (x, y)."""
        return Vec(Poly.constant(x), Poly.constant(y))

    @staticmethod
    def variable(i: int) -> Vec:
        """Return the coordinates Z_i, Z_i+1."""
        return Vec(Poly.variable(i), Poly.variable(i + 1))

    def __add__(self, other: Vec) -> Vec:
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other: Vec) -> Vec:
        return Vec(self.x - other.x, self.y - other.y)

    def __mul__(self, factor: Poly | float) -> Vec:
        return Vec(self.x * factor, self.y * factor)

    __rmul__ = __mul__


def dot(a: Vec, b: Vec) -> Poly:
    """Return a . b."""
    return a.x * b.x + a.y * b.y


def cross(a: Vec, b: Vec) -> Poly:
    """Return the component of a x b out of the plane."""
    return a.x * b.y - a.y * b.x


@dataclass(frozen=True)
class Vec3:
    """A vector of polynomials in space."""

    x: Poly
    y: Poly
    z: Poly

    @staticmethod
    def constant(x: float, y: float, z: float) -> Vec3:
        """Return the constant vector (x, y, z)."""
        return Vec3(Poly.constant(x), Poly.constant(y), Poly.constant(z))

    @staticmethod
    def variable(i: int) -> Vec3:
        """Return the coordinates Z_i, Z_i+1, Z_i+2."""
        return Vec3(Poly.variable(i), Poly.variable(i + 1), Poly.variable(i + 2))

    def __add__(self, other: Vec3) -> Vec3:
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec3) -> Vec3:
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor: float) -> Vec3:
        return Vec3(self.x * factor, self.y * factor, self.z * factor)


def dot3(a: Vec3, b: Vec3) -> Poly:
    """Return a . b in space."""
    return a.x * b.x + a.y * b.y + a.z * b.z
