"""Deflections, where starts are looked for: they go from zero to what [initial] says of them.

x = motion                                                                                                       (1)
"""

from __future__ import annotations

from typing import Any

from particlemech.engine.recursive.forms import TIED
from particlemech.engine.recursive.ties.base import Tie
from particlemech.model.signals import Linear
from particlemech.model.space.mechanism import Mechanism

DEFLECTION = "deflection"  # of the drive of a joint, beside its coordinate


def said(mechanism: Mechanism, where: Any) -> dict[int, tuple[float, float]]:
    """Return value and rate at the start of the deflecting stages of which something is said."""
    initial, found = mechanism.initial, dict[int, tuple[float, float]]()
    for body, stages in where.modes_of.items():
        for k, of in enumerate((initial.modes, initial.mode_rates)):
            for e, value in zip(stages, of.get(body, ()), strict=False):
                before = found.get(e, (0.0, 0.0))
                found[e] = (value, before[1]) if k == 0 else (before[0], value)
    for e, coordinate in enumerate(where.coordinates):
        if coordinate.name == DEFLECTION:
            joint = coordinate.joint
            found[e] = initial.deflection.get(joint, 0.0), initial.deflection_rate.get(joint, 0.0)
    return found


def rows(mechanism: Mechanism, where: Any) -> list[tuple[str, Tie]]:
    """Return (1) of all deflections, each with its body or joint."""
    found, starts = [], said(mechanism, where)
    for e, coordinate in enumerate(where.coordinates):
        if coordinate.deflects:
            signal = where.signal(Linear(rate=starts.get(e, (0.0, 0.0))[0]))
            tie = Tie(TIED, signal=signal, stage1=e, stage2=e, angle=coordinate.turn)
            found.append((f'body "{coordinate.joint}"', tie))
    return found
