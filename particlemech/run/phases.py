"""A run as a list of phases: explicit steps wherever they are right, IDA for what is stiff or singular, and back again.

Each phase has its own system and integrator; a result joins them by name. Where explicit steps end at a stiff force or
beside a singular pose, IDA goes on from the last state that was safely away from it, for a stretch:

    first stretch = the mechanism's own time, but no more than a fiftieth of the run                              (1)

then explicit steps are tried again. If they end before they have gone as far as that stretch, the next one is twice as
long: a mechanism that stays stiff is tried a few times only, one that passes a singular pose goes on at full speed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.system import Array, Instant, System, counted, owned
from particlemech.errors import ModelError
from particlemech.model.modes import Mode
from particlemech.model.units import SYSTEMS
from particlemech.run import adams, certificate, explicit
from particlemech.run import ida as integrate
from particlemech.run.ends import unjammed
from particlemech.run.events import Event
from particlemech.run.explicit import Marching
from particlemech.run.settings import FLOOR
from particlemech.run.start import Start, accelerations, assembled, projected, weights
from particlemech.run.trajectory import Course, Phase, Status, Trajectory

HAND_OVER = (Status.SINGULAR, Status.STIFF)  # where explicit steps end and IDA goes on
APART = 1e-4  # of the length: a state whose joints are farther open is that of another mechanism
NEAR = 1e-12  # of the time: how far apart counts as the same time
FIRST = 0.02  # of the run: the longest first stretch of IDA
MOST_PHASES = 200  # after these IDA keeps the rest of the run
COUNTED = ("steps", "rejected", "evaluations", "residuals", "jacobians", "seconds")  # add up over phases


@dataclass(frozen=True)
class Options:
    """How to run, for every integrator."""

    rtol: float
    max_steps: int
    events: Mapping[str, Event] = field(default_factory=dict)
    progress: Callable[[float], None] | None = None
    linear_solver: str = "auto"
    margin: float = integrate.MARGIN  # of rtol, for one step of IDA
    stricter: float = 1.0  # of rtol, for steps; certificates are held to rtol itself
    pace: explicit.Pace | None = None  # of explicit steps: who sees, or says, how long each is


class Moment(NamedTuple):
    """An instant of a run from which another can go on: with all memory, such as turns of springs and work done."""

    t: float  # s
    y: Array  # (n,) the state
    system: Any  # the Instant it belongs to
    struck: bool = False  # what strikes at this time has struck
    mode: Mode = Mode()  # what events had made of the mechanism


# a system and the start of its model -> where a run begins, and the times of its samples; or a refusal
Plan = Callable[[Any, Start], tuple[Start, Array]]


def implicitly(system: System, start: Start, times: Array, options: Options) -> Course:
    """Return a run with IDA alone at `times` (K,), s; the first is that of the start."""
    run = _Run(options, times)
    run.keep(system, "ida", run.ida(system, start, times))
    # in space, where margins are smaller, 1000 rtol is what was measured, and "auto" is IDA
    floored = options.margin == integrate.MARGIN and options.margin * options.rtol < 0.99 * FLOOR
    return run.course(certificate.FLOORED if floored else certificate.LOST)


def explicitly(system: Marching, start: Start, times: Array, options: Options) -> Course:
    """Return a run with explicit steps alone."""
    run = _Run(options, times)
    run.keep(system, "explicit", run.explicit(system, start, times))
    return run.course()


def by_adams(system: Any, start: Start, times: Array, options: Options) -> Course:
    """Return a run by Adams' method alone; `system` gives its rates."""
    run = _Run(options, times)
    run.keep(system, "adams", adams.run(system, start, times, options.rtol, options.max_steps))
    return run.course()


def automatically(
    system: Marching, start: Start, times: Array, options: Options, implicit: Callable[[], System]
) -> Course:
    """Return a run with explicit steps wherever they are right; `implicit` is asked for when they first end.

    A run that fails its certificate is made once more with steps held to a tenth of the tolerance: estimates of errors
    are wrong now and then (seen: beside stiff springs 50 times more at 1e-9 than at 1e-8 and at 1e-10).
    """
    course = _automatic(system, start, times, options, implicit)
    if course.status is not Status.INACCURATE:
        return course
    again = _automatic(system, start, times, replace(options, stricter=0.1), implicit)
    return again if again.status is Status.COMPLETED else course


