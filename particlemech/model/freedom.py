"""What a joint of the plane leaves free: its coordinates, by which drivers, forces and results name them."""

from __future__ import annotations

from typing import Any, NamedTuple


class Freedom(NamedTuple):
    """A coordinate of a joint: of the second body against the first, zero in the drawing."""

    name: str
    turn: bool  # an angle, counter-clockwise, or the travel of a point along a line
    first: str
    second: str
    point: Any = None  # of a travel: the point of the second body
    axis: tuple[float, float] = (1.0, 0.0)  # of a travel: along the line, fixed in the first body, as drawn
