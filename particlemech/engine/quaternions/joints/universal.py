"""Universal joint: the place is common, and an axis a of the first body keeps its angle with an axis b of the second.

    (cos as drawn - a.b)' = (a x b).w_rel                                                                   (1)
    (a x b).w_rel, once more, as seen from the first body:  (a x b).w_rel' + (a x (w_rel x b)).w_rel        (2)

The joint passes on a moment across both axes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from particlemech.engine.quaternions.instant import Instant, Row, cross
from particlemech.model.space.joints import Universal

SPEC = Universal


def rows(spec: Universal, at: Instant) -> list[Row]:
    """Return four rows."""
    P, (one, other) = spec.place(at.mechanism), (at.bodies[b] for b in spec.bodies)
    a, b = one.direction(spec.directions[0]), other.direction(spec.directions[1])
    w_rel = other.omega - one.omega
    value = float(np.dot(*spec.directions) - a @ b)
    # the direction is fixed in neither body: (2) adds its own rate
    c, change = cross(a, b), float(cross(a, cross(w_rel, b)) @ w_rel)
    row = at.unturned(spec.bodies, P, one.R.T @ c, value)
    return [*at.pinned(spec.bodies, P), replace(row, bias=row.bias + change)]
