"""Where a mechanism is looked at, and how it comes to rest: Newton's method on the forces along its freedoms.

    r(z) = 0,      K dz = -r                                                                                         (1)

Steps are short, so that none leads past the next balance. What is found may be stable or not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from particlemech.analyses.vibration.chart import OPEN, Chart, Motion, Pose
from particlemech.analyses.vibration.conditions import Held, rests
from particlemech.analyses.vibration.stands import WORLDS, Stand
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import Check
from particlemech.model.spec import shown
from particlemech.result.base import Result
from particlemech.run.phases import Moment

REST = 1e-7  # forces below this fraction of those that act count as none
ROUNDS = 50  # of Newton's method
FAR = {True: 30.0, False: 0.3}  # longest step of it, in sizes: of deflections, of all else
INSTANTS = 50  # on the way of drivers to a later time
SAID = ("rate", "omega", "velocity", "mode_rates", "deflection_rate")  # of [initial]: what makes it move
EQUILIBRIUM = "equilibrium"


def stood(held: Held, asked: str, about: Any = None, t: float = 0.0, forces: dict[str, Any] | None = None) -> Stand:
    """Return a mechanism, held as it is to be, at its start, at another time, or at a moment of a run.

    `forces` are such as will be asked for later. Speeds are zero unless something is said of them.
    """
    after, moment = held.after, _moment(asked, about)
    reach = held.before.replaced(drivers=held.holding(), forces=forces or {}, check=Check())
    world = WORLDS[after.engine]
    begun: Stand = world.begun(held.before, reach, moment)
    at = {}
    if held.locked:
        seen = begun.result(begun.y[None])
        at = {of: float(seen.coordinate(*of)[0]) for of in held.locked}
    final = after.replaced(
        drivers=held.holding(at), initial=type(after.initial)(), impulses=dict.fromkeys(after.impulses), check=Check()
    )
    stand = begun.changed(final)
    said, lay = held.before.initial, stand.system.layout
    moving = moment is not None or any(getattr(said, word, None) for word in SAID) or bool(held.before.impulses)
    if not moving and all(rests(held.before, name) for name in held.let_go):
        stand.y[lay.v] = 0.0
    return _later(stand, t) if moment is None and t else stand


def _moment(asked: str, about: Any) -> Moment | None:
    """Return the moment of a run that is meant."""
    if about is None or about == EQUILIBRIUM:
        return None
    if isinstance(about, Result):
        return about.at()
    if isinstance(about, Moment):
        return about
    raise ModelError(f'{asked}: about: expected "equilibrium", a result or a sample of it, got {shown(about)}')


def _later(stand: Stand, t: float) -> Stand:
    """Return a mechanism at another time, its freedoms where they are."""
    lay, y = stand.system.layout, stand.y
    chart = Chart(stand.system, 0.0, y)
    pose, still = chart.home, np.zeros(chart.f)
    moves = not all(rests(stand.mechanism, name) for name in stand.mechanism.drivers)
    for instant in np.linspace(0.0, t, INSTANTS + 1)[1:].tolist() if moves else ():
        pose = chart.pose(still, pose, instant)
    if chart.gap(pose, t) > OPEN:
        raise ModelError(f"the loops do not close at t = {t:g} s; ask for another time")
    return replace(stand, t=t).put(pose.q, y[lay.v], pose.x)


class Balance:
    """A chart of a stand, and its freedoms that come to rest."""

    def __init__(self, stand: Stand) -> None:
        self.stand, self.chart = stand, Chart(stand.system, stand.t, stand.y)
        chart = self.chart
        if chart.gap(chart.home) > OPEN:
            raise ModelError("joints and drivers are open in this pose; it belongs to another mechanism")
        self.rates = chart.rates

    def settled(self, z: Array, pose: Pose, everything: bool) -> tuple[Array, Pose] | None:
        """Return z (f,) and its pose in balance: deflections, or everything; None where there is none on the way."""
        chart, free = self.chart, np.ones(self.chart.f, dtype=bool) if everything else self.chart.soft
        if not free.any():
            return z, pose
        rates, before = np.where(free, 0.0, self.rates), np.inf
        unit, longest = chart.unit[free], np.where(chart.soft[free], FAR[True], FAR[False])
        for _ in range(ROUNDS):
            force = unit * chart.missing(chart.motion(pose, rates))[free]
            K = unit[:, None] * chart.stiffness(z, pose, rates)[np.ix_(free, free)] * unit
            if not (np.all(np.isfinite(K)) and np.all(np.isfinite(force))):
                return None
            step = np.linalg.lstsq(K, -force, rcond=1e-10 if everything else 1e-14)[0]
            far = float(np.max(np.abs(step), initial=0.0))
            if far < 1e-13 or (far < 1e-9 and far >= 0.5 * before):
                # where nothing holds against it, a force is left
                return None if np.any(np.abs(force) > REST * np.abs(K).sum()) else (z, pose)
            way = np.zeros(chart.f)
            way[free] = unit * step / max(1.0, float(np.max(np.abs(step) / longest)))
            z = z + way
            pose = chart.pose(z, chart.led(pose, way, rates))
            if chart.gap(pose) > OPEN:
                return None
            before = far
        return None

    def at_rest(self, everything: bool) -> Motion:
        """Return the motion in balance that is nearest to where it stands."""
        chart = self.chart
        found = self.settled(np.zeros(chart.f), chart.pose(np.zeros(chart.f)), everything)
        if found is None:
            what = "the mechanism finds" if everything else "the deflections find"
            raise ModelError(f"{what} no balance at t = {chart.t:g} s; are the loads beyond what it can bear?")
        free = np.ones(chart.f, dtype=bool) if everything else chart.soft
        self.rates = np.where(free, 0.0, self.rates)
        return chart.motion(found[1], self.rates)

    def placed(self, at: Motion) -> Stand:
        """Return the stand at a motion that was found."""
        return self.stand.put(at.pose.q, at.v, at.pose.x)
