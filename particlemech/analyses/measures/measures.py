"""Measures: one object that answers by the words of the trade; what costs time is computed when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from particlemech.analyses.measures import (
    curves,
    cycles,
    poles,
    powers,
    rates,
    shaking,
    transmission,
)
from particlemech.analyses.measures.curves import CARRIED, Extreme, Span, Statistics
from particlemech.analyses.measures.poles import Centrodes, Circle, Screw
from particlemech.analyses.measures.powers import Flywheel, TurningMoment
from particlemech.analyses.measures.rates import Quantity, Strokes
from particlemech.analyses.measures.shaking import Shaking
from particlemech.engine.internal import even
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import GROUND
from particlemech.model.spec import shown


class Measures:
    """The numbers of the trade of one motion; arrays run along its K samples, units are those of the model.

    `columns()` has all that is a curve by the names that files and charts use, `statistics(column)` peak, mean and root
    mean square of any of them; printed it is a table. What is said per cycle counts full cycles only, those of `span`.
    """

    def __init__(self, result: Any, driver: str | None = None, cycle: Any = None, about: Any = None) -> None:
        self.result, self.t, self.about, self._cycle = result, result.t, about, cycle
        self.system, self.mechanism, self.status = result.system, result.system.mechanism, result.status
        self._named = driver
        shaking.place(result, about)  # what is wrong is said at once
        if driver is not None:
            rates.driver(result, driver)
        if cycle is not None:
            self.span  # noqa: B018

    def __repr__(self) -> str:
        return f"<Measures: {self.mechanism.name}, {len(self.t)} samples, {self.span.cycles} full cycles>"

    def __str__(self) -> str:
        from particlemech.analyses.measures.table import lines

        return "\n".join(lines(self))

    # -- what counts -------------------------------------------------------------------------------------------------

    @cached_property
    def driver(self) -> Quantity:
        """The coordinate that moves the others: name, value, rate, and whether it turns."""
        return self.shaft()

    def shaft(self, name: str | None = None) -> Quantity:
        """Return a driver or a coordinate of a joint by name; default what moves the others."""
        return rates.driver(self.result, name or self._named)

    @cached_property
    def span(self) -> Span:
        """From when to when the numbers count, how many full cycles these are, and their period; s."""
        if self._cycle is None:
            return cycles.recurring(self.result) or cycles.whole(self.t)
        if not isinstance(self._cycle, str):
            return cycles.said(self.t, self._cycle)
        found = rates.coordinate(self.result, self._cycle)
        if found is None or not found.turns:
            m = self.mechanism
            raise ModelError(f'cycle: "{self._cycle}" is no angle{suggestion(self._cycle, [*m.drivers, *m.joints])}')
        return cycles.turned(self.t, found.value, self._cycle)

    def _cycles(self, what: str) -> Span:
        """Return the span of the full cycles, or say that there are none."""
        if not self.span.cycles:
            raise ModelError(
                f"{what}: the run from {self.t[0]:g} to {self.t[-1]:g} s holds no full cycle: nothing comes back to "
                'how it was and moved; run longer, or say measures(cycle="NAME") of an angle whose turns count'
            )
        return self.span

    # -- kinematics --------------------------------------------------------------------------------------------------

    def ratio(self, of: str | None = None, *, point: str | None = None) -> Array:
        """Return a velocity ratio, (K,) or (K, d): what moves per rate of the driver; NaN where that stands still.

        `of` is a coordinate, "joint" or "joint.coordinate", or a body: its angular velocity is meant. Of a point it is
        the velocity.
        """
        if (of is None) == (point is None):
            raise ModelError('ratio: name one thing that moves, a coordinate or a body, or point="NAME"')
        rate = self.result.velocity(point) if of is None else rates.moving(self.result, of)
        return rates.ratio(rate, self.driver)

    @property
    def still(self) -> int:
        """At how many samples the driver stands still, so that velocity ratios are NaN; 0 where none is known."""
        known = self._named is not None or len(self.mechanism.drivers) == 1
        return int(np.isnan(rates.ratio(self.driver.rate, self.driver)).sum()) if known else 0

    def advantage(self, of: str) -> Array:
        """Return the mechanical advantage, (K,): what a unit effort of the driver balances on a coordinate."""
        return rates.advantage(rates.ratio(self._rate(of, "advantage"), self.driver))

    def _rate(self, of: str, what: str) -> Array:
        """Return the rate of a coordinate, or of a body in the plane, (K,)."""
        rate = rates.moving(self.result, of)
        if rate.ndim > 1:
            raise ModelError(f'{what}: "{of}" is a vector; name a coordinate of a joint, such as "joint.angle"')
        return rate

    def time_ratio(self, of: str) -> Strokes:
        """Return how long a coordinate rises and falls in a cycle, s, and the ratio of the longer to the shorter."""
        found = rates.coordinate(self.result, of)
        if found is None:
            raise ModelError(f'time ratio: "{of}" is no coordinate of a joint{suggestion(of, self.mechanism.joints)}')
        return rates.strokes(self.t, found, self._cycles("time ratio"))

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """The coordinates of joints on the ground that have a transmission angle; none of what bends."""
        return tuple(self._outputs)

    @property
    def _outputs(self) -> dict[str, transmission.Output]:
        return {} if any(self.mechanism.yielding) else transmission.outputs(self.mechanism, self._named)

    @cached_property
    def _transmissions(self) -> dict[str, Array]:
        held = bool(self.mechanism.drivers) or self._named is not None
        wanted = tuple(self._outputs.values()) if held else ()
        world = "transmission" if self.mechanism.kind == "planar" else "transmission_space"
        of: Any = import_module(f"{__package__}.{world}")
        return dict(of.angles(self.result, self._named, wanted)) if wanted else {}

    @property
    def _known_transmissions(self) -> dict[str, Array]:
        return {label: values for label, values in self._transmissions.items() if np.isfinite(values).any()}

    def transmission(self, joint: str) -> Array:
        """Return the transmission angle at an output, (K,), rad, from 0 to pi; best is pi/2, see transmission.py.

        In space it is from 0 to pi/2, see transmission_space.py; NaN where joints can share the load in many ways.
        `joint` is one on the ground that is not driven, as that of a rocker or the guide of a slider: "joint", or
        "joint.coordinate" where it has several coordinates.
        """
        if any(self.mechanism.yielding):
            raise ModelError("transmission angles are those of rigid bodies; ask for advantage, or for the cycle's")
        transmission.chosen(self.mechanism, self._named, joint)
        if joint not in self._transmissions:
            rates.driver(self.result, self._named)  # says what is missing
        return self._transmissions[joint]

    def instant_centre(self, body: str, against: str = GROUND) -> Array:
        """Return the instant centre of two bodies in the plane, (K, 2), global; NaN where it is at infinity."""
        return poles.instant_centre(self.result, body, against)

    def centrodes(self, body: str, against: str = GROUND) -> Centrodes:
        """Return the curves of the instant centre on `against`, `fixed`, and on the body, `moving`, as drawn."""
        return poles.centrodes(self.result, body, against)

    def inflection(self, body: str, against: str = GROUND) -> Circle:
        """Return the inflection circle: `pole`, `centre`, (K, 2) each, and `diameter`, (K,)."""
        return poles.inflection(self.result, body, against)

    def screw_axis(self, body: str, against: str = GROUND) -> Screw:
        """Return the screw about which a body in space moves: `point`, `direction`, (K, 3) each, and `pitch`, (K,)."""
        return poles.screw_axis(self.result, body, against)

    # -- forces ------------------------------------------------------------------------------------------------------

    def shaking(self, about: Any = None, gravity: bool = False, loads: bool = False) -> Shaking:
        """Return `force` and `moment` that the frame feels from the motion, reactions of drivers and motors included.

        The moment is about a point by name or a place; default that of `measures(about=...)`, or the origin. Weights
        and loads from outside go through to the frame too: they are added where asked for.
        """
        return shaking.shaking(self.result, self.about if about is None else about, gravity, loads)

    def bearing(self, joint: str, on: str, axes: str = GROUND) -> Array:
        """Return the force of a joint on one of its bodies in the axes of a body as drawn, (K, d): bearing loads."""
        force = np.asarray(self.result.reaction(joint, on))
        if axes == GROUND:
            return force
        self.mechanism.known_body(axes)
        if force.shape[1] == 3:
            return np.einsum("kji,kj->ki", self.result.orientation(axes), force)
        c, s = np.cos(self.result.angle(axes)), np.sin(self.result.angle(axes))
        return np.stack([c * force[:, 0] + s * force[:, 1], c * force[:, 1] - s * force[:, 0]], axis=1)

    def efficiency(self, start: float | None = None, end: float | None = None) -> float:
        """Return how much of what is put in comes out over a span, 0 to 1; default: the full cycles, or the run."""
        if start is None and end is None:
            start, end = self.span.start, self.span.end
        return powers.efficiency(self, start, end)

    def power(self, name: str) -> Array:
        """Return the power that a driver, motor, spring, damper or load gives to the mechanism, (K,)."""
        if name not in self.mechanism.drivers:
            return powers.power(self.result, name)
        found = rates.coordinate(self.result, name)
        assert found is not None
        return np.asarray(self.result.effort(name) * found.rate)

    def work(self, name: str | None = None) -> float:
        """Return the work per cycle of a driver or a force; default of all drivers, loads and dampers together."""
        span = self._cycles("work")
        if name is not None:
            return curves.integral(self.t, self.power(name), span) / span.cycles
        ends = [float(np.interp(at, self.t, self.result.energy.work)) for at in (span.start, span.end)]
        return (ends[1] - ends[0]) / span.cycles

    def fluctuation(self, of: str) -> float:
        """Return the coefficient of fluctuation of a rate over full cycles: (max - min)/((max + min)/2)."""
        speed = self._rate(of, "fluctuation")
        return powers.fluctuation(self.t, speed, self._cycles("fluctuation"), f'the rate of "{of}"')

    def turning_moment(self, driver: str | None = None) -> TurningMoment:
        """Return the effort of a driver over its full cycles, with mean, work per cycle and excess energy."""
        shaft = self.shaft(driver)
        name = shaft.name
        if name not in self.mechanism.drivers:
            raise ModelError(f'turning moment: "{name}" is no driver{suggestion(name, self.mechanism.drivers)}')
        return powers.turning_moment(self.t, shaft, self.result.effort(name), self._cycles("turning moment"))

    def flywheel(self, fluctuation: float, driver: str | None = None) -> Flywheel:
        """Return the flywheel that holds the fluctuation of the speed of a driver which gives the mean moment."""
        found = self.turning_moment(driver)
        return powers.flywheel(found, fluctuation, curves.mean(self.t, self.shaft(driver).rate, self.span))

    # -- any curve ---------------------------------------------------------------------------------------------------

    def statistics(self, column: str) -> Statistics:
        """Return peak and its time, mean, rms, least and largest of a column, of these or the result, over `span`."""
        return curves.statistics(self.t, self._column(column), self.span)

    def extremes(self, column: str) -> tuple[Extreme, Extreme]:
        """Return the least and the largest value of a column over `span`, with their times."""
        values = self._column(column)
        return curves.least(self.t, values, self.span), curves.largest(self.t, values, self.span)

    def _column(self, name: str) -> Array:
        for known in (self.columns, self.result.columns):
            if name in known():
                return known()[name]
        raise ModelError(f'column "{name}" unknown{suggestion(name, [*self.columns(), *self.result.columns()])}')

    def columns(self) -> dict[str, Array]:
        """Return all that is a curve, by the names of columns, in order; what cannot be known here is left out."""
        return self._columns

    @cached_property
    def _columns(self) -> dict[str, Array]:
        m, found = self.mechanism, {"t": self.t}
        found |= {f"{label}.transmission": values for label, values in self._known_transmissions.items()}
        driven = self._named if self._named is not None else next(iter(m.drivers), "") if len(m.drivers) == 1 else ""
        if driven:
            for label, (joint, of) in rates.labels(m).items():
                rate = self.ratio(f"{joint}.{of}")
                found |= {f"{label}_ratio": rate, f"{label}_advantage": rates.advantage(rate)}
        for body in m.bodies:
            found |= self._poles(body)
        for name in (*m.drivers, *m.forces):
            if (values := tried(lambda name=name: self.power(name))) is not None:  # type: ignore[misc]
                found[f"{name}.power"] = values
        frame = tried(self.shaking)
        if frame is not None:
            every = np.column_stack([frame.force, frame.moment])
            tails = ("fx", "fy", "m") if every.shape[1] == 3 else ("fx", "fy", "fz", "mx", "my", "mz")
            found |= {f"shaking.{tail}": every[:, k] for k, tail in enumerate(tails)}
        return found | self._carried

    @cached_property
    def _carried(self) -> dict[str, Array]:
        """The columns of the largest forces in rods; none where reactions, or forces in rods, are not known."""
        if not hasattr(self.result, "largest"):
            return {}
        found = {body: tried(lambda body=body: self.result.largest(body)) for body in self.rods}  # type: ignore[misc]
        every = ((body, what) for body, of in found.items() if of for what in CARRIED)
        return {f"{body}.{what}": found[body][what] for body, what in every}

    @property
    def rods(self) -> tuple[str, ...]:
        """The rigid bodies that are rods, in which internal forces are known."""
        rigid = ((name, body) for name, body in self.mechanism.bodies.items() if not getattr(body, "bends", False))
        return tuple(name for name, body in rigid if even(body))

    def _poles(self, body: str) -> dict[str, Array]:
        """Return the columns of instant centre, moving centrode and inflection circle, or of the screw axis."""
        if self.mechanism.kind != "planar":
            screw = self.screw_axis(body)
            named = {f"{body}.screw_{axis}": screw.point[:, k] for k, axis in enumerate("xyz")}
            return {**named, f"{body}.screw_pitch": screw.pitch}
        circle, moving = self.inflection(body), self.centrodes(body).moving
        parts = {"pole": circle.pole, "centrode": moving, "inflection": circle.centre}
        named = {f"{body}.{part}_{axis}": of[:, k] for part, of in parts.items() for k, axis in enumerate("xy")}
        return {**named, f"{body}.inflection_diameter": circle.diameter}


def tried(ask: Callable[[], Any]) -> Any:
    """Return an answer, or None where there is none."""
    try:
        return ask()
    except ModelError:
        return None


def measured(result: Any, driver: str | None = None, cycle: Any = None, about: Any = None) -> Measures:
    """Return the measures of a result; see `Result.measures`."""
    if len(result.t) < 2:
        raise ModelError(f"measures: a motion is needed, this result has {len(result.t)} sample(s); run longer")
    if driver is not None and not isinstance(driver, str):
        raise ModelError(f"measures: driver must be the name of a driver or a joint, got {shown(driver)}")
    if driver is None and cycle is None and about is None:  # charts and sweeps ask again and again
        return vars(result).setdefault("_measured", Measures(result))
    return Measures(result, driver, cycle, about)
