"""The motion of a mechanism in space at K samples, by name; vectors in global axes, units those of the model."""

from __future__ import annotations

import numpy as np

from particlemech import rotations
from particlemech.description import GROUND
from particlemech.errors import ModelError, suggestion
from particlemech.spatial.compiled import Compiled
from particlemech.spatial.coordinates import axes, centres, turning
from particlemech.spatial.mechanism import Mechanism
from particlemech.system import Array


class Observed:
    """A motion by name, from full coordinates and their rates; K is the number of samples."""

    t: Array  # (K,) s
    mechanism: Mechanism
    _compiled: Compiled

    def __init__(self, compiled: Compiled, t: Array, q: Array, v: Array, a: Array) -> None:
        self._compiled, self.mechanism, self.t = compiled, compiled.mechanism, t
        self._coordinates = (q, v, a)

    def _level(self, level: int) -> Array:
        """Return full coordinates (0), their rates (1) or second rates (2), (K, 12 n_body)."""
        return self._coordinates[level]

    def _body(self, name: str) -> int:
        """Return the number of a body."""
        index = self._compiled.coordinates.index
        if name not in index:
            raise ModelError(f'body "{name}" unknown{suggestion(name, index)}')
        return index[name]

    def _point(self, point: str, level: int) -> Array:
        """Return the place of a point, its velocity or its acceleration, (K, 3): linear in the coordinates."""
        m = self.mechanism
        if point not in m.points:
            raise ModelError(f'point "{point}" unknown{suggestion(point, m.points)}')
        return self._place(m.carrier(point), m.points[point], level)

    def _place(self, body: str, drawn: tuple[float, float, float], level: int) -> Array:
        """Return where a drawn place of a body is, its velocity or its acceleration, (K, 3)."""
        if body == GROUND:
            return np.tile(drawn if level == 0 else (0.0, 0.0, 0.0), (len(self.t), 1))
        b = self._body(body)
        z = self._level(level)
        arm = np.subtract(drawn, self.mechanism.centre(body))
        found = centres(z)[:, b] + axes(z)[:, b] @ arm
        return found + self._compiled.coordinates.origin if level == 0 else found

    def __getitem__(self, point: str) -> Array:
        """Return the path of a point, (K, 3)."""
        return self._point(point, 0)

    def velocity(self, point: str) -> Array:
        """Return the velocity of a point, (K, 3)."""
        return self._point(point, 1)

    def acceleration(self, point: str) -> Array:
        """Return the acceleration of a point, (K, 3)."""
        return self._point(point, 2)

    def com(self, body: str) -> Array:
        """Return the path of a centre of mass, (K, 3)."""
        self._body(body)
        return self._place(body, self.mechanism.centre(body), 0)

    def com_velocity(self, body: str) -> Array:
        """Return the velocity of a centre of mass, (K, 3)."""
        self._body(body)
        return self._place(body, self.mechanism.centre(body), 1)

    def com_acceleration(self, body: str) -> Array:
        """Return the acceleration of a centre of mass, (K, 3)."""
        self._body(body)
        return self._place(body, self.mechanism.centre(body), 2)

    def orientation(self, body: str) -> Array:
        """Return the axes of a body in columns, (K, 3, 3); those of the drawing are the global ones."""
        b = self._body(body)
        return axes(self._level(0))[:, b]

    def quaternion(self, body: str) -> Array:
        """Return the orientation of a body as a quaternion w, x, y, z of length 1, (K, 4), without jumps of sign."""
        return rotations.continuous(rotations.quaternion(self.orientation(body)))

    def omega(self, body: str) -> Array:
        """Return the angular velocity of a body, (K, 3), rad/s."""
        b = self._body(body)
        return turning(self._level(0), self._level(1))[:, b]

    def alpha(self, body: str) -> Array:
        """Return the angular acceleration of a body, (K, 3), rad/s^2."""
        b = self._body(body)
        return turning(self._level(0), self._level(2))[:, b]
