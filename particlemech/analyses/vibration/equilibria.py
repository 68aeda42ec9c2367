"""Rest positions of a mechanism: one near a pose, or all that a search finds.

A search begins at the start, then at poses spread evenly over the freedoms, to which the mechanism is led in short
steps, so that it stays on its assembly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from particlemech.analyses.vibration.balance import Balance, stood
from particlemech.analyses.vibration.chart import OPEN, Pose
from particlemech.analyses.vibration.conditions import Held, Joints, Names, based, held
from particlemech.analyses.vibration.rest import kinds
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion

SETTLED = DEFLECTIONS, ALL = ("deflections", "all")
STARTS = 32  # poses from which a search begins, for each freedom
MOST = 200  # of all
SPREAD = (np.pi, 1.0)  # how far they go to either side: rad, lengths of the mechanism
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
    chart = balance.chart
    if all:
        found, searched = _search(balance)
    else:
        at = balance.at_rest(True)
        found, searched = [at.pose], "Newton's method from one pose"
    states, stiffness = [], []
    for pose in found:
        at = chart.motion(pose)
        states.append(balance.placed(at).y)
        stiffness.append(chart.stiffness(chart.system.away(chart.home, pose, chart.which), pose))
    result = balance.stand.result(np.array(states), kinds()[mechanism.engine])
    return result.told(chart.names, chart.unit, stiffness, searched)


def _stiff(how: Held, balance: Balance) -> Held:
    """Return a mechanism whose joints and base stay where they are, while what bends comes to rest."""
    chart, m = balance.chart, how.before
    loose = [chart.system.named[k] for k in chart.which if not chart.system.named[k].deflects]
    if any(of.part not in m.joints for of in loose):
        m = based(m, "fixed")
        how = held(m, "equilibrium", "fixed", release=how.let_go)._replace(locked=how.locked)
        loose = [of for of in loose if of.part in m.joints]
    return how._replace(locked=(*how.locked, *((of.part, of.name) for of in loose)))


def _search(balance: Balance) -> tuple[list[Pose], str]:
    """Return all poses in balance that are found, and in words how they were searched."""
    chart, found, hits, lost = balance.chart, list[Pose](), list[int](), 0
    starts = min(STARTS * max(chart.f, 1), MOST) if chart.f else 1
    for number in range(starts):
        z, pose = _led(balance, _spread(chart.f, number) if number else np.zeros(chart.f))
        rest = balance.settled(z, pose, True)
        if rest is None:
            lost += 1
            continue
        k = next((k for k, other in enumerate(found) if _same(balance, rest[1], other)), None)
        if k is None:
            found.append(rest[1])
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


def _led(balance: Balance, to: Array) -> tuple[Array, Pose]:
    """Return coordinates (f,) and pose as near to a point of the cube as the joints let it come in short steps."""
    chart = balance.chart
    turns = np.array([chart.system.named[k].turn for k in chart.which], dtype=bool)
    goal = to * np.where(turns, SPREAD[0], SPREAD[1] * chart.unit)
    steps = int(np.ceil(np.max(np.abs(goal) / chart.unit, initial=0.0) / SHORT))
    z, pose = np.zeros(chart.f), chart.home
    for _ in range(steps):
        ahead = chart.pose(z + goal / steps, chart.led(pose, goal / steps))
        if chart.gap(ahead) > OPEN or not np.all(np.isfinite(ahead.q)):
            break
        z, pose = z + goal / steps, ahead
    return z, pose


def _same(balance: Balance, one: Pose, other: Pose) -> bool:
    """Return whether two poses are one, but for full turns."""
    system = balance.chart.system
    every = list(range(len(system.named)))
    gap = system.away(one, other, every) / np.array([of.size for of in system.named])
    turns = np.array([of.turn and not of.deflects for of in system.named], dtype=bool)
    gap[turns] -= 2.0 * np.pi * np.round(gap[turns] / (2.0 * np.pi))
    return bool(np.max(np.abs(gap), initial=0.0) < SAME)
