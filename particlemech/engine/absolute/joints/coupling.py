"""Coupling: the coordinate of one joint is a ratio times that of another.

    c2 - ratio c1 = 0        angles theta2 - theta1, or travels along a line of body 1            (1)

The multiplier is the effort on the second coordinate.
"""

from __future__ import annotations

from particlemech.engine.absolute.measures import Sum, coordinate
from particlemech.model.joints import Coupling
from particlemech.model.mechanism import Mechanism

SPEC = Coupling


def rows(spec: Coupling, mechanism: Mechanism) -> list[Sum]:
    """Return one row of two measures."""
    first, second = spec.tied(mechanism)
    return [(coordinate(second, mechanism), coordinate(first, mechanism, factor=-spec.ratio))]  # (1)
