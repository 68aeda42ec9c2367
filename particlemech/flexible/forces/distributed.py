"""Distributed: a force and a moment per length along a link."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from particlemech._spec import choice, key, name
from particlemech.errors import ModelError
from particlemech.flexible.forces.base import ZERO, ForceSpec, OnLink, Signals3
from particlemech.flexible.forms import Profile, profile
from particlemech.primitives import GROUND, Looks, Part, Push
from particlemech.signals import course, signal_vector3

if TYPE_CHECKING:
    from particlemech.flexible.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Distributed(ForceSpec):
    """A force and a moment per length, spread along a link."""

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

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow per length in the middle of the link."""
        x, y, z = mechanism.links[self.link].end
        axes = self.link if self.frame == "link" else GROUND
        return (Push(part, self.link, (0.5 * x, 0.5 * y, 0.5 * z), partial(course, self.force), axes=axes),)
