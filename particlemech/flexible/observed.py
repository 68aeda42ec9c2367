"""The motion of a chain at K samples, by name; vectors in global axes, units those of the model.

What a joint *transmits* to the link it carries is a force and a moment about the origin of that link; the drive and
the spring of the joint are included. Its *reaction* is the part that does no work in the joint: no force along the axis
of a sliding joint, no moment about that of a turning one. The *elastic part* of a point is where it is minus where it
would be with the same base and joints and all deflections, of links and of joints, zero.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from particlemech import rotations
from particlemech.errors import ModelError, suggestion
from particlemech.flexible.compiled import Compiled
from particlemech.flexible.links import DRIVEN, PRISMATIC
from particlemech.flexible.tables import Record
from particlemech.system import Array


class Momentum(NamedTuple):
    """Momentum of the whole chain at the samples."""

    linear: Array  # (K, 3)
    angular: Array  # (K, 3) about the origin
    central: Array  # (K, 3) about the centre of mass of all


class Wrench(NamedTuple):
    """Force and moment at the samples, (K, 3) each."""

    force: Array
    moment: Array


class Energies(NamedTuple):
    """What potential energy is made of, (K,) each."""

    gravity: Array
    strain: Array  # of the links
    springs: Array  # of flexible joints


class Observed:
    """A motion by name; K is the number of samples."""

    t: Array  # (K,) s
    mechanism: Any
    _compiled: Compiled
    _record: Record

    def __init__(self, compiled: Compiled, record: Record, mechanism: Any = None) -> None:
        self._compiled, self._record, self.mechanism = compiled, record, mechanism
        self.t = record.t

    # -- names -------------------------------------------------------------------------------------------------

    @property
    def links(self) -> tuple[str, ...]:
        """Names of the links, outward, without the base."""
        return tuple(dict.fromkeys(link.name for link in self._compiled.chain.links))

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, outward."""
        return tuple(self._compiled.joint_of)

    @property
    def points(self) -> tuple[str, ...]:
        """Names of the points."""
        return tuple(point.name for point in self._compiled.chain.points)

    def modes(self, link: str) -> tuple[str, ...]:
        """Names of the modal coordinates of a link, one sub-link after the other."""
        links = self._compiled.chain.links
        return tuple(name for i in self._parts(link) if i for name in links[i - 1].names)

    def _parts(self, link: str) -> tuple[int, ...]:
        """Return the numbers of the sub-links of a link."""
        known = self._compiled.parts_of
        if link not in known:
            raise ModelError(f'link "{link}" unknown{suggestion(link, known)}')
        return known[link]

    def _joint(self, name: str) -> int:
        """Return the number of the link that a joint carries."""
        known = self._compiled.joint_of
        if name not in known:
            raise ModelError(f'joint "{name}" unknown{suggestion(name, known)}')
        return known[name]

    def _point(self, name: str) -> int:
        if name not in self.points:
            raise ModelError(f'point "{name}" unknown{suggestion(name, self.points)}')
        return self.points.index(name)

    # -- links: frames at their proximal ends ------------------------------------------------------------------

    def orientation(self, link: str) -> Array:
        """Return the axes of a link in the columns, (K, 3, 3); of one cut into sub-links those of the first."""
        return self._record.R[:, self._parts(link)[0]].reshape(-1, 3, 3)

    def quaternion(self, link: str) -> Array:
        """Return the orientation of a link as a quaternion w, x, y, z of length 1, (K, 4), without jumps of sign."""
        return rotations.continuous(rotations.quaternion(self.orientation(link)))

    def omega(self, link: str) -> Array:
        """Return the angular velocity of the frame of a link, (K, 3), rad/s."""
        return self._record.omega[:, self._parts(link)[0]]

    def alpha(self, link: str) -> Array:
        """Return the angular acceleration of the frame of a link, (K, 3), rad/s^2."""
        return self._record.alpha[:, self._parts(link)[0]]

    def origin(self, link: str) -> Array:
        """Return the path of the origin of a link, (K, 3)."""
        return self._record.O[:, self._parts(link)[0]]

    def origin_velocity(self, link: str) -> Array:
        """Return the velocity of the origin of a link, (K, 3)."""
        return self._record.v[:, self._parts(link)[0]]

    def origin_acceleration(self, link: str) -> Array:
        """Return the acceleration of the origin of a link, (K, 3)."""
        return self._record.a[:, self._parts(link)[0]]

    def modal(self, link: str) -> Array:
        """Return the modal coordinates of a link, (K, m), one sub-link after the other."""
        return self._modal(link, 0)

    def modal_rate(self, link: str) -> Array:
        """Return the rates of the modal coordinates of a link, (K, m)."""
        return self._modal(link, 1)

    def modal_second_rate(self, link: str) -> Array:
        """Return the second derivatives of the modal coordinates of a link, (K, m)."""
        return self._modal(link, 2)

    def _modal(self, link: str, level: int) -> Array:
        rows = [self._compiled.tables.link[i] for i in self._parts(link)]
        every = [j for row in rows for j in range(row["modal"], row["modal"] + row["modes"])]
        return self._record.q[:, every, level]

    # -- points ------------------------------------------------------------------------------------------------

    def __getitem__(self, point: str) -> Array:
        """Return the path of a point, (K, 3)."""
        return self._record.point[:, self._point(point), 0]

    def velocity(self, point: str) -> Array:
        """Return the velocity of a point, (K, 3)."""
        return self._record.point[:, self._point(point), 1]

    def acceleration(self, point: str) -> Array:
        """Return the acceleration of a point, (K, 3)."""
        return self._record.point[:, self._point(point), 2]

    def rigid(self, point: str) -> Array:
        """Return where a point would be with the same base and joints and no deflection, (K, 3)."""
        return self._record.point[:, self._point(point), 3]

    def elastic(self, point: str) -> Array:
        """Return the elastic part of the position of a point, (K, 3)."""
        return self[point] - self.rigid(point)

    def section(self, point: str) -> Array:
        """Return the axes of the section at a point in the columns, (K, 3, 3)."""
        return self._record.section[:, self._point(point)].reshape(-1, 3, 3)

    def section_omega(self, point: str) -> Array:
        """Return the angular velocity of the section at a point, (K, 3)."""
        return self._record.spin[:, self._point(point), 0]

    def section_alpha(self, point: str) -> Array:
        """Return the angular acceleration of the section at a point, (K, 3)."""
        return self._record.spin[:, self._point(point), 1]

    # -- joints ------------------------------------------------------------------------------------------------

    def coordinate(self, joint: str) -> Array:
        """Return phi of a joint, (K,), without its own deflection."""
        return self._record.x[:, self._joint(joint), 0]

    def rate(self, joint: str) -> Array:
        """Return the rate of phi, (K,)."""
        return self._record.x[:, self._joint(joint), 1]

    def second_rate(self, joint: str) -> Array:
        """Return the second derivative of phi, (K,)."""
        return self._record.x[:, self._joint(joint), 2]

    def deflection(self, joint: str) -> Array:
        """Return the deflection dphi of a joint, (K,); zero where it is stiff."""
        return self._record.d[:, self._joint(joint), 0]

    def deflection_rate(self, joint: str) -> Array:
        """Return the rate of the deflection of a joint, (K,)."""
        return self._record.d[:, self._joint(joint), 1]

    def place(self, joint: str) -> Array:
        """Return the path of the origin of the link that a joint carries, (K, 3)."""
        return self._record.O[:, self._joint(joint)]

    def axis(self, joint: str) -> Array:
        """Return the axis of a joint, (K, 3)."""
        return self._record.R[:, self._joint(joint)].reshape(-1, 3, 3)[:, :, 2]

    def transmitted(self, joint: str) -> Wrench:
        """Return all that a joint transmits to the link it carries: force, and moment about the origin of that link."""
        p = self._record.p[:, self._joint(joint)]
        return Wrench(p[:, 3:], p[:, :3])

    def reaction(self, joint: str) -> Array:
        """Return the force on the link that a joint carries, (K, 3), without that along a sliding axis."""
        return self._passive(self.transmitted(joint).force, joint, slides=True)

    def moment(self, joint: str) -> Array:
        """Return the moment on the link that a joint carries, (K, 3), without that about a turning axis."""
        return self._passive(self.transmitted(joint).moment, joint, slides=False)

    def _passive(self, vector: Array, joint: str, slides: bool) -> Array:
        number = self._joint(joint)
        if (self._compiled.chain.joints[number - 1].does == PRISMATIC) != slides:
            return vector.copy()
        axis = self.axis(joint)
        return vector - np.sum(vector * axis, axis=1)[:, None] * axis

    def motor(self, joint: str) -> Array:
        """Return what motors and controllers exert on phi of a joint, (K,)."""
        return self._record.tau[:, self._joint(joint), 0]

    def holding(self, joint: str) -> Array:
        """Return what holds or drives phi of a joint, (K,), besides its motors; zero where it is free."""
        return self._record.tau[:, self._joint(joint), 2]

    def effort(self, driver: str) -> Array:
        """Return the force or moment of a driver on its coordinate, (K,)."""
        drivers = {j.driver: j.name for j in self._compiled.chain.joints if j.state == DRIVEN}
        if driver not in drivers:
            raise ModelError(f'driver "{driver}" unknown{suggestion(driver, drivers)}')
        return self.holding(drivers[driver])

    @cached_property
    def base(self) -> Wrench:
        """What the chain exerts on what holds its base: force, and moment about the origin of the base, (K, 3) each."""
        return Wrench(-self._record.p[:, 0, 3:], -self._record.p[:, 0, :3])

    # -- sums --------------------------------------------------------------------------------------------------

    @property
    def kinetic(self) -> Array:
        """Kinetic energy, (K,)."""
        return self._record.energy[:, 0]

    @property
    def potential(self) -> Array:
        """Potential of gravity, links and springs, (K,)."""
        return self._record.energy[:, 1:].sum(axis=1)

    @cached_property
    def potentials(self) -> Energies:
        """The parts of the potential."""
        return Energies(*self._record.energy[:, 1:].T)

    @cached_property
    def momentum(self) -> Momentum:
        """Linear and angular momentum of the chain, its base included."""
        linear, angular = self._record.momentum[:, :3], self._record.momentum[:, 3:6]
        return Momentum(linear, angular, angular - np.cross(self.centre, linear))

    @cached_property
    def centre(self) -> Array:
        """Path of the centre of mass of all, (K, 3)."""
        return self._record.momentum[:, 6:] / self._compiled.scale.mass
