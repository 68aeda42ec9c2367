"""Chain: a flexible manipulator as numbers, sub-links and all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from particlemech import rotations
from particlemech.flexible import curves, shapes
from particlemech.flexible.forces.base import OnLink
from particlemech.flexible.forms import curve
from particlemech.flexible.links import (
    LOCKED,
    REVOLUTE,
    BaseNumbers,
    Chain,
    JointNumbers,
    LinkNumbers,
    LoadNumbers,
    PointNumbers,
    Shapes,
)
from particlemech.flexible.mechanism import GEOMETRIES, MOTIONS, Mechanism
from particlemech.flexible.parts import BASE, NOTHING
from particlemech.flexible.shapes import Field
from particlemech.flexible.stations import about_origin
from particlemech.system import Array

ON_BASE = -1


def chain(mechanism: Mechanism) -> Chain:
    """Return a manipulator as numbers."""
    links: list[LinkNumbers] = []
    joints: list[JointNumbers] = []
    first: dict[str, int] = {}
    for name, parts in mechanism.numbers.items():
        first[name] = len(links)
        joints += [_joint(mechanism, name), *(WELD for _ in parts[1:])]
        links += _started(mechanism, name, parts)
    where = _Where(mechanism, first)
    return Chain(
        base=_base(mechanism),
        links=tuple(links),
        joints=tuple(joints),
        loads=tuple(load for name in mechanism.forces for load in where.loads(name)),
        points=tuple(where.point(name) for name in mechanism.points),
        gravity=np.array(mechanism.gravity),
    )


def _base(mechanism: Mechanism) -> BaseNumbers:
    base, start = mechanism.base, mechanism.initial
    position = np.array((*start.position.get(BASE, NOTHING), 0.0, 0.0, 0.0)[:6])
    return BaseNumbers(
        name=BASE,
        state=MOTIONS[base.motion],
        mass=base.mass,
        moment=base.mass * np.array(base.com),
        inertia=about_origin(base.mass, base.com, base.inertia, base.inertia_about),
        end=np.array(base.end),
        alpha=base.alpha,
        place=position[:3],
        turn=rotations.matrix(position[3:]),
        velocity=np.array(start.rate.get(BASE, NOTHING)),
        omega=np.array(start.omega.get(BASE, NOTHING)),
    )


WELD = JointNumbers(
    name="",
    does=REVOLUTE,
    state=LOCKED,
    theta=0.0,
    flexible=False,
    stiffness=0.0,
    damping=0.0,
    rotor=0.0,
    position=0.0,
    rate=0.0,
    deflection=0.0,
    deflection_rate=0.0,
    driver="",
    motion=None,
    efforts=(),
    motors=(),
    controllers=(),
)  # between two sub-links


def _joint(mechanism: Mechanism, link: str) -> JointNumbers:
    """Return the joint that carries a link."""
    name = mechanism.carried[link]
    joint = mechanism.joints[name]
    driver = mechanism.driven.get(name, "")
    position, rate = mechanism.start(name)
    acting = [(n, on) for n, force in mechanism.forces.items() if (on := force.on_joint()) and on.joint == name]
    return JointNumbers(
        name=name,
        does=joint.does,
        state=mechanism.state(name),
        theta=joint.theta,
        flexible=joint.flexible,
        stiffness=joint.stiffness or 0.0,
        damping=joint.damping,
        rotor=joint.rotor,
        position=position,
        rate=rate,
        deflection=mechanism.initial.deflection.get(name, 0.0),
        deflection_rate=mechanism.initial.deflection_rate.get(name, 0.0),
        driver=driver,
        motion=mechanism.drivers[driver].motion if driver else None,
        efforts=tuple(on.effort for _, on in acting if on.effort is not None),
        motors=tuple(n for n, on in acting if on.effort is not None),
        controllers=tuple((n, on.function) for n, on in acting if on.function is not None),
    )


def _started(mechanism: Mechanism, name: str, parts: tuple[LinkNumbers, ...]) -> list[LinkNumbers]:
    """Return the parts of a link with their start."""
    m, start = parts[0].m, mechanism.initial
    every = (0.0,) * (m * len(parts))
    q = np.array(start.modes.get(name, every)).reshape(len(parts), m)
    q_dot = np.array(start.mode_rates.get(name, every)).reshape(len(parts), m)
    return [replace(one, q=q[k], q_dot=q_dot[k]) for k, one in enumerate(parts)]


class _Where:
    """Places by name to numbers."""

    def __init__(self, mechanism: Mechanism, first: dict[str, int]) -> None:
        self.mechanism, self.first = mechanism, first
        consistent = GEOMETRIES[mechanism.geometry]
        self.fields = {n: shapes.field(link, consistent, mechanism.stiffening) for n, link in mechanism.links.items()}

    def point(self, name: str) -> PointNumbers:
        """Return a named point."""
        point = self.mechanism.points[name]
        return PointNumbers(name, *self._on(point.link, self.mechanism.place(point.link, point.at)))

    def loads(self, name: str) -> list[LoadNumbers]:
        """Return what a force does to links: one load, or one for each sub-link along which it is spread."""
        on = self.mechanism.forces[name].on_link(self.mechanism)
        if on is None:
            return []
        if on.at is None:
            return self._spread(name, on)
        link, at = self._on(on.link, on.at)
        return [LoadNumbers(name, link, at, np.ones(1), on.force, on.moment, on.follows)]

    def _on(self, link: str, at: tuple[float, float, float]) -> tuple[int, Shapes]:
        """Return the number of the link, or sub-link, that holds a place, and the shapes there."""
        place = np.array(at)
        if link == BASE:
            nothing = np.zeros((1, 3, 0))
            return ON_BASE, Shapes(place[None], nothing, nothing, np.zeros((1, 0, 0)))
        field, n = self.fields[link], self.mechanism.links[link].sublinks
        k = 0
        if n > 1:  # a place between two parts is at the end of the first
            k = min(max(int(np.ceil(place @ field.along / field.length - 1e-9)) - 1, 0), n - 1)
        return self.first[link] + k, field.places((place - k * field.length * field.along)[None])

    def _spread(self, name: str, on: OnLink) -> list[LoadNumbers]:
        """Return a load along a link, as loads at the points of a Gauss rule on each sub-link."""
        field, n = self.fields[on.link], self.mechanism.links[on.link].sublinks
        result = []
        for k in range(n):
            x, weight = _quadrature(field, curve(on.spread).part(k / n, (k + 1) / n))
            load = LoadNumbers(name, self.first[on.link] + k, field.places(x), weight, on.force, on.moment, on.follows)
            result.append(load)
        return result


def _quadrature(field: Field, weight: curves.Curve) -> tuple[Array, Array]:
    """Return places (n, 3) and weights (n,) that integrate a load against every shape, and foreshortening, exactly."""
    degree = weight.degree + max(1, *(2 * c.degree for c in field.curves), 0)
    xi, w = curves.gauss(curves.together((*field.curves, weight)), degree)
    return np.outer(xi, field.length * field.along), field.length * w * weight(xi)
