"""A cycle: what a driven mechanism does over time or over the range of a driver, without integration.

Poses are followed on one curve, see run/curve.py; velocities come with them. They are the states of a result like that
of a run, so accelerations follow from its system as for any sample: where all is driven they are what the motion says.
The work of its drivers, loads and dampers is what its energy has gained.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from particlemech._threads import one_thread
from particlemech.analyses.kinematics.curves import Curve
from particlemech.analyses.kinematics.driving import Drive, bare, drive, stiff, world, yielding
from particlemech.analyses.kinematics.masses import placed, unweighed
from particlemech.analyses.rubbing import HOLDS, jams, sense, stretches
from particlemech.engine.system import Array
from particlemech.errors import ModelError, SimulationError
from particlemech.model.description import Description
from particlemech.model.friction import dry
from particlemech.model.signals import values
from particlemech.model.spec import shown
from particlemech.result.base import Result
from particlemech.run.curve import FOLD, FORK, REACHED
from particlemech.run.phases import Moment
from particlemech.run.simulate import provenance
from particlemech.run.stated import stated
from particlemech.run.trajectory import Phase, Status

SAMPLES = 361  # over a range: one for each degree of a turn
ROUNDING = 1e-12  # rad or length: what a pose is beside its own driver


class Followed(NamedTuple):
    """Poses along a curve."""

    q: Array  # (K, n_q)
    v: Array  # (K, n_v) by s
    x: Array  # (K, n_x)
    status: Status
    end: float  # where s got to
    stats: dict[str, int]


@one_thread
def cycle(
    mechanism: Description,
    driver: str | None = None,
    range: Sequence[float] | None = None,
    samples: int | None = None,
    start: Result | Moment | None = None,
    through: bool = False,
    times: Any = None,
    throw: bool = True,
) -> Result:
    """Return the cycle of a driven mechanism; see interface.py."""
    if samples is not None and (isinstance(samples, bool) or not isinstance(samples, int) or samples < 2):
        raise ModelError(f"cycle: samples must be a whole number of at least 2, got {shown(samples)}")
    moment, yields = _moment(start), yielding(mechanism)
    mechanism = stiff(mechanism, "cycle")
    if driver is None and range is None and mechanism.drivers:
        result = _over_time(bare(mechanism), times, samples, moment, through)
    else:
        if times is not None:
            raise ModelError("cycle: times are for motions of drivers in time; over the range of one, give range")
        result = _over_range(bare(mechanism), driver, range, samples, moment, through)
    if yields:
        result.message += f"; as drawn, straight and stiff: {yields}"
    if throw and result.status is not Status.COMPLETED:
        raise SimulationError(result.message, result)
    return result


def _moment(start: Any) -> Moment | None:
    if start is None or isinstance(start, Moment):
        return start
    if not isinstance(start, Result) or not len(start.t):
        raise ModelError(f"start: one of the mechanism's assemblies, or a sample of a result, got {shown(start)}")
    return start.at()


# -- over time ---------------------------------------------------------------------------------------------------------


def _over_time(mechanism: Description, times: Any, samples: int | None, moment: Moment | None, through: bool) -> Result:
    m = placed(mechanism)
    t = _increasing(m, times, samples)
    if not len(m.drivers):
        drive(m, None, "cycle")
    ground = world(m).Ground.of(m, m)
    motions = {name: np.array([values(d.motion, at) for at in t]) for name, d in m.drivers.items()}
    fastest = max(
        float(np.abs(of[:, 1]).max()) / (1.0 if m.drivers[name].turns(m) else ground.system.scale.length)
        for name, of in motions.items()
    )
    span = float(t[-1] - t[0])
    unit = 1.0 / fastest if fastest > 0.0 else max(span, 1.0)
    seat = None if moment is None else ground.taken(ground.led(m), moment)
    curve = Curve(ground, m, seat, 0.0 if moment is None else float(t[0]), unit, "cycle")
    curve.known = mechanism.bodies
    found = followed(curve, t, through)
    told = [f'driver "{name}" at {values(d.motion, found.end)[0]:.12g}' for name, d in m.drivers.items()]
    where = f"{', '.join(told[:4])}, t = {found.end:.12g} s"
    return made(ground, curve, m, t, found, 1.0, where)


def _increasing(m: Description, times: Any, samples: int | None) -> Array:
    if times is None:
        return np.linspace(0.0, m.run.duration, samples or m.run.samples)
    if samples is not None:
        raise ModelError("cycle: give times or samples, not both")
    try:
        t = np.asarray(times, dtype=float)
    except (TypeError, ValueError):
        t = np.array(math.nan)
    if t.ndim != 1 or not len(t) or not np.all(np.isfinite(t)) or np.any(np.diff(t) <= 0.0):
        raise ModelError(f"times must be a sequence of increasing finite numbers, s, got {shown(times)}")
    return t


# -- over the range of a driver ----------------------------------------------------------------------------------------


class Led(NamedTuple):
    """A mechanism and the curve of one of its drivers: s is what that is at."""

    ground: Any
    of: Drive
    shift: float  # what its motion adds
    curve: Curve


def led(mechanism: Description, driver: str | None, moment: Moment | None, verb: str) -> Led:
    """Return the curve of a driver, from where the mechanism stands, or from a sample of a result."""
    m = placed(mechanism)
    of = drive(m, driver, verb)
    ground = world(m).Ground.of(m, of.mechanism)
    of = _relieved(ground, m, of)
    shift = ground.offset(of.mechanism, *of.end) if of.end is not None else 0.0
    moving = of.moving(0.0, 1.0, shift)
    system = ground.led(moving)
    seat = ground.seat(system) if moment is None else ground.taken(system, moment)
    unit = 1.0 if of.turns else system.scale.length
    s = of.value
    if of.end is not None or moment is not None:
        s = standing(system, of.name, seat[0], s, of.turns)
    curve = Curve(ground, moving, seat, s, unit, verb)
    curve.known = mechanism.bodies
    return Led(ground, of, shift, curve)


def _relieved(ground: Any, m: Description, of: Drive) -> Drive:
    """Return the drive without the model's own driver where there is but one, which leaves nothing to be driven."""
    if of.end is None or len(m.drivers) != 1:
        return of
    system = ground.led(of.moving(0.0, 1.0))
    q, _ = ground.seat(system)
    rows = [k for k, row in enumerate(system.layout.rows) if row.part != f'driver "{of.name}"']
    C = system.levels(0.0, q, np.zeros(system.n_v)).phi_q[rows] * system.size_v
    (other,) = m.drivers
    if np.linalg.matrix_rank(C) < np.linalg.matrix_rank(np.delete(C, _of(system, rows, other), axis=0)) + 1:
        return of
    free = system.n_v - np.linalg.matrix_rank(C, tol=1e-9 * np.linalg.norm(C))
    spins = 0
    return of if free > spins else of._replace(mechanism=of.mechanism.replaced(drivers={other: None}))


