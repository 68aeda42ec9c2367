"""Two runs of one mechanism that differ by more than allowed, compared by what is certain.

Accelerations, and the forces with them, follow from a state. Where they follow steeply, as those of a joint that creeps
with smooth friction do (da/dv of 4000 1/s), a difference of speeds within the tolerance is one of accelerations beyond
it. They are compared at equal states then: the second formulation works them out anew, at the places and velocities of
the first run, with the same sides closed. States themselves are compared as ever:

    |x_1(t) - x_2(t)| <= tolerance,      |a_1(x_1) - a_2(x_1)| <= tolerance                                        (1)

Speeds and energies jump at impacts. Two runs see one impact at two times, and of what comes to rest by ever shorter
bounces they see different ones. An impact at t_i, with a gap of rate g', is known to a time of

    s_i = min(d/|g'|, sqrt(2 d/L) T),      d = tolerance L                                                         (2)

d/|g'| by which a gap that is off by d moves it, the other how long what is pushed in the mechanism's own time T takes
to go that far. Bounces that a run leaves out, as the last of all, last until it says that they are over. Samples within

    [t_i - s_i, t_rest_i + s_i]   of impacts i of both runs                                                        (3)

may differ by the smaller of the largest jumps that either run has there: an impact that only one of them sees excuses
nothing. There, and only there, other sides may be closed in one run than in the other; then (1) still asks what the
second formulation says of the sides of the first.

Not used: a bound |da/dv| tolerance for accelerations. At 4000 1/s and 3 m/s it is 0.1 m/s^2, and hides all that is
wrong; nor accelerations of runs where both are held more tightly: what rolls freely has none but noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from particlemech.analyses.differences import DERIVED, JUMPING, Difference, differences
from particlemech.engine.system import Array
from particlemech.model.mechanism import Mechanism
from particlemech.result.plane import PlanarResult
from particlemech.run.modes import World
from particlemech.run.switched import prepared_worlds
from particlemech.run.trajectory import Course, Phase

AT_ONCE = 1e-12  # of the duration: how near counts as the same time
Jumps = list[tuple[float, float, dict[str, Array]]]  # from, to (s), column -> how far it jumps


class Excuses:
    """What explains differences of two results of one mechanism; called with them, it returns what is left."""

    def __init__(self, first: Any, second: Any, tolerance: float) -> None:
        self.first, self.second, self.tolerance = first, second, tolerance

    def __call__(self, quantity: str, names: list[str], apart: Array) -> Array:
        """Return differences (n, K) of some columns without what is explained."""
        K = apart.shape[1]
        if quantity in JUMPING:
            allowed = np.minimum(*(self._jumped(jumps, run, names)[:, :K] for jumps, run in self._both))
            return np.maximum(apart - (1.0 + self.tolerance) * allowed, 0.0)
        if quantity not in DERIVED or self.anew is None:
            return apart
        columns, again = self.first.columns(), self.anew.columns()
        own = np.array([np.abs(columns[name] - again[name])[:K] for name in names])
        return np.where(self._comparable[:K] & np.isfinite(own), np.minimum(apart, own), apart)

    @property
    def _both(self) -> tuple[tuple[Jumps, Any], tuple[Jumps, Any]]:
        return (self._jumps[0], self.first), (self._jumps[1], self.second)

    @cached_property
    def anew(self) -> Any:
        """The first run's states in the formulation of the second, or None where both are of one."""
        if self.first.system.formulation == self.second.system.formulation:
            return self.first  # of whose equations others are asked
        return (_in_absolute if isinstance(self.first, PlanarResult) else _in_natural)(self.first, self.second)

    @cached_property
    def _jumps(self) -> tuple[Jumps, Jumps]:
        return _jumps(self.first, self.tolerance), _jumps(self.second, self.tolerance)

    def _jumped(self, jumps: Jumps, run: Any, names: list[str]) -> Array:
        """Return how far columns jump near the samples of a run, at most, (n, K)."""
        found = np.zeros((len(names), len(run.t)))
        for begins, ends, by in jumps:
            near = (run.t >= begins) & (run.t <= ends)
            found[:, near] = np.maximum(found[:, near], np.array([by[name] for name in names])[:, None])
        return found

    @cached_property
    def _comparable(self) -> Array:
        """Whether the same sides are closed in both runs, or both change near, (K,) bool."""
        K = min(len(self.first.t), len(self.second.t))
        near = [
            np.any([(run.t >= a) & (run.t <= b) for a, b, _ in jumps] or [np.zeros(len(run.t), bool)], axis=0)[:K]
            for jumps, run in self._both
        ]
        modes = [_modes(run)[:K] for run in (self.first, self.second)]
        return np.array([one == other for one, other in zip(*modes, strict=True)]) | (near[0] & near[1])


def explained(
    first: Any, second: Any, found: tuple[Difference, ...], tolerance: float
) -> tuple[tuple[Difference, ...], str]:
    """Return the differences of two runs that are left by what is certain, and what that explained, in words."""
    left = differences(first, second, Excuses(first, second, tolerance))
    said = []
    for before, after in zip(found, left, strict=True):
        if before.relative <= tolerance or after.relative > tolerance:
            continue
        runs = f"those of the two runs differ by {before.relative:.1e} of their range at t = {before.t:.6g} s"
        if before.quantity.partition(",")[0] in DERIVED:
            said.append(f"{before.quantity} are compared at equal states: {runs}")
        else:
            said.append(f"{before.quantity} are compared but for impacts: {runs}, where each sees others")
    return left, "; ".join(said)


