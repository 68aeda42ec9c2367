"""The angle by which a vector has turned in a plane: one row, for drives between vectors that move themselves.

    w = D_1 m + D_2 n          the direction at the angle s in the plane of m and n; the dial D = (cos s, sin s, 0)  (1)
    w.q = 0                    a vector q of that plane, along n where s = 0, keeps at right angles to it            (2)

m, n and q are at right angles to the axis of turning and m to n. The dial is a vector like any other, driven by its
cosines, so that time enters where [J84] has it, by known parameters. Along a motion the products of (2) are twice the
sum over pairs of its three factors. Not used: m.q = -sin s alone, [J84] (3), whose slope vanishes each half turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from particlemech.analyses.vectors.relations.base import At, RelationSpec
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.spec import key, name, names


@dataclass(frozen=True, kw_only=True)
class Turn(RelationSpec):
    """A vector that keeps at right angles to a direction which turns in the plane of two others, as a dial does."""

    vectors: tuple[str, ...] = key(names(3, 3), "two vectors of the plane at right angles, and the one that follows")
    dial: str = key(name, "a vector whose first two cosines are cosine and sine of the angle")

    def verify(self) -> None:
        """Check that four different vectors are named."""
        if len(set(self.ties)) < 4:
            raise ModelError(f"needs four different vectors, got {', '.join(self.ties)}")

    @property
    def ties(self) -> tuple[str, ...]:
        """The vectors and the dial."""
        return (*self.vectors, self.dial)

    def residual(self, at: At) -> Array:
        """Return w.q, (2)."""
        m, n, q = (at.P(v) for v in self.vectors)
        D = at.P(self.dial)
        return np.array([(D[0] * m + D[1] * n) @ q])

    def slopes(self, at: At) -> Array:
        """Return slopes of (2) in all four vectors."""
        rows = np.zeros((1, len(at.x)))
        m, n, q = (at.P(v) for v in self.vectors)
        D = at.P(self.dial)
        by = (D[0] * q, D[1] * q, D[0] * m + D[1] * n, np.array([m @ q, n @ q, 0.0]))
        for v, slope in zip(self.ties, by, strict=True):
            rows[0, at.column(v) : at.column(v) + 3] = slope
        return rows

    def products(self, at: At, rates: At) -> Array:
        """Return twice the sum over pairs of factors that both move."""
        total = 0.0
        q, q_dot = at.P(self.vectors[2]), rates.P(self.vectors[2])
        for k, v in enumerate(self.vectors[:2]):
            e, e_dot, D, D_dot = at.P(v), rates.P(v), at.P(self.dial)[k], rates.P(self.dial)[k]
            total += D_dot * (e_dot @ q + e @ q_dot) + D * (e_dot @ q_dot)
        return np.array([2.0 * total])
