"""The motion of a mechanism in space at K samples, by name; vectors in global axes, units those of the model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from particlemech.engine.natural import readings
from particlemech.engine.natural.compiled import NaturalCompiled
from particlemech.engine.natural.coordinates import axes, centres, turning
from particlemech.engine.space_motion import MotionInSpace
from particlemech.engine.system import Array
from particlemech.model.description import GROUND
from particlemech.result.momenta import Momentum, momentum


class NaturalMotion(MotionInSpace):
    """A motion by name, from full coordinates and their rates; K is the number of samples."""

    _compiled: NaturalCompiled
    _theta: Array  # (K, n_theta) rad: angles of joints, which tell their turns

    def __init__(self, compiled: NaturalCompiled, t: Array, q: Array, v: Array, a: Array, theta: Array) -> None:
        self._compiled, self.mechanism, self.t = compiled, compiled.mechanism, t
        self._coordinates, self._theta = (q, v, a), theta

    def _level(self, level: int) -> Array:
        """Return full coordinates (0), their rates (1) or second rates (2), (K, 12 n_body)."""
        return self._coordinates[level]

    def _body(self, name: str) -> int:
        """Return the number of a body."""
        self._check_body(name)
        return self._compiled.coordinates.index[name]

    def _placed(self, body: str, drawn: Sequence[float], level: int) -> Array:
        """Return a place of a body, given as drawn, its velocity or its acceleration: linear in the coordinates."""
        if body == GROUND:
            return np.tile(drawn if level == 0 else (0.0, 0.0, 0.0), (len(self.t), 1))
        b = self._body(body)
        z = self._level(level)
        arm = np.subtract(drawn, self.mechanism.centre(body))
        found = centres(z)[:, b] + axes(z)[:, b] @ arm
        return found + self._compiled.coordinates.origin if level == 0 else found

    def orientation(self, body: str) -> Array:
        """Return the axes of a body in columns, (K, 3, 3); those of the drawing are the global ones."""
        b = self._body(body)
        return axes(self._level(0))[:, b]

    def omega(self, body: str) -> Array:
        """Return the angular velocity of a body, (K, 3), rad/s."""
        b = self._body(body)
        return turning(self._level(0), self._level(1))[:, b]

    def alpha(self, body: str) -> Array:
        """Return the angular acceleration of a body, (K, 3), rad/s^2."""
        b = self._body(body)
        return turning(self._level(0), self._level(2))[:, b]

    def _section(self, body: str, drawn: Sequence[float] | None) -> Array:
        """Return the axes of a body, or of the ground, (K, 3, 3)."""
        return np.tile(np.eye(3), (len(self.t), 1, 1)) if body == GROUND else self.orientation(body)

    def _side(self, joint: str, side: int, level: int) -> Array:
        """Return how a body of a joint stands (0), turns (1) and turns faster (2)."""
        body = self.mechanism.joints[joint].bodies[side]
        if level == 0:
            return self._section(body, None)
        return np.zeros((len(self.t), 3)) if body == GROUND else (self.omega, self.alpha)[level - 1](body)

    def _one(self, joint: str, name: str, level: int) -> Array:
        """Return a coordinate (0), its rate (1) or its second rate (2), (K,)."""
        spec = self.mechanism.joints[joint]
        if spec.spherical and self.mechanism.as_quaternion(joint) and name.startswith("angle"):
            return self._turning(joint, level)[:, int(name[-1]) - 1]
        measure = self._compiled.measures[joint, name]
        if level == 0:
            number = self._compiled.counters.get((joint, name))
            near = 0.0 if number is None else self._theta[:, number]
            return readings.value(measure, self._level(0), near)
        if level == 1:
            return readings.rate(measure, self._level(0), self._level(1))
        return readings.second_rate(measure, *(self._level(k) for k in range(3)))

    @cached_property
    def momentum(self) -> Momentum:
        """Linear and angular momentum of all bodies."""
        return momentum(self)
