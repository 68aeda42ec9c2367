"""The motion of a chain at K samples, by name; vectors in global axes, units those of the model.

What a joint *transmits* to one of its bodies is a force and a moment about the joint's point, which is on the body that
it carries; the drive and the springs of the joint are included. Its *reaction* is the part that does no work in the
joint: no force along the axis of a sliding joint, no moment about that of a turning one. The *elastic part* of a point
is where it is minus where it would be with the same coordinates of joints and all deflections, of bodies and of drives,
zero. The axes of a bending body are those where it is carried. A place x of a link, links.py (3), moves by

    r = x + delta q - e (q.S q)/2,   r' = delta q' - e (q.S q'),   r'' = delta q'' - e (q.S q'' + q'.S q')           (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from particlemech import rotations
from particlemech.engine.bending.compiled import Compiled
from particlemech.engine.bending.links import PRISMATIC, LinkNumbers, Shapes
from particlemech.engine.bending.tables import SampledMotion
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import GROUND

FLOATING = ("x", "y", "z", "angle1", "angle2", "angle3")  # coordinates of a free joint


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
    strain: Array  # of bending bodies
    springs: Array  # of drives and of springs on coordinates


class Moving(NamedTuple):
    """How a place moves, (K, 3) each."""

    position: Array
    velocity: Array
    acceleration: Array


class Observed:
    """A motion by name; K is the number of samples."""

    t: Array  # (K,) s
    mechanism: Any
    _compiled: Compiled
    _sampled: SampledMotion

    def __init__(self, compiled: Compiled, record: SampledMotion, mechanism: Any = None) -> None:
        self._compiled, self._sampled, self.mechanism = compiled, record, mechanism
        self.t = record.t

    # -- names -------------------------------------------------------------------------------------------------

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies, outward."""
        return tuple(name for name in self._compiled.parts_of if name != GROUND)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, outward."""
        base = self._compiled.chain.base.joint
        return (*((base,) if base else ()), *self._compiled.motions_of)

    @property
    def points(self) -> tuple[str, ...]:
        """Names of the points."""
        chain = self._compiled.chain
        return (*(point.name for point in chain.points), *(name for name, _ in chain.fixed))

    def modes(self, body: str) -> tuple[str, ...]:
        """Names of the modal coordinates of a body, one part after the other."""
        links = self._compiled.chain.links
        return tuple(name for i in self._parts(body) if i for name in links[i - 1].names)

    def _parts(self, body: str) -> tuple[int, ...]:
        """Return the numbers of the sub-links of a body."""
        known = self._compiled.parts_of
        if body not in known:
            raise ModelError(f'body "{body}" unknown{suggestion(body, known)}')
        return known[body]

    def _motions(self, joint: str) -> tuple[int, ...]:
        """Return the numbers of the links that the motions of a joint carry; (0,) of the free joint."""
        known = self._compiled.motions_of
        if joint in known:
            return known[joint]
        if joint and joint == self._compiled.chain.base.joint:
            return (0,)
        raise ModelError(f'joint "{joint}" unknown{suggestion(joint, self.joints)}')

    def _axes(self, i: int) -> Array:
        """Return the axes of link i in the drawing, (3, 3)."""
        chain = self._compiled.chain
        return chain.links[i - 1].axes if i else chain.base.axes

    def _rotation(self, i: int) -> Array:
        """Return the axes of link i, (K, 3, 3)."""
        return self._sampled.R[:, i].reshape(-1, 3, 3)

    # -- bodies ------------------------------------------------------------------------------------------------

    def orientation(self, body: str) -> Array:
        """Return the axes of a body in the columns, (K, 3, 3); those of one that bends are where it is carried."""
        i = self._parts(body)[0]
        return self._rotation(i) @ self._axes(i).T

    def quaternion(self, body: str) -> Array:
        """Return the orientation of a body as a quaternion w, x, y, z of length 1, (K, 4), without jumps of sign."""
        return rotations.continuous(rotations.quaternion(self.orientation(body)))

    def omega(self, body: str) -> Array:
        """Return the angular velocity of a body, (K, 3), rad/s."""
        return self._sampled.omega[:, self._parts(body)[0]]

    def alpha(self, body: str) -> Array:
        """Return the angular acceleration of a body, (K, 3), rad/s^2."""
        return self._sampled.alpha[:, self._parts(body)[0]]

    def _moving(self, i: int, at: Shapes) -> Moving:
        """Return how a place of link i with shapes (n = 1) moves: (1)."""
        record, row = self._sampled, self._compiled.tables.link[i]
        x, v, a = record.O[:, i], record.v[:, i], record.a[:, i]
        omega, alpha, R = record.omega[:, i], record.alpha[:, i], self._rotation(i)
        r = np.broadcast_to(at.x[0], (len(x), 3))
        r_dot = r_ddot = np.zeros((len(x), 3))
        if row["modes"]:
            some = slice(row["modal"], row["modal"] + row["modes"])
            q, q_dot, q_ddot = (record.q[:, some, level] for level in range(3))
            delta, S, e = at.delta[0].T, at.short[0], row["along"]
            r = r + q @ delta - 0.5 * np.outer(np.sum((q @ S) * q, axis=1), e)
            r_dot = q_dot @ delta - np.outer(np.sum((q @ S) * q_dot, axis=1), e)
            twice = np.sum((q @ S) * q_ddot + (q_dot @ S) * q_dot, axis=1)
            r_ddot = q_ddot @ delta - np.outer(twice, e)
        r, r_dot, r_ddot = (np.einsum("kij,kj->ki", R, of) for of in (r, r_dot, r_ddot))
        turning = np.cross(omega, np.cross(omega, r) + 2.0 * r_dot)
        return Moving(x + r, v + np.cross(omega, r) + r_dot, a + np.cross(alpha, r) + turning + r_ddot)

    def _placed(self, body: str, drawn: Sequence[float]) -> Moving:
        """Return how a place of a body, given in the drawing, moves."""
        if body == GROUND:
            still = np.zeros((len(self.t), 3))
            return Moving(still + np.array(drawn), still, still)
        link, at = self._compiled.chain.places.on(body, drawn)
        return self._moving(link + 1, at)

    def _section(self, body: str, drawn: Sequence[float]) -> Array:
        """Return the axes of the section at a place of a body, (K, 3, 3)."""
        link, at = self._compiled.chain.places.on(body, drawn)
        i, row = link + 1, self._compiled.tables.link[link + 1]
        q = self._sampled.q[:, row["modal"] : row["modal"] + row["modes"], 0]
        return self._rotation(i) @ _turn(q @ at.psi[0].T) @ self._axes(i).T

    def _central(self, body: str) -> Moving:
        """Return how the centre of mass of a body moves; of one without mass its centre in the drawing."""
        chain = self._compiled.chain
        found, total = [], 0.0
        for i in self._parts(body):
            if i == 0:
                mass, at = chain.base.mass, _rigid_place(chain.base.moment / (chain.base.mass or 1.0))
            else:
                mass, at = _mean(chain.links[i - 1])
            total += mass
            found.append((mass, i, at))
        if total == 0.0:
            if chain.places is None:
                return self._moving(found[0][1], found[0][2])
            return self._placed(body, chain.places.mechanism.centre(body))
        moved = [(mass / total, self._moving(i, at)) for mass, i, at in found if mass]
        return Moving(*(sum(share * of[k] for share, of in moved) for k in range(3)))  # type: ignore[arg-type]

    def com(self, body: str) -> Array:
        """Return the path of a centre of mass, (K, 3); that of a bending body moves in it."""
        return self._central(body).position

    def com_velocity(self, body: str) -> Array:
        """Return the velocity of a centre of mass, (K, 3)."""
        return self._central(body).velocity

    def com_acceleration(self, body: str) -> Array:
        """Return the acceleration of a centre of mass, (K, 3)."""
        return self._central(body).acceleration

    def modal(self, body: str) -> Array:
        """Return the modal coordinates of a body, (K, m), one part after the other."""
        return self._modal(body, 0)

    def modal_rate(self, body: str) -> Array:
        """Return the rates of the modal coordinates of a body, (K, m)."""
        return self._modal(body, 1)

    def modal_second_rate(self, body: str) -> Array:
        """Return the second derivatives of the modal coordinates of a body, (K, m)."""
        return self._modal(body, 2)

    def _modal(self, body: str, level: int) -> Array:
        rows = [self._compiled.tables.link[i] for i in self._parts(body)]
        every = [j for row in rows for j in range(row["modal"], row["modal"] + row["modes"])]
        return self._sampled.q[:, every, level]

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


def _rigid_place(x: Array) -> Shapes:
    """Return a place of a rigid link."""
    none = np.zeros((1, 3, 0))
    return Shapes(x[None], none, none, np.zeros((1, 0, 0)))


def _mean(link: LinkNumbers) -> tuple[float, Shapes]:
    """Return the mass of a link, and its centre with the shapes by which that moves."""
    at, m = link.stations, link.station_mass
    mass = link.mass + float(m.sum())
    unit = mass or 1.0
    x = (link.moment + m @ at.x) / unit
    delta, short = np.einsum("s,scj->cj", m, at.delta) / unit, np.einsum("s,sjk->jk", m, at.short) / unit
    return mass, Shapes(x[None], delta[None], np.zeros_like(delta)[None], short[None])


def _turn(theta: Array) -> Array:
    """Return the rotations exp(theta~) of vectors (K, 3), (K, 3, 3)."""
    angle = np.linalg.norm(theta, axis=1)
    e = np.concatenate([np.cos(0.5 * angle)[:, None], 0.5 * theta * np.sinc(angle / (2.0 * np.pi))[:, None]], axis=1)
    w, x, y, z = e.T
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))