def _automatic(
    system: Marching, start: Start, times: Array, options: Options, implicit: Callable[[], System]
) -> Course:
    """Return a run with explicit steps wherever they are right."""
    run, end = _Run(options, times), float(times[-1])
    t, at, stretch, other = float(times[0]), start, 0.0, None
    while True:
        if at.forks:  # explicit steps beside it might be those of another branch
            safe, state = t, np.concatenate([at.q, at.v, at.x])
        else:
            most = run.left()
            part = run.explicit(system, at, run.ahead(t, end))
            # steps that end before their limit were too small to be any use
            small = part.status is Status.STEP_LIMIT and part.stats["steps"] < most
            if part.status not in HAND_OVER and not small:
                run.keep(system, "explicit", part)
                return run.course()
            assert part.safe is not None  # explicit steps always say where to go on
            safe, state = part.safe
            run.keep(system, "explicit", part, safe)
        other = other or implicit()
        first = min(system.scale.time, FIRST * (end - float(times[0])))
        stretch = first if at.forks or safe - t > stretch else 2.0 * stretch
        until = _clear(system, safe + stretch, stretch, end) if len(run.phases) < MOST_PHASES else end
        rest = run.ida(other, started(other, safe, other.adopted(system, state)), run.ahead(safe, until))
        run.keep(other, "ida", rest, until)
        if rest.status is not Status.COMPLETED or rest.t[-1] < until or until == end:
            return run.course()
        t, at = until, started(system, until, system.adopted(other, rest.y[-1]))


def begun(system: Any, start: Start) -> Start:
    """Return a start with the states of motors and controllers as they begin."""
    if not len(owned(system)):
        return start
    y = system.layout.state(start.q, start.v, start.x)
    x = system.elements.begun(start.t, system.state(start.t, y), start.x)
    a, lam = accelerations(system, start.t, start.q, start.v, x)
    return replace(start, a=a, lam=lam, x=x)


def _begin_new(system: Any, moment: Moment, y: Array) -> None:
    """Let motors and controllers that the other run has not had begin here, in y."""
    x, own, other = y[system.layout.x], system.elements, moment.system
    new = own.specs.keys() - own.common(other.elements)
    begun = own.begun(moment.t, system.state(moment.t, y), x) if new else x
    for name in new:
        own.own(name, x)[:] = own.own(name, begun)


def resumed(system: Instant, moment: Moment) -> Start:
    """Return the state at a moment of another run as a start: the nearest that satisfies all rows at its time."""
    y, lay = system.adopted(moment.system, moment.y, moment.t).copy(), system.layout
    turning = counted(system, y)
    gaps = weights(system) * np.abs(turning.levels(moment.t, y[lay.q], y[lay.v]).phi)
    if np.max(gaps, initial=0.0) > APART * system.scale.length:
        worst = int(np.argmax(gaps))
        raise ModelError(
            f"start: {lay.rows[worst].part} would be off by {gaps[worst]:.3g} {system.mechanism.unit.length} at "
            f"t = {moment.t:g} s; go on with the mechanism that made the result, its loads changed at most"
        )
    y[lay.q] = assembled(turning, moment.t, y[lay.q])
    y[lay.v] = projected(system, moment.t, y[lay.q], y[lay.v])
    _begin_new(system, moment, y)
    if not moment.struck:  # samples at the time of an impulse are those before it
        near = NEAR * max(moment.t, system.scale.time)
        for b in system.breaks:
            if abs(b - moment.t) <= near:
                y = system.struck(b, y)
    return replace(started(system, moment.t, y), resumed=True)


def _clear(system: Instant, until: float, stretch: float, end: float) -> float:
    """Return where a stretch ends: not where a signal jumps or an impulse acts, and not just before the end."""
    while any(abs(until - b) <= 1e-3 * stretch for b in system.breaks):
        until += 1e-2 * stretch
    return until if until + stretch < end else end


def started(system: Instant, t: float, y: Array) -> Start:
    """Return a state (n,) as a start."""
    lay = system.layout
    q, v, x = y[lay.q], y[lay.v], y[lay.x]
    a, lam = accelerations(system, t, q, v, x)
    return Start(q, v, a, lam, x, {}, t)


