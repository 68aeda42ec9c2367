"""Member: a bending body with the line along which it bends, which is what its shapes and integrals need."""

from __future__ import annotations

import math
from dataclasses import dataclass

from particlemech.errors import part
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import Body
from particlemech.model.spec import Vector3, unit

__all__ = ["Member", "member"]


@dataclass(frozen=True)
class Member:
    """A body that bends along the line from its first point to its second; all in axes of the drawing."""

    body: Body
    first: Vector3  # where the line begins, in the drawing
    end: Vector3  # from there to where it ends

    @property
    def length(self) -> float:
        """Length of the line."""
        return math.hypot(*self.end)

    @property
    def along(self) -> Vector3:
        """Unit vector along it."""
        return unit(self.end)

    @property
    def com(self) -> Vector3 | None:
        """Centre of mass from the first point, where it is given."""
        if self.body.com is None:
            return None
        x, y, z = (a - b for a, b in zip(self.body.com, self.first, strict=True))
        return x, y, z


def member(mechanism: Mechanism, name: str) -> Member:
    """Return a bending body of a mechanism with its line."""
    with part(f'body "{name}"'):
        first, second = mechanism.line(name)
        x, y, z = (b - a for a, b in zip(first, second, strict=True))
        return Member(mechanism.bodies[name], first, (x, y, z))
