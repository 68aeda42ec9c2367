"""Places of the bodies of a chain, from the drawing into link axes, with the shapes there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from particlemech.engine.bending import shapes
from particlemech.engine.bending.links import Shapes
from particlemech.engine.bending.members import member
from particlemech.engine.bending.shapes import Field
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.space import curves
from particlemech.model.space.forms import Profile, curve
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import FITS

ON_BASE = -1


class Axes(NamedTuple):
    """How the axes of a link lie in the drawing."""

    origin: Array  # (3,)
    axes: Array  # (3, 3) in the columns


def turned_shapes(at: Shapes, B: Array) -> Shapes:
    """Return shapes in axes B."""
    delta, psi = (np.einsum("ji,njm->nim", B, of) for of in (at.delta, at.psi))
    return Shapes(at.x @ B, delta, psi, at.short)


class Places:
    """Where places of bodies, given in the drawing, are on the links of a chain."""

    def __init__(self, mechanism: Mechanism, base: str, axes: Axes) -> None:
        self.mechanism, self.base = mechanism, base
        self._first: dict[str, int] = {base: ON_BASE}
        self._axes: dict[str, Axes] = {base: axes}
        self._fields: dict[str, Field] = {}

    def add(self, body: str, first: int, axes: Axes) -> None:
        """Add a body whose first link has a number, and its axes."""
        self._first[body], self._axes[body] = first, axes
        if self.mechanism.bodies[body].bends:
            bending = self.mechanism.bending
            of = member(self.mechanism, body)
            self._fields[body] = shapes.field(of, bending.geometry == "consistent", bending.stiffening)

    def on(self, body: str, place: Sequence[float]) -> tuple[int, Shapes]:
        """Return the number of the link that holds a place of a body, -1 for the base, and the shapes there."""
        origin, B = self._axes[body]
        x = np.array(place, dtype=float) - origin
        field = self._fields.get(body)
        if field is None:
            none = np.zeros((1, 3, 0))
            return self._first[body], Shapes(x[None] @ B, none, none, np.zeros((1, 0, 0)))
        n = self.mechanism.bodies[body].sublinks
        at, length = float(x @ field.along), n * field.length
        if not -FITS * length <= at <= (1.0 + FITS) * length:
            raise ModelError(
                f'place {list(place)} lies at {at:g} along body "{body}", which bends and runs from 0 to {length:g}; '
                "put it there, or on a rigid body that is welded to it"
            )
        k = 0
        if n > 1:  # a place between two parts is at the end of the first
            k = min(max(int(np.ceil(at / field.length - 1e-9)) - 1, 0), n - 1)
        return self._first[body] + k, turned_shapes(field.places((x - k * field.length * field.along)[None]), B)

    def along(self, body: str, spread: Profile) -> list[tuple[int, Shapes, Array]]:
        """Return links, places and weights of a Gauss rule that spreads a load along a bending body."""
        field, n = self._fields[body], self.mechanism.bodies[body].sublinks
        result = []
        for k in range(n):
            weight = curve(spread).part(k / n, (k + 1) / n)
            # every shape, and foreshortening, exactly
            degree = weight.degree + max(1, *(2 * c.degree for c in field.curves), 0)
            xi, w = curves.gauss(curves.together((*field.curves, weight)), degree)
            at = turned_shapes(field.places(np.outer(xi, field.length * field.along)), self._axes[body].axes)
            result.append((self._first[body] + k, at, field.length * w * weight(xi)))
        return result