def _of(system: Any, rows: list[int], driver: str) -> list[int]:
    return [k for k, r in enumerate(rows) if system.layout.rows[r].part == f'driver "{driver}"']


def standing(system: Any, driver: str, q: Array, near: float, turns: bool) -> float:
    """Return what a driver is at in a pose, by its row; an angle is that next to `near`."""
    r = next(k for k, row in enumerate(system.layout.rows) if row.part == f'driver "{driver}"')
    s, still = near, np.zeros(system.n_v)
    for _ in range(60):
        at = system.levels(s, q, still)
        if turns and at.phi_t[r] > 0.0:  # an angle's row that holds its sine is zero half a turn on, too
            s += math.pi
            continue
        step = -at.phi[r] / at.phi_t[r]
        s += step if not turns else max(-1.0, min(1.0, step))
        if abs(step) <= 1e-15 * max(1.0, abs(s)):
            break
    far = math.remainder(s - near, 2.0 * math.pi) if turns else s - near
    return near + far if abs(far) > ROUNDING else near


def _over_range(
    m: Description, driver: str | None, asked: Any, samples: int | None, moment: Moment | None, through: bool
) -> Result:
    of = led(m, driver, moment, "cycle")
    K = samples or SAMPLES
    if asked is not None:
        first, last = _bounds(asked)
        return _ranged(of, np.linspace(first, last, K), through, lambda found: True)
    s, way = of.curve.s, math.copysign(1.0, of.of.rate)
    if of.of.turns:
        whole = _ranged(of, np.linspace(s, s + way * 2.0 * math.pi, K), through, lambda end: end is not Status.LOCKED)
        if whole is not None:
            return whole
    ends = [_end(of.curve, ahead) for ahead in (-way, way)]
    if not all(map(math.isfinite, ends)):
        raise ModelError(
            f'cycle: nothing bounds driver "{of.of.name}", which stands at {s:.6g}; give its range = (first, last)'
        )
    # speeds have no bounds where it turns back: samples lie in the middles of equal parts
    every = ends[0] + (np.arange(K) + 0.5) / K * (ends[1] - ends[0])
    return _ranged(of, every, through, lambda found: True)


