"""What ties frames and stages together: all rows of a mechanism, each with the part that it belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.recursive.ties import deflections
from particlemech.engine.recursive.ties.base import Ends, Tie, welded
from particlemech.engine.recursive.ties.drivers import ROW
from particlemech.engine.recursive.ties.joints import ALWAYS, CLOSING
from particlemech.model.space.mechanism import Mechanism


def every(mechanism: Mechanism, where: Any) -> list[tuple[str, Tie]]:
    """Return the rows of loops, then those that hold wherever a joint is, then those of drivers."""
    found: list[tuple[str, Tie]] = []
    for cut in where.topology.cuts:
        joint = mechanism.joints[cut.joint]
        at = np.array(joint.place(mechanism))
        ends = Ends(cut.first, cut.second, at - where.origins[cut.first], at - where.origins[cut.second])
        ties = welded(ends) if cut.copied else CLOSING[type(joint)](joint, ends, where)
        found += [(f'joint "{cut.joint}"', tie) for tie in ties]
    for name, joint in mechanism.joints.items():
        if type(joint) in ALWAYS and (name in where.stages_of or not joint.bodies):
            found += [(f'joint "{name}"', tie) for tie in ALWAYS[type(joint)](joint, name, where)]
    for name, driver in mechanism.drivers.items():
        row = ROW[type(driver)](driver, where)
        if row is not None:
            found.append((f'driver "{name}"', row))
    return found + deflections.rows(mechanism, where) if where.leads else found
