"""Motors and controllers on a coordinate of a joint, in the plane and in space: what they own and how they answer.

Their laws are in control_laws.py. An element may own states, which are integrated with the motion (or, of a sampled
controller, jump at its instants) and are results. What it measures is a column of the motion: "A.angle",
"A.angle_rate", "P.x", "P.vx", in the plane also "rod.angle" and "rod.omega". Reactions are none of it: they follow from
the efforts, at the same instant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from particlemech.errors import ModelError, suggestion
from particlemech.model import control_laws as laws
from particlemech.model.acting import COORDINATE, Called
from particlemech.model.applied import CONTROL, EFFORT, ELECTRIC, Array
from particlemech.model.primitives import Looks, Part
from particlemech.model.signals import SignalSpec, course, jump, largest, multiple, signal
from particlemech.model.spec import choice, key, limits, name, not_negative, number, positive, sequence, shown, text

MOST_INSTANTS = 1_000_000  # of a sampled controller in one run
DUE = 1e-9  # of the period: an instant this near is now
AXES = "xyz"


class Gauge(NamedTuple):
    """What a controller measures: a coordinate of a joint, of a point, or the angle of a body; or its rate."""

    of: str  # "joint", "point" or "body"
    part: str
    what: str  # the coordinate, or the axis
    rate: bool

    def value(self, state: Any, rate: bool) -> float:
        """Return what it measures, or its rate, in a state as functions of users see it."""
        if self.of == "joint":
            return float((state.rate if rate else state.coordinate)(self.part, self.what))
        if self.of == "body":
            return float((state.omega if rate else state.angle)(self.part))
        return float((state.velocity(self.part) if rate else state[self.part])[AXES.index(self.what)])


def gauges(mechanism: Any) -> dict[str, Gauge]:
    """Return all that can be measured of a mechanism, by its column."""
    found: dict[str, Gauge] = {}
    plane = len(mechanism.gravity) == 2
    for point in mechanism.points:
        for axis in AXES[: len(mechanism.gravity)]:
            found[f"{point}.{axis}"] = Gauge("point", point, axis, False)
            found[f"{point}.v{axis}"] = Gauge("point", point, axis, True)
    for body in mechanism.bodies if plane else ():
        found[f"{body}.angle"] = Gauge("body", body, "angle", False)
        found[f"{body}.omega"] = Gauge("body", body, "angle", True)
    for joint, spec in mechanism.joints.items():
        for of in spec.coordinate_names:
            found[f"{joint}.{of}"] = Gauge("joint", joint, of, False)
            found[f"{joint}.{of}_rate"] = Gauge("joint", joint, of, True)
    return found


@dataclass(frozen=True, kw_only=True)
class OnCoordinate(Called):
    """Base of those that act on a coordinate of a joint, by a law of control_laws.py that kernels know."""

    reported = EFFORT
    followed: ClassVar[str]  # the key of the signal s of its law
    follows_rate: ClassVar[bool] = False  # whether the law asks for s' too
    joint: str = key(name, "the joint on whose coordinate it acts, on the second body and reacted by the first")
    coordinate: str | None = key(name, COORDINATE, None)

    def numbers(self, mechanism: Any) -> tuple[int, tuple[float, ...]]:
        """Return the kind of its law and the numbers of it."""
        raise TypeError(f"{type(self).__name__} has no law that kernels know")

    @property
    def input(self) -> SignalSpec:
        """Return the signal s of its law."""
        found: SignalSpec = getattr(self, self.followed)
        return found

    @property
    def inputs(self) -> tuple[SignalSpec, ...]:
        """Return it, with no others."""
        return (self.input,)

    def gauge(self, mechanism: Any) -> Gauge | None:
        """Return what it measures besides the rate of its coordinate."""
        return None

    def answer(self, t: float, state: Any, z: Sequence[float], mechanism: Any) -> tuple[float, tuple[float, ...]]:
        """Return its effort in a state, and the rates of z."""
        gauge, (kind, p) = self.gauge(mechanism), self.numbers(mechanism)
        s, s_dot, _ = self.input.at(t)
        rate = float(state.rate(self.joint, mechanism.known_coordinate(self.joint, self.coordinate)))
        y = y_dot = 0.0
        if gauge is not None:
            y, y_dot = gauge.value(state, gauge.rate), 0.0 if gauge.rate else gauge.value(state, True)
        out = [0.0] * len(z)
        return laws.answer(kind, p, s, s_dot, rate, y, y_dot, z, 0, out), tuple(out)

    def exerted(self, seen: Any) -> tuple[Array, ...]:
        """Return its effort (K,)."""
        return (np.array(self.answers(seen), dtype=float),)

    def strongest(self) -> SignalSpec:
        """Return the effort that its arrow shows."""
        return self.input

    def look(self, part: Part, mechanism: Any, r: float) -> Looks:
        """Return an arrow about the axis or along the line of the coordinate."""
        of, shows = mechanism.coordinate(self.joint, self.coordinate), partial(course, (self.strongest(),))
        looks: Looks = mechanism.joints[self.joint].acted(part, mechanism, of, shows)
        return looks


@dataclass(frozen=True, kw_only=True)
class DcMotor(OnCoordinate):
    """A motor of direct current on a coordinate c of a joint, on its second body and reacted by its first.

    With the reduction n, which the motor turns by as c does by 1, constant k, voltage V, resistance R, inductance L:

        L i' = V - R i - n k c'    current: what the turning motor induces is taken from the voltage      (1)
        f = n k i                  effort on the coordinate                                               (2)

    Stalled it gives n k V/R, without load it turns with V/(n k). Without inductance the current follows at once; with
    one it is a state of the run. A `rotor` counts on an angle against the ground, in the plane; elsewhere it is a body
    of its own, on a `gear` or a `coupling`. In space the `drive` of the joint has one. Voltage, current, resistance
    and inductance are in V, A, ohm and H in all systems of units; in (1) k is that of (2) in N m.
    """

    reported = ELECTRIC
    followed = "voltage"
    voltage: SignalSpec = key(signal, "V", dimension="any")
    resistance: float = key(positive, "of its winding, ohm", dimension="any")
    constant: float = key(positive, "moment per ampere; in N m that is also voltage per rad/s", dimension="any")
    inductance: float = key(not_negative, "of its winding, H; 0: the current follows at once", 0.0, dimension="any")
    reduction: float = key(
        number, "angle of the motor over the coordinate; over a travel: per length", 1.0, dimension="any"
    )

    def verify(self) -> None:
        """Check that it drives something."""
        if self.reduction == 0.0:
            raise ModelError('key "reduction": must not be 0; a motor that turns with the joint itself has 1')

    @property
    def leverage(self) -> float:
        """Effort on the coordinate per ampere, n k."""
        return self.reduction * self.constant

    @property
    def states(self) -> tuple[str, ...]:
        """Its current, where it has an inductance."""
        return ("current",) if self.inductance else ()

    def sizes(self, duration: float) -> tuple[float, ...]:
        """Return the current at which it stalls."""
        return (largest(self.voltage, duration) / self.resistance or 1.0,) * len(self.states)

    def numbers(self, mechanism: Any) -> tuple[int, tuple[float, ...]]:
        """Return resistance, inductance, leverage, and the voltage that it induces per unit rate."""
        induced = self.leverage * mechanism.unit.joules  # N m per ampere are V per rad/s, in all systems of units
        return laws.MOTOR, (self.resistance, self.inductance, self.leverage, induced)

    def exerted(self, seen: Any) -> tuple[Array, Array, Array]:
        """Return the effort on the coordinate; the current, A; the electrical power that it takes."""
        effort = np.array(self.answers(seen), dtype=float)
        current = effort / self.leverage
        return effort, current, course((self.voltage,), seen.t)[:, 0] * current / seen.mechanism.unit.joules

    def largest(self, duration: float, length: float) -> float:
        """Return the largest effort when it stalls, as a force: whether it is a moment is not known here."""
        return largest(self.voltage, duration) * abs(self.leverage) / self.resistance / min(1.0, length)

    def strongest(self) -> SignalSpec:
        """Return the effort when it stalls."""
        return multiple(self.voltage, self.leverage / self.resistance)


def curve(value: Any) -> tuple[tuple[float, float], ...]:
    """A list of [speed, moment], speeds rising."""
    found = tuple(tuple(number(x) for x in sequence(row)) for row in sequence(value))
    if len(found) < 2 or any(len(row) != 2 for row in found):
        raise ModelError(f"expected two or more pairs [speed, moment], got {shown(value)}")
    for (before, _), (after, _) in pairwise(found):
        if after <= before:
            raise ModelError(f"its speeds must rise, {after:g} comes after {before:g}; sort the pairs")
    return found  # type: ignore[return-value]


@dataclass(frozen=True, kw_only=True)
class CurveMotor(OnCoordinate):
    """A motor with a curve of moment M over speed w, both of its shaft, on a coordinate c of a joint.

        f = n |u| sign(u) M(sign(u) n c')      n: reduction, u: throttle, held within -1 ... 1      (1)

    Between its points the curve is straight, beyond them it keeps its end values: the first limits the moment, and a
    last moment of 0 the speed.
    """

    followed = "throttle"
    curve: tuple[tuple[float, float], ...] = key(curve, "pairs [speed in rad/s, moment]", dimension="any")
    throttle: SignalSpec = key(signal, "share of the moment; negative: backwards", 1.0, dimension="any")
    reduction: float = key(
        positive, "angle of the motor over the coordinate; over a travel: per length", 1.0, dimension="any"
    )

    def numbers(self, mechanism: Any) -> tuple[int, tuple[float, ...]]:
        """Return the reduction, and the points of the curve."""
        return laws.CURVE, (self.reduction, float(len(self.curve)), *(x for pair in self.curve for x in pair))

    @property
    def greatest(self) -> float:
        """The largest effort on the coordinate."""
        return self.reduction * max(abs(moment) for _, moment in self.curve)

    def largest(self, duration: float, length: float) -> float:
        """Return the largest effort, as a force: whether it is a moment is not known here."""
        return self.greatest * min(1.0, largest(self.throttle, duration)) / min(1.0, length)

    def strongest(self) -> SignalSpec:
        """Return the largest effort at this throttle."""
        return multiple(self.throttle, self.greatest)


@dataclass(frozen=True, kw_only=True)
class Pid(OnCoordinate):
    """A controller: an effort on a coordinate of a joint, from what it measures, y, and what that should be, r.

        f0 = kp e + z + kd D,   e = r - y                   e, or only -y, is differentiated             (1)
        f = f0 within its limits                                                                         (2)
        z' = ki e + (f - f0)/T                              anti-windup by back-calculation              (3)
        D = (x - w)/F,   F w' = x - w                       the derivative of x, filtered                (4)

    T is `tracking`, F is `filter`. With a `period` h it measures at 0, h, 2 h ..., and holds its effort between:

        D = (x - w)/(F + h),   w <- w + h D,   z <- z + h (ki e + (f - f0)/T)                            (5)

    D is 0 and its states are as given when a run begins. Reactions cannot be measured: they follow from the effort.
    """

    reported = CONTROL
    followed = "setpoint"
    setpoint: SignalSpec = key(signal, "what the measured should be", dimension="any")
    sensor: str | None = key(
        text, 'what it measures, a column such as "A.angle_rate", "P.x"; default: its own coordinate', None
    )
    kp: float = key(number, "effort per error", 0.0, dimension="any")
    ki: float = key(number, "effort per error and second", 0.0, dimension="any")
    kd: float = key(number, "effort per rate of the error", 0.0, dimension="any")
    derivative: str = key(
        choice("measurement", "error"), "what kd sees: minus the measured, or the error", "measurement"
    )
    filter: float = key(not_negative, "time constant of the derivative, s; 0: none", 0.0, dimension="time")
    limits: Any = key(limits, "[lower, upper] of the effort", None, dimension="effort")
    tracking: float | None = key(
        positive, "s, in which the integral comes back from a limit; default: kp/ki", None, dimension="time"
    )
    period: float | None = key(positive, "s, between its instants; default: it is continuous", None, dimension="time")

    def verify(self) -> None:
        """Check that it acts, and that its integral has a way back from the limits."""
        if self.kp == self.ki == self.kd == 0.0:
            raise ModelError('all of "kp", "ki" and "kd" are 0, so it exerts nothing; give one of them')
        if self.limits is not None and not isinstance(self.limits, tuple):
            raise ModelError('key "limits": expected two numbers [lower, upper]')
        if self.limits is not None and self.ki != 0.0 and self.tracking is None and not self.kp / self.ki > 0.0:
            raise ModelError(
                'key "tracking" is missing: with limits and without kp nothing says how fast the integral comes back; '
                "give a time, such as tracking = 0.1"
            )
        if self.follows_rate and (at := jump(self.setpoint)) is not None:
            raise ModelError(
                f'key "derivative": the setpoint jumps at t = {at:g} s, where the rate of the error is no number; give '
                'the derivative a "filter", take derivative = "measurement", or let the setpoint rise in some time'
            )
        if self.period is not None and self._back * self.period > 2.0:
            raise ModelError(
                f'key "tracking": {1.0 / self._back:g} s is less than half of the period of {self.period:g} s, so the '
                "integral would swing at a limit; give a longer time"
            )

    @property
    def _back(self) -> float:
        """1/T of (3)."""
        if self.limits is None or self.ki == 0.0:
            return 0.0
        return 1.0 / (self.kp / self.ki if self.tracking is None else self.tracking)

    @property
    def states(self) -> tuple[str, ...]:
        """Its integral, the filter of its derivative, and the effort that it holds."""
        return ("integral", "filtered") if self.period is None else ("integral", "filtered", "held")

    @property
    def moving(self) -> tuple[bool, ...]:
        """An integral that adds nothing up and a filter of nothing do not act."""
        return (self.ki != 0.0, self.kd != 0.0 and self.filter > 0.0, True)[: len(self.states)]

    @property
    def unlimited(self) -> Pid:
        """Return the same without limits."""
        return self if self.limits is None else replace(self, limits=None)

    @property
    def follows_rate(self) -> bool:  # type: ignore[override]
        """Whether the error itself is differentiated."""
        return self.derivative == "error" and self.kd != 0.0 and self.filter == 0.0

    def sizes(self, duration: float) -> tuple[float, ...]:
        """Return the efforts that an error as large as the setpoint, or 1, asks for."""
        error = largest(self.setpoint, duration) or 1.0
        effort = max(abs(self.kp) * error, abs(self.ki) * error * duration, abs(self.kd) * error / duration)
        return (effort, error, effort)[: len(self.states)]

    def column(self, mechanism: Any) -> str:
        """Return the column of results that it measures."""
        if self.sensor is None:
            return f"{self.joint}.{mechanism.known_coordinate(self.joint, self.coordinate)}"
        if self.sensor in mechanism.joints:
            return f"{self.sensor}.{mechanism.known_coordinate(self.sensor, None)}"
        return self.sensor

    def gauge(self, mechanism: Any) -> Gauge:
        """Return what it measures."""
        known, column = gauges(mechanism), self.column(mechanism)
        if column not in known:
            raise ModelError(
                f'key "sensor": nothing is measured as "{column}"{suggestion(column, known)}; it is a coordinate of a '
                'joint, such as "A.angle" or "A.angle_rate", or of a point, such as "P.x" or "P.vx"'
            )
        return known[column]

    def check_sensor(self, mechanism: Any) -> None:
        """Check what it measures, and that the derivative of a rate is filtered: it is no part of a state."""
        if self.gauge(mechanism).rate and self.kd != 0.0 and self.filter == 0.0 and self.period is None:
            raise ModelError(
                'key "kd": the derivative of a rate is an acceleration, which follows from the effort itself; give '
                'the derivative a "filter", or the controller a "period"'
            )

    def check(self, mechanism: Any) -> None:
        """Check joint, coordinate and sensor."""
        super().check(mechanism)
        self.check_sensor(mechanism)

    def numbers(self, mechanism: Any) -> tuple[int, tuple[float, ...]]:
        """Return the numbers that control_laws.py lists."""
        lower, upper = self.limits or (-math.inf, math.inf)
        kind, of_error = laws.PID if self.period is None else laws.SAMPLED, float(self.derivative == "error")
        gains = self.kp, self.ki, self.kd
        return kind, (*gains, lower, upper, self._back, self.filter, of_error, self.period or 0.0)

    @property
    def sampled(self) -> bool:  # type: ignore[override]
        """Whether it has a period."""
        return self.period is not None

    def _differentiated(self, t: float, state: Any, mechanism: Any) -> tuple[float, float, float]:
        """Return setpoint, what is measured, and what is differentiated."""
        gauge = self.gauge(mechanism)
        s, y = self.setpoint.at(t)[0], gauge.value(state, gauge.rate)
        return s, y, s - y if self.derivative == "error" else -y

    def begun(self, t: float, state: Any, z: Sequence[float], mechanism: Any) -> tuple[float, ...]:
        """Return its states when a run begins: its filter is at rest."""
        rested = (z[0], self._differentiated(t, state, mechanism)[2], *z[2:])
        return self.struck(t, state, rested, mechanism)

    def struck(self, t: float, state: Any, z: Sequence[float], mechanism: Any) -> tuple[float, ...]:
        """Return its states just after one of its instants, (5)."""
        if self.period is None:
            return tuple(z)
        s, y, _ = self._differentiated(t, state, mechanism)
        return laws.sampled(self.numbers(mechanism)[1], s, y, z)

    def instants(self, duration: float) -> list[float]:
        """Return its instants after the start."""
        if self.period is None:
            return []
        n = duration / self.period
        if n > MOST_INSTANTS:
            raise ModelError(
                f'key "period": {self.period:g} s is {n:.3g} instants in {duration:g} s; take a longer one'
            )
        return [k * self.period for k in range(1, int(n * (1.0 + DUE)) + 1)]

    def due(self, t: float) -> bool:
        """Whether a time is one of its instants."""
        return self.period is not None and abs(t - round(t / self.period) * self.period) <= DUE * self.period

    def exerted(self, seen: Any) -> tuple[Array, Array, Array]:
        """Return effort, error, and integral."""
        effort = np.array(self.answers(seen), dtype=float)
        gauge = self.gauge(seen.mechanism)
        y = np.array([gauge.value(seen.state(k), gauge.rate) for k in range(len(seen.t))])
        return effort, course((self.setpoint,), seen.t)[:, 0] - y, seen.own[:, 0]

    def largest(self, duration: float, length: float) -> float:
        """Return the largest effort that an error as large as the setpoint asks for, within the limits, as a force."""
        asked = abs(self.kp) * largest(self.setpoint, duration)
        return (min(asked, max(map(abs, self.limits))) if self.limits else asked) / min(1.0, length)

    def strongest(self) -> SignalSpec:
        """Return what the setpoint asks for."""
        return multiple(self.setpoint, self.kp or self.ki or self.kd)
