"""Clamp: one component of the turning of a ball is held, as an event that locks it says; no file has its kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from particlemech import rotations
from particlemech.model.space.joints.base import X, Y, Z
from particlemech.model.space.joints.stop import Stop
from particlemech.model.spec import Vector3

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

AXES = ((Z, Y), (X, Z), (Y, X))  # a and b of (1), so that b x a are x, y and z


@dataclass(frozen=True, kw_only=True)
class Clamp(Stop):
    """One of three rows that hold how the second body of a ball stands against the first, R0 when it was locked.

        a1.(R R0^T b) = 0                  a, b two of the axes x, y, z of the first body                         (1)

    Its multiplier is the moment on the second body about b x a, an axis of the first. Three of them hold all turning,
    and are independent wherever they hold; not used: rows for 1-2-3 angles, which depend on each other at gimbal lock.
    """

    pose: ClassVar[tuple[float, ...]] = ()  # the 1-2-3 angles of R0, rad; () while it holds nothing

    @classmethod
    def at(cls, joint: str, coordinate: str, pose: tuple[float, ...] | None) -> Clamp:
        """Return what holds the component of a ball's turning that has the number of an angle; None: nothing yet."""
        made = cls.lock(joint, coordinate, None if pose is None else 0.0)
        object.__setattr__(made, "pose", pose or ())
        return made

    @property
    def across(self) -> tuple[Vector3, Vector3]:
        """The directions of (1), as drawn: a fixed in the first body, R0^T b in the second."""
        a, b = AXES[int((self.coordinate or "")[-1]) - 1]
        x, y, z = (rotations.matrix(np.array(self.pose)).T @ np.array(b)).tolist()
        return a, (x, y, z)

    def ends(self, mechanism: Mechanism) -> tuple[tuple[str, str], ...]:
        """Return none: it reads no coordinate."""
        return ()

    def between(self, mechanism: Mechanism) -> tuple[str, ...]:
        """Return the bodies of its joint."""
        return mechanism.joints[self.joint].bodies
