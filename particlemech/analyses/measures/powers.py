"""Powers and work: what drivers, motors, springs, dampers and loads give to the mechanism.

    power of a driver = effort x rate,  of a spring or damper = -force x rate of its length,
    of a couple between two bodies = moment . (w2 - w1),  of a load = F . v + M . w                              (1)
    kinetic + potential energy rise by all powers but those that have a potential                                (2)

Turning moment and flywheel: let M(angle) be what a shaft must be given at even speed over whole cycles, and Mm its
mean, which the motor gives. The excess energy and the inertia that holds the fluctuation of the speed to delta are

    e(angle) = integral of (Mm - M),   E = max e - min e                                                         (3)
    delta = (w_max - w_min) / ((w_max + w_min)/2),   J = E / (delta w^2)                                         (4)

Over a span of time, part by part net of what it takes back, losses being those of joints by friction, of blows and of
dampers; what impulses of drivers that switch give is put in,

    put in = works of drivers, motors and loads that are above zero + energy given up                            (5)
    efficiency = 1 - losses / put in                                                                             (6)

(4) is exact with w = (w_max + w_min)/2: J (w_max^2 - w_min^2)/2 = J w (w_max - w_min).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from particlemech.analyses.measures.curves import Span, integral, largest, least, spline, within
from particlemech.analyses.measures.rates import Quantity
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import GROUND


class TurningMoment(NamedTuple):
    """What a shaft is given over its full cycles, at n samples from start to end."""

    angle: Array  # (n,) rad
    moment: Array  # (n,)
    mean: float  # moment
    work: float  # per cycle
    energy: Array  # (n,) excess energy from the start on, (3)
    excess: float  # largest less least of it
    t_low: float  # s, when a flywheel turns slowest
    t_high: float  # s, and fastest


class Flywheel(NamedTuple):
    """What holds the fluctuation of a speed."""

    inertia: float  # of the flywheel, (4)
    fluctuation: float  # as wanted
    excess: float  # energy, (3)
    speed: float  # rad/s, the mean one


def power(result: Any, name: str) -> Array:
    """Return the power that a driver or a force gives to the mechanism, (K,); (1)."""
    m = result.system.mechanism
    if name in m.forces:
        return _of_force(result, name, m.forces[name])
    raise ModelError(f'power: "{name}" is no driver and no force{suggestion(name, [*m.drivers, *m.forces])}')


def _of_force(result: Any, name: str, spec: Any) -> Array:
    m, seen = result.system.mechanism, result._sight()
    tails = spec.quantities(m)
    first = result.force(name)
    if "rate" in tails:
        return np.asarray((-first if spec.elastic else first) * result.force(name, "rate"))
    if "effort" in tails:
        return np.asarray(first * result.rate(spec.joint, m.known_coordinate(spec.joint, spec.coordinate)))
    if "place" in tails:
        return _of_load(result, name, spec.body, tails)
    if "force" in tails:
        raise ModelError(f'power: that of a load per length, as "{name}", is not summed up; see energy.work')
    bodies = getattr(spec, "bodies", None) or m.joints[spec.joint].bodies
    moment = first
    if getattr(spec, "moment", None) is not None:  # of a motor about all axes: in those of the first body
        moment = seen.turned(bodies[0], first)
    return _dot(moment, _omega(result, bodies[1]) - _omega(result, bodies[0]))


def _of_load(result: Any, name: str, body: str, tails: Any) -> Array:
    """Return the power of a force at a place of a body, and of its couple."""
    if body == GROUND:
        return np.zeros(len(result.t))
    push, at, w = result.force(name, "force"), result.force(name, "place"), _omega(result, body)
    arm = at - result.com(body)
    spin = w[:, None] * np.stack([-arm[:, 1], arm[:, 0]], axis=1) if arm.shape[1] == 2 else np.cross(w, arm)
    found = np.sum(push * (result.com_velocity(body) + spin), axis=1)
    return found + (_dot(result.force(name, "moment"), w) if "moment" in tails else 0.0)


def _omega(result: Any, body: str) -> Array:
    d = len(result.system.mechanism.gravity)
    if body == GROUND:
        return np.zeros(len(result.t) if d == 2 else (len(result.t), 3))
    return np.asarray(result.omega(body))


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(a * b if a.ndim == 1 else np.sum(a * b, axis=1))


def fluctuation(t: Array, speed: Array, span: Span, name: str = "the speed") -> float:
    """Return the coefficient of fluctuation of a speed (K,) over a span; (4)."""
    low, high = least(t, speed, span).value, largest(t, speed, span).value
    if low * high <= 0.0:
        raise ModelError(
            f"fluctuation: {name} lies between {low:.4g} and {high:.4g}, it stands still in between; "
            "only what always turns one way has a coefficient of fluctuation"
        )
    return abs((high - low) / (0.5 * (high + low)))


def turning_moment(t: Array, shaft: Quantity, moment: Array, span: Span) -> TurningMoment:
    """Return a moment (K,) on a shaft over its full cycles, with its excess energy; (3)."""
    turn = float(np.interp(span.end, t, shaft.value) - np.interp(span.start, t, shaft.value))
    if not abs(turn) > 0.0:
        raise ModelError(f'turning moment: "{shaft.name}" comes back to where it was, so it has no mean; name a shaft')
    work = integral(t, moment * shaft.rate, span)
    mean = work / turn
    missing = (mean - moment) * shaft.rate
    part = within(t, span)
    if not np.isfinite(missing[part]).all():
        raise ModelError(f'turning moment: the effort on "{shaft.name}" is not determined at all samples')
    curve: Any = spline(t, missing).antiderivative()  # type: ignore[attr-defined]
    energy = curve(t) - curve(span.start)
    low, high = least(t, energy, span), largest(t, energy, span)
    return TurningMoment(
        shaft.value[part], moment[part], mean, work / span.cycles, energy[part], high.value - low.value, low.t, high.t
    )


def flywheel(found: TurningMoment, wanted: float, speed: float) -> Flywheel:
    """Return the flywheel that holds the fluctuation of a mean speed to a wanted one; (4)."""
    if isinstance(wanted, bool) or not isinstance(wanted, (int, float)) or not 0.0 < wanted < 2.0:
        raise ModelError(f"flywheel: fluctuation must be a number above 0 and below 2, got {wanted!r}")
    if not abs(speed) > 0.0:
        raise ModelError("flywheel: the mean speed of the shaft is 0; a flywheel needs one")
    return Flywheel(found.excess / (wanted * speed**2), float(wanted), found.excess, speed)


def efficiency(of: Any, start: float | None, end: float | None) -> float:
    """Return how much of what is put in comes out over a span, from the measures of a motion; (6)."""
    t, m = of.t, of.mechanism
    first, last = float(t[0]) if start is None else float(start), float(t[-1]) if end is None else float(end)
    if not t[0] <= first < last <= t[-1]:
        raise ModelError(f"efficiency: from {first:g} to {last:g} s is no span within {t[0]:g} to {t[-1]:g} s")
    span = Span(first, last, 0, float("nan"))
    damped = [name for name, force in m.forces.items() if force.elastic]
    works = {name: integral(t, of.power(name), span) for name in (*m.drivers, *m.forces) if name not in damped}
    energy = np.interp([first, last], t, of.result.energy.total)
    risen = float(energy[1] - energy[0])
    lost = sum(integral(t, loss, span) for loss in of.result.loss_columns().values())
    rounding = 1e-12 * float(np.max(of.result.energy.kinetic))
    jumps = [x.lost for x in of.result.switches if first <= x.t <= last and abs(x.lost) > rounding]  # negative: put in
    given = sum(max(-jump, 0.0) for jump in jumps)
    lost += sum(max(jump, 0.0) for jump in jumps)
    yields = any(getattr(joint, "damping", 0.0) for joint in m.joints.values())
    if damped or yields:  # springs give back what they store, so what is missing is lost
        lost = sum(works.values()) + given - risen
    put = sum(max(work, 0.0) for work in works.values()) + given + max(-risen, 0.0)
    if not put > 0.0:
        raise ModelError("efficiency: drivers, motors and loads put nothing in over this span; name another")
    return float(1.0 - lost / put)
