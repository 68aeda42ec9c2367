"""Coupling: the coordinate of one joint is a ratio times that of another.

    c2 - ratio c1 = 0                                                                     (1)

c are travels, which are polynomials, or angles, which count turns (turns.py): the difference of those of two bodies.
Its multiplier is the effort on the second coordinate. It is never a tree joint. Not used: a row without turns, which
only exists where the ratio is one of small whole numbers.
"""

from __future__ import annotations

from particlemech.engine.particles.frames import Free, Place, RowPoly, Sides
from particlemech.model import joints

spec = joints.Coupling
shares = 0


def rows(at: Sides) -> list[RowPoly]:
    """Return (1)."""
    (c1, turns1), (c2, turns2) = at.first.coordinate(), at.second.coordinate()
    ratio = at.spec.ratio
    turns = (*turns2, *((body, -(factor * ratio)) for body, factor in turns1))
    return [RowPoly(c2 - c1 * ratio, angle=at.second.spec.turn, turns=turns)]  # (1)


def free(at: Sides) -> list[Free]:
    """Return nothing: it is never a tree joint."""
    return []


def seat(at: Sides) -> Place:
    """Return nowhere: what it exerts is told as an effort."""
    return 0.0, 0.0
