"""A vector model as numbers: where its parameters and rows stand, and the rows of the geometry, [J84] (2)-(4), (6).

Parameters x are numbered as in [J84], P_n1, P_n2, P_n3, P_n4 of every vector, then the cosines of angles to be found.
Rows are those of the relations, then one "cosine squared" row for each vector,

    P_n.P_n = 1                                                                                          [J84] (2)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from particlemech.analyses.vectors.model import VectorModel
from particlemech.analyses.vectors.relations import At, RelationSpec
from particlemech.engine.system import Array
from particlemech.errors import ModelError

COMPONENTS = ("p1", "p2", "p3", "length")


@dataclass(frozen=True, eq=False)
class VectorNumbers:
    """Columns and rows of a vector model."""

    model: VectorModel

    def __post_init__(self) -> None:
        if not isinstance(self.model, VectorModel):
            raise ModelError(
                f"expected a VectorModel, got a {type(self.model).__name__}; "
                "spatial.vector_model makes one of a mechanism"
            )

    @cached_property
    def index(self) -> dict[str, int]:
        """Number of each vector."""
        return {name: n for n, name in enumerate(self.model.vectors)}

    @cached_property
    def angles(self) -> dict[str, int]:
        """Column of the cosine that a relation asks for."""
        asking = [name for name, relation in self.model.relations.items() if relation.asks]
        return {name: 4 * len(self.index) + k for k, name in enumerate(asking)}

    @cached_property
    def n(self) -> int:
        """Number of parameters."""
        return 4 * len(self.index) + len(self.angles)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return (*(f"{v}.{c}" for v in self.index for c in COMPONENTS), *(f"{name}.cosine" for name in self.angles))

    @cached_property
    def owners(self) -> tuple[tuple[str, ...], ...]:
        """The vectors behind each parameter; an angle has two."""
        own = tuple((v,) for v in self.index for _ in COMPONENTS)
        return (*own, *(self.model.relations[name].ties for name in self.angles))

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows."""
        named = (f"{name}{p}" for name, relation in self.model.relations.items() for p in relation.parts)
        return (*named, *(f"unit length of {v}" for v in self.index))

    @cached_property
    def tied(self) -> tuple[tuple[str, ...], ...]:
        """The vectors in each row."""
        relations = self.model.relations.values()
        return (*(r.ties for r in relations for _ in r.parts), *((v,) for v in self.index))

    @cached_property
    def levels(self) -> NDArray[np.intp]:
        """Highest derivative that is known of each parameter, (n,); -1 for unknown ones."""
        known = [p.level for v in self.model.vectors.values() for p in v.parameters]
        return np.array(known + [-1] * len(self.angles), dtype=np.intp)

    @cached_property
    def unknown(self) -> NDArray[np.intp]:
        """Columns that the geometry finds."""
        return np.flatnonzero(self.levels < 0)

    @cached_property
    def active(self) -> NDArray[np.intp]:
        """Rows that hold an unknown, whatever its value."""
        rng = np.random.default_rng(1984)
        generic = self.slopes(rng.uniform(0.5, 1.5, self.n))[:, self.unknown]
        return np.flatnonzero(np.abs(generic).max(axis=1, initial=0.0) > 0.0)

    @cached_property
    def column_units(self) -> Array:
        """What counts as 1 of each parameter, (n,): for a length, itself, as given or guessed at t = 0."""
        units = np.ones(self.n)
        lengths = np.abs([v.length.values(0.0)[0] for v in self.model.vectors.values()])
        units[3 : 4 * len(lengths) : 4] = np.where(lengths > 0.0, lengths, lengths.max() or 1.0)
        return units

    def values(self, t: float) -> Array:
        """Return parameters, rates and accelerations, (3, n): as given, guesses for unknown ones at rest."""
        found = np.zeros((3, self.n))
        for n, v in enumerate(self.model.vectors.values()):
            found[:, 4 * n : 4 * n + 4] = np.transpose([p.values(t) for p in v.parameters])
        for name, column in self.angles.items():
            one, other = self.model.relations[name].ties
            found[0, column] = self.at(found[0]).P(one) @ self.at(found[0]).P(other)
        return found

    def at(self, x: Array, own: int = -1) -> At:
        """Return parameters as relations read them."""
        return At(self.index, x, own)

    def _each(self, x: Array) -> list[tuple[RelationSpec, At]]:
        return [(r, self.at(x, self.angles.get(name, -1))) for name, r in self.model.relations.items()]

    def row_units(self, x: Array) -> Array:
        """Return what counts as 1 in each row, (n_row,)."""
        units = [r.unit(at) for r, at in self._each(x) for _ in r.parts]
        return np.array(units + [1.0] * len(self.index))

    def given(self, t: float) -> Array:
        """Return right sides g and their derivatives, (3, n_row)."""
        found = [r.given(t) for r in self.model.relations.values() for _ in r.parts]
        return np.array(found + [np.array([1.0, 0.0, 0.0])] * len(self.index)).T

    def residual(self, x: Array, t: float) -> Array:
        """Return f(x) - g(t), (n_row,)."""
        P = x[: 4 * len(self.index)].reshape(-1, 4)[:, :3]
        rows = [r.residual(at) for r, at in self._each(x)]
        return np.concatenate([*rows, np.sum(P * P, axis=1)]) - self.given(t)[0]

    def slopes(self, x: Array) -> Array:
        """Return f_x, (n_row, n)."""
        units = np.zeros((len(self.index), self.n))
        for n in self.index.values():
            units[n, 4 * n : 4 * n + 3] = 2.0 * x[4 * n : 4 * n + 3]
        return np.concatenate([*(r.slopes(at) for r, at in self._each(x)), units])

    def products(self, x: Array, x_dot: Array) -> Array:
        """Return d/dt(f_x) x_dot of the relations, (n_row - n_vector,)."""
        rates = self.at(x_dot)
        return np.concatenate([np.zeros(0), *(r.products(at, rates) for r, at in self._each(x))])
