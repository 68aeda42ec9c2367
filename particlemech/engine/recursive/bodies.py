"""The bodies of a mechanism in space at K samples, by name: how they lie, how any place of them moves, how they bend.

Vectors are in global axes. The axes of a bending body are those where it is carried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from particlemech import rotations
from particlemech.engine.bending.links import LinkNumbers, Shapes
from particlemech.engine.bending.spots import located
from particlemech.engine.recursive.compiled import Compiled
from particlemech.engine.recursive.tables import SampledMotion
from particlemech.engine.recursive.ties.deflections import DEFLECTION
from particlemech.engine.space_motion import MotionInSpace
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.space.joints import JointSpec
from particlemech.model.space.mechanism import Mechanism


class Moving(NamedTuple):
    """How a place moves, (K, 3) each."""

    position: Array
    velocity: Array
    acceleration: Array


def mean(link: LinkNumbers) -> tuple[float, Shapes]:
    """Return the mass of a part, and its centre with the shapes by which that moves."""
    at, m = link.stations, link.station_mass
    total = link.mass + float(m.sum())
    over = 1.0 / (total or 1.0)
    x = over * (link.moment + m @ at.x)
    delta, short = over * np.einsum("s,scj->cj", m, at.delta), over * np.einsum("s,sjk->jk", m, at.short)
    return total, Shapes(x[None], delta[None], np.zeros_like(delta)[None], short[None])


def stations(link: LinkNumbers) -> Iterator[tuple[float, Array, Shapes]]:
    """Give mass, rotary inertia and shapes of what a part is made of: its stations and its rigid remainder."""
    at = link.stations
    for k, mass in enumerate(link.station_mass):
        yield (
            float(mass),
            link.station_inertia[k],
            Shapes(at.x[k : k + 1], at.delta[k : k + 1], at.psi[k : k + 1], at.short[k : k + 1]),
        )
    still = np.zeros((1, 3, link.m))
    if link.mass or np.any(link.inertia) or np.any(link.moment):
        # about O: as a mass at its centre where it has one
        centre = link.moment / link.mass if link.mass else np.zeros(3)
        cross = np.array([[0, -centre[2], centre[1]], [centre[2], 0, -centre[0]], [-centre[1], centre[0], 0]])
        yield (
            link.mass,
            link.inertia - link.mass * cross.T @ cross,
            Shapes(centre[None], still, still, np.zeros((1, link.m, link.m))),
        )


class Bodies(MotionInSpace):
    """The motion of bodies by name; K is the number of samples."""

    t: Array  # (K,) s
    mechanism: Mechanism
    _compiled: Compiled
    _sampled: SampledMotion
    _again: Callable[..., Any]

    def __init__(self, compiled: Compiled, record: SampledMotion, again: Callable[..., Any]) -> None:
        self._compiled, self._sampled, self._again = compiled, record, again  # `again` shows other states
        self.mechanism = compiled.mechanism
        self.t = record.t

    # -- names -------------------------------------------------------------------------------------------------

    def _body(self, name: str) -> int:
        self._check_body(name)
        return self._compiled.topology.number(name)

    def _known(self, joint: str) -> JointSpec:
        """Return a joint between bodies, after a check that it is there, or was."""
        spec: JointSpec = super()._known(joint)
        if not spec.bodies:
            what, ask = ("stop", "force") if spec.pushes(self.mechanism) else ("coupling", "effort")
            raise ModelError(f'joint "{joint}" is a {what} and holds no body; ask for {ask}("{joint}")')
        return spec

    def _ends(self, joint: str) -> tuple[int, int]:
        """Return the numbers of the frames of the first and the second body at a joint; no copies."""
        place = self._known(joint).place(self.mechanism)
        first, second = (self._compiled.topology.spot(body, place) for body in self._known(joint).bodies)
        return first, second

    def _child(self, joint: str) -> int:
        """Return the number of the frame that a joint carries; -1 where its own rows tie two bodies together."""
        self._known(joint)
        return self._compiled.topology.carried.get(joint, -1)

    def _carries(self, joint: str) -> str:
        """Return the body that a joint carries, or a copy of it; the second where it carries none."""
        topology, child = self._compiled.topology, self._child(joint)
        if child < 0:
            return self._known(joint).second
        return topology.frames[child - 1].body

    def _stages(self, joint: str, coordinate: str | None) -> list[int]:
        """Return the stages of a joint, or of one coordinate of it."""
        every = {self._compiled.coordinates[e].name: e for e in self._compiled.stages_of[joint]}
        if coordinate is None:
            return [every[name] for name in self.mechanism.joints[joint].coordinate_names]
        return [every[self.mechanism.coordinate(joint, coordinate)]]

    # -- bodies and points -------------------------------------------------------------------------------------

    def orientation(self, body: str) -> Array:
        """Return the shifter S0K of a body, (K, 3, 3): global components of its axes in the columns."""
        return self._sampled.S[:, self._body(body)].reshape(-1, 3, 3)

    def omega(self, body: str) -> Array:
        """Return the angular velocity of a body, (K, 3), rad/s."""
        return self._sampled.omega[:, self._body(body)]

    def alpha(self, body: str) -> Array:
        """Return the angular acceleration of a body, (K, 3), rad/s^2."""
        return self._sampled.a[:, self._body(body), :3]

    def _side(self, joint: str, side: int, level: int) -> Array:
        """Return how the frame of a body at a joint stands (0), turns (1) and turns faster (2)."""
        i, record = self._ends(joint)[side], self._sampled
        return (record.S[:, i].reshape(-1, 3, 3), record.omega[:, i], record.a[:, i, :3])[level]

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

    # -- places of bodies, which may bend -----------------------------------------------------------------------

    def _bends(self, body: str) -> bool:
        return body != GROUND and self.mechanism.bodies[body].bends

    def _bent(self, i: int, at: Shapes) -> Moving:
        """Return how a place of part i with shapes (n = 1) moves: bending.py (1) to (3)."""
        record, b, link = self._sampled, self._compiled.tables.body[i], self._compiled.topology.frames[i - 1].link
        assert link is not None
        O, v, a = record.O[:, i], record.v[:, i], record.a[:, i, 3:] + np.array(self.mechanism.gravity)
        omega, alpha, R = record.omega[:, i], record.a[:, i, :3], record.S[:, i].reshape(-1, 3, 3)
        q, q_dot, q_ddot = (record.x[:, b["mode"] : b["mode"] + b["modes"], level] for level in range(3))
        delta, S, e = at.delta[0].T, at.short[0], link.along
        r = at.x[0] + q @ delta - 0.5 * np.outer(np.sum((q @ S) * q, axis=1), e)
        r_dot = q_dot @ delta - np.outer(np.sum((q @ S) * q_dot, axis=1), e)
        r_ddot = q_ddot @ delta - np.outer(np.sum((q @ S) * q_ddot + (q_dot @ S) * q_dot, axis=1), e)
        r, r_dot, r_ddot = (np.einsum("kij,kj->ki", R, of) for of in (r, r_dot, r_ddot))
        turning = np.cross(omega, np.cross(omega, r) + 2.0 * r_dot)
        return Moving(O + r, v + np.cross(omega, r) + r_dot, a + np.cross(alpha, r) + turning + r_ddot)

    def _placed(self, body: str, drawn: Sequence[float], level: int) -> Array:
        """Return a place of a body, given as drawn, its velocity or its acceleration, (K, 3)."""
        if self._bends(body):
            k, shapes = located(self.mechanism, body, drawn)
            return self._bent(self._compiled.topology.parts(body)[k], shapes)[level]
        i = self._compiled.topology.number(body)
        return (self._position, self._velocity, self._acceleration)[level](i, np.array(drawn))

    def _section(self, body: str, drawn: Sequence[float] | None) -> Array:
        """Return the axes of the section at a place of a body, (K, 3, 3)."""
        if drawn is None:
            return self.orientation(body)
        if not self._bends(body):
            return self._sampled.S[:, self._compiled.topology.number(body)].reshape(-1, 3, 3)
        k, shapes = located(self.mechanism, body, drawn)
        i = self._compiled.topology.parts(body)[k]
        b = self._compiled.tables.body[i]
        q = self._sampled.x[:, b["mode"] : b["mode"] + b["modes"], 0]
        return self._sampled.S[:, i].reshape(-1, 3, 3) @ rotations.exponential(q @ shapes.psi[0].T)

    def _centre(self, body: str, level: int) -> Array:
        """Return the centre of mass of a body, its velocity or its acceleration, (K, 3); it moves in one that bends."""
        self._body(body)
        if not self._bends(body):
            return self._placed(body, self.mechanism.centre(body), level)
        found, total = np.zeros((len(self.t), 3)), 0.0
        for i in self._compiled.topology.parts(body):
            link = self._compiled.topology.frames[i - 1].link
            assert link is not None
            mass, at = mean(link)
            found, total = found + mass * self._bent(i, at)[level], total + mass
        return found / total if total else self._placed(body, self.mechanism.centre(body), level)

    def place(self, joint: str) -> Array:
        """Return the path of the point of a joint, on its second body, (K, 3)."""
        drawn = np.array(self._known(joint).place(self.mechanism))
        return self._position(self._ends(joint)[1], drawn)

    # -- deflections -------------------------------------------------------------------------------------------

    def modes(self, body: str) -> tuple[str, ...]:
        """Return the names of the modal coordinates of a body, one part after the other."""
        self._body(body)
        return tuple(self._compiled.coordinates[e].name for e in self._compiled.modes_of.get(body, ()))

    def _modal(self, body: str, level: int) -> Array:
        self._body(body)
        return self._sampled.x[:, list(self._compiled.modes_of.get(body, ())), level]

    def modal(self, body: str) -> Array:
        """Return the modal coordinates of a body, (K, m), one part after the other."""
        return self._modal(body, 0)

    def modal_rate(self, body: str) -> Array:
        """Return the rates of the modal coordinates of a body, (K, m)."""
        return self._modal(body, 1)

    def modal_second_rate(self, body: str) -> Array:
        """Return the second derivatives of the modal coordinates of a body, (K, m)."""
        return self._modal(body, 2)

    def _deflection(self, joint: str, level: int) -> Array:
        self._known(joint)
        stages = self._compiled.stages_of.get(joint, ())
        found = [e for e in stages if self._compiled.coordinates[e].name == DEFLECTION]
        return self._sampled.x[:, found[0], level] if found else np.zeros(len(self.t))

    def deflection(self, joint: str) -> Array:
        """Return the deflection of the drive of a joint, (K,); zero where it has none."""
        return self._deflection(joint, 0)

    def deflection_rate(self, joint: str) -> Array:
        """Return the rate of the deflection of the drive of a joint, (K,)."""
        return self._deflection(joint, 1)

    @cached_property
    def _undeflected(self) -> Any:
        """The same coordinates of joints with all deflections, of bodies and of drives, zero; places only."""
        c, y = self._compiled, self._sampled.y.copy()
        for e, coordinate in enumerate(c.coordinates):
            if coordinate.deflects:
                y[:, c.tables.stage[e]["q"]] = 0.0
        return self._again(self.t, y, np.zeros((len(self.t), len(c.coordinates))), told=False)

    def rigid(self, point: str) -> Array:
        """Return where a point would be with the same coordinates of joints and no deflection, (K, 3)."""
        return self._undeflected[point]

    def elastic(self, point: str) -> Array:
        """Return the elastic part of the position of a point, (K, 3)."""
        return self[point] - self.rigid(point)

    def _turning_of(self, point: str) -> tuple[int, Array, Array, Array]:
        """Return the part that a point is on, and rotation vector of its section with its rates, (K, 3) each."""
        body, drawn = self._point(point)
        i = self._compiled.topology.number(body)
        none = np.zeros((len(self.t), 3))
        if not self._bends(body):
            return i, none, none, none
        k, shapes = located(self.mechanism, body, drawn)
        i = self._compiled.topology.parts(body)[k]
        b = self._compiled.tables.body[i]
        x = self._sampled.x[:, b["mode"] : b["mode"] + b["modes"]]
        theta, rate, second = (x[:, :, level] @ shapes.psi[0].T for level in range(3))
        return i, theta, rate, second

    def section_omega(self, point: str) -> Array:
        """Return the angular velocity of the section at a point, (K, 3)."""
        i, theta, rate, _ = self._turning_of(point)
        R = self._sampled.S[:, i].reshape(-1, 3, 3)
        return self._sampled.omega[:, i] + np.einsum("kij,kj->ki", R, rotations.spin(theta, rate))

    def section_alpha(self, point: str) -> Array:
        """Return the angular acceleration of the section at a point, (K, 3)."""
        i, theta, rate, second = self._turning_of(point)
        R, omega = self._sampled.S[:, i].reshape(-1, 3, 3), self._sampled.omega[:, i]
        w = np.einsum("kij,kj->ki", R, rotations.spin(theta, rate))
        gained = np.einsum("kij,kj->ki", R, rotations.spin_rate(theta, rate, second))
        return self._sampled.a[:, i, :3] + np.cross(omega, w) + gained

    def section(self, point: str) -> Array:
        """Return the axes of the section at a point in the columns, (K, 3, 3): those of its body, turned by bending."""
        body, drawn = self._point(point)
        if body == GROUND:
            raise ModelError(f'point "{point}" is fixed to ground and on no section; name one of a body')
        return self._section(body, drawn)
