"""Translation driver: the length of the vector along which a joint slides is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.spatial.drivers import Translation
from particlemech.spatial.loops.ties import Drive

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism

SPEC = Translation


def drive(spec: Translation, mechanism: Mechanism) -> Drive:
    """Return which parameter is known."""
    return Drive(spec.joint, spec.motion, along=0)
