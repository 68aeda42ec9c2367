"""Position driver: a coordinate of a point follows s(t) from its drawing.

    C.x - C.x0 - s(t) = 0    or the same with y or z; C0 as drawn                                           (1)

Its multiplier is the force on the body along that axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.engine.natural.frames import At, Edge, RowPoly
from particlemech.engine.system import Array
from particlemech.model.description import GROUND
from particlemech.model.space import drivers

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

spec = drivers.Position


def edge(driver: drivers.Position, mechanism: Mechanism) -> Edge:
    """Return the point's body against the ground."""
    return Edge(GROUND, *driver.ends(mechanism)[0], driver)


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    return [RowPoly(getattr(at.gap(), at.spec.axis) - at.signal("value"))]  # (1)


def slope(driver: drivers.Position, seen: Any) -> Array:
    """Return 1 at K samples, (K,)."""
    return np.ones(len(seen.t))
