"""Distance joint: a massless rod between a point of each body.

    |Q - P| - l = 0                                                                       (1)

The multiplier is the force on body 2 along the line from P to Q: positive where the rod pushes. Not used:
(d.d - l^2)/(2 l), whose value is not the error of the length once that is large.
"""

from __future__ import annotations

import math

from particlemech.engine.absolute.measures import SPAN, Measure
from particlemech.model.joints import Distance
from particlemech.model.mechanism import Mechanism

SPEC = Distance


def rows(spec: Distance, mechanism: Mechanism) -> list[Measure]:
    """Return one row."""
    (first, second), (p1, p2) = spec.bodies, spec.points
    length = spec.length or math.dist(mechanism.drawn(p1), mechanism.drawn(p2))
    return [Measure(SPAN, first, second, mechanism.place(p1, first), mechanism.place(p2, second), offset=length)]
