"""Revolute: the link turns about the z of the joint."""

from __future__ import annotations

from dataclasses import dataclass

from particlemech._spec import key, name, not_negative, number, positive
from particlemech.flexible import links
from particlemech.flexible.forms import truth
from particlemech.flexible.joints.base import DAMPING, LINK, LOCKED, ROTOR, STIFFNESS, THETA, JointSpec


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
