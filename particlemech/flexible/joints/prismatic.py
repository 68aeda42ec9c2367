"""Prismatic: the link slides along the z of the joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from particlemech._spec import key, name, not_negative, number, positive
from particlemech.flexible import links
from particlemech.flexible.forms import truth
from particlemech.flexible.joints.base import DAMPING, LINK, LOCKED, ORIGIN, ROTOR, STIFFNESS, THETA, JointSpec, Z
from particlemech.primitives import Course, Looks, Part, Push, Slider

if TYPE_CHECKING:
    from particlemech.flexible.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Prismatic(JointSpec):
    """The link slides along z; coordinate "travel"."""

    does = links.PRISMATIC
    coordinate = "travel"
    link: str = key(name, LINK)
    theta: float = key(number, THETA, 0.0)
    locked: bool = key(truth, LOCKED, False)
    stiffness: float | None = key(positive, f"force per length, {STIFFNESS}", None)
    damping: float = key(not_negative, f"force per speed, {DAMPING}", 0.0)
    rotor: float = key(not_negative, f"mass {ROTOR}", 0.0)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the block that slides."""
        return (Slider(part, self.link, ORIGIN, Z),)

    def acted(self, part: Part, value: Course | None) -> Looks:
        """Return an arrow along the axis."""
        return (Push(part, self.link, ORIGIN, value, Z, self.link),)