def _modes(run: Any) -> list[Any]:
    """Return what has become of the mechanism at each sample."""
    found: list[Any] = []
    for phase in run.phases:
        slips = tuple((name, slip.sense) for name, slip in phase.mode.slips.items())
        gone = phase.mode.gone, tuple(phase.mode.held), tuple(name for name, _ in phase.mode.switched)
        found += [(frozenset(phase.closed), slips, gone)] * len(phase.t)
    return found


def _jumps(run: Any, tolerance: float) -> Jumps:
    """Return when something changes, with (3), and how far columns jump then."""
    m, scale, found = run.system.mechanism, run.system.scale, Jumps()
    pushed = math.sqrt(2.0 * tolerance) * scale.time
    same = AT_ONCE * max(float(np.ptp(run.t)), scale.time) if len(run.t) else 0.0
    for part in dict.fromkeys(one.part for one in run.switches):
        turns = part in m.joints and bool(m.joints[part].sides(m)) and m.joints[part].measure("gap", m) == "angle"
        by = tolerance * (1.0 if turns else scale.length)
        before, after = run.events[part], run.events[f"{part}.after"]
        old, new = before.columns(), after.columns()
        for k, t in enumerate(after.t):
            j = int(np.argmin(np.abs(before.t - t))) if len(before.t) else -1
            if j < 0 or abs(before.t[j] - t) > same:
                continue
            later = [one for one in run.switches if one.part == part and one.t >= t - same]
            rate, rests = (abs(later[0].before), later[0].t) if later else (0.0, t)
            known = min(by / rate, pushed) if rate > 0.0 else pushed
            jump = {name: np.abs(new[name][k] - old[name][j]) for name in new if name in old}
            found.append((float(t) - known, float(rests) + known, jump))
    return found


def _worlds(first: Any, worlds: Callable[[Any], World] | None, system: Any) -> list[Any]:
    """Return the systems of another formulation, with the same sides closed in each phase of a run."""
    if worlds is None:
        return [system] * len(first.phases)
    made: Any = worlds
    return [made.phase({**phase.kept, "integrator": "ida"}).system for phase in first.phases]


def _options(run: Any) -> Any:
    keys: Mapping[str, Any] = run.provenance
    return run.system.mechanism.run_with({"duration": keys["duration"], "integrator": "ida"})


def _own(phase: Phase, system: Any) -> Array:
    """Return the states of motors and controllers and the work, (K, n + 1)."""
    n = system.elements.n + 1
    return np.asarray(phase.y[:, phase.system.layout.x][:, -n:])


def _in_absolute(first: PlanarResult, second: PlanarResult) -> PlanarResult:
    """Return the states of a run in the plane, whose accelerations and forces absolute coordinates work out anew."""
    m: Mechanism = second.system.mechanism
    changes = bool(m.switching or m.events or m.sticking)
    worlds = prepared_worlds(m, _options(second), "absolute", True).worlds if changes else None
    bodies, phases, k = second.system.layout.bodies, [], 0
    for phase, system in zip(first.phases, _worlds(first, worlds, second.system), strict=True):
        here, lay = slice(k, k + len(phase.t)), system.layout
        k, y = here.stop, np.zeros((len(phase.t), system.n))
        zero = system.motion(*np.zeros((3, 1, system.n_q)), y[:1, lay.x])
        for b, name in enumerate(bodies):
            y[:, 3 * b : 3 * b + 2] = first.com(name)[here] - zero.com[0, b]
            y[:, 3 * b + 2] = first.angle(name)[here] - zero.angle[0, b]
            y[:, system.n_q + 3 * b : system.n_q + 3 * b + 2] = first.com_velocity(name)[here]
            y[:, system.n_q + 3 * b + 2] = first.omega(name)[here]
        y[:, lay.x] = _own(phase, system)
        phases.append(Phase(system, "none", phase.t, y, False, {}, phase.mode, phase.closed))
    return PlanarResult(second.system, second.start, Course(phases, first.status, "", {}), dict)


def _in_natural(first: Any, second: Any) -> Any:
    """Return the states of a run in space, whose accelerations and forces natural coordinates work out anew."""
    # the plane does without
    from particlemech.analyses.loops.equilibrium import bodies_of
    from particlemech.engine.natural.start import natural
    from particlemech.run import natural as in_space

    m = second.system.mechanism
    worlds = None
    if m.switching or m.events or m.sticking:
        options = _options(second)
        worlds, _ = in_space.changing(m, options, *in_space.made(m.in_mode(()), options))
    phases, bodies = [], iter(bodies_of(first))
    for phase, system in zip(first.phases, _worlds(first, worlds, second.system), strict=True):
        lay, y = system.layout, np.zeros((len(phase.t), system.n))
        for state, own in zip(y, _own(phase, system), strict=True):
            state[lay.q], state[lay.v], theta = natural(system, next(bodies))
            state[lay.x] = np.concatenate([theta, own])
        phases.append(Phase(system, "none", phase.t, y, False, {}, phase.mode, phase.closed))
    return in_space.RESULT(second.system, second.start, Course(phases, first.status, "", {}), dict)
