"""Motor: an effort s(t) on a coordinate of a joint, on body 2 and reacted by body 1."""

from __future__ import annotations

from particlemech.engine.absolute.measures import Measure, acting
from particlemech.model.forces import Motor
from particlemech.model.mechanism import Mechanism

SPEC = Motor


def laws(spec: Motor, mechanism: Mechanism) -> list[Measure]:
    """Return one law."""
    return [acting(spec, mechanism)]
