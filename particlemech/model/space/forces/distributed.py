"""Distributed: a force and a moment per length along a bending body."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.errors import ModelError
from particlemech.model.applied import Array, vectors
from particlemech.model.primitives import GROUND, Looks, Part, Push
from particlemech.model.signals import SignalSpec, course, signal_vector3
from particlemech.model.space.curves import Curve
from particlemech.model.space.forces.base import ForceSpec
from particlemech.model.space.forms import Profile, curve, profile
from particlemech.model.spec import choice, key, name

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

Signals3 = tuple[SignalSpec, SignalSpec, SignalSpec]
ZERO = signal_vector3((0.0, 0.0, 0.0))


@dataclass(frozen=True, kw_only=True)
class Distributed(ForceSpec):
    """A force and a moment per length, spread along a bending body from its first point to its second."""

    reported = vectors(3, force="f", moment="m")
    body: str = key(name, "the bending body it acts on")
    force: Signals3 = key(signal_vector3, "force per length", ZERO, dimension="force/length")
    moment: Signals3 = key(signal_vector3, "moment per length", ZERO, dimension="force")
    spread: Profile = key(profile, "factor of both along the body", (1.0,), dimension="number")
    frame: str = key(choice("global", "body"), "axes of both: global, or following the sections of the body", "global")

    def check(self, mechanism: Mechanism) -> None:
        """Check that the body bends."""
        mechanism.moving_body(self.body)
        if not mechanism.bodies[self.body].bends:
            raise ModelError(f'body "{self.body}" has no modes and does not bend; use "load" with the resultant')

    def exerted(self, seen: Any) -> tuple[Array, Array]:
        """Return force and moment per length in the axes that `frame` names."""
        return course(self.force, seen.t), course(self.moment, seen.t)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the resultant force as an arrow, where it would act if it were alone."""
        one, other = mechanism.line(self.body)
        spread = curve(self.spread)
        total, moment = _whole(spread), _whole(spread * curve((0.0, 1.0)))
        xi = moment / total if total != 0.0 and 0.0 <= moment / total <= 1.0 else 0.5
        at = tuple(a + xi * (b - a) for a, b in zip(one, other, strict=True))
        axes = self.body if self.frame == "body" else GROUND
        length = total * float(np.linalg.norm(np.subtract(other, one)))
        return (Push(part, self.body, at, partial(_resultant, self.force, length), axes=axes),)


def _whole(spread: Curve) -> float:
    """Return the integral of a curve over the whole length, as a fraction of it."""
    return float(spread.integral()(np.ones(1))[0])


def _resultant(force: Signals3, length: float, t: Array) -> Array:
    """Return a force per length times a length at times (K,), (K, 3)."""
    return length * course(force, t)
