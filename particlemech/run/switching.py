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

How a kind takes part: its spec in the model gives `sides`, one row for each in `mode` (in the rows of both
formulations, by `spec.mode`), and for sides that give way a force, `pressed`. The row's sign says which way it pushes.
The rest is here: its kind is not asked again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.errors import part as part_of
from particlemech.model.actions import DETACH, END, FREE, LOCK
from particlemech.model.modes import Mode
from particlemech.run import certificate, explicit
from particlemech.run import ida as integrate
from particlemech.run.ends import jammed
from particlemech.run.events import Event
from particlemech.run.guards import ENDED, TOUCHED, Guards
from particlemech.run.locking import stopped, taken_over, values
from particlemech.run.modes import Worlds
from particlemech.run.phases import FIRST, HAND_OVER, Options, added, started
from particlemech.run.start import Start, accelerations
from particlemech.run.sticking import NOISE, SLIPS, STICKS, Sticking
from particlemech.run.trajectory import Certificate, Course, Phase, Status, Switch, Trajectory
from particlemech.run.transitions import LOW, Closed, Jammed, State, Switching

ROUGH = 100.0  # times rtol: the same of IDA, whose steps do not see what is lower than their tolerance
MOST = 100_000  # changes of mode in one run
AT_ONCE = 50  # of them without time going on


def _energy(system: Any, at: State) -> float:
    return float(sum(part[0] for part in system.energies(np.array([at.t]), at.within(system)[None])))


class _Leg(explicit.Integration):
    """Explicit steps in one mode, which the run may come back to."""

    end: tuple[float, Array]  # where a guard ended it

    def resume(self, system: Any, y: Array, done: int) -> None:
        """Take a system of the same mode, a state from which to go on, and how many samples are there."""
        if system is not self.system:
            march: Any = self.march  # of an engine whose rows can be moved
            march.follow(system)
            self.system = system
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


def run(worlds: Worlds, begin: Start, times: Array, options: Options, first: Any) -> tuple[Course, Start]:
    """Return a run at `times` (K,), s, and its start, after what is struck there; `first` has all open.

    `worlds` gives systems; where they are for explicit steps and for IDA, IDA runs where explicit steps are not right.
    """
    made = _Run(worlds, times, options, first, begin)
    course = made.go(begin)
    return course, replace(begin, v=made.begin.v)


