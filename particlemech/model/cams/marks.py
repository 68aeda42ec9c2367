"""Marks of a profile: where its lift is highest or lowest, which steps of a run must not pass over (run/lobes.py).

A lobe is a rise and a fall, with or without a dwell in between: a step that ends near its top, or on its fall, knows of
it. What only rises or only falls between two dwells leaves another lift behind, and needs no mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import NamedTuple

from particlemech.contours import swept
from particlemech.model.cams.lift import Piece

TURN = 2.0 * pi
SAME = 1e-6  # of the range of a lift: what differs by less is as high
PART = 0.25  # of the narrower of the moves on both sides: how far beyond a mark a step may end


class Marks(NamedTuple):
    """All marks of a turn, by increasing angle; none where the lift stays the same."""

    begins: tuple[float, ...]  # rad: where a dwell begins at the highest or lowest lift
    ends: tuple[float, ...]  # and ends
    beside: tuple[float, ...]  # how far beyond them a step may end

    @property
    def least(self) -> float:
        """Return the least of these, rad; a turn where there are none."""
        return min(self.beside, default=TURN)

    def narrow(self, widest: float) -> Marks:
        """Return those beside which a move takes less than an angle."""
        kept = [one for one in zip(*self, strict=True) if one[2] < PART * widest]
        return Marks(*zip(*kept, strict=True)) if kept else Marks((), (), ())

    def beyond(self, u: float, way: float) -> float:
        """Return how far a step may go from u, as the sign of `way` says: beyond the next mark, at most half a turn."""
        least = pi
        for begin, end, beside in zip(self.begins, self.ends, self.beside, strict=True):
            off = swept(begin - u) if way >= 0.0 else swept(u - end)
            least = min(least, (off or TURN) + beside)
        return least


def marked(pieces: Sequence[Piece]) -> Marks:
    """Return the marks of a lift, which rises or falls all along each of its pieces."""
    angles, heights = [p[0] for p in pieces], [p[1] for p in pieces]
    near = SAME * (max(heights) - min(heights))
    levels: list[list[int]] = [[0]]  # pieces that begin at the same lift, one after the other
    for k in range(1, len(heights)):
        if abs(heights[k] - heights[levels[-1][0]]) <= near:
            levels[-1].append(k)
        else:
            levels.append([k])
    if len(levels) > 1 and abs(heights[levels[-1][0]] - heights[0]) <= near:
        levels[0] = [*(k - len(heights) for k in levels.pop()), *levels[0]]
    n, found = len(levels), []
    for i, own in enumerate(levels if n > 1 else []):
        before, after = levels[i - 1], levels[(i + 1) % n]
        one, other = (heights[own[0]] - heights[of[0]] for of in (before, after))
        if one * other > 0.0:
            begin, end = angles[own[0]], angles[own[-1]]
            moves = swept(begin - angles[before[-1]]), swept(angles[after[0]] - end)
            found.append((begin, end, PART * min(moves)))
    return Marks(*zip(*found, strict=True)) if found else Marks((), (), ())
