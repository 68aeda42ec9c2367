"""Revolute: the link turns about the z of the joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech._spec import key, name, not_negative, number, positive
from particlemech.flexible import links
from particlemech.flexible.forms import truth
from particlemech.flexible.joints.base import DAMPING, LINK, LOCKED, ORIGIN, ROTOR, STIFFNESS, THETA, JointSpec, Z
from particlemech.primitives import Course, Looks, Part, Pin, TorsionSpring, Turn

if TYPE_CHECKING:
    from particlemech.flexible.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Revolute(JointSpec):
    """The link turns about z; coordinate "angle"."""

    does = links.REVOLUTE
    coordinate = "angle"
    link: str = key(name, LINK)
    theta: float = key(number, THETA, 0.0)
    locked: bool = key(truth, LOCKED, False)
    stiffness: float | None = key(positive, f"moment per rad, {STIFFNESS}", None)
    damping: float = key(not_negative, f"moment per rad/s, {DAMPING}", 0.0)
    rotor: float = key(not_negative, f"inertia, mass length^2, {ROTOR}", 0.0)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the pin, with a spiral where the drive is flexible."""
        pin = Pin(part, self.link, ORIGIN, Z)
        return (pin, TorsionSpring(part, (self.link, self.link), ORIGIN, Z)) if self.flexible else (pin,)

    def acted(self, part: Part, value: Course | None) -> Looks:
        """Return a turning arrow."""
        return (Turn(part, self.link, ORIGIN, value, Z, self.link),)
