"""Where the joints of a mechanism rub: the numbers of the law of friction.py, place by place, as engines compute."""

from __future__ import annotations

from math import exp, tanh
from typing import Any, NamedTuple

import numpy as np

from particlemech._tape import sqrt
from particlemech.model.actions import to_come
from particlemech.model.freedom import Freedom
from particlemech.model.friction import SHARPER
from particlemech.model.mechanism import Mechanism, size
from particlemech.model.signals import values

PIN, DIFFERENCE = -1.0, -2.0  # `half` of Rubbing
SMOOTH = 1e-3  # of the mechanism's speeds: v_s
LOOKS = 64  # instants at which the rates of drivers are looked at


class Rubbing(NamedTuple):
    """One place where two bodies rub: numbers of (1) to (3)."""

    joint: str
    of: Freedom  # its coordinate, of the second body against the first
    arm: float  # h of (1)
    mu: float
    more: float  # mu_static - mu
    over_stribeck: float  # 1/v_t, 0 without
    over_velocity: float  # 1/v_s
    half: float  # 2/length of a slide, 0 without; -1 of a pin, whose load is a vector; -2 of a difference
    viscous: float  # b
    link: str  # second body of the link whose rows are its load
    sense: float = 0.0  # +-1: of the slip of a joint that sticks, with no smoothing
    rows: tuple[int, ...] = ()  # which of all rows of the joint are its load, where not those of its link
    rod: float = 0.0  # 1/length of a massless rod whose first pin this is; minus that: the second, which comes next
    hold: float = 0.0  # mu_static of a joint that sticks, or its mu
    rests: bool = False  # a joint that sticks does

    @property
    def dry(self) -> bool:
        """Whether it depends on the load."""
        return self.mu + self.more > 0.0

    @property
    def place(self) -> tuple[str, Freedom]:
        """What tells it from others."""
        return self.joint, self.of

    @property
    def name(self) -> str:
        """The coordinate."""
        return self.of.name

    @property
    def turn(self) -> bool:
        """Whether its coordinate is an angle."""
        return self.of.turn

    def bears(self, mechanism: Mechanism) -> bool:
        """Whether it carries a load of its joint that what rests would change: contacts may open, teeth have theirs."""
        joint = mechanism.joints[self.joint]
        return not joint.sides(mechanism) and {self.of.first, self.of.second} <= {*joint.bodies}

    def coefficient(self, v: float) -> float:
        """Return mu(v), (2)."""
        return self.mu + self.more * exp(-((v * self.over_stribeck) ** 2))

    def grip(self, v: float) -> float:
        """Return mu(v) tanh(v/v_s), (1) of a unit load."""
        return self.coefficient(v) * tanh(v * self.over_velocity)

    def norm(self, parts: Any) -> Any:
        """Return the load of its two parts, (2, ...): of a vector, or across and about a guide, (3)."""
        x, y = parts
        return np.hypot(x, y) if self.pin else np.maximum(np.abs(x), self.half * np.abs(y))

    @property
    def eased(self) -> str:
        """What makes its friction less, in words."""
        if self.rod:
            return "a smaller mu or radius, or a longer rod"
        if self.half > 0.0:
            return "a smaller mu or a longer guide, or push closer to its line"
        return "a smaller mu or radius" if self.pin else "a smaller mu"

    @property
    def pin(self) -> bool:
        """Whether its load is the length of a vector."""
        return self.half == PIN


def rubbing(mechanism: Mechanism) -> tuple[Rubbing, ...]:
    """Return all places of friction of a mechanism, in the order of its joints."""
    found: list[Rubbing] = []
    every = [(name, joint, of) for name, joint in mechanism.joints.items() if (of := joint.rubbed) is not None]
    if not every:
        return ()
    usual = SMOOTH * pace(mechanism) if any(of.velocity is None for _, _, of in every) else 0.0
    for name, joint, of in every:
        sharp = usual if of.stribeck is None else min(usual, SHARPER * of.stribeck)
        more = 0.0 if of.mu_static is None or of.stribeck is None else of.mu_static - of.mu
        over = 0.0 if of.stribeck is None else 1.0 / of.stribeck
        # what sticks or slips has no smoothing: at rest a lock holds it, and (1) gives nothing
        numbers = of.mu, more, over, 1.0 / (of.velocity or sharp) if of.sense is None else 0.0
        size = PIN if joint.rubs_at == "radius" else 2.0 / of.length if of.length else 0.0
        at_rest = (of.mu_static or of.mu) if of.sticking else 0.0, of.sense == 0.0
        for freedom, arm, link, rows in joint.rubs(mechanism):
            sign = 0.0 if freedom.line is None else 1.0 if freedom.against == freedom.first else -1.0
            half, sense = DIFFERENCE if len(rows) == 2 else size, of.sense or 0.0
            rod = sign / freedom.apart
            found.append(Rubbing(name, freedom, arm, *numbers, half, of.viscous, link, sense, rows, rod, *at_rest))
    return tuple(found)


def pace(mechanism: Mechanism) -> float:
    """Return the speed of a mechanism as far as its description tells, L/s where it tells nothing.

    The largest of what falls by its size, starts, is driven, or is pushed over its size by applied forces.
    """
    L, duration = size(mechanism), mechanism.run.duration
    gx, gy = mechanism.gravity
    speeds = [sqrt(sqrt(gx * gx + gy * gy) * L)]
    speeds += [abs(omega) * L for omega in mechanism.initial.omega.values()]
    speeds += [sqrt(vx * vx + vy * vy) for vx, vy in mechanism.initial.velocity.values()]
    speeds += [abs(rate) * (L if of.turn else 1.0) for _, of, rate in mechanism.initially("rate")]
    for driver in to_come(mechanism, "drivers"):
        turn = driver.turns(mechanism)
        rates = [abs(values(driver.motion, duration * k / LOOKS)[1]) for k in range(LOOKS + 1)]
        speeds.append(max(rates) * (L if turn else 1.0))
    mass = sum(body.mass or 0.0 for body in mechanism.bodies.values())
    pushes = [force.largest(duration, L) for force in to_come(mechanism, "forces")]
    if mass > 0.0:
        speeds += [sqrt(abs(push) * L / mass) for push in pushes]
    return max(speeds) or L
