"""Distance driver: the distance of P2 of the second body from P1 of the first follows L(t), l as drawn plus s(t).

    d = P2 - P1,   (d.d - L^2)/(2 l) = (d.d - l^2)/(2 l) - s - s^2/(2 l) = 0                                (1)

Its slope by the distance is L/l; the multiplier times this slope is the force that pushes the points apart.
Not used: division by 2 L, which is no polynomial in the signal and its square; |d| - L, none in the coordinates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.engine.natural.frames import At, Edge, RowPoly
from particlemech.engine.polynomials import Poly, dot3
from particlemech.engine.system import Array
from particlemech.model.space import drivers

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

spec = drivers.Distance


def edge(driver: drivers.Distance, mechanism: Mechanism) -> Edge:
    """Return the two bodies, and the point on the second."""
    (one, _), (other, place) = driver.ends(mechanism)
    return Edge(one, other, place, driver)


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    (_, one), (_, other) = at.driver.ends(at.mechanism)
    l = at.driver.drawn(at.mechanism)
    d = at.second.point(at.drawn(other)) - at.first.point(at.drawn(one))
    gone = at.signal("value") + at.signal("square") * (0.5 / l)
    return [RowPoly((dot3(d, d) - Poly.constant(l * l)) * (0.5 / l) - gone)]  # (1)


def slope(driver: drivers.Distance, seen: Any) -> Array:
    """Return L/l at K samples, (K,)."""
    one, other = (seen._placed(*end, 0) for end in driver.ends(seen.mechanism))
    return np.asarray(np.linalg.norm(other - one, axis=1) / driver.drawn(seen.mechanism))
