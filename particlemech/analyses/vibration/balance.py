"""Where a mechanism is looked at, and how it comes to rest: Newton's method on the forces along its freedoms.

    r(z) = 0,      K dz = -r                                                                                         (1)
    K = V Lam V^-1:      dz = -V |Lam|^-1 V^-1 r                                                                     (2)

Steps are short, so that none leads past the next balance. What (1) finds may be stable or not; where it finds nothing,
(2) goes downhill, until (1) does.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from particlemech.analyses.vibration.chart import OPEN, Chart, Motion, Pose, Tangent
from particlemech.analyses.vibration.conditions import Held, driven_by, rests
from particlemech.analyses.vibration.owned import bordered, check_determined, restless_at, unsettled
from particlemech.analyses.vibration.stands import WORLDS, Stand
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import Check
from particlemech.model.spec import shown
from particlemech.result.base import Result
from particlemech.run.phases import Moment

REST = 1e-7  # forces below this fraction of those that act count as none
NONE = 1e-15  # of the forces that act: what is left is their rounding
ROUNDS = 20  # of Newton's method
DESCENT = 60  # steps downhill
HALVES = 12  # of a step that leads where joints do not close
FAR = {True: 30.0, False: 0.3}  # longest step of it, in sizes: of deflections, of all else
SOFT = {True: 1e-10, False: 1e-14}  # of the largest stiffness: what counts as none, for everything, for deflections
DOWN = 1e-3  # rad or lengths: from steps this short on (1) takes over from (2)
SPREAD = 30.0  # how much faster than a chosen coordinate others may be
NEAR = 1e-4  # of the length: a pose whose joints are farther open is that of another mechanism
TURN = 0.1  # of the mechanism's length, or rad: how far drivers go until it is looked whether all is as before
TURNS = 3  # times
MOVES = 1e-9  # sizes of coordinates per second: speeds below it are rounding
INSTANTS = 50  # on the way of drivers to a later time
SAID = ("rate", "omega", "velocity", "mode_rates", "deflection_rate")  # of [initial]: what makes it move
EQUILIBRIUM = "equilibrium"


def stood(held: Held, moment: Moment | None = None, t: float = 0.0, forces: dict[str, Any] | None = None) -> Stand:
    """Return a mechanism, held as it is to be, at its start, at another time, or at a moment of a run.

    `forces` are such as will be asked for later. Speeds are zero unless something is said of them.
    """
    after = held.after
    driven = driven_by(held.before)
    more = {name: of for name, of in held.holding().items() if (of.joint, of.coordinate) not in driven}
    reach = held.before.replaced(drivers=more, forces=forces or {}, check=Check())
    world = WORLDS[after.engine]
    begun: Stand = world.begun(held.before, reach, moment)
    at = {}
    if held.locked:
        seen = begun.result(begun.y[None])
        at = {of: float(seen.coordinate(*of)[0]) for of in held.locked}
    final = after.replaced(
        drivers=held.holding(at), initial=type(after.initial)(), impulses=dict.fromkeys(after.impulses), check=Check()
    )
    stand = begun.changed(final)
    said, lay = held.before.initial, stand.system.layout
    moving = moment is not None or any(getattr(said, word, None) for word in SAID) or bool(held.before.impulses)
    if not moving and all(rests(held.before, name) for name in held.let_go):
        stand.y[lay.v] = 0.0
    return _later(stand, t) if moment is None and t else stand


def moment_of(asked: str, about: Any) -> Moment | None:
    """Return the moment of a run that is meant."""
    if about is None or about == EQUILIBRIUM:
        return None
    if isinstance(about, Result):
        return about.at()
    if isinstance(about, Moment):
        return about
    raise ModelError(f'{asked}: about: expected "equilibrium", a result or a sample of it, got {shown(about)}')


def _later(stand: Stand, t: float) -> Stand:
    """Return a mechanism at another time, its freedoms where they are."""
    lay, y = stand.system.layout, stand.y
    chart = Chart(stand.system, 0.0, y)
    moves = not all(rests(stand.mechanism, name) for name in stand.mechanism.drivers)
    for instant in np.linspace(0.0, t, INSTANTS + 1)[1:].tolist() if moves else (t,):
        chart = chart.rehomed(chart.home, instant)
        chart = chart.rehomed(chart.pose(np.zeros(chart.f)))
    if chart.gap(chart.home) > OPEN:
        raise ModelError(f"the loops do not close at t = {t:g} s; ask for another time")
    return replace(stand, t=t).put(chart.home.q, y[lay.v], chart.home.x)


def holding_still(mechanism: Any) -> str:
    """Return what holds all drivers that move where they are, in words; nothing where there are none."""
    joints = [joint for (joint, _), name in driven_by(mechanism).items() if not rests(mechanism, name)]
    return f"hold what is driven, hold = [{', '.join(f'{joint!r}' for joint in joints)}]" if joints else ""


class Below(NamedTuple):
    """A pose downhill, and what has come into touch there, by its number."""

    pose: Pose
    struck: int | None = None


class Balance:
    """A chart of a stand, and its freedoms that come to rest."""

    def __init__(self, stand: Stand) -> None:
        self.stand, self.chart = stand, Chart(stand.system, stand.t, stand.y)
        chart = self.chart
        if chart.gap(chart.home) > NEAR:
            raise ModelError("joints and drivers are open in this pose; it belongs to another mechanism")
        self.chart = chart.rehomed(chart.pose(np.zeros(chart.f)))
        self.rates = chart.rates

    def settled(self, chart: Chart, everything: bool, known: tuple[Chart, ...] = ()) -> Chart | None:
        """Return a chart whose home is in balance: deflections, or everything; None where there is none on the way.

        Where `known` are given, they are passed by, and nothing is looked for downhill.
        """
        if not (chart.f if everything else chart.soft.any()) and not chart.owned.names:
            return chart
        found = self.nearby(chart, everything, known)
        if found is None and everything and chart.f and not known:
            below = self.downhill(chart)
            found = None if below is None else self._newton(chart.rehomed(below.pose, anew=True), everything)
        if found is not None:
            check_determined(found, np.zeros(found.f) if everything else self.rates)
        return found

    def nearby(self, chart: Chart, everything: bool = True, known: tuple[Chart, ...] = ()) -> Chart | None:
        """Return the home that (1) finds; None where there is none on the way."""
        return self._newton(self._unlimited(chart, everything, known), everything, known)

    def _unlimited(self, chart: Chart, everything: bool, known: tuple[Chart, ...]) -> Chart:
        """Return the chart where controllers would rest without limits: at a limit Newton's method sees no effect."""
        forces = {name: of for name, of in self.stand.mechanism.forces.items() if of.called and of.unlimited is not of}
        if not forces:
            return chart
        free = copy.copy(chart)
        changed = self.stand.mechanism.replaced(forces={name: of.unlimited for name, of in forces.items()})
        free.system = self.stand.changed(changed).system
        found = self._newton(free, everything, known)
        return chart if found is None else chart.rehomed(found.home)

    def downhill(self, chart: Chart) -> Below | None:
        """Return where (2) has come to: where its steps are short, or are cut; None where they lead on and on."""
        at: Chart = Tangent(chart.system, chart.t, self.stand.put(chart.home.q, chart.v, chart.home.x).y)
        for _ in range(DESCENT):
            still = np.zeros(at.f)
            here = at.motion(at.home, still)
            force = at.missing(here)
            step = _down(at.stiffness(still, fine=False), force)
            far = float(np.max(np.abs(step), initial=0.0))
            if not math.isfinite(far):
                return None
            step *= min(1.0, FAR[False] / max(far, 1e-300))
            for _ in range(HALVES):
                pose = at.pose(step)
                if at.gap(pose) < OPEN:
                    break
                step *= 0.5
            else:
                return None
            if (cut := self._cut(at, step, pose)) is not None:
                return cut
            at = at.rehomed(pose, anew=True)
            if far < DOWN:
                return Below(pose)
        return None

    def _cut(self, at: Chart, step: Array, pose: Pose) -> Below | None:
        """Return where a step (f,) to a pose ends before, as something comes into touch or is let go; or None."""
        return None

    def _newton(self, chart: Chart, everything: bool, known: tuple[Chart, ...] = ()) -> Chart | None:
        """Return the home that (1) finds; none that is known."""
        before = np.inf
        for _ in range(ROUNDS):
            free = np.ones(chart.f, dtype=bool) if everything else chart.soft
            unit, longest = chart.unit[free], np.where(chart.soft[free], FAR[True], FAR[False])
            rates = np.where(free, 0.0, self.rates)
            here = chart.motion(chart.home, rates)
            # what elements own comes to rest with the deflections, as all forces ask it to
            rows = np.ones(chart.f, dtype=bool) if chart.owned.names else free
            force = chart.unit[rows] * chart.missing(here)[rows]
            if not chart.owned.names and np.all(np.abs(force) <= NONE * chart.largest(here)):
                return chart
            K = chart.unit[rows, None] * chart.stiffness(rates, fine=False)[np.ix_(rows, free)] * unit
            if chart.owned.names:
                K, force = bordered(chart, here, rates, K, force, free)
            if not (np.all(np.isfinite(K)) and np.all(np.isfinite(force))):
                return None
            step = np.linalg.lstsq(K, -force, rcond=SOFT[everything])[0]
            far = float(np.max(np.abs(step), initial=0.0))
            if far < 1e-13 or (far < 1e-9 and far >= 0.5 * before):
                # where nothing holds against it, a force is left
                return None if np.any(np.abs(force) > REST * np.abs(K).sum()) else chart
            if known:
                step = step * chart.deflation(step[: len(unit)], [other.home for other in known])
            step, own = step[: len(unit)], chart.owned.sizes * step[len(unit) :]
            way = np.zeros(chart.f)
            part = 1.0 / max(1.0, float(np.max(np.abs(step) / longest, initial=0.0)))
            way[free] = part * unit * step
            pose = chart.owning(chart.pose(way, chart.led(here, way)), chart.own + part * own)
            if not (chart.gap(pose) < OPEN and self.within(pose)):
                return None
            # coordinates that hardly move where the others do are no good any longer
            spread = float(np.max(np.abs(here.N * chart.unit) / chart.size[:, None], initial=0.0))
            chart, before = chart.rehomed(pose, anew=everything and spread > SPREAD), far
        return None

    def at_rest(self, everything: bool) -> Balance:
        """Return the balance that is nearest to where it stands."""
        found, chart = self.settled(self.chart, everything), self.chart
        if found is None:
            what = "the mechanism finds" if everything else "the deflections find"
            moving = holding_still(self.stand.mechanism)
            if moving and chart.levels(chart.home).phi_t.any():
                raise ModelError(f"{what} no balance while drivers move it; {moving}")
            restless = restless_at(chart, chart.motion(chart.home, self.rates), REST, 0.0 * self.rates)
            if restless and not everything:
                raise ModelError(unsettled(restless))
            cure = f"{restless}, where it starts" if restless else "are the loads beyond what it can bear?"
            raise ModelError(f"{what} no balance at t = {chart.t:g} s; {cure}")
        other = copy.copy(self)
        other.chart, other.stand = found, self.stand_of(found)
        other.rates = np.zeros(found.f) if everything else np.where(found.soft, 0.0, self.rates)
        other.stand = other.at(found.home)
        return other

    def stand_of(self, found: Chart) -> Stand:
        """Return the mechanism that has come to rest in the home of a chart, where it began."""
        return self.stand

    def as_it_stands(self, settle: bool) -> Balance:
        """Return the balance of what moves while all holds that touches; `settle`: it comes to rest then."""
        return self

    def check_pressing(self, of: Balance) -> None:
        """Refuse rest in which something in touch does not press."""

    def below(self, chart: Chart) -> Iterator[Chart]:
        """Give the charts whose homes are in balance on the way downhill, if something may come into touch there."""
        return iter(())

    def pressing(self, found: Chart) -> tuple[str, ...]:
        """Return the joints that press in the home of a chart."""
        return ()

    def grazing(self, found: Chart) -> tuple[str, ...]:
        """Return the joints that touch without any force in the home of a chart."""
        return ()

    def holding(self, found: Chart) -> Chart:
        """Return a chart of what moves while that holds as well which touches without any force."""
        return found

    def within(self, pose: Pose) -> bool:
        """Whether nothing is farther than it may be."""
        return True

    @property
    def motion(self) -> Motion:
        """The motion at home."""
        return self.chart.motion(self.chart.home, self.rates)

    def at(self, pose: Pose) -> Stand:
        """Return the stand at a pose, its freedoms at their rates."""
        moving = self.chart.motion(pose, self.rates)
        return self.stand.put(pose.q, moving.v, pose.x)


def _down(K: Array, force: Array) -> Array:
    """Return (2), (n,)."""
    values, V = np.linalg.eigh(0.5 * (K + K.T))
    least = 1e-3 * max(float(np.abs(values).max()), float(np.abs(force).max()))
    return np.asarray(-V @ ((V.T @ force) / np.maximum(np.abs(values), least)))


def carried_on(balance: Balance, allowed: Array) -> Chart | None:
    """Return the chart a while later, if drivers turn: None where more than is allowed (f,) acts by then."""
    chart, rates = balance.chart, balance.rates
    speed = max(float(np.abs(of).max(initial=0.0)) for of in (chart.levels(chart.home).phi_t, rates / chart.unit))
    for _ in range(TURNS if speed > MOVES else 0):
        ahead = chart.rehomed(chart.home, chart.t + TURN / speed)
        way = rates * TURN / speed
        chart = ahead.rehomed(ahead.pose(way, chart.led(chart.motion(chart.home), way)))
        left = np.abs(chart.unit * chart.missing(chart.motion(chart.home, rates)))
        if not chart.gap(chart.home) < OPEN or np.any(left > allowed):
            return None
    return chart
