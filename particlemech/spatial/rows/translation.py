"""Translation driver: the travel of a joint along its axis follows s(t).

    u1.(P2 - P1) - s(t) = 0                                                                                 (1)

Its multiplier is the force along the axis on the second body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech._poly import dot3
from particlemech.spatial import drivers
from particlemech.spatial.frames import At, Edge, RowPoly, joint_edge

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism

spec = drivers.Translation


def edge(driver: drivers.Translation, mechanism: Mechanism) -> Edge:
    """Return the edge of the joint it drives."""
    return joint_edge(mechanism.joints[driver.joint], mechanism)


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    return [RowPoly(dot3(at.first.direction(at.spec.direction), at.gap()) - at.signal("value"))]  # (1)
