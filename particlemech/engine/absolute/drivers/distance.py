"""Distance driver: the distance of two points.

    |Q - P| - drawn - s(t) = 0                                                            (1)

The multiplier is the force along the line on body 2: positive where it pushes the points apart.
"""

from __future__ import annotations

from particlemech.engine.absolute.measures import SPAN, Measure
from particlemech.model.drivers import Distance
from particlemech.model.mechanism import Mechanism

SPEC = Distance


def rows(spec: Distance, mechanism: Mechanism) -> list[Measure]:
    """Return one row."""
    first, second = spec.between(mechanism)
    P, Q = (mechanism.place(p, b) for p, b in zip(spec.points, (first, second), strict=True))
    return [Measure(SPAN, first, second, P, Q, offset=spec.drawn(mechanism), signal=spec.motion)]  # (1)
