"""Rest positions of a mechanism: one near a pose, or all that a search finds.

A search begins at the start, then at poses spread evenly over the freedoms, to which the mechanism is led in short
steps, so that it stays on its assembly.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from particlemech.analyses.vibration.balance import REST, Balance, carried_on, stood
from particlemech.analyses.vibration.chart import OPEN, Chart
from particlemech.analyses.vibration.conditions import Held, Joints, Names, based, held
from particlemech.analyses.vibration.rest import kinds
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion

SETTLED = DEFLECTIONS, ALL = ("deflections", "all")
STARTS = 32  # poses from which a search begins, for each freedom
MOST = 200  # of all
HALF = np.pi  # rad: how far they go to either side; travels by a length of the mechanism
SHORT = 0.2  # rad or lengths: steps on the way to them
SAME = 1e-6  # rad or lengths: poses nearer than this are one


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
    how = held(mechanism, asked, base, joints, True, hold, release)
    if isinstance(near, Mapping):
        how, near = how.begun_at(near), None
    balance = Balance(stood(how, asked, near, t))
    if not (settle == ALL if settle is not None else not balance.chart.soft.any()):
        how = _stiff(how, balance)
        balance = Balance(stood(how, asked, near, t))
    if not _steady(balance):
        how = how.still(balance.stand.t)
        balance = Balance(stood(how, asked, near, t))
    if all:
        found, searched = _search(balance)
    else:
        found, searched = [balance.at_rest(True).chart], "Newton's method from one pose"
    states = np.array([balance.at(chart.home).y for chart in found])
    result = balance.stand.result(states, kinds()[mechanism.engine])
    result._way = (balance.stand, found[0], balance.chart.home) if len(found) == 1 else None
    return result.told([(chart.names, chart.unit, chart.stiffness()) for chart in found], searched)


def _steady(balance: Balance) -> bool:
    """Return whether drivers that move leave the balance as it is, as those do that turn a governor."""
    if not balance.chart.levels(balance.chart.home).phi_t.any():
        return True
    found = balance.settled(balance.chart, True) if balance.chart.f else None
    if found is None:
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
    return how._replace(locked=(*how.locked, *((of.part, of.name) for of in loose)))


def _search(balance: Balance) -> tuple[list[Chart], str]:
    """Return all poses in balance that are found, and in words how they were searched."""
    first, found, hits, lost = balance.chart, list[Chart](), list[int](), 0
    starts = min(STARTS * first.f, MOST) if first.f else 1
    for number in range(starts):
        rest = balance.settled(_led(first, _spread(first.f, number) if number else np.zeros(first.f)), True)
        if rest is None:
            lost += 1
            continue
        k = next((k for k, other in enumerate(found) if _same(rest, other)), None)
        if k is None:
            found.append(rest)
            hits.append(1)
        else:
            hits[k] += 1
    if not found:
        raise ModelError(f"the mechanism finds no balance from any of {starts} starts; what could hold it?")
    told = ", ".join(str(n) for n in hits)
    return found, f"{starts} starts on this assembly, of which {lost} led nowhere; hits: {told}"


def _spread(f: int, number: int) -> Array:
    """Return a point of the unit cube (f,), -1 to 1: an additive sequence of irrational steps."""
    base = 2.0
    for _ in range(30):
        base = (1.0 + base) ** (1.0 / (f + 1))
    return np.asarray(2.0 * ((0.5 + number * base ** -np.arange(1.0, f + 1.0)) % 1.0) - 1.0)


def _led(chart: Chart, to: Array) -> Chart:
    """Return a chart whose home is as near to a point of the cube as joints let it come in short steps."""
    turns = np.array([chart.system.named[k].turn for k in chart.which], dtype=bool)
    goal = to * np.where(turns, HALF, chart.unit)
    steps = int(np.ceil(np.max(np.abs(goal) / chart.unit, initial=0.0) / SHORT))
    for _ in range(steps):
        way = goal / steps
        ahead = chart.pose(way, chart.led(chart.motion(chart.home), way))
        if not chart.gap(ahead) < OPEN:
            break
        chart = chart.rehomed(ahead)
    return chart


def _same(one: Chart, other: Chart) -> bool:
    """Return whether the homes of two charts are one, but for full turns."""
    system = one.system
    gap = system.away(one.home, other.home, list(range(len(system.named)))) / [of.size for of in system.named]
    turns = np.array([of.turn and not of.deflects for of in system.named], dtype=bool)
    gap[turns] -= 2.0 * np.pi * np.round(gap[turns] / (2.0 * np.pi))
    return bool(np.max(np.abs(gap), initial=0.0) < SAME)