def _bounds(asked: Any) -> tuple[float, float]:
    try:
        first, last = (float(of) for of in asked)
    except (TypeError, ValueError):
        first = last = math.nan
    if not (math.isfinite(first) and math.isfinite(last) and first != last):
        raise ModelError(f"cycle: range must be two different numbers, (first, last), got {shown(asked)}")
    return first, last


def turning_back(mechanism: Description) -> list[float]:
    """Return where the only driver of a mechanism turns back within a turn (or six lengths) either way, in order."""
    curve = led(bare(mechanism), None, None, "check").curve
    ends = (_end(curve, ahead, 1.0) for ahead in (-1.0, 1.0))
    return [end for end in ends if math.isfinite(end)]


def _end(curve: Curve, ahead: float, turns: float = 20.0) -> float:
    """Return where a driver turns back, or nan if it does not within so many turns (of six lengths)."""
    place = curve.begun(np.array([curve.s + ahead * turns * 2.0 * math.pi * curve.unit]), ahead)
    while True:
        ended, _ = curve.march(place)
        if ended != FORK:
            return float(place.w.now[0]) if ended == FOLD else math.nan


def _ranged(of: Led, every: Array, through: bool, wanted: Any) -> Any:
    found = followed(of.curve, every, through)
    if not wanted(found.status):
        return None
    rate = math.copysign(of.of.rate, every[-1] - every[0])
    moving = of.of.moving(float(every[0]), rate, of.shift)
    unit = "rad" if of.of.turns else of.curve.mechanism.unit.length
    where = f'driver "{of.of.name}" at {found.end:.12g} {unit}'
    result = made(of.ground, of.curve, moving, (every - every[0]) / rate, found, rate, where)
    said = ".".join(of.of.end) if of.of.end else of.of.name
    over = {"driver": of.of.name, "said": said, "first": float(every[0]), "rate": rate, "turns": of.of.turns}
    result.stats["over"] = over
    return result


# -- both --------------------------------------------------------------------------------------------------------------


def followed(curve: Curve, wanted: Array, through: bool) -> Followed:
    """Return the poses at values of s (K,), in order; the first is reached along the curve."""
    seat, s = None, curve.s
    if abs(wanted[0] - s) > 1e-12 * max(curve.unit, abs(s)):
        lead, status = marched(curve, wanted[:1], math.copysign(1.0, wanted[0] - s), through, None)
        w = lead.w
        if status is not Status.COMPLETED:
            raise ModelError(
                f"{curve.verb}: {wanted[0]:.9g} cannot be reached: followed from {s:.9g}, where it stands, the "
                f"driver turns back at {float(w.now[0]):.9g}; ask for less, or start from another of its assemblies"
            )
        n_q, n = curve.system.n_q, curve.system.n_v
        seat = w.found[0, :n_q].copy(), w.found[0, n_q + n :].copy()
        curve.s = float(wanted[0])
        curve.q, curve.x = seat
    ahead = math.copysign(1.0, wanted[-1] - wanted[0]) if len(wanted) > 1 else 1.0
    place, status = marched(curve, wanted, ahead, through, seat)
    w = place.w
    done, end = len(wanted), float(wanted[-1])
    if status is not Status.COMPLETED:
        end = float(w.now[0])
        done = int(np.sum((wanted - end) * ahead <= 0.0))
    n_q, n = curve.system.n_q, curve.system.n_v
    part = w.found[:done]
    return Followed(part[:, :n_q], part[:, n_q : n_q + n], part[:, n_q + n :], status, end, curve.stats(place))


