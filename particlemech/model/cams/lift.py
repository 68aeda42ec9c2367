"""Lifts over the angle of a cam, as the pieces of contours.py (2)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import pi
from typing import NamedTuple

from particlemech.contours import combined, raised, reached, swept
from particlemech.model.interpolation import ROUND, cubics
from particlemech.model.programs import PIECEWISE, POLYNOMIAL, move
from particlemech.model.segments import Segment

Piece = tuple[float, float, float, float, float, float, float, float, float, float, float, float]
SMOOTH = "smooth"


def moves(laws: Sequence[str], angles: Sequence[float], lifts: Sequence[float]) -> list[Piece]:
    """Return the pieces of one turn: from 0 to each lift, reached at each angle, by a law."""
    found: list[Piece] = []
    begin, first = 0.0, 0.0
    for law, end, last in zip(laws, angles, lifts, strict=True):
        T, d = end - begin, last - first
        if d == 0.0:
            found.append((begin, first, *(0.0,) * 10))
        elif law in PIECEWISE:
            for u, c0, c1, c2, c3, a, w, phase in move(law, begin, T, first, last):
                found.append((u, c0, c1, c2, c3, 0.0, 0.0, 0.0, 0.0, a, w, phase))
        else:
            c = [d * f / T ** (3 + k) for k, f in enumerate(POLYNOMIAL[law])] + [0.0, 0.0]
            found.append((begin, first, 0.0, 0.0, c[0], c[1], c[2], c[3], c[4], 0.0, 0.0, 0.0))
        begin, first = end, last
    return found


def curve(angles: Sequence[float], values: Sequence[float]) -> list[Piece]:
    """Return the smooth curve through values at increasing angles within a turn, joined to its own beginning."""
    around = [*angles, angles[0] + 2.0 * pi]
    each = zip(angles, cubics(SMOOTH, around, [*values, values[0]], ROUND).tolist(), strict=True)
    return [(u, c0, c1, c2, c3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0) for u, (c0, c1, c2, c3) in each]


def based(pieces: Sequence[Piece], base: float, factor: float) -> tuple[Piece, ...]:
    """Return base + factor S."""
    return tuple(
        (p[0], base + factor * p[1], *(factor * c for c in p[2:10]), p[10], p[11])  # type: ignore[misc]
        for p in pieces
    )


class Contact(NamedTuple):
    """How a follower touches a cam: the numbers of contours.py (1)."""

    flat: bool
    form: int
    p: float  # m; of a plain form a factor
    length: float  # m
    c: float  # m
    side: float
    sense: float
    alpha: float  # rad
    pieces: tuple[Piece, ...]  # of S, m

    def lift(self, u: float) -> tuple[float, float, float]:
        """Return S and its derivatives, contours.py (2)."""
        u = swept(u - self.pieces[0][0]) + self.pieces[0][0]
        own = self.pieces[bisect_right(self.pieces, u, key=lambda piece: piece[0]) - 1]
        return raised(u - own[0], *own[1:])

    def way(self, x: float) -> tuple[float, float, float, float, float, float]:
        """Return A, B and their derivatives."""
        return reached(self.form, self.p, self.length, self.c, self.side, x)

    def gap(self, x: float, phi: float) -> tuple[float, float, float, float, float, float]:
        """Return the gap and its derivatives by x, phi, x x, x phi and phi phi, contours.py (1)."""
        way = self.way(x)
        return combined(way, self.sense, *self.lift(self.sense * (self.alpha + way[3] - phi)))

    def segments(self) -> list[Segment]:
        """Return the pieces as the tables of signals hold them: two segments each."""
        found: list[Segment] = []
        for u, c0, c1, c2, c3, c4, c5, c6, c7, a, w, phase in self.pieces:
            found += [(u, c0, c1, c2, c3, a, w, phase), (u, c4, c5, c6, c7, 0.0, 0.0, 0.0)]
        return found
