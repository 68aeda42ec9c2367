"""Signals of the model as inputs: the frame is shaken, a voltage or a setpoint changes, and all else answers.

A driver that stays holds its motion u(t) exactly. About a pose, or a steady rotation, a small change of it does

    r(z, z', z'', w, u, u', u'') = 0:    M z'' + C z' + K z + E w = F_0 u + F_1 u' + F_2 u'',    F_i = -dr/du_i     (1)
    w' = G_z z + G_v z' + G_w w + G_0 u + G_1 u'
    y = Y_z z + Y_v z' + Y_w w + D_0 u + D_1 u' + D_2 u''                                                            (2)

with z of chart.py, and w of owned.py, held while u changes. So it is three inputs: the motion, its rate and its
acceleration, by the names "driver", "driver_rate" and "driver_acceleration". To a harmonic motion of size 1 the three
together are one,

    F = F_0 + i omega F_1 - omega^2 F_2,    D and G likewise                                                         (3)

The voltage of a motor, its throttle, the setpoint of a controller are one input; a setpoint whose error is
differentiated without a filter is two, itself and its rate.
"""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from particlemech.analyses.vibration.chart import STEP
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.signals import Sine, largest, values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from particlemech.analyses.vibration.linear import Linear
    from particlemech.analyses.vibration.stands import Stand

TAILS = ("", "_rate", "_acceleration")
WAYS = (1.0, -1.0, 2.0, -2.0)  # of differences of fourth order
KINK = 1e-3  # of what a signal does: by less more of it may differ from less of it


class Shake(NamedTuple):
    """The signal of a part, its rate (1) or its second rate (2), as an input."""

    part: str
    level: int
    section: str  # "drivers" or "forces"
    key: str
    size: float  # of the signal, 0: a motion, whose size the mechanism knows


def inputs(name: str, driver: str) -> dict[str, Shake]:
    """Return the three inputs that a driver is."""
    return {f"{name}{tail}": Shake(driver, k, "drivers", "motion", 0.0) for k, tail in enumerate(TAILS)}


def of_element(name: str, element: str, spec: Any, duration: float) -> dict[str, Shake]:
    """Return the inputs that a motor or controller is."""
    size, levels = largest(spec.input, duration) or 1.0, 2 if spec.follows_rate else 1
    return {f"{name}{TAILS[k]}": Shake(element, k, "forces", spec.followed, size) for k in range(levels)}


def weights(every: Mapping[str, Any], omega: float) -> Any:
    """Return (3): how inputs at a frequency make up those that were asked for, (n_input, n)."""
    columns: list[Any] = []
    for k, of in enumerate(every.values()):
        if not isinstance(of, Shake) or of.level == 0:
            columns.append(np.zeros(len(every), dtype=complex))
        columns[-1][k] = (1j * omega) ** of.level if isinstance(of, Shake) else 1.0
    return np.array(columns).reshape(-1, len(every)).T


def forces(of: Linear, shake: Shake) -> Array:
    """Return F_i and G_i of (1), (f + n_w,)."""
    h = _step(of, shake)
    found = np.array([_under(of, shake, way * h)[0] for way in (*WAYS, 0.0)])
    above, below = found[0] - found[-1], found[-1] - found[1]
    if shake.size and np.any(np.abs(above - below) > KINK * np.abs(above).max()):
        raise ModelError(
            f'input "{shake.part}": its {shake.key} is where its effort meets a limit, so more of it does not do what '
            "less of it does; start within the limits"
        )
    return slope(found[:-1], h)


def direct(of: Linear, shake: Shake, read: Callable[[Any], Array]) -> Array:
    """Return D_i of (2) of what is read of a result of one sample, (n,)."""
    h = _step(of, shake)
    stands = [_under(of, shake, way * h)[1] for way in WAYS]
    return slope(np.array([read(stand.result(stand.y[None])) for stand in stands]), h)


def _step(of: Linear, shake: Shake) -> float:
    """Return the step of differences."""
    scale, m = of.chart.system.scale, of.stand.mechanism
    size = shake.size or (1.0 if m.drivers[shake.part].turns(m) else scale.length)
    return float(STEP * size / scale.time**shake.level)


def slope(values: Array, h: Any) -> Array:
    """Return the derivative from values at WAYS."""
    return np.asarray((8.0 * (values[0] - values[1]) - (values[2] - values[3])) / (12.0 * h))


def _under(of: Linear, shake: Shake, by: float) -> tuple[Array, Stand]:
    """Return -r and g, and the stand, where a signal is changed at one level, z, z' and w as they are."""
    m, t = of.stand.mechanism, of.stand.t
    now = [float(x) for x in values(getattr(getattr(m, shake.section)[shake.part], shake.key), t)]
    now[shake.level] += by
    changes: Any = {shake.section: {shake.part: {shake.key: _motion(t, *now)}}}
    stand = of.stand.changed(m.replaced(**changes))
    chart = copy.copy(of.chart)
    chart.system = stand.system
    pose = chart.pose(np.zeros(chart.f))
    moving = chart.motion(pose, of.rates)
    left = np.concatenate([-chart.missing(moving), chart.flow(moving)])
    return left, stand.put(pose.q, moving.v, pose.x)


def _motion(t: float, value: float, rate: float, acceleration: float) -> Sine:
    """Return a signal that has a value, a rate and an acceleration at a time."""
    phase = math.atan2(-acceleration, rate) - t
    amplitude = math.hypot(rate, acceleration)
    return Sine(amplitude=amplitude, frequency=1.0 / math.tau, phase=phase, offset=value + acceleration)
