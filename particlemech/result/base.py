"""Result: what every run leaves behind, whatever moved: samples, how it ended, certificates, files.

Samples are projected (positions, then velocities) before anything is computed from them; `closure` reports the state
before projection. What moves, and by which names, is added by the results of each family of mechanisms.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from particlemech._threads import one_thread
from particlemech.engine.system import Array, Instant
from particlemech.errors import ModelError, suggestion
from particlemech.model.columns import quantity, unit
from particlemech.result.said import warned
from particlemech.run.certificate import energy_scale, merged
from particlemech.run.phases import Moment, added
from particlemech.run.start import Start, accelerations, assembled, projected, weights
from particlemech.run.trajectory import Course, Phase

if TYPE_CHECKING:
    import pandas

    from particlemech.analyses.measures import Measures
    from particlemech.view.units import InUnits


SAME = 1e-9  # of the duration: times that count as that of a sample


class Energy(NamedTuple):
    """Energies at the samples, (K,) each, in the model's unit of energy: J in the plane."""

    kinetic: Array
    potential: Array
    total: Array
    work: Array  # done by drivers, loads and dampers since t = 0
    error: Array  # total - total(0) - work
    scale: float  # largest kinetic energy + range of the potential, along all steps of the run


ON_LIMIT = 1e-9  # rad or length, or a fraction of the limit: what is nearer has not left it


class Closure(NamedTuple):
    """Worst error of all joints at the samples, (K,) each, before projection."""

    position: Array  # m
    velocity: Array  # m/s


class Exceeded(NamedTuple):
    """A coordinate of a joint that left its limits: the worst sample."""

    joint: str
    coordinate: str
    limit: float  # which was passed
    value: float  # farthest beyond it
    t: float  # s, when
    first: float  # s, the first sample beyond it


class States:
    """The samples of one phase, and what its system makes of them; all arrays run along these samples."""

    def __init__(self, phase: Phase) -> None:
        self.phase, self.system, self.t, self.y = phase, phase.system, phase.t, phase.y

    @cached_property
    @one_thread
    def projected(self) -> tuple[Array, Array]:
        """Coordinates (K, n_q) and speeds (K, n_v) that satisfy all rows."""
        lay = self.system.layout
        q, v = self.y[:, lay.q].copy(), self.y[:, lay.v].copy()
        if self.phase.projected or not self.system.n_row:
            return q, v
        for k, t in enumerate(self.t):
            q[k] = assembled(self.system, t, q[k], rounds=4)
            v[k] = projected(self.system, t, q[k], v[k])
        return q, v

    @property
    def x(self) -> Array:
        """Extra states, (K, n_x)."""
        return self.y[:, self.system.layout.x]

    @cached_property
    @one_thread
    def accelerations(self) -> Array:
        """Rates of the speeds, (K, n_v)."""
        q, v = self.projected
        rows = zip(self.t, q, v, self.x, strict=True)
        found = [accelerations(self.system, t, qk, vk, xk)[0] for t, qk, vk, xk in rows]
        return np.array(found).reshape(len(q), self.system.n_v)

    @cached_property
    def energies(self) -> tuple[Array, Array]:
        """Kinetic and potential energy, (K,) each."""
        q, v = self.projected
        kinetic, potential = self.system.energy(q, v, self.x)
        return kinetic, potential

    @cached_property
    def closure(self) -> Closure:
        """Worst position and velocity error of all joints, before projection."""
        lay, scale = self.system.layout, weights(self.system)
        position, velocity = np.zeros((2, len(self.t)))
        if not self.system.n_row:
            return Closure(position, velocity)
        for k, t in enumerate(self.t):
            q, v = self.y[k, lay.q], self.y[k, lay.v]
            at = self.system.levels(t, q, v)
            position[k] = np.max(np.abs(scale * at.phi))
            velocity[k] = np.max(np.abs(scale * (at.phi_q @ v + at.phi_t)))
        return Closure(position, velocity)


