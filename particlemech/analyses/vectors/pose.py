"""The geometry of a vector model at one instant, and the signs that tell its assemblies apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from particlemech.analyses.vectors.compiled import VectorNumbers
from particlemech.analyses.vectors.matrices import RANK, independent
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.spec import FrozenMapping

FLAT = 1e-9  # products of unit vectors below this have no sign


@dataclass(frozen=True)
class Signature:
    """What tells assemblies apart.

    The orientation is the sign of the determinant of the geometry's equations (of the first that are independent).
    Where no row is redundant, a mechanism that is driven without passing a toggle keeps it, and the two assemblies
    that meet in a toggle have opposite ones. The other signs are those of dot products "a . b" of vectors that follow
    each other in a loop and of triple products "a x b . c"; they tell what an assembly looks like and may change as it
    moves.
    """

    orientation: int
    signs: Mapping[str, int]

    def __str__(self) -> str:
        """Return it in one line."""
        return ", ".join(
            f"{name} {'-0+'[sign + 1]}" for name, sign in {"orientation": self.orientation, **self.signs}.items()
        )


@dataclass(frozen=True, eq=False)
class Pose:
    """The geometry at one instant."""

    of: VectorNumbers
    t: float
    x: Array  # (n,) all parameters
    gap: float  # largest residual of a row, in units of the model
    iterations: int

    def _of(self, name: str) -> int:
        if name not in self.of.index:
            raise ModelError(f'vector "{name}" unknown{suggestion(name, self.of.index)}')
        return self.of.index[name]

    @property
    def vectors(self) -> tuple[str, ...]:
        """Names of the vectors, in order."""
        return tuple(self.of.index)

    @property
    def P(self) -> Array:
        """Direction cosines, (n_vector, 3)."""
        return self.x[: 4 * len(self.of.index)].reshape(-1, 4)[:, :3]

    @property
    def L(self) -> Array:
        """Lengths, (n_vector,)."""
        return self.x[3 : 4 * len(self.of.index) : 4]

    def direction(self, name: str) -> Array:
        """Return the cosines of a vector, (3,)."""
        return self.P[self._of(name)]

    def length(self, name: str) -> float:
        """Return the length of a vector."""
        return float(self.L[self._of(name)])

    def vector(self, name: str) -> Array:
        """Return a vector R = P_4 P, (3,), [J84] (1)."""
        return self.length(name) * self.direction(name)

    def angle(self, relation: str) -> float:
        """Return an angle that a dot product was to find, rad."""
        if relation not in self.of.angles:
            raise ModelError(f'no relation "{relation}" asks for an angle{suggestion(relation, self.of.angles)}')
        return math.acos(max(-1.0, min(1.0, self.x[self.of.angles[relation]])))

    @cached_property
    def equations(self) -> Array:
        """Slopes of the active rows in the unknowns, units of the order of 1, (n_active, n_unknown)."""
        c = self.of
        scaled = c.slopes(self.x) * c.column_units / c.row_units(self.x)[:, None]
        return scaled[np.ix_(c.active, c.unknown)]

    @cached_property
    def signature(self) -> Signature:
        """The signs that tell this assembly apart."""
        signs: dict[str, int] = {}
        for a, b, others in _neighbours(self.of):
            signs[f"{a} . {b}"] = _sign(float(self.direction(a) @ self.direction(b)))
            for c in others:
                triple = np.cross(self.direction(a), self.direction(b)) @ self.direction(c)
                signs[f"{a} x {b} . {c}"] = _sign(float(triple))
        return Signature(orientation(self.equations), FrozenMapping(signs))


def _sign(value: float) -> int:
    return 0 if abs(value) < FLAT else 1 if value > 0.0 else -1


def _neighbours(c: VectorNumbers) -> list[tuple[str, str, list[str]]]:
    """Return vectors that follow each other in a loop, and those that stand beside them in a relation."""
    relations = c.model.relations.values()
    found: dict[tuple[str, str], list[str]] = {}
    for relation in relations:
        chain = relation.chain
        for a, b in pairwise(chain):
            near = [v for r in relations if {a, b} & set(r.ties) for v in r.ties]
            found[a, b] = [v for v in dict.fromkeys(near) if v not in (a, b)]
    return [(a, b, others) for (a, b), others in found.items()]


def orientation(J: Array) -> int:
    """Return the sign of the determinant of the first rows of J that are independent; 0 if they are too few."""
    n, chosen = J.shape[1], independent(J)
    if len(chosen) < n or (n and np.linalg.cond(J[chosen]) > 1.0 / RANK):
        return 0
    return int(np.sign(np.linalg.det(J[chosen]))) if n else 1


def same_side(J: Array, K: Array) -> bool:
    """Return whether two near poses with equations J and K, (m, n), lie on the same side of all toggles.

    Redundant rows have left null vectors N, J^T N = 0. The sign of det [J, N] changes in a toggle and nowhere else, if
    N is carried along: that of K is turned so that det(N_J^T N_K) is positive.
    """
    n = J.shape[1]
    one, other = (np.linalg.svd(A)[0][:, n:] for A in (J, K))
    signs = [np.sign(np.linalg.det(np.hstack([A, N]))) for A, N in ((J, one), (K, other))]
    return bool(signs[0] * signs[1] * np.sign(np.linalg.det(one.T @ other)) > 0.0)
