"""Load: a force and a moment at a place of a link."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from particlemech._spec import Vector3, choice, key, name, place3
from particlemech.applied import Array, vectors
from particlemech.flexible.forces.base import ZERO, ForceSpec, OnLink, Signals3
from particlemech.primitives import GROUND, Looks, Part, Push, Turn
from particlemech.signals import course, signal_vector3

if TYPE_CHECKING:
    from particlemech.flexible.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Load(ForceSpec):
    """A force and a moment at a place of a link."""

    told = vectors(3, force="f", moment="m")
    link: str = key(name, 'the link it acts on, or "base"')
    point: str | Vector3 | None = key(
        place3, "a point of the link, or a place in its axes, undeflected; default: its end", None
    )
    force: Signals3 = key(signal_vector3, "force", ZERO)
    moment: Signals3 = key(signal_vector3, "moment, besides that of the force", ZERO)
    frame: str = key(choice("global", "link"), "axes of both: global, or following the section of the link", "global")

    def check(self, mechanism: Mechanism) -> None:
        """Check link and point."""
        mechanism.place(self.link, self.point)

    def on_link(self, mechanism: Mechanism) -> OnLink:
        """Return it, at its place."""
        at = mechanism.place(self.link, self.point)
        return OnLink(self.link, at, (1.0,), self.force, self.moment, self.frame == "link")

    def exerted(self, seen: Any) -> tuple[Array, Array]:
        """Return force and moment in the axes that `frame` names."""
        return course(self.force, seen.t), course(self.moment, seen.t)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow for the force, or a turning one for a moment alone."""
        at = mechanism.place(self.link, self.point)
        axes = self.link if self.frame == "link" else GROUND
        if self.force != ZERO:
            return (Push(part, self.link, at, partial(course, self.force), axes=axes),)
        return (Turn(part, self.link, at, partial(course, self.moment), axes=axes),)