def added(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the counters of several parts of a run as those of the whole."""
    stats: dict[str, Any] = {}
    for part in parts:
        sums = {key: stats.get(key, 0) + part[key] for key in COUNTED if key in part}
        stats = part | stats | sums
    return stats


class _Run:
    """Phases of one run as they are made."""

    def __init__(self, options: Options, times: Array) -> None:
        self.options, self.times = options, times
        self.phases: list[Phase] = []
        self.parts: list[tuple[str, Trajectory]] = []
        self.done = 0  # samples kept
        self.spans: list[tuple[float, float]] = []  # of every phase, s

    def ahead(self, t: float, until: float) -> Array:
        """Return t, the times of the samples after it, and `until`."""
        inner = self.times[self.done :]
        inner = inner[(inner > t) & (inner < until)]
        return np.concatenate([[t], inner, [until]])

    def left(self) -> int:
        """Return how many steps may still be taken."""
        return max(1, self.options.max_steps - sum(int(part.stats["steps"]) for _, part in self.parts))

    def explicit(self, system: Marching, start: Start, times: Array) -> Trajectory:
        """Run explicit steps over `times`."""
        o = self.options
        return explicit.run(
            system, start, times, o.rtol * o.stricter, o.events, o.progress, most=self.left(), pace=o.pace
        )

    def ida(self, system: System, start: Start, times: Array) -> Trajectory:
        """Run IDA over `times`."""
        o = self.options
        solver, watch = o.linear_solver, (o.events, o.progress)
        part = integrate.run(system, start, times, o.rtol * o.stricter, solver, *watch, o.margin, most=self.left())
        return unjammed(system, part)

    def keep(self, system: Instant, integrator: str, part: Trajectory, until: float = math.inf) -> None:
        """Add a phase with the samples of a part up to a time that were asked for and are not there yet."""
        if not self.phases and until == math.inf:
            t, y = part.t, part.y
        else:
            t, y = self._fresh(part, until)
        zeros = {name: [(s, z) for s, z in found if s <= until] for name, found in part.events.items()}
        self.phases.append(Phase(system, integrator, t, y, part.projected, zeros))
        self.parts.append((integrator, part))
        self.spans.append((float(part.t[0]), min(until, float(part.t[-1]))))
        self.done += len(t)

    def _fresh(self, part: Trajectory, until: float) -> tuple[Array, Array]:
        """Return times and states of the samples of a part that are kept."""
        wanted = self.times[self.done :]
        if part.status is Status.COMPLETED and part.t[-1] < min(until, self.times[-1]):
            wanted = np.append(wanted, part.t[-1])  # a terminal event
        fresh = (part.t <= until) & np.isin(part.t, wanted)
        return part.t[fresh], part.y[fresh]

    def course(self, allowed: float = certificate.LOST) -> Course:
        """Return the run, with its certificate merged and judged; `allowed`: energy error, times rtol."""
        stats = added([part.stats for _, part in self.parts])
        stats["phases"] = [(name, *span) for (name, _), span in zip(self.parts, self.spans, strict=True)]
        last = self.parts[-1][1]
        status, message = last.status, last.message + self._by_ida(last.status)
        found = certificate.merged([part.certificate for _, part in self.parts])
        if status is Status.COMPLETED and found is not None:
            system = self.phases[0].system
            units = (
                SYSTEMS["SI"] if system.mechanism is None else system.mechanism.unit
            )  # a chain may come from no model
            wrong = certificate.fault(found, system.scale, *self._extent(), allowed, units)
            if wrong is not None:
                cure = "tighten rtol, or shorten the run" if allowed == certificate.LOST else 'take integrator "auto"'
                status, message = Status.INACCURATE, f"{wrong}; {cure}"
        return Course(self.phases, status, message, stats, found)

    def _extent(self) -> tuple[float, float, float]:
        """Return rtol, how long the run lasted, s, and the work done meanwhile, J."""
        first, last = self.parts[0][1], self.parts[-1][1]
        at = self.phases[0].system.layout.x.stop - 1, self.phases[-1].system.layout.x.stop - 1
        return self.options.rtol, float(last.t[-1] - first.t[0]), float(last.y[-1, at[1]] - first.y[0, at[0]])

    def _by_ida(self, status: Status) -> str:
        """Return where IDA ran, if explicit steps did the rest of a run that reached its end."""
        if status is not Status.COMPLETED or len(self.parts) == 1:
            return ""
        spans = [span for (name, _), span in zip(self.parts, self.spans, strict=True) if name == "ida"]
        said = [f"from t = {a:.6g} to {b:.6g} s" for a, b in spans[:3]]
        more = f" and {len(spans) - 3} times more" if len(spans) > 3 else ""
        return f", with ida {', '.join(said)}{more}"
