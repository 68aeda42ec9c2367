"""Custom: what the user's function gives, a force with its place and a couple on a body, or an effort in a joint."""

from __future__ import annotations

import numpy as np

from particlemech.engine.quaternions.instant import Instant, Wrench, pushed
from particlemech.engine.system import Array
from particlemech.model.space.forces import Custom

SPEC = Custom


class State:
    """A motion at one instant by name, as the functions of users see it."""

    def __init__(self, at: Instant) -> None:
        self._at, self.t = at, at.t

    def __getitem__(self, point: str) -> Array:
        m = self._at.mechanism
        return self._at.bodies[m.carrier(point)].place(m.points[point])

    def velocity(self, point: str) -> Array:
        """Return the velocity of a point, (3,)."""
        return self._at.bodies[self._at.mechanism.carrier(point)].velocity(self[point])

    def com(self, body: str) -> Array:
        """Return a centre of mass, (3,)."""
        return self._at.bodies[body].x

    def com_velocity(self, body: str) -> Array:
        """Return the velocity of a centre of mass, (3,)."""
        return self._at.bodies[body].v

    def orientation(self, body: str) -> Array:
        """Return the axes of a body in columns, (3, 3)."""
        return self._at.bodies[body].R

    def omega(self, body: str) -> Array:
        """Return an angular velocity, (3,)."""
        return self._at.bodies[body].omega

    def coordinate(self, joint: str, name: str | None = None) -> float:
        """Return a coordinate of a joint."""
        return self._at.coordinate(joint, self._at.mechanism.coordinate(joint, name))

    def rate(self, joint: str, name: str | None = None) -> float:
        """Return its rate."""
        return self._at.rate(joint, self._at.mechanism.coordinate(joint, name))


def wrenches(spec: Custom, at: Instant) -> list[Wrench]:
    """Return one wrench, or one on each body of a joint."""
    answer = spec.function(at.t, State(at))
    if spec.body is not None:
        force, place, couple = np.array(answer, dtype=float)
        return [Wrench(spec.body, place, force, couple)]
    joint = str(spec.joint)
    return pushed(at.along(joint, at.mechanism.coordinate(joint, spec.coordinate)), float(answer))


def stored(spec: Custom, at: Instant) -> float:
    """Return its potential energy: none is known."""
    return 0.0
