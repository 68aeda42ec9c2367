"""Names to numbers, for the records of forces in natural coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.natural.readings import Reading
from particlemech.engine.natural.views import NaturalView, reading
from particlemech.model.description import GROUND
from particlemech.model.signals import SignalSpec
from particlemech.model.spec import Vector3


class NaturalNumbers:
    """Names to numbers, for the records of forces."""

    def __init__(self, view: NaturalView, counters: dict[tuple[str, str], int]) -> None:
        self.view, self.mechanism, self.coordinates = view, view.mechanism, view.coordinates
        self.counters = counters

    def body(self, name: str) -> int:
        """Return the number of a body; 0 for the ground."""
        return 0 if name == GROUND else self.coordinates.index[name] + 1

    def beside_centre(self, place: Any, body: str) -> Vector3:
        """Return a place in body axes, from the centre of mass; of the ground from the computing origin."""
        x, y, z = np.subtract(self.mechanism.place(place, body), self.coordinates.origin)
        if body != GROUND:
            x, y, z = np.subtract((x, y, z), self.view.frame(body).centre)
        return float(x), float(y), float(z)

    def reading(self, joint: str, coordinate: str | None) -> Reading:
        """Return how a coordinate of a joint is read."""
        return reading(self.mechanism.joints[joint], self.mechanism.coordinate(joint, coordinate))

    def counter(self, joint: str, coordinate: str | None) -> int:
        """Return the number of the state that counts the turns of a coordinate, -1: none."""
        return self.counters.get((joint, self.mechanism.coordinate(joint, coordinate)), -1)

    def ends(self, joint: str) -> tuple[int, int]:
        """Return the numbers of the bodies of a joint."""
        spec = self.mechanism.joints[joint]
        return self.body(spec.first), self.body(spec.second)

    def seat(self, joint: str, side: int) -> Vector3:
        """Return the place of a joint on its first (0) or second (1) body, from the centre of mass."""
        spec = self.mechanism.joints[joint]
        return self.beside_centre(spec.place(self.mechanism), spec.bodies[side])

    def signal(self, spec: SignalSpec) -> int:
        """Return the number of a signal."""
        return self.view.signals.add(spec)
