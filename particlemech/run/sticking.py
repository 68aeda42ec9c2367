"""Joints that stick: friction of model/friction.py with its jump at rest as it is, as events of a run.

A joint that sticks is in one of three modes, and a run goes on from one to the next (switching.py):

    slips, s = +-1    f = -h mu(v) s P - b c',     until s c' falls to zero                                       (1)
    rests             c stays, by friction f,      until |f| > h mu_s P,    mu_s = mu_static or mu                (2)

What comes to rest holds, if only for an instant; what cannot hold slips. Who holds, who slips and whereto is decided
for all joints and contacts together (resting.py). P is the load of the joint as it is. Joints at rest that follow from
others share what there is to hold (engine/holding.py). What rests because drivers, events or closed sides hold it
(`led`) carries nothing, and slips when these move it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.model.modes import Slip
from particlemech.run.resting import Resting
from particlemech.run.start import Start
from particlemech.run.touching import Measuring, Touch

NOISE = 1e-12  # of rates and efforts in play: what is less below zero is rounding
STILL = 1e-9  # of the rates in play: what is slower is at rest
SEEN = 10.0  # times the noise: the same where noise is more
STICKS, SLIPS = "sticks", "slips"


class Sticking:
    """What joints that stick do, and how close they are to doing something else."""

    def __init__(self, system: Any, t: float, begin: Start) -> None:
        mechanism, self.scale, self.noise = system.mechanism, system.scale, NOISE
        self.modes: Any = None  # of run/modes.py
        self.on: dict[str, Any] = {}  # where they rub
        self.slips: dict[str, Slip] = {}
        self.slow: set[str] = set()  # those that were at rest when it was last decided
        self.last: Any = (None, t, None, None)  # system, time, state and what rests there
        self.most: dict[str, float] = {}  # effort of (2) under a unit load
        if not mechanism.sticking:
            return
        self.laws = {rub.place: rub for rub in system.dry}
        for rub in system.dry:
            if rub.joint in mechanism.sticking:
                name = rub.joint
                self.on[name], self.most[name] = rub, rub.arm * rub.hold
                rate = system.slid(rub, t, begin.q, begin.v, begin.x)[1]
                slow = abs(rate) <= STILL * self._size(rub) / self.scale.time
                self.slips[name] = Slip(0.0 if slow else float(np.sign(rate)))

    def __bool__(self) -> bool:
        return bool(self.slips)

    def _size(self, of: Any) -> float:
        return 1.0 if of.turn else self.scale.length

    def _still(self, of: Any) -> float:
        return max(STILL, SEEN * self.noise) * self._size(of) / self.scale.time

    @property
    def holds(self) -> bool:
        """Whether any joint rests."""
        return any(slip.sense == 0.0 for slip in self.slips.values())

    def without(self, joints: Collection[str]) -> None:
        """Forget joints that are not there any more."""
        self.slips = {name: slip for name, slip in self.slips.items() if name in joints}

    def decided(
        self, of: Measuring, which: Array, given: Array, near: Array, let_go: Array, at: Any, turned: Collection[str]
    ) -> Array:
        """Decide who holds; return which contacts press, (n_c,); arguments as of `Resting.decided`."""
        touch = Touch(of, which, *at)
        let_go = let_go * (np.max(np.abs(touch.free), initial=0.0) + of.sizes[which] / self.scale.time**2)
        resting, before = Resting(touch, self.laws, *at), self.slips
        still = max(STILL, SEEN * self.noise)
        presses, found = resting.decided(near, given, let_go, before, turned, still)
        for name, slip in found.items():
            if slip.at is not None:
                was = before[name].at
                found[name] = slip._replace(at=of.system.slid(self.on[name], *at)[0] if was is None else was)
        self.slips, self.slow = found, resting.slow
        return presses

    def held(self, name: str, system: Any, t: float, y: Array) -> tuple[float, float]:
        """Return the effort of a joint that rests, and how much it can have."""
        of, at, then, found = self.last
        if of is not system or at != t or not np.array_equal(then, y):  # asked for each joint, and where a leg begins
            lay = system.layout
            found = system.holding_of(np.array([t]), y[None, lay.q], y[None, lay.v], y[None, lay.x])
            self.last = system, t, y.copy(), found
        k = self._at_rest.index(name)
        return float(found[0][0, k]), self.most[name] * float(found[1][0, k])

    @property
    def _at_rest(self) -> list[str]:
        return [name for name, slip in self.slips.items() if slip.sense == 0.0]

    def margin(self, name: str, system: Any, t: float, y: Array) -> tuple[float, float]:
        """Return what is above zero while a joint stays in its mode, and how much of that is noise."""
        of, slip, s = self.on[name], self.slips[name], self.scale
        if slip.sense != 0.0 or slip.led:
            lay = system.layout
            rate = system.slipping(of, t, y[lay.q], y[lay.v], y[lay.x])
            if slip.led:
                return 2.0 * self._still(of) - abs(rate), 0.0
            return slip.sense * rate, self.noise * self._size(of) / s.time
        effort, most = self.held(name, system, t, y)
        usual = s.mass * s.length**2 / s.time**2 / (1.0 if of.turn else s.length)
        return most - abs(effort), self.noise * max(most, abs(effort), usual)

    def sure(self, system: Any, t: Array, y: Array) -> int:
        """Return at how many of K instants, from the first on, all that rest do so."""
        lay, resting = system.layout, self._at_rest
        if any(self.slips[name].led for name in resting):
            return 0
        efforts, loads = system.holding_of(t, y[:, lay.q], y[:, lay.v], y[:, lay.x])
        over = np.any(np.abs(efforts) >= loads * [self.most[name] for name in resting], axis=1)
        return int(np.argmax(over)) if over.any() else len(t)
