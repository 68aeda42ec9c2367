"""What a joint or a driver is to vectors: common directions, angles that are kept, ways along which it slides."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from particlemech.model.signals import SignalSpec
from particlemech.model.spec import Vector3

if TYPE_CHECKING:
    from particlemech.model.space.joints import JointSpec
    from particlemech.model.space.mechanism import Mechanism

RAILS: tuple[Vector3, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class VectorTie(NamedTuple):
    """A joint, or a driven point against the ground; places and directions as drawn, global."""

    first: str
    second: str
    starts: Vector3  # its place on the first body
    ends: Vector3  # its place on the second body
    common: tuple[Vector3, ...] = ()  # unit vectors fixed in both bodies
    locked: bool = False  # the bodies turn as one
    angle: tuple[Vector3, Vector3] | None = None  # unit vectors, one of each body, that keep their angle
    slides: tuple[Vector3, ...] = ()  # unit vectors of the first body, along which the second's place may travel
    rod: float | SignalSpec | None = None  # distance between the two places


class Drive(NamedTuple):
    """A driver: which tie it drives, and how."""

    tie: str
    motion: SignalSpec
    along: int | None = None  # which of the slides; None: the angle about the common direction
    adds: VectorTie | None = None  # the tie itself, where no joint is it


def tied(joint: JointSpec, mechanism: Mechanism) -> VectorTie:
    """Return a joint at one place of both bodies that holds nothing more."""
    place = joint.place(mechanism)
    return VectorTie(joint.first, joint.second, place, place)
