"""A mechanism in the plane with its drivers released, in absolute coordinates: the angles of bodies count turns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from particlemech.analyses.poses.posing import Released
from particlemech.engine.absolute.equations import Absolute, system
from particlemech.engine.plane import Motion, PlanarInstant, Pose, Sight
from particlemech.engine.system import Array
from particlemech.model.forces import motor
from particlemech.model.mechanism import Mechanism
from particlemech.result.plane import PlanarResult
from particlemech.run.preparing import counted_from, prepared


class Seen:
    """A motion in the plane at K samples by name, with accelerations that may be any."""

    def __init__(self, system: PlanarInstant, t: Array, motion: Motion) -> None:
        self.t, self.mechanism, self._layout, self._motion = t, system.mechanism, system.layout, motion
        self._sight = Sight(system.mechanism, system.layout, system.home, t, motion)

    def point(self, name: str, level: int) -> Array:
        """Return the place of a point, its velocity or its acceleration, (K, 2)."""
        every = (self._motion.point, self._motion.point_v, self._motion.point_a)
        return every[level][:, self._layout.points.index(name)]

    def place(self, body: str, drawn: Sequence[float], level: int) -> Array:
        """Return a place of a body, given as drawn, its velocity or its acceleration, (K, 2)."""
        at = self._sight
        return (at.place_on, at.velocity_on, at.acceleration_on)[level](body, (drawn[0], drawn[1]))

    def body(self, name: str, what: str, level: int) -> Array:
        """Return "x", "y" or "angle" of a body, or their first or second rates, (K,)."""
        m, b = self._motion, self._layout.bodies.index(name)
        if what == "angle":
            return (m.angle, m.omega, m.alpha)[level][:, b]
        return (m.com, m.com_v, m.com_a)[level][:, b, "xy".index(what)]

    def coordinate(self, joint: str, name: str, level: int) -> Array:
        """Return a coordinate of a joint since the drawing, or its first or second rate, (K,)."""
        of = self.mechanism.coordinate(joint, name)
        return (self._sight.coordinate, self._sight.rate, self._sight.second_rate)[level](of)


class PlanarPoses(Released):
    """What poses ask of a mechanism in the plane; q are places of centres of mass and angles of bodies."""

    RESULT, axes = PlanarResult, "xy"
    motor = staticmethod(motor)

    def __init__(self, mechanism: Mechanism, known: Mechanism) -> None:
        self.known = known  # with the masses that are known
        self.driven = mechanism
        self.mechanism = mechanism.replaced(drivers=dict.fromkeys(mechanism.drivers))
        driven, self._begin = prepared(mechanism, "absolute")
        self._assembled = driven.home
        self.system = self.made(self.mechanism)

    def made(self, mechanism: Mechanism) -> Absolute:
        """Return the system of a mechanism that counts from the same drawing."""
        home = self._assembled
        return system(mechanism if home is None else counted_from(mechanism, home)).retimed(1.0, home)

    @cached_property
    def start(self) -> Array:
        """The coordinates of the start, (n_q,)."""
        return self._begin.q

    @property
    def quantities(self) -> dict[str, tuple[str, ...]]:
        """What bodies have, by name."""
        return {body: ("x", "y", "angle") for body in self.mechanism.bodies}

    def moved(self, q: Array, step: Array) -> Array:
        """Return coordinates a step away."""
        return q + step

    def seen(self, t: Array, q: Array, v: Array, a: Array) -> Seen:
        """Return a motion at K samples by name."""
        return Seen(self.system, t, self.system.motion(q, v, a, np.zeros((len(q), 1))))

    def of_result(self, result: Any) -> tuple[Array, Array, Array]:
        """Return q, v, a of a result at its samples, (K, n_q) each."""
        m, lay = result._full_motion, result.system.layout
        order = [lay.bodies.index(body) for body in self.system.layout.bodies]
        angle = m.angle[:, order] + self.system.turned
        q = [self.system.posed(Pose(*of)) for of in zip(m.com[:, order], angle, strict=True)]
        v = np.concatenate([m.com_v[:, order], m.omega[:, order, None]], axis=2)
        a = np.concatenate([m.com_a[:, order], m.alpha[:, order, None]], axis=2)
        return np.array(q), v.reshape(len(v), -1), a.reshape(len(a), -1)

    def stated(self, joints: Sequence[Any], levels: Sequence[Array]) -> None:
        """Return None: coordinates of joints are not those of the bodies."""

    def needed(self, t: Array, q: Array, v: Array, a: Array) -> Array:
        """Return what moves the bodies so, beyond the forces of the model, along the speeds, (K, n_v)."""
        n, found = self.system.n_v, []
        for k in range(len(t)):
            A, b = self.system.dynamics(float(t[k]), q[k], v[k], np.zeros(1))
            found.append(A[:n, :n] @ a[k] - b[:n])
        return np.array(found)
