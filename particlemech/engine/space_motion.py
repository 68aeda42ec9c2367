"""The motion of a mechanism in space by name, whatever equations it comes from; vectors in global axes.

A formulation says where places of bodies are and how bodies turn; points, centres of mass and the 1-2-3 angles of
joints follow here, and what the laws of forces ask of a motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from particlemech import rotations
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.spec import Vector3


class PlacesInSpace:
    """Places of bodies at K samples, by name."""

    t: Array  # (K,) s
    mechanism: Any

    def _placed(self, body: str, drawn: Sequence[float], level: int) -> Array:
        """Return a place of a body, given as drawn, its velocity (1) or its acceleration (2), (K, 3)."""
        raise TypeError(f"{type(self).__name__} does not say where places are")

    def _check_body(self, name: str) -> None:
        bodies = self.mechanism.bodies
        if name not in bodies:
            raise ModelError(f'body "{name}" unknown{suggestion(name, bodies)}')

    def _point(self, point: str) -> tuple[str, Vector3]:
        """Return the body that carries a point, and where the point is drawn."""
        self.mechanism.known_point(point)
        return self.mechanism.carrier(point), self.mechanism.points[point]

    def _centre(self, body: str, level: int) -> Array:
        """Return the centre of mass of a body, its velocity (1) or its acceleration (2), (K, 3)."""
        self._check_body(body)
        return self._placed(body, self.mechanism.centre(body), level)

    def __getitem__(self, point: str) -> Array:
        """Return the path of a point, (K, 3)."""
        return self._placed(*self._point(point), 0)

    def velocity(self, point: str) -> Array:
        """Return the velocity of a point, (K, 3)."""
        return self._placed(*self._point(point), 1)

    def acceleration(self, point: str) -> Array:
        """Return the acceleration of a point, (K, 3)."""
        return self._placed(*self._point(point), 2)

    def com(self, body: str) -> Array:
        """Return the path of a centre of mass, (K, 3)."""
        return self._centre(body, 0)

    def com_velocity(self, body: str) -> Array:
        """Return the velocity of a centre of mass, (K, 3)."""
        return self._centre(body, 1)

    def com_acceleration(self, body: str) -> Array:
        """Return the acceleration of a centre of mass, (K, 3)."""
        return self._centre(body, 2)

    def orientation(self, body: str) -> Array:
        """Return the axes of a body in columns, (K, 3, 3); those of the drawing are the global ones."""
        raise TypeError(f"{type(self).__name__} does not say how bodies stand")

    def quaternion(self, body: str) -> Array:
        """Return the orientation of a body as a quaternion w, x, y, z of length 1, (K, 4), without jumps of sign."""
        return rotations.continuous(rotations.quaternion(self.orientation(body)))


class MotionInSpace(PlacesInSpace):
    """Bodies and coordinates of joints at K samples, by name."""

    def _side(self, joint: str, side: int, level: int) -> Array:
        """Return the axes (0), angular velocity (1) or acceleration (2) of the first (0) or second (1) body there.

        Axes are columns, (K, 3, 3), rates (K, 3).
        """
        raise TypeError(f"{type(self).__name__} does not say how bodies turn")

    def _section(self, body: str, drawn: Sequence[float] | None) -> Array:
        """Return the axes of a body, or of the ground, at a place given as drawn, (K, 3, 3)."""
        raise TypeError(f"{type(self).__name__} does not say how bodies stand")

    def _one(self, joint: str, name: str, level: int) -> Array:
        """Return a coordinate (0), its rate (1) or its second rate (2), (K,)."""
        raise TypeError(f"{type(self).__name__} does not know coordinates")

    def _known(self, joint: str) -> Any:
        """Return a joint, after a check that it is there, or was."""
        if joint in self.mechanism.taken:
            return self.mechanism.taken[joint]
        self.mechanism.known_joint(joint)
        return self.mechanism.joints[joint]

    def coordinate(self, joint: str, coordinate: str | None = None) -> Array:
        """Return the coordinates of a joint, (K, dof), or one of them, (K,), from the drawing; angles count turns.

        They are NaN while the joint is taken out. Those of a quaternion are shown as dextral 1-2-3 angles that begin
        where the model starts and follow each other from sample to sample; a single instant, as events see it, knows no
        turns of these. At gimbal lock the first carries on and the third takes the rest.
        """
        return self._by_name(joint, coordinate, 0)

    def rate(self, joint: str, coordinate: str | None = None) -> Array:
        """Return the rates of the coordinates of a joint, (K, dof), or of one, (K,); NaN for angles at gimbal lock."""
        return self._by_name(joint, coordinate, 1)

    def second_rate(self, joint: str, coordinate: str | None = None) -> Array:
        """Return the second derivatives of the coordinates of a joint, (K, dof), or of one, (K,); NaN as `rate`."""
        return self._by_name(joint, coordinate, 2)

    def _by_name(self, joint: str, coordinate: str | None, level: int) -> Array:
        """Return coordinates, rates or their rates of a joint, (K, dof), or of one coordinate, (K,)."""
        names = self._known(joint).coordinate_names
        if joint in self.mechanism.taken:
            alone = coordinate is not None or len(names) == 1
            return np.full((len(self.t),) if alone else (len(self.t), len(names)), np.nan)
        if coordinate is not None or len(names) == 1:
            return self._one(joint, self.mechanism.coordinate(joint, coordinate), level)
        found = [self._one(joint, name, level) for name in names]
        return np.stack(found, axis=1) if found else np.zeros((len(self.t), 0))

    def _turning(self, joint: str, level: int) -> Array:
        """Return the 1-2-3 angles of a spherical or free joint (0), their rates (1) or second rates (2), (K, 3).

        They are those of the second body against the first, continued from where the model starts.
        """
        (first, second), (w1, w2) = ([self._side(joint, side, of) for side in (0, 1)] for of in (0, 1))
        said, back = self.mechanism.position(joint), np.swapaxes(first, 1, 2)
        spin = np.einsum("kij,kj->ki", back, w2 - w1)
        start = np.array([said.get(f"angle{k}", 0.0) for k in (1, 2, 3)])
        angles = rotations.angles(back @ second, start, self.t, spin)
        if level == 0:
            return angles
        rates = rotations.rates(angles, spin)
        if level == 1:
            return rates
        # as seen from the first body, which turns itself
        alpha = self._side(joint, 1, 2) - self._side(joint, 0, 2) - np.cross(w1, w2)
        return rotations.accelerations(angles, rates, np.einsum("kij,kj->ki", back, alpha))


class SightInSpace:
    """A motion as the laws of forces ask for it, see model/applied.py: places of bodies, and coordinates of joints."""

    def __init__(self, seen: MotionInSpace, state: Callable[[int], Any]) -> None:
        self._seen, self.t, self.mechanism = seen, seen.t, seen.mechanism
        self.state = state  # number of a sample -> the motion there, as functions of users see it
        self.coordinate, self.rate = seen.coordinate, seen.rate

    def place_on(self, body: str, drawn: Sequence[float]) -> Array:
        """Return where a place of a body is, (K, 3)."""
        return self._seen._placed(body, drawn, 0)

    def velocity_on(self, body: str, drawn: Sequence[float]) -> Array:
        """Return the velocity of a place of a body, (K, 3)."""
        return self._seen._placed(body, drawn, 1)

    def turned(self, body: str, vectors: Array, drawn: Sequence[float] | None = None) -> Array:
        """Return vectors that turn with a body, at any place of it, given as drawn, (K, 3) or (3,), in global axes."""
        vectors = np.broadcast_to(vectors, (len(self.t), 3))
        return np.einsum("kij,kj->ki", self._seen._section(body, drawn), vectors)

    def turning(self, joint: str) -> tuple[Array, Array]:
        """Return rotation vector, at most half a turn, and angular velocity of the second against the first, (K, 3)."""
        (before, after), (w1, w2) = ([self._seen._side(joint, side, of) for side in (0, 1)] for of in (0, 1))
        e = rotations.quaternion(np.swapaxes(before, 1, 2) @ after)
        e = e * np.where(e[:, :1] < 0.0, -1.0, 1.0)
        sine = np.linalg.norm(e[:, 1:], axis=1)
        factor = 2.0 * np.arctan2(sine, e[:, 0]) / np.where(sine > 0.0, sine, 1.0)
        return np.einsum("kij,kj->ki", before, factor[:, None] * e[:, 1:]), w2 - w1
