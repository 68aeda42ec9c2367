"""A vector at right angles to two others: three rows, [J84] (4) (errata).

    P_h4 P_h = P_n x P_m = C(P_n)^T P_m        as printed, with C(P_n), it would be P_m x P_n

and its two derivatives. The length P_h4 is the sine of the angle between them, without a unit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from particlemech.analyses.vectors.matrices import C
from particlemech.analyses.vectors.relations.base import At, RelationSpec
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.spec import key, name, pair_of_names


@dataclass(frozen=True, kw_only=True)
class Cross(RelationSpec):
    """A vector that is the cross product of the unit vectors of two others."""

    parts = (" along 1", " along 2", " along 3")
    vectors: tuple[str, str] = key(pair_of_names, "the two factors, in order")
    result: str = key(name, "the vector that is their cross product")

    def verify(self) -> None:
        """Check that three different vectors are named."""
        if len({*self.vectors, self.result}) < 3:
            raise ModelError(f"needs three different vectors, got {', '.join(self.ties)}")

    @property
    def ties(self) -> tuple[str, ...]:
        """The factors and the product."""
        return (*self.vectors, self.result)

    def residual(self, at: At) -> Array:
        """Return R_h - P_n x P_m."""
        n, m = self.vectors
        return at.L(self.result) * at.P(self.result) - C(at.P(n)).T @ at.P(m)

    def slopes(self, at: At) -> Array:
        """Return slopes: P_n x P_m is -C(P_n) in P_m and C(P_m) in P_n."""
        rows = np.zeros((3, len(at.x)))
        n, m = self.vectors
        h = at.column(self.result)
        rows[:, h : h + 3] = at.L(self.result) * np.eye(3)
        rows[:, h + 3] = at.P(self.result)
        rows[:, at.column(n) : at.column(n) + 3] = -C(at.P(m))
        rows[:, at.column(m) : at.column(m) + 3] = -C(at.P(n)).T
        return rows

    def products(self, at: At, rates: At) -> Array:
        """Return 2 P_h4_dot P_h_dot - 2 P_n_dot x P_m_dot."""
        n, m = self.vectors
        h = self.result
        return 2.0 * (rates.L(h) * rates.P(h) - C(rates.P(n)).T @ rates.P(m))
