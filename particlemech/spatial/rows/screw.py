"""Screw joint: known to the format, but not to these rows.

    cylindrical;   u1.(P2 - P1) - pitch * angle = 0                                                         (1)

(1) is no polynomial, and the angle has to be followed over full turns. Not used: sin(angle - travel/pitch) = 0, which
is blind to turns, so that a screw could jump a thread.
"""

from __future__ import annotations

from particlemech.errors import ModelError
from particlemech.spatial import joints
from particlemech.spatial.frames import At, RowPoly

spec = joints.Screw


def rows(at: At) -> list[RowPoly]:
    """Say that there are none."""
    raise ModelError(
        "screw joints can be read but not yet run; use a cylindrical joint, with drivers where its motion is known"
    )
