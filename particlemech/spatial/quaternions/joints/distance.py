"""Distance: two places, d = P_2 - P_1 apart, keep their distance.

    |d|' = n.d',  |d|'' = n.d'' + (d'.d' - (n.d')^2)/|d|,  n = d/|d|                                        (1)

The force acts along n through both places.
"""

from __future__ import annotations

import math

import numpy as np

from particlemech.spatial.joints import Distance
from particlemech.spatial.quaternions.instant import Instant, Row

SPEC = Distance


def rows(spec: Distance, at: Instant) -> list[Row]:
    """Return one row."""
    one, other = (at.bodies[b] for b in spec.bodies)
    P1, P2 = (at.bodies[b].place(at.mechanism.place(p, b)) for p, b in zip(spec.points, spec.bodies, strict=True))
    d, rate = P2 - P1, other.velocity(P2) - one.velocity(P1)
    length = math.sqrt(d @ d)
    n = d / length
    bias = n @ (other.inward(P2) - one.inward(P1)) + (rate @ rate - (n @ rate) ** 2) / length  # (1)
    return [Row(spec.bodies, P2, n, np.zeros(3), length - spec.rod(at.mechanism), float(bias))]
