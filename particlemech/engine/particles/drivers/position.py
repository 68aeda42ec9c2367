"""Position driver: a coordinate of a point follows s(t) from its start.

    C.x - C.x(0) - s(t) = 0    or the same with y; C(0) as drawn                          (1)

Its multiplier is the force on the body along that axis.
"""

from __future__ import annotations

from particlemech.engine.particles.frames import At, RowPoly
from particlemech.model import drivers

spec = drivers.Position


def rows(at: At) -> list[RowPoly]:
    """Return (1)."""
    moved = at.second.point(at.seat()) - at.first.point(at.drawn(at.spec.point))
    return [RowPoly(getattr(moved, at.spec.axis) - at.signal("value"))]
