"""What every kind of relation says: rows f(x) = g(t), their slopes, and what is left of their second derivative.

The parameters x of all vectors stand as [J84] numbers them: three cosines P_n1, P_n2, P_n3 and the length P_n4 of each,
then the cosines of unknown angles. Along a motion

    f = g,    f_x x_dot = g_dot,    f_x x_ddot = g_ddot - products                                       (1)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from particlemech.engine.system import Array
from particlemech.model.spec import Spec


@dataclass(frozen=True, eq=False)
class At:
    """All parameters (or their rates) at one instant, as a relation reads them."""

    index: Mapping[str, int]  # of vectors
    x: Array  # (4 n_vector + n_angle,)
    own: int = -1  # column of the relation's own unknown angle

    def column(self, vector: str) -> int:
        """Return where the cosines of a vector begin; its length stands three columns on."""
        return 4 * self.index[vector]

    def P(self, vector: str) -> Array:
        """Return the cosines of a vector, (3,)."""
        n = self.column(vector)
        return self.x[n : n + 3]

    def L(self, vector: str) -> float:
        """Return the length of a vector."""
        return float(self.x[self.column(vector) + 3])


class RelationSpec(Spec):
    """Base of the relations."""

    parts: ClassVar[tuple[str, ...]] = ("",)  # what tells its rows apart, one for each

    @property
    def asks(self) -> bool:
        """Whether it brings an unknown of its own: the cosine of an angle."""
        return False

    @property
    def ties(self) -> tuple[str, ...]:
        """The vectors it names."""
        raise TypeError(f"{type(self).__name__} does not name its vectors")

    @property
    def chain(self) -> tuple[str, ...]:
        """The vectors that follow each other around, if it is such a relation."""
        return ()

    def unit(self, at: At) -> float:
        """Return what counts as 1 in its rows."""
        return 1.0

    def given(self, t: float) -> Array:
        """Return g and its two derivatives, (3,) of its single row; 0 for relations that do not change with time."""
        return np.zeros(3)

    def residual(self, at: At) -> Array:
        """Return f, (n_row,)."""
        raise TypeError(f"{type(self).__name__} has no rows")

    def slopes(self, at: At) -> Array:
        """Return f_x, (n_row, n_x)."""
        raise TypeError(f"{type(self).__name__} has no rows")

    def products(self, at: At, rates: At) -> Array:
        """Return d/dt(f_x) x_dot, (n_row,)."""
        raise TypeError(f"{type(self).__name__} has no rows")
