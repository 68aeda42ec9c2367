"""Friction of joints as records, for friction.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from particlemech.engine.recursive.forms import AXLE, BALL, THREAD, TIED
from particlemech.model.space.friction import Rubbing, rubbing
from particlemech.model.space.mechanism import Mechanism

FORMS = {"axle": AXLE, "ball": BALL, "thread": THREAD}


def surfaces(mechanism: Mechanism, where: Any, rows: Sequence[tuple[str, int]]) -> list[tuple[Any, ...]]:
    """Return the records of all surfaces with dry friction; `rows` are the parts and the forms of rows."""
    return [_surface(rub, mechanism, where, rows) for rub in rubbing(mechanism) if rub.dry]


def _surface(rub: Rubbing, mechanism: Mechanism, where: Any, rows: Sequence[tuple[str, int]]) -> tuple[Any, ...]:
    name, at = rub.joint, rub.surface
    spec, (parent, child) = mechanism.joints[name], where.ends(name)
    stages = [where.stages(name, stage)[0] for stage in at.stages]
    own = (f'joint "{name}"', TIED)
    row = rows.index(own) if at.form == "thread" else -1
    on = child if where.topology.frames[child - 1].body == spec.second else parent
    place = np.array(spec.place(mechanism)) - where.origins[on]
    ends = stages[0], stages[-1] + 1, where.stages(name, at.axis)[0], row, parent, child, on
    law = rub.radius, rub.over_length, rub.ends, 1.0, *rub[5:9], rub.sense
    return FORMS[at.form], *ends, tuple(place.tolist()), *law
