"""Rest positions of a mechanism: one near a pose, or all that a search finds, search.py."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from particlemech.analyses.kinematics.masses import placed
from particlemech.analyses.vibration.balance import REST, Balance, carried_on, moment_of, stood
from particlemech.analyses.vibration.conditions import Held, Joints, Names, based, held, rests
from particlemech.analyses.vibration.pressing import balanced
from particlemech.analyses.vibration.rest import kinds
from particlemech.analyses.vibration.search import search
from particlemech.analyses.vibration.stands import together
from particlemech.errors import ModelError, suggestion

SETTLED = DEFLECTIONS, ALL = ("deflections", "all")


def equilibrium(
    mechanism: Any,
    near: Any = None,
    hold: Names = None,
    all: bool = False,
    *,
    base: str | None = None,
    joints: Joints = None,
    release: Names = None,
    t: float = 0.0,
    settle: str | None = None,
) -> Any:
    """Return a mechanism in balance with its loads and weight; see `pm.equilibrium`."""
    asked = "equilibrium"
    if settle is not None and settle not in SETTLED:
        raise ModelError(f'{asked}: settle = "{settle}" unknown{suggestion(settle, SETTLED)}')
    if any(mechanism.gravity) or any(not rests(mechanism, name) for name in mechanism.drivers):
        mechanism.check_masses(asked)
    mechanism = placed(mechanism)
    position = near if isinstance(near, Mapping) else None
    moment = None if position is not None else moment_of(asked, near)
    how = held(mechanism, asked, base, joints, True, hold, release, t if moment is None else moment.t)
    if position is not None:
        how = how.begun_at(position)
    balance = balanced(stood(how, moment, t))
    if not (settle == ALL if settle is not None else not balance.chart.soft.any()):
        how = _stiff(how, balance)
        balance = balanced(stood(how, moment, t))
    if not _steady(balance):
        how = how.still(balance.stand.t)
        balance = balanced(stood(how, moment, t))
    if all:
        found, own, searched = search(balance)
    else:
        found, own, searched = [balance.at_rest(True).chart], (True,), "Newton's method from one pose"
    # at rest, whatever the speeds of the start: only drivers move
    rest = [(chart.home, chart.motion(chart.home).v) for chart in found]
    stands = [balance.stand_of(chart).put(home.q, v, home.x) for chart, (home, v) in zip(found, rest, strict=True)]
    parts = [(one, np.array([one.t]), one.y[None]) for one in stands]
    result = together(balance.stand, parts, kinds()[mechanism.engine])
    result._way = (stands[0], found[0], balance.chart.home) if len(found) == 1 else None
    return result.told(balance, found, own, searched)


def _steady(balance: Balance) -> bool:
    """Return whether drivers that move leave the balance as it is, as those do that turn a governor."""
    if not balance.chart.levels(balance.chart.home).phi_t.any():
        return True
    found = balance.settled(balance.chart, True) if balance.chart.f else None
    if found is None or not found.f:
        return False
    other = copy.copy(balance)
    other.chart, other.rates = found, np.zeros(found.f)
    acting = found.unit * found.acting(other.motion)
    return carried_on(other, 1e3 * REST * np.maximum(acting, 1e-3 * acting.max())) is not None


def _stiff(how: Held, balance: Balance) -> Held:
    """Return a mechanism whose joints and base stay where they are, while what bends comes to rest."""
    chart, m = balance.chart, how.before
    loose = [chart.system.named[k] for k in chart.which if not chart.system.named[k].deflects]
    if any(of.part not in m.joints for of in loose):
        m = based(m, "fixed")
        how = held(m, "equilibrium", "fixed", release=how.let_go)._replace(locked=how.locked)
        loose = [of for of in loose if of.part in m.joints]
    return how.resting()._replace(locked=(*how.locked, *((of.part, of.name) for of in loose)))
