"""Vectors whose signed sum is zero: three rows, [J84] (6).

    sum s_n P_n4 P_n + sum k_m P_m = 0
    sum s_n R_n_dot + sum k_m P_m_dot = 0,     R_n_dot = P_n4 P_n_dot + P_n4_dot P_n                [J84] (7), (10)
    sum s_n R_n_ddot + sum k_m P_m_ddot = 0    products: 2 P_n4_dot P_n_dot                         [J84] (12)

The k_m are arms: an element vector is the sum of its constant components along vectors of its element, E^T PE of
[J84] (15), so that a place of an element needs no system vector of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from particlemech.analyses.vectors.relations.base import At, RelationSpec
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.spec import FrozenMapping, key, mapping_of, name, number, sequence

Term = tuple[str, float]  # a vector and its sign


def signed(value: Any) -> tuple[str, ...]:
    """A list of different vectors, those that count negative with a minus before the name."""
    result = tuple(name(v) for v in sequence(value))
    bare = [v.lstrip("-") for v in result]
    for v in bare:
        if bare.count(v) > 1:
            raise ModelError(f'"{v}" stands there twice; list each vector once')
    return result


def terms(vectors: tuple[str, ...]) -> tuple[Term, ...]:
    """Return vectors and signs of a signed list."""
    return tuple((v[1:], -1.0) if v.startswith("-") else (v, 1.0) for v in vectors)


@dataclass(frozen=True, kw_only=True)
class Loop(RelationSpec):
    """Vectors that close: their signed sum is zero."""

    parts = (" along 1", " along 2", " along 3")
    vectors: tuple[str, ...] = key(signed, 'vectors in order, such as ["R1", "R2", "-R3"]', ())
    arms: Mapping[str, float] = key(
        mapping_of(number), "constant multiples of the directions of vectors, length", FrozenMapping()
    )

    def verify(self) -> None:
        """Check that there is something to close."""
        if len(self.vectors) + len(self.arms) < 2:
            count = len(self.vectors) + len(self.arms)
            raise ModelError(f'key "vectors": a loop needs at least 2 vectors, got {count}')

    @property
    def ties(self) -> tuple[str, ...]:
        """The vectors it names."""
        return tuple(dict.fromkeys((*self.chain, *self.arms)))

    @property
    def chain(self) -> tuple[str, ...]:
        """The vectors that stand in it with their lengths."""
        return tuple(v for v, _ in terms(self.vectors))

    def unit(self, at: At) -> float:
        """Return the longest length."""
        return max(*(abs(at.L(v)) for v in self.chain), *(abs(k) for k in self.arms.values()), 0.0) or 1.0

    def residual(self, at: At) -> Array:
        """Return the signed sum."""
        total = np.zeros(3)
        for v, sign in terms(self.vectors):
            total += sign * at.L(v) * at.P(v)
        for v, k in self.arms.items():
            total += k * at.P(v)
        return total

    def slopes(self, at: At) -> Array:
        """Return lengths in the columns of cosines and cosines in those of lengths."""
        rows = np.zeros((3, len(at.x)))
        for v, sign in terms(self.vectors):
            n = at.column(v)
            rows[:, n : n + 3] += sign * at.L(v) * np.eye(3)
            rows[:, n + 3] = sign * at.P(v)
        for v, k in self.arms.items():
            n = at.column(v)
            rows[:, n : n + 3] += k * np.eye(3)
        return rows

    def products(self, at: At, rates: At) -> Array:
        """Return the sum of 2 P_n4_dot P_n_dot."""
        total = np.zeros(3)
        for v, sign in terms(self.vectors):
            total += sign * 2.0 * rates.L(v) * rates.P(v)
        return total