def marched(curve: Curve, wanted: Array, ahead: float, through: bool, seat: Any) -> tuple[Any, Status]:
    """Return the place of a march over values of s, and how that ended; `now[S]` is where."""
    place = curve.begun(wanted, ahead, seat)
    w, done = place.w, 0
    while True:
        ended, done = curve.march(place, done)
        if ended == REACHED:
            return place, Status.COMPLETED
        if ended == FORK:
            at, whole = curve.beside(place), len(wanted)
            if at is not None:
                end = float(at.s(at.h))
                beyond = (wanted[-1] - end) * ahead > ROUNDING * max(1.0, abs(end))
                done = curve.passed(place, at, done)
                if beyond and not through:
                    w.now[0] = end
                    return place, Status.SINGULAR
            elif done < whole:
                continue
            if done >= len(wanted):
                return place, Status.COMPLETED
            continue
        return place, Status.LOCKED if ended == FOLD else Status.SINGULAR


SAID = {
    Status.LOCKED: "locked: {where} turns back there (a toggle)",
    Status.SINGULAR: "change point: at {where} branches cross; say through=True to stay on this one",
    Status.COMPLETED: "completed",
}


def made(ground: Any, curve: Curve, moving: Any, t: Array, found: Followed, rate: float, where: str) -> Any:
    """Return the result of poses at times t (K,), s; `rate` is that of s."""
    system = ground.observed(moving)
    K = len(found.q)
    y = ground.states(curve.system, system, found.q, rate * found.v, found.x)
    t = t[:K]
    if not K:
        raise ModelError(f"{curve.verb}: {SAID[found.status].format(where=where)}; no sample lies before it")
    stats: dict[str, Any] = {**found.stats, "stopped": found.end, "phases": [("kinematics", float(t[0]), float(t[-1]))]}
    message = SAID[found.status].format(where=where)
    if curve.spinning:
        names = ", ".join(f'"{name}"' for name in curve.spinning)
        stats["open"] = f"the spin of {names} about a line of its own: no driver says it, forces would"
        message += f"; shown without {stats['open']}"
    told = stated(Phase(system, "kinematics", t, y), message, stats, found.status)
    options = moving.run_with({"duration": max(float(t[-1] - t[0]), 1e-9), "samples": max(K, 2)})
    known = moving.replaced(bodies={name: curve.known[name] for name in moving.bodies})
    said = partial(provenance, known, system.formulation, options)
    kind = world(moving).RESULT
    if known.massless:
        system.mechanism = known
        return unweighed(kind)(*told, said)
    course = told[2]
    if moving.sticking:
        course.phases = _slipping(ground, moving, kind(*told, said), y)
    energies = sum(kind(*told, said)._energies())
    for phase, gained in zip(course.phases, np.split(energies, _ends(course.phases)), strict=True):
        phase.y[:, system.layout.x.stop - 1] = gained - energies[0]
    result = kind(*told, said)
    jam = jams(result) if dry(moving) else None
    return result if jam is None else _jammed(ground, curve, moving, t, found, rate, *jam)


def _ends(phases: list[Phase]) -> list[int]:
    return [int(k) for k in np.cumsum([len(phase.t) for phase in phases])[:-1]]


def _slipping(ground: Any, moving: Any, plain: Any, y: Array) -> list[Phase]:
    """Return the samples with joints that stick slipping as they move there, or are about to."""
    rates = {name: plain.rate(name, moving.joints[name].slides(moving)) for name in moving.sticking}
    senses = {name: sense(of, np.diff(of, append=2.0 * of[-1] - of[-2:][0])) for name, of in rates.items()}
    for name, of in senses.items():
        if np.any(of == 0.0):
            raise ModelError(f"cycle: {HOLDS.format(name, plain.t[int(np.argmin(np.abs(of)))])}")
    parts = stretches(moving, senses, len(y))
    return [Phase(ground.observed(m), "kinematics", plain.t[some], y[some].copy()) for some, m in parts]


def _jammed(ground: Any, curve: Curve, moving: Any, t: Array, found: Followed, rate: float, k: int, said: str) -> Any:
    """Return the result of the poses before sample k, at which joints jam."""
    at = {n: values(d.motion, float(t[k])) for n, d in moving.drivers.items()}
    where = ", ".join(f'driver "{n}" is at {value:.6g}' for n, (value, rate, _) in at.items() if rate != 0.0)
    said = f"{said}; {where}" if where else said
    if not k:
        raise ModelError(f"cycle: {said}")
    before = found._replace(q=found.q[:k], v=found.v[:k], x=found.x[:k], end=float(t[k - 1]))
    result = made(ground, curve, moving, t, before, rate, "")
    result.status, result.message = Status.LOCKED, said
    return result
