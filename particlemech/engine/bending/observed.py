"""The motion of a chain at K samples, by name; vectors in global axes, units those of the model.

What a joint *transmits* to one of its bodies is a force and a moment about the joint's point, which is on the body that
it carries; the drive and the springs of the joint are included. Its *reaction* is the part that does no work in the
joint: no force along the axis of a sliding joint, no moment about that of a turning one. The *elastic part* of a point
is where it is minus where it would be with the same coordinates of joints and all deflections, of bodies and of drives,
zero.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from particlemech import rotations
from particlemech.engine.bending.bodies import Bodies
from particlemech.engine.bending.links import PRISMATIC
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import GROUND
from particlemech.result.momenta import Momentum

FLOATING = ("x", "y", "z", "angle1", "angle2", "angle3")  # coordinates of a free joint


class Wrench(NamedTuple):
    """Force and moment at the samples, (K, 3) each."""

    force: Array
    moment: Array


class Energies(NamedTuple):
    """What potential energy is made of, (K,) each."""

    gravity: Array
    strain: Array  # of bending bodies
    springs: Array  # of drives and of springs on coordinates


class Observed(Bodies):
    """A motion by name; K is the number of samples."""

    # -- points ------------------------------------------------------------------------------------------------

    def _point(self, name: str) -> int | Array:
        """Return the number of a point of a body, or the place of one of the ground."""
        chain = self._compiled.chain
        names = [point.name for point in chain.points]
        if name in names:
            return names.index(name)
        fixed = dict(chain.fixed)
        if name in fixed:
            return fixed[name]
        raise ModelError(f'point "{name}" unknown{suggestion(name, self.points)}')

    def _of_point(self, name: str, level: int) -> Array:
        """Return position, velocity, acceleration or position without deflection of a point, (K, 3)."""
        found = self._point(name)
        if isinstance(found, int):
            return self._sampled.point[:, found, level]
        return np.zeros((len(self.t), 3)) + (found if level in (0, 3) else 0.0)

    def __getitem__(self, point: str) -> Array:
        """Return the path of a point, (K, 3)."""
        return self._of_point(point, 0)

    def velocity(self, point: str) -> Array:
        """Return the velocity of a point, (K, 3)."""
        return self._of_point(point, 1)

    def acceleration(self, point: str) -> Array:
        """Return the acceleration of a point, (K, 3)."""
        return self._of_point(point, 2)

    def rigid(self, point: str) -> Array:
        """Return where a point would be with the same coordinates of joints and no deflection, (K, 3)."""
        return self._of_point(point, 3)

    def elastic(self, point: str) -> Array:
        """Return the elastic part of the position of a point, (K, 3)."""
        return self[point] - self.rigid(point)

    def _on_body(self, point: str) -> int:
        found = self._point(point)
        if not isinstance(found, int):
            raise ModelError(f'point "{point}" is fixed to ground and on no section; name one of a body')
        return found

    def section(self, point: str) -> Array:
        """Return the axes of the section at a point in the columns, (K, 3, 3): those of its body, turned by bending."""
        n = self._on_body(point)
        axes = self._axes(self._compiled.chain.points[n].link + 1)
        return self._sampled.section[:, n].reshape(-1, 3, 3) @ axes.T

    def section_omega(self, point: str) -> Array:
        """Return the angular velocity of the section at a point, (K, 3)."""
        return self._sampled.spin[:, self._on_body(point), 0]

    def section_alpha(self, point: str) -> Array:
        """Return the angular acceleration of the section at a point, (K, 3)."""
        return self._sampled.spin[:, self._on_body(point), 1]

    # -- joints ------------------------------------------------------------------------------------------------

    def coordinate(self, joint: str, coordinate: str | None = None) -> Array:
        """Return the coordinates of a joint, (K, dof), or one of them, (K,), without the deflection of a drive.

        Angles of a free joint are dextral 1-2-3 angles that begin where the model starts; they count turns.
        """
        return self._by_motion(joint, coordinate, 0)

    def rate(self, joint: str, coordinate: str | None = None) -> Array:
        """Return the rates of the coordinates of a joint, (K, dof), or of one, (K,); NaN for angles at gimbal lock."""
        return self._by_motion(joint, coordinate, 1)

    def second_rate(self, joint: str, coordinate: str | None = None) -> Array:
        """Return the second derivatives of the coordinates of a joint, (K, dof), or of one, (K,); NaN as `rate`."""
        return self._by_motion(joint, coordinate, 2)

    def _by_motion(self, joint: str, coordinate: str | None, level: int) -> Array:
        motions = self._motions(joint)
        if motions == (0,):
            names: tuple[str, ...] = FLOATING
            values = self._floating(level)
        else:
            of = [(self._compiled.chain.joints[i - 1].coordinate, i) for i in motions]
            some = sorted((name, i) for name, i in of if name)
            if len(some) == 2 and some[1][0] == "travel":  # of a sleeve the travel comes first
                some.reverse()
            names = tuple(name for name, _ in some)
            values = self._sampled.x[:, [i for _, i in some], level]
        if coordinate is None:
            return values[:, 0] if len(names) == 1 else values
        if coordinate not in names:
            raise ModelError(f'joint "{joint}" has no coordinate "{coordinate}"{suggestion(coordinate, names)}')
        return values[:, names.index(coordinate)]

    def _floating(self, level: int) -> Array:
        """Return coordinates, rates or second rates of the free joint, (K, 6)."""
        record, base = self._sampled, self._compiled.chain.base
        omega = record.omega[:, 0]
        said = self._compiled.chain.speeds
        angles = rotations.angles(
            self._rotation(0) @ base.axes.T, said.angles if said is not None else np.zeros(3), self.t, omega
        )
        if level == 0:
            return np.hstack([record.O[:, 0] - base.origin, angles])
        rates = rotations.rates(angles, omega)
        if level == 1:
            return np.hstack([record.v[:, 0], rates])
        return np.hstack([record.a[:, 0], rotations.accelerations(angles, rates, record.alpha[:, 0])])

    def deflection(self, joint: str) -> Array:
        """Return the deflection of the drive of a joint, (K,); zero where it has none."""
        return self._sampled.d[:, self._motions(joint)[-1], 0]

    def deflection_rate(self, joint: str) -> Array:
        """Return the rate of the deflection of the drive of a joint, (K,)."""
        return self._sampled.d[:, self._motions(joint)[-1], 1]

    def _arm(self, joint: str) -> Array:
        """Return the point of a joint from the origin of the body that it carries, (K, 3)."""
        i = self._motions(joint)[-1]
        at = self._compiled.chain.joints[i - 1].at if i else np.zeros(3)
        return self._rotation(i) @ at

    def place(self, joint: str) -> Array:
        """Return the path of the point of a joint, on the body that it carries, (K, 3)."""
        return self._sampled.O[:, self._motions(joint)[-1]] + self._arm(joint)

    def axis(self, joint: str) -> Array:
        """Return the axis of the last motion of a joint, (K, 3), as that of its second body against the first."""
        i = self._motions(joint)[-1]
        return self._sign(i) * self._rotation(i)[:, :, 2]

    def _sign(self, i: int) -> float:
        return 1.0 if i == 0 or self._compiled.chain.joints[i - 1].second else -1.0

    def _on(self, joint: str, on: str) -> float:
        """Return whether a body of a joint is the one that it carries, 1.0, or the other, -1.0."""
        i, chain = self._motions(joint)[-1], self._compiled.chain
        bodies = chain.joints[i - 1].bodies if i else (GROUND, chain.base.name)
        if on not in bodies:
            raise ModelError(f'joint "{joint}": body "{on}" is not one of its bodies{suggestion(on, bodies)}')
        return self._sign(i) * (1.0 if on == bodies[1] else -1.0)

    def transmitted(self, joint: str, on: str) -> Wrench:
        """Return all that a joint transmits to one of its bodies: force, and moment about the joint's point."""
        i = self._motions(joint)[-1]
        p = self._on(joint, on) * self._sampled.p[:, i]
        return Wrench(p[:, 3:], p[:, :3] - np.cross(self._arm(joint), p[:, 3:]))

    def reaction(self, joint: str, on: str) -> Array:
        """Return the force that a joint exerts on one of its bodies, (K, 3), without that along its sliding axes."""
        return self._passive(self.transmitted(joint, on).force, joint, slides=True)

    def moment(self, joint: str, on: str) -> Array:
        """Return the moment that a joint exerts on one of its bodies about its point, without that about its axes."""
        return self._passive(self.transmitted(joint, on).moment, joint, slides=False)

    def _passive(self, vector: Array, joint: str, slides: bool) -> Array:
        """Take the components along the free axes of a joint away from vectors (K, 3)."""
        motions, joints = self._motions(joint), self._compiled.chain.joints
        if motions == (0,):
            return np.zeros_like(vector)  # a free joint leaves all of them
        found: list[Array] = []
        result = vector.copy()
        for i in motions:
            if not joints[i - 1].coordinate or (joints[i - 1].does == PRISMATIC) != slides:
                continue
            axis = self._rotation(i)[:, :, 2]
            for other in found:
                axis = axis - np.sum(axis * other, axis=1)[:, None] * other
            axis = axis / np.linalg.norm(axis, axis=1)[:, None]
            found.append(axis)
            result -= np.sum(result * axis, axis=1)[:, None] * axis
        return result

    def motor(self, joint: str) -> Array:
        """Return what motors and controllers exert on the coordinate of a joint, (K,)."""
        return self._sampled.tau[:, self._motions(joint)[-1], 0]

    def effort(self, driver: str) -> Array:
        """Return the force or moment of a driver on its coordinate, (K,)."""
        chain = self._compiled.chain
        drivers = {joint.driver: i for i, joint in enumerate(chain.joints, start=1) if joint.driver}
        if driver in drivers:
            return self._sampled.tau[:, drivers[driver], 2]
        held = {name: coordinate for coordinate, name in chain.base.held}
        if driver not in held:
            raise ModelError(f'driver "{driver}" unknown{suggestion(driver, [*drivers, *held])}')
        k, p = FLOATING.index(held[driver]), self._sampled.p[:, 0]
        if k < 3:
            return p[:, 3 + k]
        axes = rotations.axes(self._floating(0)[:, 3:])
        return np.sum(axes[:, k - 3] * p[:, :3], axis=1)

    @cached_property
    def base(self) -> Wrench:
        """What the chain exerts on the ground: force, and moment about the origin, (K, 3) each."""
        p, O = self._sampled.p[:, 0], self._sampled.O[:, 0]
        return Wrench(-p[:, 3:], -p[:, :3] - np.cross(O, p[:, 3:]))

    # -- sums --------------------------------------------------------------------------------------------------

    @property
    def kinetic(self) -> Array:
        """Kinetic energy, (K,)."""
        return self._sampled.energy[:, 0]

    @property
    def potential(self) -> Array:
        """Potential of gravity, bending bodies and springs, (K,)."""
        return self._sampled.energy[:, 1:].sum(axis=1)

    @cached_property
    def potentials(self) -> Energies:
        """The parts of the potential."""
        return Energies(*self._sampled.energy[:, 1:].T)

    @cached_property
    def momentum(self) -> Momentum:
        """Linear and angular momentum of the chain."""
        linear, angular = self._sampled.momentum[:, :3], self._sampled.momentum[:, 3:6]
        return Momentum(linear, angular, angular - np.cross(self.centre, linear))

    @cached_property
    def centre(self) -> Array:
        """Path of the centre of mass of all, (K, 3)."""
        return self._sampled.momentum[:, 6:] / self._compiled.scale.mass
