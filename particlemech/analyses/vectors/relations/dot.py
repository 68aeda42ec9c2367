"""The angle between two vectors: one row, [J84] (3).

    P_n.P_m = d
    P_n_dot.P_m + P_n.P_m_dot = d_dot                                                  [J84] (10) (errata)
    P_n_ddot.P_m + P_n.P_m_ddot + 2 P_n_dot.P_m_dot = d_ddot                           (errata)

The cosine d is given, as such or by its angle; or else it is an unknown of the row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from particlemech.analyses.vectors.parameters import motion
from particlemech.analyses.vectors.relations.base import At, RelationSpec
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model import signals
from particlemech.model.signals import SignalSpec
from particlemech.model.spec import key, pair_of_names


@dataclass(frozen=True, kw_only=True)
class Dot(RelationSpec):
    """The angle between two vectors: given by its cosine or as such; without either it is found."""

    vectors: tuple[str, str] = key(pair_of_names, "the two vectors")
    cosine: SignalSpec | None = key(motion, "cosine of the angle, number or signal", None)
    angle: SignalSpec | None = key(motion, "instead of it the angle, rad", None)

    def verify(self) -> None:
        """Check that the angle is said once, and is one."""
        if self.cosine is not None and self.angle is not None:
            raise ModelError('keys "cosine" and "angle" say the same; leave one out')
        if self.vectors[0] == self.vectors[1]:
            raise ModelError(f'"{self.vectors[0]}" has no angle to itself; name two vectors')
        if self.cosine is not None and abs(signals.values(self.cosine, 0.0)[0]) > 1.0:
            raise ModelError(f'key "cosine": must lie between -1 and 1, got {signals.values(self.cosine, 0.0)[0]:g}')

    @property
    def asks(self) -> bool:
        """Whether the angle is to be found."""
        return self.cosine is None and self.angle is None

    @property
    def ties(self) -> tuple[str, ...]:
        """The two vectors."""
        return self.vectors

    def given(self, t: float) -> Array:
        """Return d and its derivatives."""
        if self.cosine is not None:
            return np.array(signals.values(self.cosine, t))
        if self.angle is None:
            return np.zeros(3)
        a, rate, acceleration = signals.values(self.angle, t)
        c, s = math.cos(a), math.sin(a)
        return np.array([c, -s * rate, -s * acceleration - c * rate * rate])

    def residual(self, at: At) -> Array:
        """Return the product, less the unknown cosine."""
        n, m = self.vectors
        return np.array([at.P(n) @ at.P(m) - (at.x[at.own] if self.asks else 0.0)])

    def slopes(self, at: At) -> Array:
        """Return the cosines of each in the columns of the other."""
        rows = np.zeros((1, len(at.x)))
        n, m = self.vectors
        for one, other in ((n, m), (m, n)):
            rows[0, at.column(one) : at.column(one) + 3] = at.P(other)
        if self.asks:
            rows[0, at.own] = -1.0
        return rows

    def products(self, at: At, rates: At) -> Array:
        """Return 2 P_n_dot.P_m_dot."""
        n, m = self.vectors
        return np.array([2.0 * rates.P(n) @ rates.P(m)])
