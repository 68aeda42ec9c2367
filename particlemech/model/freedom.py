"""What a joint of the plane leaves free, by which drivers, forces and results name it, and what it holds."""

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
    roll: float = 0.0  # of a travel: plus this times the angle of the second body, where a circle slips along a line
    centre: Any = None  # of a slip on a circle: its centre on the first body; the line is across that of the centres
    # of a slip on a cam about `centre`: how it is touched. The line is across the gradient of its gap by the point of
    # the second body, and as long; the axis is the normal of a flat face. A roll is times that length then
    profile: Any = None
    # of an angle: that of the line from the first of these places to the second, on either body, less that of `against`
    line: tuple[Any, Any] | None = None
    against: str = ""
    apart: float = 1.0  # of these places, which a rod holds, m


class Bond(NamedTuple):
    """What a joint, or a driver that rests, holds of two bodies: places and directions as drawn, x + i y.

    kind    "pin": two places are one; "line": a place of the second lies on a line of the first; "bar": two places are
            apart by a length; "turn": the second is turned against the first
    """

    kind: str
    first: str
    second: str
    p: complex = 0j  # place of the first
    q: complex = 0j  # place of the second
    u: complex = 1.0 + 0j  # along the line; or r of a turn, |r| = 1
    length: float = 1.0  # of a bar

    @classmethod
    def on_line(cls, of: Freedom, mechanism: Any, travel: float | None = None) -> Bond:
        """Return the line of a slide; where its travel is given, the line across it there."""
        u = complex(*of.axis) / abs(complex(*of.axis))
        p, q = complex(*mechanism.drawn(of.point)), complex(*mechanism.place(of.point, of.second))
        if travel is None:
            return cls("line", of.first, of.second, p, q, u)
        return cls("line", of.first, of.second, p + travel * u, q, 1j * u)
