"""Spring and damper along the line between two places.

    f = -stiffness (l - length) - damping l'      on body 2, along d/l, l = |d|, d = Q - P        (1)

At l = 0 the direction is rounded off (measures.py): the force vanishes there, and its derivatives exist.
"""

from __future__ import annotations

from particlemech.engine.absolute.measures import SPAN, Measure
from particlemech.model.forces import Spring
from particlemech.model.mechanism import Mechanism

SPEC = Spring


def laws(spec: Spring, mechanism: Mechanism) -> list[Measure]:
    """Return one law."""
    (first, P), (second, Q) = spec.ends(mechanism)
    k, c = spec.stiffness, spec.damping
    return [Measure(SPAN, first, second, P, Q, offset=spec.free(mechanism), stiffness=k, damping=c)]  # (1)
