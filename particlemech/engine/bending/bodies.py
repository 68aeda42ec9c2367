"""The bodies of a chain at K samples, by name: how they lie, and how any place of them moves; vectors in global axes.

The axes of a bending body are those where it is carried. A place x of a link, links.py (3), moves by

    r = x + delta q - e (q.S q)/2,   r' = delta q' - e (q.S q'),   r'' = delta q'' - e (q.S q'' + q'.S q')           (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from particlemech import rotations
from particlemech.engine.bending.compiled import Compiled
from particlemech.engine.bending.links import LinkNumbers, Shapes
from particlemech.engine.bending.tables import SampledMotion
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import GROUND


class Moving(NamedTuple):
    """How a place moves, (K, 3) each."""

    position: Array
    velocity: Array
    acceleration: Array


class Bodies:
    """The motion of bodies by name; K is the number of samples."""

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
