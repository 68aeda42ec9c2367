"""A run whose mechanism changes: stretches without a change, and what happens between them.

A mechanism whose joints hold for a while only (JointSpec.sides) is run as a list of stretches. Each is simulated on the
system of the mechanism in its mode (Mechanism.in_mode: which sides hold now), by explicit steps or by IDA, and ends
where a guard fires (guards.py). Then, at one instant:

    impact      those that are struck, and those in touch, give impulses; speeds jump (touching.py (3))          (1)
    rest        bounces that would last less than REST all together, or rise less than LOW, are the last:        (2)
                    time left = 2 g'+ / (-g''(1 - e))
    mode        of those in touch that do not part, who presses holds (touching.py (2))                          (3)

and the next stretch begins from the state as another system has it. Systems of modes are kept: a mode that comes back
costs nothing, so an impact costs what finding its time does. What impacts take away is work.

What bounces for the last time is held at once: the impulses of all further bounces are those of the force that holds it
for the time left, so the motion is the same to second order in that time, and rest is told for its end.

How a kind takes part: its spec in the model gives `sides`, one row for each in `mode` (in the rows of both
formulations, by `spec.mode`), and for sides that give way a force, `pressed`. The row's sign says which way it pushes.
The rest is here: its kind is not asked again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.run import certificate, explicit
from particlemech.run import ida as integrate
from particlemech.run.guards import ENDED, TOUCHED, Guards
from particlemech.run.phases import FIRST, HAND_OVER, Options, added, started
from particlemech.run.start import Start, accelerations
from particlemech.run.touching import Element, Measuring, Touch, counted_levels
from particlemech.run.trajectory import Certificate, Course, Phase, Status, Switch, Trajectory

REST = 1e-6  # of the mechanism's time: bounces that last no longer all together are rest
LOW = 1e-12  # of the size of a gap: rounding hides bounces that are lower
ROUGH = 100.0  # times rtol: the same of IDA, whose steps do not see what is lower than their tolerance
TOUCH = 1e-9  # of the size of a gap: what is nearer is in touch
STILL = 1e-11  # of the speeds in play: what parts more slowly stays in touch
BIAS = 1e-9  # of the accelerations in play: what is less does not say who is held
FAR = 1e-9  # of the size of a gap: how far beyond a stop the start may be
MOST = 100_000  # changes of mode in one run
AT_ONCE = 50  # of them without time going on
Closed = frozenset[int]
Build = Callable[[Any], Any]  # mechanism in a mode -> its system


class Modes:
    """The systems of one mechanism in its modes, by one formulation."""

    def __init__(self, mechanism: Any, elements: tuple[Element, ...], build: Build) -> None:
        self.mechanism, self.elements, self.build = mechanism, elements, build
        self.known: dict[Closed, Any] = {}

    def __call__(self, closed: Closed) -> Any:
        """Return the system in which these elements are closed."""
        if closed not in self.known:
            sides = {(self.elements[e].part, self.elements[e].side.name) for e in closed}
            self.known[closed] = self.build(self.mechanism.in_mode(sides))
        return self.known[closed]


def measuring(mechanism: Any, build: Build) -> Measuring:
    """Return what tells the gaps of all elements."""
    return Measuring(build(mechanism.in_mode([(name, side.name) for name, side in mechanism.switching], True)))


class State(NamedTuple):
    """Where a run is."""

    t: float
    q: Array
    v: Array
    x: Array

    @classmethod
    def of(cls, system: Any, t: float, y: Array) -> State:
        """Return a state (n,) of a system."""
        lay = system.layout
        return cls(t, y[lay.q].copy(), y[lay.v].copy(), y[lay.x].copy())

    def within(self, system: Any) -> Array:
        """Return it as a state (n,) of a system in the same coordinates; multipliers are left 0."""
        y, lay = np.zeros(system.n), system.layout
        y[lay.q], y[lay.v], y[lay.x] = self.q, self.v, self.x
        return y


class Switching:
    """What happens at the instants between stretches."""

    def __init__(self, of: Measuring) -> None:
        self.of, self.elements = of, of.elements
        self.rigid = np.array([e.side.law is None for e in of.elements])
        self.restitution = np.array([e.side.restitution for e in of.elements])
        self.low = LOW

    def next(self, at: State, closed: Closed, fired: list[int], scale: Any) -> tuple[State, Closed, list[Switch]]:
        """Return what follows where guards have fired: the state, which are closed, and what happened."""
        gap, rate = self.of.gaps(*at)
        n = len(gap)
        was = np.array([e in closed for e in range(n)])
        touching = self.rigid & (was | (gap <= TOUCH * self.of.sizes))
        # those that give way are entered where their gap closes and left where their force ends
        pressed = np.array([bool((not self.rigid[e]) and (was[e] != (e in fired))) for e in range(n)])
        if not touching.any():
            return (
                at,
                frozenset(np.flatnonzero(pressed).tolist()),
                self._told(np.full(n, at.t), was, pressed, rate, rate, np.zeros(n)),
            )
        which = np.flatnonzero(touching)
        touch = Touch(self.of, which, *at)
        before, bounce = rate[which], self.restitution[which].copy()
        least = STILL * (self.of.sizes[which] / scale.time + np.max(np.abs(before), initial=0.0))
        hit = before < -least
        p, after = np.zeros(len(which)), before.copy()
        state, left = at, np.zeros(n)
        if hit.any():
            state, p, after, left[which] = self._impact(touch, at, before, bounce, scale)
        near = np.abs(after) <= least
        # a force that has just vanished is let go, a gap that has just closed is held, where nothing else says which
        let_go = np.array([(1.0 if was[e] else -1.0) if e in fired else 0.0 for e in which])
        usual = np.max(np.abs(touch.free), initial=0.0) + self.of.sizes[which] / scale.time**2
        touch.free = touch.free + BIAS * let_go * usual
        force, _ = touch.forces(near)
        holds = np.zeros(n, dtype=bool)
        holds[which] = (force > 0.0) & near
        now = holds | pressed
        rates = rate.copy()
        rates[which] = after
        pushed = np.zeros(n)
        pushed[which] = p
        told = self._told(at.t + left, was, now, rate, rates, pushed)
        return state, frozenset(np.flatnonzero(now).tolist()), told

    def _impact(
        self, touch: Touch, at: State, before: Array, bounce: Array, scale: Any
    ) -> tuple[State, Array, Array, Array]:
        """Return the state after (1), the impulses, the rates of the gaps and the times left by (2)."""
        every, left = np.ones(len(before), dtype=bool), np.zeros(len(before))
        for _ in range(len(before) + 1):
            p, after = touch.impulses(before, bounce, every)
            if p @ (before + after) > 1e-12 * np.max(np.abs(p * before), initial=0.0):
                bounce[:] = bounce[p > 0.0].min(initial=1.0)  # no energy comes from nowhere
                p, after = touch.impulses(before, bounce, every)
            speeds, rows = touch.jump(p)
            after[p > 0.0] = (-bounce * before)[p > 0.0]  # to the last digit, and 0 of those that stay
            at_rest = (p > 0.0) & (before >= 0.0)
            after[at_rest] = 0.0
            touch.moving(at.v + speeds)
            ahead, height = self._ahead(touch, after, bounce, p)
            short = (ahead < REST * scale.time) | (height < self.low * self.of.sizes[touch.which])
            if not short.any():
                break
            bounce[short], left[short] = 0.0, ahead[short]
        phi_t = counted_levels(self.of.system, *at).phi_t
        work = float(0.5 * p @ (before + after) - rows @ phi_t[self.of.driven])  # touching.py (4)
        x = at.x.copy()
        x[-1] += work
        return State(at.t, at.q, at.v + speeds, x), p, after, left

    def _ahead(self, touch: Touch, after: Array, bounce: Array, p: Array) -> tuple[Array, Array]:
        """Return how long bounces would last all together, and how high the next is; inf of what does not bounce."""
        up = (p > 0.0) & (bounce > 0.0) & (bounce < 1.0) & (after > 0.0)
        last = np.full((2, len(p)), np.inf)
        if up.any():
            _, falling = touch.forces(~up & (after == 0.0))
            up &= falling < 0.0
            g, r, e = -falling[up], after[up], bounce[up]
            last[:, up] = 2.0 * r / g / (1.0 - e), 0.5 * r * r / g
        return last[0], last[1]

    def _told(self, t: Array, was: Array, now: Array, before: Array, after: Array, p: Array) -> list[Switch]:
        """Return what happened to which."""
        found = []
        for e, element in enumerate(self.elements):
            struck = p[e] > 0.0 and before[e] < 0.0 and not was[e]
            if struck or was[e] != now[e]:
                what = "impact" if struck and not now[e] else "closes" if now[e] else "opens"
                lost = -0.5 * p[e] * (before[e] + after[e])
                numbers = float(before[e]), float(after[e]), float(p[e]), float(lost)
                found.append(Switch(float(t[e]), element.part, element.side.name, what, *numbers))
        return found

    def begun(self, at: State, scale: Any) -> tuple[State, Closed, list[Switch]]:
        """Return how a run begins: nothing may be beyond a stop, what moves towards one strikes it before the run."""
        mechanism, gap = self.of.system.mechanism, self.of.gaps(*at).gap
        for e, element in enumerate(self.elements):
            if gap[e] < -FAR * self.of.sizes[e]:
                spec = mechanism.joints[element.part]
                raise ModelError(f'joint "{element.part}": {spec.said(element.side.name, float(gap[e]), mechanism)}')
        near = [e for e in range(len(gap)) if gap[e] <= TOUCH * self.of.sizes[e] and not self.rigid[e]]
        state, closed, told = self.next(at, frozenset(), near, scale)
        x = state.x.copy()
        x[-1] = at.x[-1]  # work counts from then on
        return state._replace(x=x), closed, told


class _Leg(explicit.Integration):
    """Explicit steps in one mode, which the run may come back to."""

    end: tuple[float, Array]  # where a guard ended it

    def resume(self, y: Array, done: int) -> None:
        """Take a state from which to go on, and how many samples are there."""
        self.done, self.ended = done, None
        self.march.put(y)
        if not done:
            self.samples[0], self.done = y, 1

    def _ended(self, t: float, message: str, y: Array) -> tuple[Status, str]:
        if message != ENDED:
            return super()._ended(t, message, y)
        self.done = int(np.searchsorted(self.times, t, side="right"))
        self.end = t, y
        return Status.COMPLETED, message


def run(
    of: Measuring,
    begin: Start,
    times: Array,
    options: Options,
    marching: Modes | None,
    implicit: Modes | None,
    first: Any,
) -> Course:
    """Return a run at `times` (K,), s, from the start of the system `first`, in which all is open.

    Parameters
    ----------
    marching, implicit
        Systems for explicit steps, for IDA, or both: then IDA runs where explicit steps are not right.
    """
    return _Run(of, times, options, marching, implicit, first).go(begin)


class _Run:
    """One run as it is made."""

    def __init__(
        self, of: Measuring, times: Array, options: Options, marching: Modes | None, implicit: Modes | None, first: Any
    ) -> None:
        self.of, self.times, self.options, self.first = of, times, options, first
        self.marching, self.implicit = marching, implicit
        self.switching, self.guards = Switching(of), Guards(of, first, options.events, float(np.ptp(times)))
        self.legs: dict[Closed, _Leg] = {}
        self.phases: list[Phase] = []
        self.certificates: list[Certificate | None] = []
        self.stats: list[dict[str, Any]] = []
        self.told: list[Switch] = []
        self.done, self.stretch, self.tried = 0, 0.0, -math.inf

    def go(self, begin: Start) -> Course:
        """Return the whole run."""
        began, scale, end = time.perf_counter(), self.first.scale, float(self.times[-1])
        at = State(float(self.times[0]), begin.q, begin.v, begin.x)
        at, closed, told = self.switching.begun(at, scale)
        self.begin = at
        last, idle, by_ida = at.t, 0, self.marching is None
        status, message = Status.COMPLETED, "completed"
        self._note(told, at, closed, by_ida, None)
        while True:
            modes = self.implicit if by_ida else self.marching
            assert modes is not None
            system = modes(closed)
            if by_ida:
                at, status, message = self._by_ida(system, closed, at)
            else:
                at, status, message = self._by_steps(system, closed, at)
            if message == ENDED:
                idle = idle + 1 if at.t <= last + 1e-14 * max(end, scale.time) else 0
                last = at.t
                if len(self.told) > MOST or idle > AT_ONCE:
                    status, message = Status.STEP_LIMIT, self._too_many(at.t, idle)
                    break
                fired, old = list(self.guards.fired), at
                self.switching.low = max(LOW, ROUGH * self.options.rtol) if by_ida else LOW
                at, closed, told = self.switching.next(at, closed, fired, scale)
                by_ida = self.marching is None
                self._note(told, at, closed, by_ida, old)
            elif status in HAND_OVER and not by_ida and self.implicit is not None:
                by_ida = True
            elif by_ida and self.marching is not None and status is Status.COMPLETED and at.t < end:
                by_ida = False
            else:
                break
        return self._course(status, message, time.perf_counter() - began)

    def _too_many(self, t: float, idle: int) -> str:
        e = self.of.elements[(self.guards.fired or [0])[0]]
        what = f"{idle} at once" if idle > AT_ONCE else f"{len(self.told)}"
        return (
            f'joint "{e.part}" opens and closes too often: {what}, up to t = {t:.6g} s; give it a restitution '
            "below 1, a stiffness and damping, or shorten the run"
        )

    # -- stretches ---------------------------------------------------------------------------------------------

    def _by_steps(self, system: Any, closed: Closed, at: State) -> tuple[State, Status, str]:
        """Go on by explicit steps; return where that ends, and why."""
        leg, o = self.legs.get(closed), self.options
        if leg is None:
            rtol = o.rtol * o.stricter
            leg = self.legs[closed] = _Leg(system, self.times, rtol, self.guards, o.progress, o.max_steps, o.pace)
        y = at.within(system)
        before = self.done
        leg.resume(y, before)
        self.guards.enter(system, closed, system.multipliers, TOUCHED)
        status, message = leg.onward(at.t)
        t = self.times[before : leg.done]
        if message == ENDED:
            self._keep(system, "explicit", t, leg.samples[before : leg.done].copy(), True)
            return State.of(system, *leg.end), status, message
        if status in HAND_OVER and self.implicit is not None:
            safe, y = leg.march.safe()
            leg._drop(safe)
            leg.done = max(leg.done, before)
            self.stretch = min(system.scale.time, FIRST * float(self.times[-1] - self.times[0]))
            self._keep(system, "explicit", self.times[before : leg.done], leg.samples[before : leg.done].copy(), True)
            return State.of(system, safe, y), status, message
        if leg.ended is not None:
            t = np.append(t[:-1], leg.ended)
        self._keep(system, "explicit", t, leg.samples[before : leg.done].copy(), True)
        return State.of(system, float(t[-1]) if len(t) else at.t, y), status, message

    def _by_ida(self, system: Any, closed: Closed, at: State) -> tuple[State, Status, str]:
        """Go on by IDA; return where that ends, and why."""
        o, end = self.options, float(self.times[-1])
        until = end if self.marching is None else min(end, at.t + self.stretch)
        until = end if end - until < 0.5 * self.stretch else until
        wanted = self.times[self.done :]
        times = np.concatenate([[at.t], wanted[(wanted > at.t) & (wanted < until)], [until]])
        start = started(system, at.t, at.within(system))
        lay = system.layout
        lams = np.array([row.lam for row in lay.rows])

        # as accelerations say: its own multipliers are no better than a tolerance that what rests does not feel
        def forces(t: float, y: Array) -> Array:
            return accelerations(system, t, y[lay.q], y[lay.v], y[lay.x])[1][lams]

        self.guards.enter(system, closed, forces, o.rtol)
        part = integrate.run(
            system, start, times, o.rtol * o.stricter, o.linear_solver, None, o.progress, o.margin, o.max_steps,
            self.guards,
        )  # fmt: skip
        ended = bool(self.guards.fired)
        fresh = np.isin(part.t, wanted)
        if part.status is Status.COMPLETED and not ended and part.t[-1] < until:
            fresh[-1] = True  # a terminal event of the user
        self._keep(system, "ida", part.t[fresh], part.y[fresh], False)
        self._count(part)
        state = State.of(system, float(part.t[-1]), part.y[-1])
        over = part.status is Status.COMPLETED and part.t[-1] < until and not ended
        return (state._replace(t=end) if over else state), part.status, ENDED if ended else part.message

    def _count(self, part: Trajectory) -> None:
        self.certificates.append(part.certificate)
        self.stats.append(part.stats)

    def _keep(self, system: Any, integrator: str, t: Array, y: Array, projected: bool) -> None:
        """Add samples and events to the phases: to the last, where it is of the same system."""
        found = {name: list(zeros) for name, zeros in self.guards.found.items()}
        for zeros in self.guards.found.values():
            zeros.clear()
        self.done += len(t)
        phase = self._phase(system, integrator, projected)
        phase.t, phase.y = np.concatenate([phase.t, t]), np.concatenate([phase.y, y])
        for name, zeros in found.items():
            phase.events[name] += zeros

    def _phase(self, system: Any, integrator: str, projected: bool) -> Phase:
        """Return the last phase, if it is of a system, or a new one."""
        if not self.phases or self.phases[-1].system is not system or self.phases[-1].integrator != integrator:
            every = [*self.options.events, *(n for part in self._parts for n in (part, f"{part}.after"))]
            names: dict[str, list[tuple[float, Array]]] = {name: [] for name in every}
            self.phases.append(Phase(system, integrator, np.zeros(0), np.zeros((0, system.n)), projected, names))
        return self.phases[-1]

    @property
    def _parts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(e.part for e in self.of.elements))

    def _note(self, told: list[Switch], at: State, closed: Closed, by_ida: bool, old: State | None) -> None:
        """Keep what happened: the states before, of the phase that ended, and after, of the one that begins."""
        self.told += told
        modes = self.implicit if by_ida else self.marching
        assert modes is not None
        for part in dict.fromkeys(one.part for one in told):
            if old is not None:
                before = self.phases[-1]
                before.events[part].append((old.t, old.within(before.system)))
            system = modes(closed)
            phase = self._phase(system, "ida" if by_ida else "explicit", not by_ida)
            if old is not None:
                phase.events[f"{part}.after"].append((at.t, at.within(system)))

    # -- the whole ---------------------------------------------------------------------------------------------

    def _course(self, status: Status, message: str, seconds: float) -> Course:
        """Return the run, with its certificate judged."""
        for leg in self.legs.values():
            self.certificates.append(leg.march.certificate())
            self.stats.append(leg.march.stats())
        stats = added(self.stats)
        stats |= {"size": self.first.n, "seconds": seconds, "switches": len(self.told), "modes": len(self.legs)}
        found = certificate.merged(self.certificates)
        if status is Status.COMPLETED and found is not None:
            mechanism, last = self.first.mechanism, self.phases[-1]
            work = float(last.y[-1, last.system.layout.x.stop - 1] - self.begin.x[-1]) if len(last.y) else 0.0
            extent = self.options.rtol, float(self.times[-1] - self.times[0]), work
            wrong = certificate.fault(found, self.first.scale, *extent, certificate.LOST, mechanism.unit)
            if wrong is not None:
                status, message = Status.INACCURATE, f"{wrong}; tighten rtol, or shorten the run"
        return Course(self.phases, status, message, stats, found, tuple(self.told))
