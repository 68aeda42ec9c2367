"""Torsion spring and damper between two bodies.

    f = -stiffness (theta2 - theta1 - angle) - damping (theta2' - theta1')     couple on body 2   (1)

Angles are coordinates here, so full turns count by themselves.
"""

from __future__ import annotations

from particlemech.engine.absolute.measures import Measure, acting
from particlemech.model.forces import Torsion
from particlemech.model.mechanism import Mechanism

SPEC = Torsion


def laws(spec: Torsion, mechanism: Mechanism) -> list[Measure]:
    """Return one law."""
    return [acting(spec, mechanism)]  # (1)
