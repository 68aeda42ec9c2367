"""Lobes of cams that a long step would pass over: until when a run may go on before it looks again.

While a follower dwells nothing tells how much farther a step may go: one that ends in the same dwell, or in another at
the same lift, has no error, whatever was in between (absolute coordinates took steps of two turns: the run was
"completed", or its joints were open at a sample). A contour passes its marks (model/cams/marks.py), where its lift is
highest and lowest, and a step must end close to each. If the cam has turned by u, with w its rate,

    w tau + |w'| tau^2 = theta        theta: to the far side of the next mark, in the direction of w              (1)
    |w'| tau = |w|/2                  or less far than (1): until w is another                                    (2)
    w tau + |w'| tau^2 = least        or farther than both: nowhere beyond the top of the narrowest lobe          (3)
    tau <= the time since the leg began, as long as w times that is less; at first FIRST of the mechanism's       (4)

is how long it may go on; w' is the change of w since the last look, and counts twice because it may have grown since.
(3) lets w turn round, (4) is for what begins smoothly from rest. Steps are cut there, no restart is needed. Where w
grows by half in one step without a sign of it before, lobes are still passed over: nothing is known of explicit steps
but their ends. Speeds that grow as exp(8 t/s) under lobes of 1 degree were followed; without (2) they were not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from particlemech.engine.system import Array
from particlemech.model.cams.marks import Marks

FIRST = 1e-3  # (4)
# rad: of explicit steps. They see what turns in global axes, and are no longer than a radian or so, with slopes at no
# more than 0.27 of that between two; so wider ones cost nothing
NARROW = 0.6
MANY = 100  # steps after which a run looks again in any case: what takes so many is no dwell


class Lobes:
    """Tells until when a run may go on before it looks again; false where no cam that holds has lobes.

    Of lobes whose rise or fall takes more than `widest`, rad, it says nothing.
    """

    def __init__(self, system: Any, widest: float = math.inf) -> None:
        self.system = system
        joints = {} if system.mechanism is None else system.mechanism.joints  # a chain may come from no model
        cams = [spec for spec in joints.values() if spec.profiled and spec.holds]
        marked = ((spec, spec.lobes(system.mechanism).narrow(widest)) for spec in cams)
        self.cams = [(spec, marks) for spec, marks in marked if marks.begins]
        self.begin(0.0)

    def __bool__(self) -> bool:
        return bool(self.cams)

    def begin(self, t: float) -> None:
        """Forget what was seen: a leg begins."""
        self.began, self.limit, self.steps = t, -math.inf, 0
        self.seen: tuple[float, list[float]] | None = None

    def until(self, t: float, steps: int, state: Callable[[], Array]) -> float:
        """Return how far a run may go from a time, s, at which it gives its state (n,); `steps` were taken so far."""
        if t < self.limit and steps < self.steps + MANY:
            return self.limit
        lay, past, y = self.system.layout, t - self.began, state()
        seen = self.system.sight(t, y[lay.q], y[lay.v], y[lay.x])
        tau, rates = math.inf if self.seen else FIRST * self.system.scale.time, []
        for k, (spec, marks) in enumerate(self.cams):
            u, w = (float(of[0]) for of in spec.passing(seen))
            rates.append(w)
            grows = (w - self.seen[1][k]) / (t - self.seen[0]) if self.seen and t > self.seen[0] else 0.0
            tau = min(tau, waits(u, w, grows, marks))
            if abs(w) * past < marks.least and self.seen:
                tau = min(tau, past)  # (4)
        self.seen, self.limit, self.steps = (t, rates), t + tau, steps
        return self.limit


def waits(u: float, w: float, grows: float, marks: Marks) -> float:
    """Return tau of (1) to (3), s; inf where nothing moves."""
    far, a = marks.beyond(u, w), abs(grows)
    tau = passed(far, abs(w), a)  # (1)
    if a * tau > 0.5 * abs(w):
        tau = 0.5 * abs(w) / a  # (2)
    return max(tau, passed(marks.least, abs(w), a))  # (3)


def passed(theta: float, w: float, a: float) -> float:
    """Return when w tau + a tau^2 comes to an angle, s."""
    root = w + math.sqrt(w * w + 4.0 * a * theta)
    return 2.0 * theta / root if root > 0.0 else math.inf