def chained(parts: list[Array]) -> Array:
    """Return arrays of phases one after the other along the samples; one alone is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def widest(parts: list[Array]) -> Array:
    """Return arrays of phases (K, n) one after the other, with zeros where one has fewer columns."""
    most = max((part.shape[1] for part in parts), default=0)
    return chained([np.pad(part, ((0, 0), (0, most - part.shape[1]))) for part in parts])


class Result:
    """What a run leaves behind.

    Attributes
    ----------
    t : array, shape (K,)
        Times of the samples, s.
    status, message
        How the run ended, and in words.
    certificate : Certificate or None
        What was measured along all steps: closure, energy error, energies.
    phases : list of Phase
        The stretches of the run, each with its own system and integrator.
    complementarity : Complementarity or None
        How well stops and contacts kept gap >= 0, force >= 0 and never both, at samples and switches.
    switches : tuple of Switch
        What stops and contacts did, in order: when, which, and speeds, impulse and energy of impacts.
    stats : dict
        Steps, residuals, jacobians, seconds, size, and the phases with their times.
    provenance : dict
        Version, hash of the model, options, closure: what every file carries.
    system, start
        What was integrated first, and from where.
    """

    complementarity: Any = None
    _of_phase: type[States] = States  # what a family makes of the samples of a phase

    def __init__(
        self, system: Instant, start: Start, course: Course, provenance: Callable[[], Mapping[str, Any]]
    ) -> None:
        self.system, self.start, self.phases = system, start, course.phases
        self.t = chained([phase.t for phase in course.phases])
        self.status, self.message, self.certificate = course.status, course.message, course.certificate
        self.stats, self.switches = dict(course.stats), course.switches
        self._said = provenance
        self._states = [self._of_phase(phase) for phase in course.phases]

    def __repr__(self) -> str:
        end = f" to t = {self.t[-1]:g} s" if len(self.t) else ""
        return f"<Result: {self.status.value}, {len(self.t)} samples{end}>"

    def _repr_html_(self) -> str:
        """Return the page of the motion, in a frame: what notebooks show."""
        # by name: views stand above what they show, and are loaded only if someone looks
        framed: str = import_module("particlemech.view.page").framed(self) if len(self.t) else "no samples"
        return framed

    # -- states ------------------------------------------------------------------------------------------------

    @cached_property
    def _y(self) -> Array:
        """States of all samples, (K, n), of a run whose phases are all of one system."""
        return chained([phase.y for phase in self.phases])

    @cached_property
    def _projected(self) -> tuple[Array, Array]:
        """Coordinates and speeds of all samples, of a run whose phases are all of one system."""
        q, v = zip(*(states.projected for states in self._states), strict=True)
        return chained([*q]), chained([*v])

    @cached_property
    def _accelerations(self) -> Array:
        return chained([states.accelerations for states in self._states])

    @property
    def _x(self) -> Array:
        """Extra states of all samples, (K, n_x): the same in all systems of a mechanism."""
        return chained([states.x for states in self._states])

    def _at(self, names: tuple[str, ...], name: str, what: str) -> int:
        if name not in names:
            raise ModelError(f'{what} "{name}" unknown{suggestion(name, names)}')
        return names.index(name)

    def at(self, t: float | None = None) -> Moment:
        """Return the sample at a time, s (default the last); `simulate(mechanism, start=result.at(0.5))` goes on."""
        last = len(self.t) - 1
        if t is None:
            k = last
        else:
            k = int(np.argmin(np.abs(self.t - t)))
            if not abs(self.t[k] - t) <= SAME * max(float(np.ptp(self.t)), 1e-300):
                near = f"no sample at t = {t:g} s, the nearest is at {self.t[k]:.12g} s"
                raise ModelError(f"{near}; take that, or ask for more samples")
        struck = k == last and self.message.startswith("event")  # an impulse may have led to the event that ended it
        for phase in self.phases:
            if k < len(phase.t):
                return Moment(float(phase.t[k]), phase.y[k], phase.system, struck, phase.mode)
            k -= len(phase.t)
        raise AssertionError  # k counts the samples of all phases

    def joined(self, other: Self) -> Self:
        """Return this run and one that went on from its end as one: `first.joined(simulate(m, start=first))`."""
        if not (len(other.t) and len(self.t)) or abs(other.t[0] - self.t[-1]) > SAME * max(float(other.t[-1]), 1e-300):
            ends = self.t[-1] if len(self.t) else np.nan, other.t[0] if len(other.t) else np.nan
            raise ModelError(f"joined: the first run ends at t = {ends[0]:g} s, the second begins at {ends[1]:g} s")
        t, (first, *rest) = float(other.t[0]), other.phases
        first = replace(first, t=first.t[1:], y=first.y[1:])
        course = Course([*self.phases, first, *rest], other.status, other.message, added([self.stats, other.stats]))
        course.certificate = merged([self.certificate, other.certificate])
        # what holds at the end of the one has not closed again at the start of the other
        kept = [one for one in other.switches if one.t > t or (one.part, one.side) not in self.phases[-1].closed]
        course.switches = (*self.switches, *kept)
        kind = type(other) if isinstance(other, type(self)) else type(self)
        return kind(self.system, self.start, course, self._said)

    @cached_property
    def events(self) -> dict[str, Self]:
        """Zeros of the events, by name: results whose samples are these instants, with all that samples carry."""
        return {name: self._among(name) for name in self.phases[0].events}

    def _among(self, event: str) -> Self:
        phases = []
        for phase in self.phases:
            zeros = phase.events[event]
            states = np.array([y for _, y in zeros]).reshape(len(zeros), phase.system.n)
            times = np.array([t for t, _ in zeros])
            phases.append(Phase(phase.system, phase.integrator, times, states, phase.projected, {}))
        course = Course(phases, self.status, self.message, self.stats, self.certificate)
        return type(self)(self.system, self.start, course, self._said)

    def motors(self, joints: Sequence[str]) -> dict[str, Array]:
        """Return the efforts at joints that would make this motion in place of its drivers, (K,) each.

        `joints` are names, or "joint.coordinate" of those with several; refused where motors there cannot hold the
        motion, or where they could share the work in many ways.
        """
        # by name: analyses stand above what they ask
        found: dict[str, Array] = import_module("particlemech.analyses.motors").motors(self, joints)
        return found

    # -- certificates ------------------------------------------------------------------------------------------

    def _energies(self) -> tuple[Array, Array]:
        """Return kinetic and potential energy at the samples, (K,) each."""
        kinetic, potential = zip(*(states.energies for states in self._states), strict=True)
        return chained([*kinetic]), chained([*potential])

    @cached_property
    def energy(self) -> Energy:
        """Energies, work and the energy error at the samples; impulses count as work."""
        kinetic, potential = self._energies()
        total, work = kinetic + potential, chained([states.x[:, -1] for states in self._states]) - self.start.x[-1]
        first = sum(float(part[0]) for part in self.system.energies(np.array([self.start.t]), self._first()))
        if self.certificate is not None:
            scale = energy_scale(self.certificate)
        else:
            scale = float(kinetic.max(initial=0.0) + (np.ptp(potential) if len(potential) else 0.0))
        return Energy(kinetic, potential, total, work, total - first - work, scale)

    @cached_property
    def closure(self) -> Closure:
        """Worst position and velocity error of all joints at the samples, before projection."""
        position, velocity = zip(*(states.closure for states in self._states), strict=True)
        return Closure(chained([*position]), chained([*velocity]))

    @cached_property
    def exceeded(self) -> tuple[Exceeded, ...]:
        """Where coordinates of joints left their limits at the samples; limits do not act on the motion."""
        found: list[Exceeded] = []
        seen: Any = self
        for name, joint in self.system.mechanism.joints.items() if len(self.t) else ():
            for coordinate, (lower, upper) in getattr(joint, "bounds", {}).items():
                values = seen.coordinate(name, coordinate)
                for limit, beyond in ((lower, lower - values), (upper, values - upper)):
                    out = beyond > ON_LIMIT * max(1.0, abs(limit))
                    if np.any(out):
                        k, first = int(np.nanargmax(beyond)), int(np.argmax(out))  # nan: taken out
                        worst = float(values[k]), float(self.t[k]), float(self.t[first])
                        found.append(Exceeded(name, coordinate, limit, *worst))
        return tuple(found)

    @property
    def warnings(self) -> list[str]:
        """What a completed run does not say: coordinates that left their limits, events that could not act."""
        return warned(self)

    @property
    def provenance(self) -> dict[str, Any]:
        """What a file written from this result carries: where it comes from and how well it holds."""
        if not len(self.t):
            raise ModelError("a result without samples, as of an event that never came: there is nothing to write")
        worst = {level: float(getattr(self.closure, level).max(initial=0.0)) for level in Closure._fields}
        ended = {"status": self.status.value, "message": self.message, "reached": float(self.t[-1])}
        return {**self._said(), **ended, "closure": worst, "stats": self.stats}

    @property
    def record(self) -> dict[str, Any]:
        """The provenance, and all that `read_result` needs: certificate, and start and samples to the last bit."""
        kept, phases = "switches" in self.stats, self.phases  # these are of several systems then
        parts = [(np.array([self.start.t]), self._first())]
        parts += [(of.t, of.y if kept else self._as_first(of)) for of in phases]
        numbers = np.concatenate([np.column_stack(part).ravel() for part in parts])
        own = {"certificate": self.certificate and [*self.certificate], "projected": all(of.projected for of in phases)}
        states = base64.b64encode(numbers.astype("<f8").tobytes()).decode()
        changes = {"switches": [[*one] for one in self.switches], "phases": [one.kept for one in phases]}
        return self.provenance | own | {"states": states} | (changes if kept else {})

    def _first(self) -> Array:
        """Return the state at the start, (1, n)."""
        start = self.start
        return self.system.layout.state(start.q, start.v, start.x)[None]

    def _as_first(self, phase: Phase) -> Array:
        """Return the states of a phase as those of the first system, (K, n)."""
        if phase.system is self.system:
            return phase.y
        return np.array([self.system.adopted(phase.system, y) for y in phase.y]).reshape(len(phase.y), self.system.n)

    def loss_columns(self) -> dict[str, Array]:
        """Return what joints lose by friction, by column: nothing where joints have none."""
        return {}

    def measures(self, *, driver: str | None = None, cycle: Any = None, about: Any = None) -> Measures:
        """Return the numbers of the trade: transmission angles, instant centres, shaking forces, powers, flywheels.

        Parameters
        ----------
        driver
            What moves the others: a driver, or a joint of a mechanism that has none; default the only driver.
        cycle
            An angle whose full turns count as cycles, a period, or (start, end), s; default the time after which
            everything stands and moves as before.
        about
            Where shaking moments are taken: a point by name or a place; default the origin.

        Returns
        -------
        Measures
            What can be asked is in its methods; `columns()` has all curves, and printed it is a table.

        Raises
        ------
        ModelError
            If a name is unknown, or the run holds no such cycle.

        Examples
        --------
        >>> import particlemech as pm
        >>> found = pm.simulate(pm.models.load("quick_return")).measures()
        >>> found.span.cycles, round(found.time_ratio("L").ratio, 6)
        (2, 1.709953)
        """
        # by name: analyses stand above what they ask
        found: Measures = import_module("particlemech.analyses.measures").measured(self, driver, cycle, about)
        return found

    # -- files -------------------------------------------------------------------------------------------------

    def _columns(self) -> dict[str, Array]:
        """Return the columns of what moves, by name, in order; every family adds its own."""
        return {}

    def columns(self) -> dict[str, Array]:
        """Return all columns of a result file, by name, in order."""
        result = {"t": self.t, **self._columns()}
        for field in ("kinetic", "potential", "total", "work"):
            result[f"energy.{field}"] = getattr(self.energy, field)
        result["closure.position"], result["closure.velocity"] = self.closure
        return result

    def units(self, columns: Iterable[str] | None = None) -> list[str]:
        """Return the unit of each column, in the units of the model; default all columns."""
        mechanism: Any = self.system.mechanism
        names = self.columns() if columns is None else columns
        return ["s" if name == "t" else unit(mechanism, quantity(mechanism, name)) for name in names]

    def to(self, *units: str) -> InUnits:
        """Return the same numbers in other units, such as `result.to("mm", "deg")`; what has none of these stays.

        Parameters
        ----------
        *units
            Of lengths, angles, forces, energies, ...: any that expressions know, such as "in", "rpm", "kN" or "Nmm".

        Returns
        -------
        InUnits
            Answers by the names of a result: `of["B"]`, `of.effort("motor")`, `of.columns()`, `of.units()`,
            `of.to_csv(path)`, `of.to_dataframe()`.

        Examples
        --------
        >>> import particlemech as pm
        >>> result = pm.simulate(pm.models.load("four_bar"), duration=0.1, samples=3)
        >>> float(result.to("mm")["A"][0, 1])
        100.0
        """
        # by name: what columns show is known where they are drawn, above
        found: InUnits = import_module("particlemech.view.units").InUnits(self, units)
        return found

    def to_csv(self, path: str | Path) -> None:
        """Write all columns; above them, as comments, what `read_result` needs to read it back, and their units."""
        from particlemech.result.export import write_csv

        columns = self.columns()
        write_csv(columns, {**self.record, "units": self.units(columns)}, path)

    def to_dataframe(self) -> pandas.DataFrame:
        """Return all columns as a data frame, with the provenance in its `attrs`; needs pandas."""
        try:
            import pandas
        except ImportError:
            raise ModelError('to_dataframe needs pandas; install it with: pip install "particlemech[data]"') from None
        frame = pandas.DataFrame(self.columns())
        frame.attrs.update(self.provenance)
        return frame


def vector_columns(head: str, *parts: tuple[str, Array]) -> dict[str, Array]:
    """Return vectors (K, 3) as columns "head.tailx", "head.taily", "head.tailz"; parts are (tail, vectors)."""
    return {f"{head}.{tail}{axis}": array[:, k] for tail, array in parts for k, axis in enumerate("xyz")}
