"""The motion of a tree at K samples, by name; vectors in global axes, units those of the model.

What a joint *transmits* to its child is a force and a moment about the joint's point O (on the child), drivers, motors
and springs in the joint included. Its *reaction* is the part of it that does no work in any motion which the joint
leaves: no force along its sliding axes, no moment about its turning axes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from particlemech import rotations
from particlemech.engine.recursive.compiled import Compiled
from particlemech.engine.recursive.tables import SampledMotion
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.momenta import Momentum, momentum


class Wrench(NamedTuple):
    """Force and moment at the samples, (K, 3) each."""

    force: Array
    moment: Array


class Observed:
    """A motion by name; K is the number of samples."""

    t: Array  # (K,) s
    mechanism: Mechanism
    _compiled: Compiled
    _sampled: SampledMotion

    def __init__(self, compiled: Compiled, record: SampledMotion) -> None:
        self._compiled, self._sampled = compiled, record
        self.mechanism = compiled.mechanism
        self.t = record.t

    # -- names -------------------------------------------------------------------------------------------------

    def _body(self, name: str) -> int:
        bodies = self._compiled.topology.bodies
        if name not in bodies:
            raise ModelError(f'body "{name}" unknown{suggestion(name, bodies)}')
        return self._compiled.topology.number(name)

    def _joint(self, name: str) -> tuple[int, int]:
        """Return the numbers of parent and child."""
        joints = self._compiled.topology.joints
        if name not in joints:
            raise ModelError(f'joint "{name}" unknown{suggestion(name, joints)}')
        child = joints.index(name) + 1
        return self._compiled.topology.parent[child - 1], child

    def _stages(self, joint: str, coordinate: str | None) -> list[int]:
        """Return the stages of a joint, or of one coordinate of it."""
        self._joint(joint)
        every = {self._compiled.coordinates[e].name: e for e in self._compiled.stages_of[joint]}
        if coordinate is None:
            return [every[name] for name in self.mechanism.joints[joint].coordinate_names]
        return [every[self.mechanism.coordinate(joint, coordinate)]]

    # -- bodies and points -------------------------------------------------------------------------------------

    def orientation(self, body: str) -> Array:
        """Return the shifter S0K of a body, (K, 3, 3): global components of its axes in the columns."""
        return self._sampled.S[:, self._body(body)].reshape(-1, 3, 3)

    def quaternion(self, body: str) -> Array:
        """Return the orientation of a body as a quaternion w, x, y, z of length 1, (K, 4), without jumps of sign."""
        return rotations.continuous(rotations.quaternion(self.orientation(body)))

    def omega(self, body: str) -> Array:
        """Return the angular velocity of a body, (K, 3), rad/s."""
        return self._sampled.omega[:, self._body(body)]

    def alpha(self, body: str) -> Array:
        """Return the angular acceleration of a body, (K, 3), rad/s^2."""
        return self._sampled.a[:, self._body(body), :3]

    def _place(self, i: int, drawn: Array) -> Array:
        """Return where a place of body i is, from its O, (K, 3)."""
        return self._sampled.S[:, i].reshape(-1, 3, 3) @ (drawn - self._compiled.origins[i])

    def _position(self, i: int, drawn: Array) -> Array:
        return self._sampled.O[:, i] + self._place(i, drawn)

    def _velocity(self, i: int, drawn: Array) -> Array:
        return self._sampled.v[:, i] + np.cross(self._sampled.omega[:, i], self._place(i, drawn))

    def _acceleration(self, i: int, drawn: Array) -> Array:
        if i == 0:
            return np.zeros_like(self._sampled.O[:, 0])
        arm, omega = self._place(i, drawn), self._sampled.omega[:, i]
        turning = np.cross(self._sampled.a[:, i, :3], arm) + np.cross(omega, np.cross(omega, arm))
        return self._sampled.a[:, i, 3:] + turning + np.array(self.mechanism.gravity)

    def _point(self, point: str) -> tuple[int, Array]:
        if point not in self.mechanism.points:
            raise ModelError(f'point "{point}" unknown{suggestion(point, self.mechanism.points)}')
        body = self.mechanism.carrier(point)
        return self._compiled.topology.number(body), np.array(self.mechanism.points[point])

    def __getitem__(self, point: str) -> Array:
        """Return the path of a point, (K, 3)."""
        return self._position(*self._point(point))

    def velocity(self, point: str) -> Array:
        """Return the velocity of a point, (K, 3)."""
        return self._velocity(*self._point(point))

    def acceleration(self, point: str) -> Array:
        """Return the acceleration of a point, (K, 3)."""
        return self._acceleration(*self._point(point))

    def _centre(self, body: str) -> tuple[int, Array]:
        return self._body(body), np.array(self.mechanism.centre(body))

    def com(self, body: str) -> Array:
        """Return the path of a centre of mass, (K, 3)."""
        return self._position(*self._centre(body))

    def com_velocity(self, body: str) -> Array:
        """Return the velocity of a centre of mass, (K, 3)."""
        return self._velocity(*self._centre(body))

    def com_acceleration(self, body: str) -> Array:
        """Return the acceleration of a centre of mass, (K, 3)."""
        return self._acceleration(*self._centre(body))

    def place(self, joint: str) -> Array:
        """Return the path of the point of a joint, on the body that it carries, (K, 3)."""
        return self._sampled.O[:, self._joint(joint)[1]]

    # -- coordinates -------------------------------------------------------------------------------------------

    def _turned(self, joint: str) -> Array:
        """Return the orientation of the child against the parent, (K, 3, 3)."""
        parent, child = (self._sampled.S[:, i].reshape(-1, 3, 3) for i in self._joint(joint))
        return np.swapaxes(parent, 1, 2) @ child

    def _angles(self, joint: str) -> Array:
        """Return the 1-2-3 angles of a spherical or free joint, (K, 3), continued from where the model starts."""
        spin = self._sampled.x[:, self._compiled.stages_of[joint][-3:], 1]
        return rotations.angles(
            self._turned(joint),
            np.array([self.mechanism.position(joint).get(f"angle{k}", 0.0) for k in (1, 2, 3)]),
            self.t,
            spin,
        )

    def coordinate(self, joint: str, coordinate: str | None = None) -> Array:
        """Return the coordinates of a joint, (K, dof), or one of them, (K,); angles count turns.

        Those of a quaternion are shown as dextral 1-2-3 angles that begin where the model starts and follow each other
        from sample to sample; a single instant, as events see it, knows no turns. At gimbal lock the first carries on
        and the third takes the rest.
        """
        return self._by_stage(joint, coordinate, 0, self._angles)

    def rate(self, joint: str, coordinate: str | None = None) -> Array:
        """Return the rates of the coordinates of a joint, (K, dof), or of one, (K,); NaN for angles at gimbal lock."""
        return self._by_stage(joint, coordinate, 1, self._rates)

    def second_rate(self, joint: str, coordinate: str | None = None) -> Array:
        """Return the second derivatives of the coordinates of a joint, (K, dof), or of one, (K,); NaN as `rate`."""
        return self._by_stage(joint, coordinate, 2, self._second_rates)

    def _rates(self, joint: str) -> Array:
        """Return the rates of the angles of a quaternion, (K, 3)."""
        spin = self._sampled.x[:, self._compiled.stages_of[joint][-3:], 1]
        return rotations.rates(self._angles(joint), spin)

    def _second_rates(self, joint: str) -> Array:
        """Return the second derivatives of the angles of a quaternion, (K, 3)."""
        alpha = self._sampled.x[:, self._compiled.stages_of[joint][-3:], 2]
        return rotations.accelerations(self._angles(joint), self._rates(joint), alpha)

    def _by_stage(self, joint: str, coordinate: str | None, level: int, turned: Callable[[str], Array]) -> Array:
        """Return coordinates, rates or their rates; for the angles of a quaternion what `turned` finds, (K, 3)."""
        stages = self._stages(joint, coordinate)
        values = self._sampled.x[:, stages, level].copy()
        if joint in self._compiled.quaternions:
            first = self._compiled.stages_of[joint].stop - 3
            found = turned(joint)
            for k, e in enumerate(stages):
                if e >= first:
                    values[:, k] = found[:, e - first]
        return values if coordinate is None and len(stages) != 1 else values[:, 0]

    # -- forces ------------------------------------------------------------------------------------------------

    def _on(self, joint: str, on: str) -> float:
        bodies = self.mechanism.joints[joint].bodies
        if on not in bodies:
            raise ModelError(f'joint "{joint}": body "{on}" is not one of its bodies{suggestion(on, bodies)}')
        return 1.0 if on == self._compiled.topology.bodies[self._joint(joint)[1] - 1] else -1.0

    def transmitted(self, joint: str, on: str) -> Wrench:
        """Return all that a joint transmits to one of its bodies: force, and moment about the joint's point."""
        _, child = self._joint(joint)
        p = self._on(joint, on) * self._sampled.p[:, child]
        return Wrench(p[:, 3:], p[:, :3])

    def reaction(self, joint: str, on: str) -> Array:
        """Return the force that a joint exerts on one of its bodies, (K, 3), without force along its sliding axes."""
        return self._passive(self.transmitted(joint, on).force, joint, turn=False)

    def moment(self, joint: str, on: str) -> Array:
        """Return the moment that a joint exerts on one of its bodies about its point, without that about its axes."""
        return self._passive(self.transmitted(joint, on).moment, joint, turn=True)

    def _passive(self, vector: Array, joint: str, turn: bool) -> Array:
        """Take the components along the free axes of a joint away from vectors (K, 3)."""
        stages = [e for e in self._stages(joint, None) if self._compiled.coordinates[e].turn == turn]
        if len(stages) == 3:
            return np.zeros_like(vector)
        if not stages:
            return vector.copy()
        axes = self._sampled.axis[:, stages]  # (K, n, 3)
        first = axes[:, 0]
        result = vector - np.sum(vector * first, axis=1)[:, None] * first
        if len(stages) == 2:
            second = axes[:, 1] - np.sum(axes[:, 1] * first, axis=1)[:, None] * first
            second /= np.linalg.norm(second, axis=1)[:, None]
            result -= np.sum(result * second, axis=1)[:, None] * second
        return result

    def effort(self, driver: str) -> Array:
        """Return the force or moment of a driver on its coordinate, (K,), [P72] (3.31) (errata)."""
        names = [c.driver for c in self._compiled.coordinates]
        if driver not in self.mechanism.drivers:
            raise ModelError(f'driver "{driver}" unknown{suggestion(driver, self.mechanism.drivers)}')
        return self._sampled.tau[:, names.index(driver), 1]

    def needed(self, joint: str, coordinate: str | None = None) -> Array:
        """Return what a drive of a joint's coordinates has to give, (K, dof) or (K,), besides its motors and springs.

        For free coordinates of a run it is 0; where the whole motion is given (inverse_dynamics.py) it is the answer.
        """
        return self._efforts(joint, coordinate, self._sampled.tau[:, :, 1])

    def generalised_force(self, joint: str, coordinate: str | None = None) -> Array:
        """Return what acts along the coordinates of a joint in all, (K, dof) or (K,): motors, springs and drivers."""
        return self._efforts(joint, coordinate, self._sampled.tau.sum(axis=2))

    def _efforts(self, joint: str, coordinate: str | None, every: Array) -> Array:
        """Return what acts along coordinates, from efforts on all stages (K, n_stage); power is effort times rate."""
        stages = self._stages(joint, coordinate)
        values = every[:, stages].copy()
        if joint in self._compiled.quaternions:
            # the stages of a quaternion carry the moment in parent axes; an angle sees what is about its own axis
            last = self._compiled.stages_of[joint][-3:]
            found = np.einsum("kij,kj->ki", rotations.axes(self._angles(joint)), every[:, last])
            for k, e in enumerate(stages):
                if e >= last[0]:
                    values[:, k] = found[:, e - last[0]]
        return values if coordinate is None and len(stages) != 1 else values[:, 0]

    @cached_property
    def base(self) -> Wrench:
        """What the tree exerts on the ground at its joints: force, and moment about the origin, (K, 3) each."""
        return Wrench(-self._sampled.p[:, 0, 3:], -self._sampled.p[:, 0, :3])

    # -- sums --------------------------------------------------------------------------------------------------

    @property
    def kinetic(self) -> Array:
        """Kinetic energy, (K,)."""
        return self._sampled.energy[:, 0]

    @property
    def potential(self) -> Array:
        """Potential of gravity and springs, (K,)."""
        return self._sampled.energy[:, 1]

    @cached_property
    def momentum(self) -> Momentum:
        """Linear and angular momentum of all bodies."""
        return momentum(self)

    @cached_property
    def centre(self) -> Array:
        """Path of the centre of mass of all bodies, (K, 3)."""
        m = self.mechanism
        mass = sum(m.mass(b) for b in m.bodies)
        return sum((m.mass(b) * self.com(b) for b in m.bodies), np.zeros(3)) / mass
