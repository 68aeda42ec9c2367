"""Numbers of friction for engines in space; joints/surfaces.py says where joints rub, model/friction.py has the law."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlemech.model.applied import Array
from particlemech.model.friction import SHARPER
from particlemech.model.rubbing import LOOKS, SMOOTH
from particlemech.model.signals import values
from particlemech.model.space.forces import ForceSpec
from particlemech.model.space.forces.torsion import damper
from particlemech.model.space.joints.surfaces import Surface
from particlemech.model.space.mechanism import Mechanism, extent

SMALL = 1e-8  # v/v_s below which tanh(x)/x is 1


class Rubbing(NamedTuple):
    """One surface that rubs, with the numbers of its law."""

    joint: str
    surface: Surface
    radius: float
    over_length: float  # 0 without
    ends: float  # collar/radius; of a thread sqrt(1 + (pitch/radius)^2)
    mu: float
    more: float  # mu_static - mu
    over_stribeck: float  # 1/v_t, 0 without
    over_velocity: float  # 1/v_s
    viscous: float
    sense: float = 0.0  # +-1: of the slip of a joint that sticks, with no smoothing
    hold: float = 0.0  # mu_static of a joint that sticks, or its mu
    rests: bool = False  # a joint that sticks does
    pitch: float = 0.0  # of a thread
    arm: float = 1.0  # h of model/friction.py (1) of one that slides along one coordinate; else that is its slip
    turn: bool = False  # which is an angle

    @property
    def dry(self) -> bool:
        """Whether it depends on the load."""
        return self.mu + self.more > 0.0

    @property
    def eased(self) -> str:
        """What makes its friction less, in words."""
        if self.over_length > 0.0:
            return "a smaller mu or a longer guide, or push closer to its line"
        return "a smaller mu or radius" if self.radius > 0.0 else "a smaller mu"

    @property
    def place(self) -> tuple[str, tuple[str, ...]]:
        """What tells it from others."""
        return self.joint, self.surface.stages

    @property
    def name(self) -> str:
        """The coordinate of one that slides along one."""
        return self.surface.stages[-1]

    def bears(self, mechanism: Mechanism) -> bool:
        """Whether it carries a load of its joint that what rests would change."""
        return True

    def coefficient(self, v: Array | float) -> Array:
        """Return mu(v)."""
        return np.asarray(self.mu + self.more * np.exp(-((v * self.over_stribeck) ** 2)))

    def grip(self, v: float) -> float:
        """Return mu(v) tanh(v/v_s), friction of a unit load."""
        return float(self.coefficient(v)) * math.tanh(v * self.over_velocity)

    def norm(self, parts: Array) -> Array:
        """Return the load of the vectors (9, ...) that make it."""
        return np.asarray(np.linalg.norm(parts.reshape(3, 3, *parts.shape[1:]), axis=1).sum(axis=0))

    def along(self, c: Array, rate: Array, by: Array) -> tuple[Array, float]:
        """Return how a unit effort along what it slides is shared by its stages, (n,), and the rate of that.

        `c` are 1 of a travel and radius^2 of an angle, `rate` the rates of the surface along its stages, `by` those of
        the stages themselves: of a ball these are others.
        """
        if self.surface.form == "thread":  # along its angle
            return np.array([self.pitch, c[1]]) / self.arm**2, float(by[1])
        if len(c) == 1:
            return np.ones(1), float(by[0])
        v = math.sqrt(max(float(c @ (rate * by)), 0.0))
        return (c * rate / v, v) if v > 0.0 else (np.sqrt(c) * [1.0, *np.zeros(len(c) - 1)], 0.0)

    def slope(self, v: Array) -> Array:
        """Return mu(v) tanh(v/v_s)/v at speeds v >= 0."""
        x, mu = v * self.over_velocity, self.coefficient(v)
        over = np.divide(np.tanh(x), v, out=np.full_like(v, self.over_velocity), where=x > SMALL)
        return np.asarray(mu * over)


def rubbing(mechanism: Mechanism) -> tuple[Rubbing, ...]:
    """Return all surfaces that rub, in the order of the joints."""
    every = {name: joint.friction for name, joint in mechanism.joints.items() if joint.friction is not None}
    usual = SMOOTH * pace(mechanism) if any(of.velocity is None for of in every.values()) else 0.0
    found: list[Rubbing] = []
    for name, of in every.items():
        joint, radius = mechanism.joints[name], of.radius or 1.0
        sharp = of.velocity or (usual if of.stribeck is None else min(usual, SHARPER * of.stribeck))
        pitch = getattr(joint, "pitch", None)
        ends = (of.collar or 0.0) / radius if pitch is None else math.hypot(1.0, pitch / radius)
        more = (of.mu_static or of.mu) - of.mu if of.stribeck else 0.0
        # what sticks or slips has no smoothing: at rest a lock holds it
        over = 1.0 / of.stribeck if of.stribeck else 0.0, 1.0 / sharp if of.sense is None else 0.0
        at_rest = of.sense or 0.0, (of.mu_static or of.mu) if of.sticking else 0.0, of.sense == 0.0
        law = of.mu, more, *over, of.viscous, *at_rest
        turns = {stage.name: stage.turn for stage in joint.stages or ()}
        for at in joint.surfaces:
            turn = turns[at.stages[-1]] and (len(at.stages) == 1 or pitch is not None)
            arm = math.hypot(radius, pitch or 0.0) if turn else 1.0
            over_length = 1.0 / of.length if of.length else 0.0
            found.append(Rubbing(name, at, radius, over_length, ends, *law, pitch or 0.0, arm, turn))
    return tuple(found)


def pace(mechanism: Mechanism) -> float:
    """Return the speed of a mechanism as far as its description tells, L/s where it tells nothing.

    The largest of what falls by its size, starts, or is driven.
    """
    L, m, duration = extent(mechanism)[1], mechanism, mechanism.run.duration
    speeds = [math.sqrt(math.hypot(*m.gravity) * L)]
    speeds += [math.hypot(*omega) * L for omega in m.initial.omega.values()]
    speeds += [math.hypot(*velocity) for velocity in m.initial.velocity.values()]
    for joint, given in m.initial.rate.items():
        turns = {stage.name: stage.turn for stage in m.joints[joint].stages or ()}
        speeds += [abs(rate) * (L if turns.get(name) else 1.0) for name, rate in m.named(joint, given).items()]
    for driver in m.drivers.values():
        rates = [abs(values(driver.motion, duration * k / LOOKS)[1]) for k in range(LOOKS + 1)]
        speeds.append(max(rates) * (L if driver.turns(m) else 1.0))
    return float(max(speeds)) or L


def drags(mechanism: Mechanism) -> tuple[ForceSpec, ...]:
    """Return the viscous parts of the friction of all joints, as dampers of their coordinates."""
    found: list[ForceSpec] = []
    for name, joint in mechanism.joints.items():
        if joint.friction is not None and joint.friction.viscous > 0.0:
            names = (None,) if joint.spherical else joint.coordinate_names
            found += [damper(name, x, joint.friction.viscous) for x in names]
    return tuple(found)
