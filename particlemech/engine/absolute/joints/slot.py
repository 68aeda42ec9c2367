"""Slot joint: a point of body 2 stays on a line fixed in body 1.

    n.(Q - P) = 0            n normal to the line, in body 1; P the drawn place of the point      (1)

The multiplier is the normal force on body 2.
"""

from __future__ import annotations

from particlemech.engine.absolute.measures import LINE, Measure, unit
from particlemech.model.joints import Slot
from particlemech.model.mechanism import Mechanism

SPEC = Slot


def rows(spec: Slot, mechanism: Mechanism) -> list[Measure]:
    """Return the row of the normal."""
    first, second = spec.bodies
    ux, uy = unit(spec.axis)
    P, Q = mechanism.drawn(spec.point), mechanism.place(spec.point, second)
    return [Measure(LINE, first, second, P, Q, (-uy, ux))]  # (1)
