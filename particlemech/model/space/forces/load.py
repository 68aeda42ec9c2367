"""Load: a force on a point of a body."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from particlemech.model.applied import Array, vectors
from particlemech.model.primitives import GROUND, Looks, Part, Push
from particlemech.model.signals import SignalSpec, course, signal_vector3
from particlemech.model.space.forces.base import ForceSpec
from particlemech.model.spec import Vector3, choice, key, name, place3

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Load(ForceSpec):
    """A force on a point of a body."""

    reported = vectors(3, force="f", place="p")
    body: str = key(name, "the body it acts on")
    point: str | Vector3 | None = key(
        place3, "a point of the body, or three numbers, in the drawing, fixed on it; default: centre of mass", None
    )
    force: tuple[SignalSpec, SignalSpec, SignalSpec] = key(signal_vector3, "force")
    frame: str = key(choice("global", "body"), "axes of the force: global, or turning with the body", "global")

    def check(self, mechanism: Mechanism) -> None:
        """Check body and point."""
        mechanism.moving_body(self.body)
        mechanism.place_on(self.point, self.body)

    def exerted(self, seen: Any) -> tuple[Array, Array]:
        """Return force and the place where it acts, global axes."""
        force = course(self.force, seen.t)
        at = seen.mechanism.place(self.point, self.body)
        return (seen.turned(self.body, force, at) if self.frame == "body" else force), seen.place_on(self.body, at)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow."""
        axes = self.body if self.frame == "body" else GROUND
        return (Push(part, self.body, mechanism.place(self.point, self.body), partial(course, self.force), axes=axes),)
