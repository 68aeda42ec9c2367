"""Signals: functions of time, for drivers and forces, by name.

Elementary ones are lists of segments (elementary.py), others are made of these (composed.py) or of moves (programs.py),
or are expressions of the time (functions.py). A new kind is one class in one of these that lists its segments or its
steps, and one entry here.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech.errors import ModelError
from particlemech.model.composed import Delayed as Delayed
from particlemech.model.composed import Periodic as Periodic
from particlemech.model.composed import Product as Product
from particlemech.model.composed import Scaled as Scaled
from particlemech.model.composed import Shaped as Shaped
from particlemech.model.composed import Sum as Sum
from particlemech.model.composed import signal_list as signal_list
from particlemech.model.elementary import SWING as SWING
from particlemech.model.elementary import Constant as Constant
from particlemech.model.elementary import Cycloid as Cycloid
from particlemech.model.elementary import File as File
from particlemech.model.elementary import Linear as Linear
from particlemech.model.elementary import Sine as Sine
from particlemech.model.elementary import Step as Step
from particlemech.model.elementary import Table as Table
from particlemech.model.elementary import motion as motion
from particlemech.model.elementary import signal as signal
from particlemech.model.functions import Expression as Expression
from particlemech.model.programs import Program as Program
from particlemech.model.programs import Pulse as Pulse
from particlemech.model.programs import Trapezoid as Trapezoid
from particlemech.model.segments import Segment as Segment
from particlemech.model.segments import SignalSpec as SignalSpec
from particlemech.model.segments import course as course
from particlemech.model.segments import values as values
from particlemech.model.spec import kind_name, sequence

KINDS: tuple[type[SignalSpec], ...] = (
    *(Constant, Linear, Sine, Cycloid, Step, Table, File, Shaped, Expression),
    *(Sum, Product, Scaled, Delayed, Periodic, Pulse, Trapezoid, Program),
)
NAMES = {kind_name(kind): kind for kind in KINDS}


def curve(t: NDArray[np.float64], value: NDArray[np.float64]) -> SignalSpec:
    """Return the smooth curve through values (K,) at increasing times (K,), s."""
    return Table(t=tuple(t.tolist()), value=tuple(value.tolist()), interpolation="smooth")


def multiple(of: SignalSpec, factor: float) -> SignalSpec:
    """Return a multiple of a signal."""
    return Scaled(signal=of, factor=factor)


def added(*parts: SignalSpec) -> SignalSpec:
    """Return the sum of signals."""
    return Sum(parts=parts)


def steady(rate: float, offset: float) -> SignalSpec:
    """Return offset + rate t."""
    return Linear(rate=rate, offset=offset)


def signal_vector(value: Any) -> tuple[SignalSpec, SignalSpec]:
    """Two components [x, y], each a number or a signal."""
    result = tuple(signal(v) for v in sequence(value))
    if len(result) != 2:
        raise ModelError(f"expected two components [x, y], got {len(result)}")
    return result[0], result[1]


def signal_vector3(value: Any) -> tuple[SignalSpec, SignalSpec, SignalSpec]:
    """Three components [x, y, z], each a number or a signal."""
    result = tuple(signal(v) for v in sequence(value))
    if len(result) != 3:
        raise ModelError(f"expected three components [x, y, z], got {len(result)}")
    return result[0], result[1], result[2]


signal_vector.of_signals = signal_vector3.of_signals = signal  # type: ignore[attr-defined]


def jump(spec: SignalSpec) -> float | None:
    """Return the first time after 0 at which a signal jumps, s; None of one that does not.

    What jumps goes as far within a tenth of a short time; what rises, however steeply, a tenth as far.
    """
    for b in sorted(spec.breaks()):
        if not 0.0 < b < min(spec.until(), math.inf):
            continue
        near = 1e-6 * b * np.array([-1.0, -0.1, 0.1, 1.0])
        outer, first, last, other = course((spec,), b + near)[:, 0]
        if abs(last - first) > 0.5 * abs(other - outer) > 1e-9 * max(abs(other), abs(outer)):
            return float(b)
    return None


def ending(mechanism: Any, until: float) -> str:
    """Return the part of a mechanism and the key whose signal ends at a time, s, in words."""
    for section in ("drivers", "forces"):
        for name, part in getattr(mechanism, section).items():
            for field in dataclasses.fields(part):
                value = getattr(part, field.name)
                signals = [one for one in (value if isinstance(value, tuple) else (value,)) if hasattr(one, "until")]
                if any(one.until() <= until for one in signals):
                    return f'{section[:-1]} "{name}": the table of its "{field.name}"'
    return "a table of a signal"


def largest(spec: SignalSpec, duration: float) -> float:
    """Return the largest absolute value of a signal during a run, as seen at 200 times and at its jumps."""
    if isinstance(spec, Constant):
        return abs(spec.value)
    jumps = [b for b in spec.breaks() if 0.0 <= b <= duration]
    return float(np.abs(course((spec,), np.concatenate([np.linspace(0.0, duration, 200), jumps]))).max())
