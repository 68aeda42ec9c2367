"""Driver of a coordinate of a joint: its stage is prescribed, unless starts are looked for, which are led by rows.

x = motion                                                                                                       (1)
"""

from __future__ import annotations

from typing import Any

from particlemech.engine.recursive.forms import TIED
from particlemech.engine.recursive.ties.base import Tie
from particlemech.model.space.drivers import Coordinate

SPEC = Coordinate


def row(driver: Coordinate, where: Any) -> Tie | None:
    """Return (1); None where the stage is prescribed."""
    joint, coordinate = driver.freedom(where.mechanism)
    if where.prescribes or joint not in where.stages_of:
        return None
    e, turns = where.stages(joint, coordinate)[0], driver.turns(where.mechanism)
    return Tie(TIED, signal=where.signal(driver.motion), stage1=e, stage2=e, angle=turns)
