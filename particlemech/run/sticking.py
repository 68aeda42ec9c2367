"""Joints that stick: friction of model/friction.py with its jump at rest as it is, as events of a run.

A joint that sticks is in one of three modes, and a run goes on from one to the next (switching.py):

    slips, s = +-1    f = -h mu(v) s P - b c',     until s c' falls to zero                                       (1)
    holds             c stays, by a row whose effort is f,   until |f| > h mu_s P,    mu_s = mu_static or mu      (2)

What comes to rest holds, if only for an instant; what cannot hold slips with s = -sign f. P is the load of the joint
as it is, with no force along its coordinate. Where several come to rest at once they do so one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.plane import rate_row
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.freedom import Freedom
from particlemech.model.modes import Slip
from particlemech.run.start import Start, rank, speed_scales, weights

ALIKE = 1e-9  # of the largest singular value: rows below follow from others
NOISE = 1e-12  # of rates and efforts in play: what is less below zero is rounding
STILL = 1e-10  # of the rates in play: what starts more slowly starts at rest
STICKS, SLIPS = "sticks", "slips"


class Sticking:
    """Which joints hold and which slip, and how close they are to the other."""

    def __init__(self, system: Any, t: float, begin: Start) -> None:
        mechanism, self.scale, self.noise = system.mechanism, system.scale, NOISE
        joints = mechanism.joints
        self.on: dict[str, Freedom] = {name: joints[name].rubs(mechanism)[0][0] for name in mechanism.sticking}
        self.slips: dict[str, Slip] = {}
        self.most: dict[str, float] = {}  # effort of (2) under a unit load
        if not self.on:
            return
        scale, sight = self.scale, system.sight(t, begin.q, begin.v, begin.x)
        for name, of in self.on.items():
            friction, rate = mechanism.joints[name].friction, float(sight.rate(of)[0])
            self.most[name] = (friction.radius or 1.0) * (friction.mu_static or friction.mu)
            slow = abs(rate) <= STILL * self._size(of) / scale.time
            self.slips[name] = Slip(0.0, float(sight.counted(of)[0])) if slow else Slip(float(np.sign(rate)))
        self._check(system, t, begin)

    def _check(self, system: Any, t: float, begin: Start) -> None:
        """Refuse joints whose rates depend on each other, or on drivers: at rest their efforts are not determined."""
        way, G = speed_scales(system), system.levels(t, begin.q, begin.v, begin.x).phi_q
        found = [*(weights(system)[:, None] * G * way)]
        for name, of in self.on.items():
            before, row = np.reshape(found, (-1, system.n_v)), rate_row(system, begin.q, of) * way
            found.append(row / np.linalg.norm(row))
            sizes = [np.linalg.svd(rows, compute_uv=False) for rows in (before, np.array(found))]
            if rank(sizes[1], ALIKE) <= (rank(sizes[0], ALIKE) if len(before) else 0):
                raise ModelError(
                    f'joint "{name}": it cannot stick by itself, for its rate follows from drivers or other joints '
                    'that stick, so what holds at rest is not determined; take "sticking" out of its friction'
                )

    def _size(self, of: Freedom) -> float:
        return 1.0 if of.turn else self.scale.length

    @property
    def holds(self) -> bool:
        """Whether any joint holds."""
        return any(slip.sense == 0.0 for slip in self.slips.values())

    def held(self, name: str, system: Any, t: float, y: Array) -> tuple[float, float]:
        """Return the effort of a joint that holds, and how much it can have."""
        lay = system.layout
        efforts, loads = system.holding_of(np.array([t]), y[None, lay.q], y[None, lay.v], y[None, lay.x])
        k = [one for one in self.on if self.slips[one].sense == 0.0].index(name)
        return float(efforts[0, k]), self.most[name] * float(loads[0, k])

    def margin(self, name: str, system: Any, t: float, y: Array) -> tuple[float, float]:
        """Return what is above zero while a joint stays in its mode, and how much of that is noise."""
        of, sense, s = self.on[name], self.slips[name].sense, self.scale
        if sense != 0.0:
            lay = system.layout
            rate = float(system.sight(t, y[lay.q], y[lay.v], y[lay.x]).rate(of)[0])
            return sense * rate, self.noise * self._size(of) / s.time
        effort, most = self.held(name, system, t, y)
        usual = s.mass * s.length**2 / s.time**2 / (1.0 if of.turn else s.length)
        return most - abs(effort), self.noise * max(most, abs(effort), usual)

    def sure(self, system: Any, t: Array, y: Array) -> bool:
        """Whether all that hold do so at K instants."""
        lay, holding = system.layout, [name for name in self.on if self.slips[name].sense == 0.0]
        efforts, loads = system.holding_of(t, y[:, lay.q], y[:, lay.v], y[:, lay.x])
        return bool(np.all(np.abs(efforts) < loads * [self.most[name] for name in holding]))

    def turned(self, name: str, system: Any, t: float, y: Array) -> str:
        """Change the mode of a joint; return what it does now."""
        if self.slips[name].sense == 0.0:
            slip = Slip(-float(np.sign(self.held(name, system, t, y)[0])))
        else:
            lay = system.layout
            slip = Slip(0.0, float(system.sight(t, y[lay.q], y[lay.v], y[lay.x]).counted(self.on[name])[0]))
        self.slips = {**self.slips, name: slip}
        return SLIPS if slip.sense else STICKS
