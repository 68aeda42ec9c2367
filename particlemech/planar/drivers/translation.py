"""Translation driver: travel along a prismatic or slot joint follows s(t).

    u.(Q - P) - s(t) = 0       u unit direction and P fixed in body 1, Q in body 2        (1)

Its multiplier is the force along u on the second body.
"""

from __future__ import annotations

from particlemech import drivers
from particlemech._poly import dot
from particlemech.planar.frames import At, RowPoly

spec = drivers.Translation


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    return [RowPoly(dot(at.first.direction(at.along()), at.gap()) - at.signal("value"))]  # (1)
