"""Motions of drivers as inputs: the frame is shaken, or a crank is, and all else answers.

A driver that stays holds its motion u(t) exactly. About a pose, or a steady rotation, a small change of it does

    r(z, z', z'', u, u', u'') = 0:    M z'' + C z' + K z = F_0 u + F_1 u' + F_2 u'',    F_i = -dr/du_i              (1)
    y = Y_z z + Y_v z' + D_0 u + D_1 u' + D_2 u''                                                                    (2)

with z of chart.py held while u changes. So it is three inputs: the motion, its rate and its acceleration, by the names
"driver", "driver_rate" and "driver_acceleration". To a harmonic motion of size 1 the three together are one,

    F = F_0 + i omega F_1 - omega^2 F_2,    D likewise                                                               (3)
"""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from particlemech.analyses.vibration.chart import STEP
from particlemech.engine.system import Array
from particlemech.model.signals import Sine, values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from particlemech.analyses.vibration.linear import Linear
    from particlemech.analyses.vibration.stands import Stand

TAILS = ("", "_rate", "_acceleration")
WAYS = (1.0, -1.0, 2.0, -2.0)  # of differences of fourth order


class Shake(NamedTuple):
    """The motion of a driver, its rate (1) or its acceleration (2), as an input."""

    driver: str
    level: int


def inputs(name: str, driver: str) -> dict[str, Shake]:
    """Return the three inputs that a driver is."""
    return {f"{name}{tail}": Shake(driver, level) for level, tail in enumerate(TAILS)}


def weights(every: Mapping[str, Any], omega: float) -> Any:
    """Return (3): how inputs at a frequency make up those that were asked for, (n_input, n)."""
    columns = []
    for k, of in enumerate(every.values()):
        row = np.zeros(len(every), dtype=complex)
        if not isinstance(of, Shake):
            row[k] = 1.0
        elif of.level == 0:
            row[k : k + 3] = 1.0, 1j * omega, -(omega**2)
        else:
            continue
        columns.append(row)
    return np.array(columns).reshape(-1, len(every)).T


def forces(of: Linear, shake: Shake) -> Array:
    """Return F_i of (1), (f,)."""
    h = _step(of, shake)
    return -_slope(np.array([_under(of, shake, way * h)[0] for way in WAYS]), h)


def direct(of: Linear, shake: Shake, read: Callable[[Any], Array]) -> Array:
    """Return D_i of (2) of what is read of a result of one sample, (n,)."""
    h = _step(of, shake)
    stands = [_under(of, shake, way * h)[1] for way in WAYS]
    return _slope(np.array([read(stand.result(stand.y[None])) for stand in stands]), h)


def _step(of: Linear, shake: Shake) -> float:
    """Return the step of differences."""
    scale = of.chart.system.scale
    size = 1.0 if of.stand.mechanism.drivers[shake.driver].turns(of.stand.mechanism) else scale.length
    return float(STEP * size / scale.time**shake.level)


def _slope(values: Array, h: float) -> Array:
    """Return the derivative from values at WAYS."""
    return np.asarray((8.0 * (values[0] - values[1]) - (values[2] - values[3])) / (12.0 * h))


def _under(of: Linear, shake: Shake, by: float) -> tuple[Array, Stand]:
    """Return r and the stand where the motion of a driver is changed at one level, z and z' as they are."""
    m, t = of.stand.mechanism, of.stand.t
    now = [float(x) for x in values(m.drivers[shake.driver].motion, t)]
    now[shake.level] += by
    stand = of.stand.changed(m.replaced(drivers={shake.driver: {"motion": _motion(t, *now)}}))
    chart = copy.copy(of.chart)
    chart.system = stand.system
    pose = chart.pose(np.zeros(chart.f))
    moving = chart.motion(pose, of.rates)
    return chart.missing(moving), stand.put(pose.q, moving.v, pose.x)


def _motion(t: float, value: float, rate: float, acceleration: float) -> Sine:
    """Return a signal that has a value, a rate and an acceleration at a time."""
    phase = math.atan2(-acceleration, rate) - t
    amplitude = math.hypot(rate, acceleration)
    return Sine(amplitude=amplitude, frequency=1.0 / math.tau, phase=phase, offset=value + acceleration)
