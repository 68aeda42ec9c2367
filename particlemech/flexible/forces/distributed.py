"""Distributed: a force and a moment per length along a link."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech._spec import choice, key, name
from particlemech.applied import Array, vectors
from particlemech.errors import ModelError
from particlemech.flexible.curves import Curve
from particlemech.flexible.forces.base import ZERO, ForceSpec, OnLink, Signals3
from particlemech.flexible.forms import Profile, curve, profile
from particlemech.primitives import GROUND, Looks, Part, Push
from particlemech.signals import course, signal_vector3

if TYPE_CHECKING:
    from particlemech.flexible.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Distributed(ForceSpec):
    """A force and a moment per length, spread along a link."""

    told = vectors(3, force="f", moment="m")
    link: str = key(name, "the link it acts on")
    force: Signals3 = key(signal_vector3, "force per length", ZERO)
    moment: Signals3 = key(signal_vector3, "moment per length", ZERO)
    spread: Profile = key(profile, "factor of both along the link", (1.0,))
    frame: str = key(choice("global", "link"), "axes of both: global, or following the sections of the link", "global")

    def check(self, mechanism: Mechanism) -> None:
        """Check that the link has a length."""
        mechanism.known_link(self.link)
        if self.link not in mechanism.links or mechanism.links[self.link].length == 0.0:
            raise ModelError(f'link "{self.link}" has no length to spread a load along; use "load"')

    def on_link(self, mechanism: Mechanism) -> OnLink:
        """Return it, along its link."""
        return OnLink(self.link, None, self.spread, self.force, self.moment, self.frame == "link")

    def exerted(self, seen: Any) -> tuple[Array, Array]:
        """Return force and moment in the axes that `frame` names."""
        return course(self.force, seen.t), course(self.moment, seen.t)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the resultant force as an arrow, where it would act if it were alone."""
        link, spread = mechanism.links[self.link], curve(self.spread)
        total, moment = _whole(spread), _whole(spread * curve((0.0, 1.0)))
        xi = moment / total if total != 0.0 and 0.0 <= moment / total <= 1.0 else 0.5
        at, axes = tuple(xi * c for c in link.end), self.link if self.frame == "link" else GROUND
        return (Push(part, self.link, at, partial(_resultant, self.force, total * link.length), axes=axes),)


def _whole(spread: Curve) -> float:
    """Return the integral of a curve over the whole link, as a fraction of its length."""
    return float(spread.integral()(np.ones(1))[0])


def _resultant(force: Signals3, length: float, t: Array) -> Array:
    """Return a force per length times a length at times (K,), (K, 3)."""
    return length * course(force, t)
