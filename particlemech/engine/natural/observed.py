"""The motion of a mechanism in space at K samples, by name; vectors in global axes, units those of the model."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from particlemech import rotations
from particlemech.engine.natural import readings
from particlemech.engine.natural.compiled import Compiled
from particlemech.engine.natural.coordinates import axes, centres, turning
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import GROUND
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.momenta import Momentum, momentum


class Observed:
    """A motion by name, from full coordinates and their rates; K is the number of samples."""

    t: Array  # (K,) s
    mechanism: Mechanism
    _compiled: Compiled
    _theta: Array  # (K, n_theta) rad: angles of joints, which tell their turns

    def __init__(self, compiled: Compiled, t: Array, q: Array, v: Array, a: Array, theta: Array) -> None:
        self._compiled, self.mechanism, self.t = compiled, compiled.mechanism, t
        self._coordinates, self._theta = (q, v, a), theta

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

    # -- coordinates of joints -----------------------------------------------------------------------------------

    def coordinate(self, joint: str, coordinate: str | None = None) -> Array:
        """Return the coordinates of a joint, (K, n), or one of them, (K,), from the drawing; angles count turns.

        Those of a spherical or free joint are dextral 1-2-3 angles that follow each other from sample to sample; a
        single instant, as events see it, knows no turns of these. At gimbal lock the first carries on and the third
        takes the rest.
        """
        return self._coordinates_of(joint, coordinate, 0)

    def rate(self, joint: str, coordinate: str | None = None) -> Array:
        """Return the rates of the coordinates of a joint, (K, n), or of one, (K,); NaN for angles at gimbal lock."""
        return self._coordinates_of(joint, coordinate, 1)

    def second_rate(self, joint: str, coordinate: str | None = None) -> Array:
        """Return the second derivatives of the coordinates of a joint, (K, n), or of one, (K,); NaN as `rate`."""
        return self._coordinates_of(joint, coordinate, 2)

    def _coordinates_of(self, joint: str, coordinate: str | None, level: int) -> Array:
        m = self.mechanism
        m.known_joint(joint)
        names = m.joints[joint].coordinate_names
        if coordinate is not None or len(names) == 1:
            return self._coordinate(joint, m.coordinate(joint, coordinate), level)
        found = [self._coordinate(joint, name, level) for name in names]
        return np.stack(found, axis=1) if found else np.zeros((len(self.t), 0))

    def _coordinate(self, joint: str, name: str, level: int) -> Array:
        """Return a coordinate (0), its rate (1) or its second rate (2), (K,)."""
        spec = self.mechanism.joints[joint]
        if spec.spherical and self.mechanism.as_quaternion(joint) and name.startswith("angle"):
            return self._angles(joint, level)[:, int(name[-1]) - 1]
        measure = self._compiled.measures[joint, name]
        if level == 0:
            number = self._compiled.counters.get((joint, name))
            near = 0.0 if number is None else self._theta[:, number]
            return readings.value(measure, self._level(0), near)
        if level == 1:
            return readings.rate(measure, self._level(0), self._level(1))
        return readings.second_rate(measure, *(self._level(k) for k in range(3)))

    def _angles(self, joint: str, level: int) -> Array:
        """Return the 1-2-3 angles of a spherical or free joint (0), their rates (1) or second rates (2), (K, 3)."""
        spec = self.mechanism.joints[joint]
        first, second = (self._orientation(body) for body in spec.bodies)
        back = np.swapaxes(first, 1, 2)
        spin = np.einsum("kij,kj->ki", back, self._omega(spec.second) - self._omega(spec.first))
        said = self.mechanism.position(joint)
        start = np.array([said.get(name, 0.0) for name in spec.coordinate_names[-3:]])
        angles = rotations.angles(back @ second, start, self.t, spin)
        if level == 0:
            return angles
        rates = rotations.rates(angles, spin)
        if level == 1:
            return rates
        # as seen from the first body, which turns itself
        gained = np.cross(self._omega(spec.first), self._omega(spec.second))
        alpha = self._alpha(spec.second) - self._alpha(spec.first) - gained
        return rotations.accelerations(angles, rates, np.einsum("kij,kj->ki", back, alpha))

    def _orientation(self, body: str) -> Array:
        return np.tile(np.eye(3), (len(self.t), 1, 1)) if body == GROUND else self.orientation(body)

    def _omega(self, body: str) -> Array:
        return np.zeros((len(self.t), 3)) if body == GROUND else self.omega(body)

    def _alpha(self, body: str) -> Array:
        return np.zeros((len(self.t), 3)) if body == GROUND else self.alpha(body)

    @cached_property
    def momentum(self) -> Momentum:
        """Linear and angular momentum of all bodies."""
        return momentum(self)