class _Run:
    """One run as it is made."""

    def __init__(self, worlds: Worlds, times: Array, options: Options, first: Any, begin: Start) -> None:
        self.worlds, self.times, self.options, self.first = worlds, times, options, first
        self.sticking = Sticking(first, float(times[0]), begin)
        self.mode = Mode()  # but for what joints that stick do, which `sticking` tells
        self.world, self.by_ida = worlds(self.mode), False
        self.steps = False in self.world  # else IDA does it all
        of = self.world[not self.steps].of
        self.actions: Mapping[str, Any] = of.system.mechanism.events
        watched = {
            name: Event(one.function(of.system.mechanism), True, one.direction) for name, one in self.actions.items()
        }
        for name, one in self.actions.items():
            with part_of(f'event "{name}"'):
                one.check_run(of.system.mechanism)
                if name in options.events:
                    raise ModelError("the model has an event of this name; rename the function")
        self.guards = Guards(of, first, {**options.events, **watched}, float(np.ptp(times)), self.sticking)
        self.guards.acting |= {name for name, one in self.actions.items() if one.do != END}
        parts = [*dict.fromkeys(e.part for e in of.elements), *self.guards.acting]
        self.names = [*self.guards.events, *(n for p in parts for n in (p, f"{p}.after"))]
        self.legs: dict[int, _Leg] = {}
        self.phases: list[Phase] = []
        self.certificates: list[Certificate | None] = []
        self.stats: list[dict[str, Any]] = []
        self.told: list[Switch] = []
        self.done, self.stretch = 0, 0.0
        self._take(not self.steps)

    def _take(self, by_ida: bool) -> None:
        """Take an integrator, or another world."""
        self.by_ida, self.side = by_ida, self.world[by_ida]
        self.switching = Switching(self.side.of, self.sticking)
        # IDA does not see what is lower than its tolerance
        self.switching.low = max(LOW, ROUGH * self.options.rtol) if by_ida else LOW
        self.guards.measure(self.side.of)
        self.sticking.modes = self.side.modes
        # IDA does not see what is lower than its tolerance
        self.sticking.noise = max(NOISE, self.options.rtol) if by_ida else NOISE

    def _turned(self, by_ida: bool, at: State, closed: Closed) -> State:
        """Take an integrator; return the state in its coordinates."""
        if by_ida == self.by_ida:
            return at
        old = self._system(closed)
        self._take(by_ida)
        new = self._system(closed)
        return State.of(new, at.t, new.adopted(old, at.within(old)))

    def _system(self, closed: Closed) -> Any:
        """Return the present system."""
        return self.side.modes(closed, self.sticking.slips)

    def go(self, begin: Start) -> Course:
        """Return the whole run."""
        began, scale, end = time.perf_counter(), self.first.scale, float(self.times[-1])
        at = State(float(self.times[0]), begin.q, begin.v, begin.x)
        try:
            at, closed, told = self._settled(lambda: self.switching.begun(at, scale, begin.resumed))
        except Jammed as said:
            raise ModelError(str(said)) from None
        at.x[-1] = begin.x[-1]  # work counts from then on
        self.begin, last, idle = at, at.t, 0
        self._note(told, at, closed, None)
        while True:
            system = self._system(closed)
            at, status, message = (self._by_ida if self.by_ida else self._by_steps)(system, closed, at)
            if message == ENDED:
                idle = idle + 1 if at.t <= last + 1e-14 * max(end, scale.time) else 0
                last = at.t
                if len(self.told) > MOST or idle > AT_ONCE:
                    status, message = Status.STEP_LIMIT, self._too_many(at.t, idle)
                    break
                old = at
                try:
                    at, closed, told = self._switched(at, closed, scale)
                except Jammed as said:
                    status, message = Status.LOCKED, str(said)
                    break
                at = self._turned(not self.steps, at, closed)
                self._note(told, at, closed, old)
            elif status in HAND_OVER and not self.by_ida and True in self.world:
                at = self._turned(True, at, closed)
            elif self.by_ida and self.steps and status is Status.COMPLETED and at.t < end:
                at = self._turned(False, at, closed)
            else:
                break
        return self._course(status, message, time.perf_counter() - began)

    def _switched(self, at: State, closed: Closed, scale: Any) -> tuple[State, Closed, list[Switch]]:
        """Return what follows where a stretch has ended."""
        acted, fired = [*self.guards.acted], list(self.guards.fired)
        told: list[Switch] = []
        self.guards.acted.clear()
        names = [name for name in self.actions if name in acted]  # in the order of the model
        if names:
            at, closed, told = self._act(names, at, closed)
        turned = [name for name in acted if name in self.sticking.slips]
        # what else fired at once with an event does so again where the next stretch begins
        at, closed, more = self._settled(lambda: self.switching.next(at, closed, [] if acted else fired, scale, turned))
        return at, closed, [*told, *more]

    def _settled(self, step: Callable[[], tuple[State, Closed, list[Switch]]]) -> tuple[State, Closed, list[Switch]]:
        """Return what a step of `switching` comes to, with what joints that stick do then; those that rest stand."""
        before = self.sticking.slips
        at, closed, told = step()
        after, lost = self.sticking.slips, 0.0
        if any(slip.sense == 0.0 and before[name] != slip for name, slip in after.items()):
            system = self._system(closed)
            stands = stopped(system, system, at, set())
            lost = _energy(system, at) - _energy(system, stands)
            at = stands._replace(x=np.append(at.x[:-1], at.x[-1] - lost))
        for name, slip in after.items():
            was, of = before[name].sense, self.sticking.on[name].name
            turns = was * slip.sense < 0.0 and name in self.sticking.slow
            if was != 0.0 and (slip.sense == 0.0 or turns):
                told.append(Switch(at.t, name, of, STICKS, 0.0, 0.0, 0.0, lost))
                lost = 0.0
            if slip.sense != 0.0 and (was == 0.0 or turns):
                told.append(Switch(at.t, name, of, SLIPS, 0.0, 0.0, 0.0, 0.0))
        return at, closed, told

    def _change(self, name: str, at: State) -> None:
        """Note what an event changes."""
        of, one = self.side.of, self.actions[name]
        if one.once:
            del self.guards.events[name]
        if one.do == LOCK:
            self.mode = self.mode._replace(held={**self.mode.held, name: values(of.system, at, one.joint)})
        elif one.do == FREE:
            left = {n: values for n, values in self.mode.held.items() if self.actions[n].joint != one.joint}
            self.mode = self.mode._replace(held=left)
        elif one.do == DETACH:
            self.mode = self.mode._replace(gone=self.mode.gone | {one.joint})
        else:
            self.mode = self.mode._replace(switched=(*self.mode.switched, (name, at.t)))

    def _act(self, names: list[str], at: State, closed: Closed) -> tuple[State, Closed, list[Switch]]:
        """Do what events at one instant say; a joint that is locked while it moves stops by an impulse (jumps.py)."""
        every, system = {name: self.actions[name] for name in names}, self._system(closed)
        jumps = {name: one.rates(system.mechanism, at.t) for name, one in every.items()}
        for name in names:
            self._change(name, at)
        locked = {one.joint for one in every.values() if one.do == LOCK}
        stops = [name for name, one in every.items() if one.do == LOCK or jumps[name] != (0.0, 0.0)]
        losing = [*stops, *(name for name, one in every.items() if one.do == DETACH)][:1]
        at, closed, lost = self._moved(at, closed, system, bool(stops), locked)
        told = []
        for name, one in every.items():
            (before, after), taken = jumps[name], lost if [name] == losing else 0.0
            told.append(Switch(at.t, name, one.joint or one.of, one.do, before, after, 0.0, taken))
        return at, closed, told

    def _moved(
        self, at: State, closed: Closed, system: Any, stops: bool, entered: set[str]
    ) -> tuple[State, Closed, float]:
        """Take the world as it is now, in which something stops or not; return the energy that takes.

        Of `entered` those that start free are closed where they are. Blows pass joints that stick.
        """
        of, slips, gone = self.side.of, self.sticking.slips, system.mechanism.taken.keys()
        sides = {(of.elements[e].part, of.elements[e].side.name) for e in closed}
        self.world = self.worlds(self.mode)
        for name in slips.keys() & self.mode.gone:
            del self.guards.events[name]
        self.sticking.without([name for name in slips if name not in self.mode.gone])
        self._take(self.by_ida)
        closed = frozenset(e for e, el in enumerate(self.side.of.elements) if (el.part, el.side.name) in sides)
        free = {name: slip._replace(at=None) for name, slip in self.sticking.slips.items()}
        after, lost, old = self.side.modes(closed, free), 0.0, at
        if after.n_q != system.n_q or gone != after.mechanism.taken.keys():
            # particles stand where joints are, and bodies hang on others, without one that has been detached
            at = taken_over(after, system, at)
        elif after.elements.n != system.elements.n:
            at = at._replace(x=after.elements.carried(system.elements, at.x))
        if stops:
            giving = frozenset(e for e in closed if self.side.of.elements[e].side.law is not None)
            at = stopped(self.side.modes(giving, free), system, at, entered)
        if stops or len(after.mechanism.forces) < len(system.mechanism.forces):  # and springs that are taken out
            lost = _energy(system, old) - _energy(after, at)
            at = at._replace(x=np.append(at.x[:-1], at.x[-1] - lost))
        return at, closed, lost

    def _too_many(self, t: float, idle: int) -> str:
        part = self.told[-1].part if self.told else self.side.of.elements[self.guards.fired[0]].part
        what = f"{idle} at once" if idle > AT_ONCE else f"{len(self.told)}"
        if part in self.sticking.on:
            return (
                f'joint "{part}" sticks and slips too often: {what}, up to t = {t:.6g} s; take "sticking" out of its '
                "friction, which smooths it then, or shorten the run"
            )
        return (
            f'joint "{part}" opens and closes too often: {what}, up to t = {t:.6g} s; give it a restitution '
            "below 1, a stiffness and damping, or shorten the run"
        )

    # -- stretches ---------------------------------------------------------------------------------------------

    def _by_steps(self, system: Any, closed: Closed, at: State) -> tuple[State, Status, str]:
        """Go on by explicit steps; return where that ends, and why."""
        o, kind = self.options, id(getattr(system, "moved_from", system))
        leg = self.legs.get(kind)
        if leg is None:
            rtol = o.rtol * o.stricter
            leg = self.legs[kind] = _Leg(system, self.times, rtol, self.guards, o.progress, o.max_steps, o.pace)
        y = at.within(system)
        before = self.done
        leg.resume(system, y, before)
        self.guards.enter(system, closed, lambda t, y: system.multipliers(t, y), TOUCHED)
        status, message = leg.onward(at.t)
        t = self.times[before : leg.done]
        if message == ENDED:
            self._keep(system, "explicit", t, leg.samples[before : leg.done].copy(), True)
            return State.of(system, *leg.end), status, message
        if status in HAND_OVER and True in self.world:
            safe, y = leg.march.safe()
            leg._drop(safe)
            leg.done = max(leg.done, before)
            least = min(system.scale.time, FIRST * float(self.times[-1] - self.times[0]))
            # what stays stiff is tried a few times only, as in phases.py
            self.stretch = least if self.stretch == 0.0 or safe - at.t > self.stretch else 2.0 * self.stretch
            self._keep(system, "explicit", self.times[before : leg.done], leg.samples[before : leg.done].copy(), True)
            return State.of(system, safe, y), status, message
        if leg.ended is not None:
            t = np.append(t[:-1], leg.ended)
        self._keep(system, "explicit", t, leg.samples[before : leg.done].copy(), True)
        return State.of(system, float(t[-1]) if len(t) else at.t, y), status, message

    def _by_ida(self, system: Any, closed: Closed, at: State) -> tuple[State, Status, str]:
        """Go on by IDA; return where that ends, and why."""
        o, end = self.options, float(self.times[-1])
        until = min(end, at.t + self.stretch) if self.steps else end
        until = end if end - until < 0.5 * self.stretch else until
        wanted = self.times[self.done :]
        times = np.concatenate([[at.t], wanted[(wanted > at.t) & (wanted < until)], [until]])
        y, lay = at.within(system), system.layout
        jam = jammed(system, at.t, y)
        if jam is not None:
            self._phase(system, "ida", False)
            return at, jam.status, jam.message
        start = started(system, at.t, y)
        lams = np.array([row.lam for row in lay.rows])

        # as accelerations say: its own multipliers are no better than a tolerance that what rests does not feel
        def forces(t: float, y: Array) -> Array:
            return accelerations(system, t, y[lay.q], y[lay.v], y[lay.x])[1][lams]

        self.guards.enter(system, closed, forces, o.rtol)
        part = integrate.run(
            system, start, times, o.rtol * o.stricter, o.linear_solver, None, o.progress, o.margin, o.max_steps,
            self.guards,
        )  # fmt: skip
        ended = bool(self.guards.fired or self.guards.acted)
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
            names: dict[str, list[tuple[float, Array]]] = {name: [] for name in self.names}
            mode = self.mode._replace(slips=self.sticking.slips)
            none, kind = (np.zeros(0), np.zeros((0, system.n))), getattr(system, "moved_from", system)
            sides = self.side.modes.sides[id(kind)]
            self.phases.append(Phase(system, integrator, *none, projected, names, mode, sides))
        return self.phases[-1]

    def _note(self, told: list[Switch], at: State, closed: Closed, old: State | None) -> None:
        """Keep what happened: the states before, of the phase that ended, and after, of the one that begins."""
        self.told += told
        before = self.phases[-1] if self.phases else None  # of all that happens at this instant
        for part in dict.fromkeys(one.part for one in told):
            if old is not None and before is not None:
                last = [t for t, _ in before.events[part][-1:]]
                # of conditions, and of joints that come to rest first, the guards have it
                if part not in self.guards.acting or (part in self.sticking.on and last != [old.t]):
                    before.events[part].append((old.t, old.within(before.system)))
            system = self._system(closed)
            phase = self._phase(system, "ida" if self.by_ida else "explicit", not self.by_ida)
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
