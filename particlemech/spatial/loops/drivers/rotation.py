"""Rotation driver: the angle about the axis of a joint is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.spatial.drivers import Rotation
from particlemech.spatial.loops.ties import Drive

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism

SPEC = Rotation


def drive(spec: Rotation, mechanism: Mechanism) -> Drive:
    """Return which parameter is known."""
    return Drive(spec.joint, spec.motion)
