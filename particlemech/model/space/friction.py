"""Where joints in space rub, and the numbers with which engines compute it; model/friction.py has the law.

Each surface slides along some stages of its joint, and carries a load P that depends on its form:

    axle      of a revolute, a slide, a sleeve, each axis of a cross: the force across the axis. With a `length` P is
              what the bearing carries at its two ends, |F/2 - a x M/length| + |F/2 + a x M/length|; in a plane that is
              max(|F|, 2 |M|/length). With a `collar`, the mean radius of a thrust face of a revolute, the force along
              the axis works there:  P += collar/radius |F.a|
    ball      the whole force, against the relative angular velocity
    thread    what flanks carry at the pitch radius, normal to the helix: |F_thread| sqrt(1 + (pitch/radius)^2)

A sleeve and a thread slide along a helix: their friction has one direction, against the speed of the surface, and is
not the sum of that of a slide and of a pin. A moment about the axis of a slide adds nothing to its load.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from particlemech.errors import ModelError, part
from particlemech.model.friction import LOOKS, SHARPER, SMOOTH, Friction
from particlemech.model.signals import values

if TYPE_CHECKING:
    from particlemech.model.space.joints.base import JointSpec
    from particlemech.model.space.mechanism import Mechanism

SIZES = ("radius", "length", "collar")


class Surface(NamedTuple):
    """Where a joint rubs: stages along which it slides, its form, and the stage whose axis is that of the bearing."""

    stages: tuple[str, ...]
    form: str  # "axle", "ball", "thread"
    axis: str


def check(of: Friction, joint: JointSpec) -> None:
    """Check that friction has the sizes of its joint."""
    with part('key "friction"'):
        for size in SIZES:
            if size not in joint.sizes and getattr(of, size) is not None:
                other = f"; it has {', '.join(repr(s) for s in joint.sizes)}".replace("'", '"') if joint.sizes else ""
                raise ModelError(f'key "{size}" does not belong to this kind of joint{other}; take it out')
        if "radius" in joint.sizes and of.dry and of.radius is None:
            raise ModelError('key "radius" is missing; friction of this kind of joint works at a radius: add it')


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


def rubbing(mechanism: Mechanism) -> tuple[Rubbing, ...]:
    """Return all surfaces with dry friction, in the order of the joints."""
    every = {name: joint.friction for name, joint in mechanism.joints.items() if joint.friction is not None}
    usual = SMOOTH * pace(mechanism) if any(of.velocity is None for of in every.values()) else 0.0
    found: list[Rubbing] = []
    for name, of in every.items():
        if not of.dry:
            continue
        joint, radius = mechanism.joints[name], of.radius or 1.0
        sharp = of.velocity or (usual if of.stribeck is None else min(usual, SHARPER * of.stribeck))
        pitch = getattr(joint, "pitch", None)
        ends = (of.collar or 0.0) / radius if pitch is None else math.hypot(1.0, pitch / radius)
        law = of.mu, (of.mu_static or of.mu) - of.mu, 1.0 / of.stribeck if of.stribeck else 0.0, 1.0 / sharp
        found += [Rubbing(name, at, radius, 1.0 / of.length if of.length else 0.0, ends, *law) for at in joint.surfaces]
    return tuple(found)


def pace(mechanism: Mechanism) -> float:
    """Return the speed of a mechanism as far as its description tells, L/s where it tells nothing.

    The largest of what falls by its size, starts, or is driven.
    """
    from particlemech.model.space.mechanism import extent

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
