"""Distance: two places, d = P_2 - P_1 apart, keep their distance.

    |d|' = n.d',  |d|'' = n.d'' + (d'.d' - (n.d')^2)/|d|,  n = d/|d|                                        (1)

The force acts along n through both places.
"""

from __future__ import annotations

import math

import numpy as np

from particlemech.engine.quaternions.instant import Instant, Row
from particlemech.model.primitives import End
from particlemech.model.space.joints import Distance

SPEC = Distance


def rows(spec: Distance, at: Instant) -> list[Row]:
    """Return one row."""
    one, other = ((b, at.mechanism.place(p, b)) for p, b in zip(spec.points, spec.bodies, strict=True))
    return [rod(at, one, other, spec.rod(at.mechanism))]


def rod(at: Instant, first: End, second: End, kept: float) -> Row:
    """Return the row of two places, of two bodies, that keep a distance."""
    one, other = at.bodies[first[0]], at.bodies[second[0]]
    P1, P2 = one.place(first[1]), other.place(second[1])
    d, rate = P2 - P1, other.velocity(P2) - one.velocity(P1)
    length = math.sqrt(d @ d)
    n = d / length
    bias = n @ (other.inward(P2) - one.inward(P1)) + (rate @ rate - (n @ rate) ** 2) / length  # (1)
    return Row((first[0], second[0]), P2, n, np.zeros(3), length - kept, float(bias))
