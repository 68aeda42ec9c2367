"""Joints of mechanisms in space that stick: sticking.py, where each that rests has a lock of its own.

Who holds is found by trial, on the systems that a run would go on with. All that are at rest get locks; then

    of those with |f| > h mu_s P the one whose share |f|/(h mu_s P) is largest slips, in the direction of -f       (1)
    of those let go, one that would be accelerated against its slip holds again                                  (2)

until nothing is left to change. f are the multipliers of the locks, P the loads that go with them and with all that
slips. Locks must not follow from each other, or from drivers: what each of them carries would be open.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.system import Array
from particlemech.model.changing import HOLDS
from particlemech.model.modes import Slip
from particlemech.model.space.friction import Rubbing, rubbing
from particlemech.run.resting import BIAS
from particlemech.run.start import rank, speed_scales, weights
from particlemech.run.sticking import Sticking
from particlemech.run.transitions import Jammed

FOLLOWS = 1e-8  # singular values of rows below this fraction of the largest count as zero
AGAINST = 1e-9  # of the usual accelerations: what is less does not turn a slip round


class Slide(NamedTuple):
    """The coordinate of a joint that sticks."""

    joint: str
    name: str
    turn: bool


class StickingInSpace(Sticking):
    """What joints in space that stick do, and how close they are to doing something else."""

    def _rubbing(self, mechanism: Any) -> list[tuple[str, Any, float]]:
        self.laws: dict[str, Rubbing] = {rub.joint: rub for rub in rubbing(mechanism) if rub.hold > 0.0}
        found = []
        for name, rub in self.laws.items():
            (stage,) = mechanism.joints[name].stages
            found.append((name, Slide(name, stage.name, stage.turn), rub.arm(stage.turn) * rub.hold))
        return found

    def _sliding(self, of: Any, system: Any, t: float, q: Array, v: Array, x: Array) -> tuple[float, float]:
        found: tuple[float, float] = system.sliding(t, q, v, x, of.joint, of.name)
        return found

    def decided(
        self, of: Any, which: Array, given: Array, near: Array, let_go: Array, at: Any, turned: Collection[str]
    ) -> Array:
        """Decide who holds, (1) and (2); there are no contacts, so none presses."""
        before, joints = self.slips, [name for name in self.slips if name in self.on]
        now = {name: self._sliding(self.on[name], of.system, *at) for name in joints}
        self.slow = {name for name in joints if abs(now[name][1]) <= self._still(self.on[name])}
        found, most, loose = dict(before), {}, set[str]()
        for name, (value, rate) in now.items():
            was, rub = before[name], self.laws[name]
            if name not in self.slow:
                found[name] = Slip(float(np.sign(rate)))
                continue
            found[name] = Slip(0.0, value if was.at is None else was.at)
            rubs = was.sense != 0.0 and name not in turned  # it has just begun to slip
            sliding = self.most[name] / rub.hold * float(rub.coefficient(np.zeros(1))[0])
            bias = 1.0 - BIAS if rubs or (was.sense == 0.0 and name in turned) else 1.0
            most[name] = bias * (sliding if rubs else self.most[name])
        self._check(found, at)
        for _ in range(4 * len(most) + 1):
            system, resting = self.modes(frozenset(), found), [name for name in joints if found[name].sense == 0.0]
            if resting:
                efforts, loads = (of[0] for of in self._held_by(system, *at))
                shares = {n: abs(f) - most[n] * P for n, f, P in zip(resting, efforts, loads, strict=True)}
                over = {n: abs(f) / (most[n] * P + 1e-300) for n, f, P in zip(resting, efforts, loads, strict=True)}
                worst = max(resting, key=lambda name: over[name])
                if shares[worst] > 0.0:
                    found[worst] = Slip(-float(np.sign(efforts[resting.index(worst)])))
                    loose.add(worst)
                    continue
            back = [name for name in loose if found[name].sense and self._turns(name, found[name], system, at)]
            if not back:
                break
            for name in back:
                found[name] = Slip(0.0, now[name][0])
                loose.discard(name)
                most[name] = np.inf
        self.slips = found
        return np.zeros(len(which), dtype=bool)

    def _held_by(self, system: Any, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        found: tuple[Array, Array] = system.holding_of(np.array([t]), q[None], v[None], x[None])
        return found

    def _turns(self, name: str, slip: Slip, system: Any, at: Any) -> bool:
        """Whether a joint that is let go would be accelerated against its slip."""
        of = self.on[name]
        return slip.sense * system.hastening(*at, of.joint, of.name) < -AGAINST * self._size(of) / self.scale.time**2

    def _check(self, found: dict[str, Slip], at: Any) -> None:
        """Raise where locks follow from each other or from what is held anyway."""
        locks = {f'joint "{HOLDS.format(name)}"': name for name, slip in found.items() if slip.sense == 0.0}
        if not locks:
            return
        system = self.modes(frozenset(), found)
        G = weights(system)[:, None] * system.levels(*at[:3]).phi_q * speed_scales(system)
        own = np.array([row.part in locks for row in system.layout.rows], dtype=bool)
        ranks = [rank(np.linalg.svd(rows, compute_uv=False), FOLLOWS) if len(rows) else 0 for rows in (G, G[~own])]
        if ranks[0] < ranks[1] + len(locks):
            names = " and ".join(f'"{name}"' for name in locks.values())
            raise Jammed(
                f"what sticks at t = {at[0]:.6g} s, {names}, moves together, with drivers, or at a dead point of its "
                'loop: what each holds is open in space; take "sticking" out of all but one, or of the one that is led'
            )
