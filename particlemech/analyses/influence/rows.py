"""What holds a mechanism besides its tree, in influence coefficients: joints that close loops, and drivers of places.

    weld, copies      P2 - P1 = 0,    the three components of e in R1^T R2 - R2^T R1 = 2 e~ are 0            (1)
    spherical         P2 - P1 = 0                                                                            (2)
    slot              a1 x (P2 - P1) = 0                             three rows, one follows from the others (3)
    distance          |P2 - P1| = length, or that of a driver                                                (4)
    screw, coupling   x2 = c x1                                      coordinates                             (5)
    position          a.(P2 - P1) = motion                           P1, a in the ground                     (6)

With p' = J u and p'' = J u' + b of what moves, rows follow by the product rule:

    (p q)'' = (p J_q + q J_p) u' + p b_q + q b_p + 2 p' q',     |p|'' = ((p.p)''/2 - |p|'^2)/|p|              (7)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from particlemech.analyses.influence.coefficients import Frames, Moving, places, still
from particlemech.engine.recursive.topology import Cut
from particlemech.engine.system import Array
from particlemech.model.signals import values
from particlemech.model.space import drivers, joints
from particlemech.model.spec import Vector3

CYCLIC = ((1, 2), (2, 0), (0, 1))


class Quantity(NamedTuple):
    """A number or a vector that moves."""

    value: Any  # (...)
    J: Array  # (..., n)
    rate: Any  # (...)
    b: Any  # (...)

    def part(self, c: int) -> Quantity:
        """Return a component."""
        return Quantity(*(of[c] for of in self))

    def minus(self, other: Quantity) -> Quantity:
        """Return the difference to another."""
        return Quantity(*(one - two for one, two in zip(self, other, strict=True)))

    def times(self, other: Quantity) -> Quantity:
        """Return the product of two numbers, (7)."""
        p, q = self, other
        b = p.value * q.b + q.value * p.b + 2.0 * p.rate * q.rate
        return Quantity(p.value * q.value, p.value * q.J + q.value * p.J, p.value * q.rate + q.value * p.rate, b)

    def dot(self, other: Quantity) -> Quantity:
        """Return the product of two vectors."""
        every = [self.part(c).times(other.part(c)) for c in range(3)]
        return Quantity(*(sum(of) for of in zip(*every, strict=True)))

    @property
    def length(self) -> Quantity:
        """The length of a vector, (7)."""
        square = self.dot(self)
        size = np.sqrt(square.value)
        rate = 0.5 * square.rate / size
        return Quantity(size, 0.5 * square.J / size, rate, (0.5 * square.b - rate**2) / size)


class Row(NamedTuple):
    """One row, G u' + gamma = 0, and the joint or driver that it belongs to."""

    part: str
    value: float
    G: Array  # (n,)
    gamma: float


class Pose:
    """A mechanism at one instant: its places and directions."""

    def __init__(self, frames: Frames, moved: list[Moving], u: Array) -> None:
        self.frames, self.moved, self.u = frames, moved, u

    def _quantity(self, value: Array, J: Array, second: Array) -> Quantity:
        return Quantity(value, J, J @ self.u, second @ self.u @ self.u)

    def place(self, i: int, drawn: Vector3 | Array) -> Quantity:
        """Return a place of frame i, given as drawn."""
        return self._quantity(*places(self.moved[i], still(len(self.u), np.array(drawn) - self.frames.origins[i])))

    def spot(self, body: str, drawn: Vector3) -> Quantity:
        """Return a place of a body, given as drawn: that of a section, where the body bends there."""
        return self.place(self.frames.topology.spot(body, drawn), drawn)

    def axis(self, i: int, drawn: Vector3 | Array) -> Quantity:
        """Return a direction of frame i, given as drawn."""
        of = self.moved[i]
        turning = of._replace(O=np.zeros(3), v=np.zeros_like(of.v), v_k=np.zeros_like(of.v_k))
        return self._quantity(*places(turning, still(len(self.u), np.array(drawn, dtype=float))))


def _of_cut(pose: Pose, cut: Cut) -> Iterator[Quantity]:
    """Give the rows of a joint that closes a loop."""
    m, i, k = pose.frames.mechanism, cut.first, cut.second
    spec = m.joints[cut.joint]
    if isinstance(spec, joints.Distance):
        one, other = (m.place(p, b) for p, b in zip(spec.points, spec.bodies, strict=True))
        apart = pose.place(k, other).minus(pose.place(i, one)).length
        yield apart._replace(value=apart.value - spec.rod(m))  # (4)
        return
    at = spec.place(m)
    gap = pose.place(k, at).minus(pose.place(i, at))
    if isinstance(spec, joints.Slot) and not cut.copied:
        a = pose.axis(i, spec.direction)
        yield from (a.part(c).times(gap.part(d)).minus(a.part(d).times(gap.part(c))) for c, d in CYCLIC)  # (3)
        return
    yield from (gap.part(c) for c in range(3))  # (2)
    if isinstance(spec, joints.Weld) or cut.copied:
        first, second = ([pose.axis(j, axis) for axis in np.eye(3)] for j in (i, k))
        yield from (first[d].dot(second[c]).minus(first[c].dot(second[d])) for c, d in CYCLIC)  # (1)


def _of_driver(pose: Pose, spec: drivers.Distance | drivers.Position) -> Quantity:
    """Return what a driver of places prescribes, counted from the drawing."""
    m = pose.frames.mechanism
    if isinstance(spec, drivers.Distance):
        one, other = (pose.spot(*end) for end in spec.ends(m))
        apart = other.minus(one).length
        return apart._replace(value=apart.value - spec.drawn(m))  # (4)
    ((body, at),), c = spec.ends(m), "xyz".index(spec.axis)
    along = pose.spot(body, at).part(c)
    return along._replace(value=along.value - at[c])  # (6)


def every(pose: Pose, x: Array, t: float) -> list[Row]:
    """Return all rows at coordinates x (n,) of the motions."""
    frames, m, found = pose.frames, pose.frames.mechanism, list[Row]()
    unit = np.eye(frames.n)

    def tie(name: str, leads: int, follows: int, ratio: float) -> None:
        value = float(x[follows] - ratio * x[leads])
        found.append(Row(name, value, unit[follows] - ratio * unit[leads], 0.0))  # (5)

    for cut in frames.topology.cuts:
        found += [Row(cut.joint, float(row.value), row.J, float(row.b)) for row in _of_cut(pose, cut)]
    for name, joint in m.joints.items():
        if isinstance(joint, joints.Screw) and name in frames.topology.carried:
            tie(name, frames.motion(name, "angle"), frames.motion(name, "travel"), joint.pitch)
        elif isinstance(joint, joints.Coupling):
            leads, follows = (frames.motion(*end) for end in joint.ends(m))
            tie(name, leads, follows, joint.ratio)
    for name, driver in m.drivers.items():
        if isinstance(driver, (drivers.Distance, drivers.Position)):
            row, (value, _, second) = _of_driver(pose, driver), values(driver.motion, t)
            found.append(Row(name, float(row.value - value), row.J, float(row.b - second)))
    return found
