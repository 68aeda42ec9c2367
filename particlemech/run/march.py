"""The explicit march, written once for all engines: steps, projection after each, samples, and when to give up.

The loop is compiled into each engine's entry with the engine's own functions in their places. It runs without the
interpreter, so threads run side by side; it stops at `stop`, or earlier with a code that says why, and the caller may
go on from there or hand over to another integrator. What a step is made of is in steps.py.

To give an engine explicit steps:

1. Write the functions of `Engine` as kernels. Each is given `address`, that of an argument block that holds the
   engine's tables, its work arrays and the MarchState. States y, (n_y,), are what is integrated; the last number is the
   work of all that has no potential. An engine without rows takes those that stand here: `unconstrained`, `closed`,
   `unhurried`; one that carries nothing along takes `untouched`.
2. Put them into a constant `ENGINE = Engine(slope, ...)` and write an entry `do` that passes its arguments, ENGINE and
   the MarchState on to `perform`. A constant of kernels leaves the cache on disk working: an entry that is given a
   kernel as an argument by Python cannot be kept there.
3. Return `CompiledMarch(do, ...)` of compiled_march.py from the system's method `march`; see explicit.Marching.

In return the march promises:

4. `slope` and `project` are never asked beyond the time at which a signal jumps.
5. `arrive` is called once for each step that counts, after y has become its end and now[T] its time; then `slope` at
   (now[T], y), then `energies`. `withdraw` comes at most once after it, before the next stage.
6. Stages and samples of a step are asked for with now[T] at one of its ends, so what is carried along may be predicted
   from t - now[T].
7. `project` is called on the end of every step, on every sample, and beside singular poses (pivots below CLOSE) on
   every stage. A step whose end it moves more than FAR times the tolerance does not count.
8. Arrays of the MarchState other than `now[LEAST_INERTIA]` and the array that is passed to be filled are not written
   by the engine, but for y in `arrive`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from particlemech._jit import kernel
from particlemech.engine.system import Array
from particlemech.run.dop853 import EXTENDED, POWER, STAGES, C
from particlemech.run.explicit import NOT_FINITE, PAUSED, REACHED, SINGULAR, STIFF, TOO_LONG, TOO_SMALL
from particlemech.run.steps import (
    EVALUATIONS,
    FROM,
    LEAST_INERTIA,
    LEAST_PIVOT,
    LIMIT,
    NEXT,
    REJECTED,
    SLACK,
    STEP,
    STEPS,
    TRIES,
    USUAL,
    H,
    MarchState,
    T,
    coefficients,
    copy,
    distance,
    doubtful,
    error,
    first_step,
    interpolate,
    is_stiff,
    longer,
    note_energies,
    note_gaps,
    note_safe,
    probe,
    shorter,
    stage,
    told,
    toward,
)

BEGIN, MARCH, SAMPLE = range(3)  # tasks of `perform`

FAR = 10.0  # times the tolerance: a step that projection must move farther is not to be trusted
ROUGH = 1e3  # times FAR: what rounding may make of it
NO_LESS = 0.7  # of the move before: where half a step is moved no less than this, rounding moves it
GAP = 1e-9  # of the mechanism's length: what the beginning of a leg may leave open

# rows: pivots of their multipliers, 1 where a row is as independent of the others as it can be, 0 where it is not
STRICT = 1e-8  # tolerance, relative, close to a singular pose, where that of the user is looser
CREEP = 1e-9  # of the mechanism's length: steps that move it less close to a singular pose lead nowhere
CLOSE = 0.01  # least pivot: below it a pose is close to a singular one
SAFE_PIVOT = 0.1  # of what it usually is: with a least pivot above a pose is far from singular ones
FORGOTTEN = 0.999  # what a pivot counts a step later when that is looked for

# inertia: pivots of the mass matrix, small where a motion meets little of it, as angles do at gimbal lock
NO_INERTIA = 1e-12  # below it a motion meets none
LITTLE, SHORT = 1e-8, 1e-6  # pivot below which steps shorter than this part of what is left lead nowhere


class Engine(NamedTuple):
    """What the march asks of an engine, see above; all are kernels.

    slope(t, y, address, out) -> float
        Fill out with y' at time t; return the least pivot of the rows, 1 without any. Where motions may meet no
        inertia, lower now[LEAST_INERTIA] to the least pivot of the mass matrix.
    project(t, y, rounds, address) -> (float, float, float)
        Move y to the nearest state that satisfies all rows, by so many rounds of Newton's method for positions and for
        velocities; return the least pivot of the rows, and how far they were open before, m and m/s.
    gap(y, address) -> float
        Return how far the rows of a state are open, m, at the time that was asked for last.
    fastest(rtol, address) -> float
        Return the largest speed of w.y beside the mechanism's size, 1/s, no less than one size in its own time.
    arrive(h, address)
        A step of size h has come to count: bring up to date what is carried along but not integrated, and y itself
        where it is a representative of a state (quaternions of length 1). With h = 0 a leg begins.
    withdraw(address)
        Undo the last `arrive`: the step is taken back.
    energies(address) -> (float, float)
        Return kinetic and potential energy at w.y, where `slope` was last.
    show(t, y, address, out)
        Fill out with the sample, (n,), of a state at time t; at t = now[T] it is w.y.
    """

    slope: Callable[..., Any]
    project: Callable[..., Any]
    gap: Callable[..., Any]
    fastest: Callable[..., Any]
    arrive: Callable[..., Any]
    withdraw: Callable[..., Any]
    energies: Callable[..., Any]
    show: Callable[..., Any]


# -- for engines without rows, or with nothing to carry along --------------------------------------------------------


@kernel
def unconstrained(t: float, y: Array, rounds: int, address: int) -> tuple[float, float, float]:
    """Leave a state where it is: there are no rows."""
    return 1.0, 0.0, 0.0


@kernel
def closed(y: Array, address: int) -> float:
    """Return no gap."""
    return 0.0


@kernel
def unhurried(rtol: float, address: int) -> float:
    """Return no speed; nobody asks without rows."""
    return 0.0


@kernel
def untouched(address: int) -> None:
    """Take nothing back."""


# -- one leg ---------------------------------------------------------------------------------------------------------


@kernel
def tally(engine: Engine, w: MarchState, address: int) -> None:
    """Note the energies at y, where `slope` was last."""
    kinetic, potential = engine.energies(address)
    note_energies(kinetic, potential, w.y[len(w.y) - 1], w.now)


@kernel
def keep_safe(engine: Engine, w: MarchState, address: int) -> None:
    """Keep the present state as one from which another integrator may go on, with what was measured up to it."""
    engine.show(w.now[T], w.y, address, w.samples[len(w.times) + 1])
    note_safe(w.now)


@kernel
def begin(engine: Engine, t: float, stop: float, clamp: float, rtol: float, w: MarchState, address: int) -> float:
    """Set out from w.y at time t, projected: slope, energies, first step; what is carried along is given.

    Return the largest gap that is left, m: not zero where a signal jumps farther than the joints can follow.
    """
    now, at = w.now, min(t, clamp)
    now[T], now[FROM], now[STEP], now[LEAST_INERTIA] = t, t, 0.0, 1.0
    least = 1.0
    for i in range(8):
        least, opened, opening = engine.project(at, w.y, 1, address)
        if i == 0 and now[STEPS] == 0.0:
            # later legs begin where signals may have jumped
            note_gaps(opened, opening, now)
    now[USUAL] = max(now[USUAL], least)
    gap: float = engine.gap(w.y, address)
    engine.arrive(0.0, address)
    engine.slope(at, w.y, address, w.k[0])
    tally(engine, w, address)
    copy(w.k[0], w.k[STAGES])
    h = probe(stop - t, rtol, w)
    engine.slope(min(t + h, clamp), w.trial[0], address, w.k[1])
    now[H] = first_step(h, stop - t, rtol, w)
    now[EVALUATIONS] += 2
    keep_safe(engine, w, address)
    return gap


@kernel
def attempt(engine: Engine, h: float, rtol: float, clamp: float, hold: bool, w: MarchState, address: int) -> float:
    """Try a step: fill the slopes and trial[1] with its end; return the error beside the tolerance.

    With `hold` every stage is projected: beside a singular pose what a stage misses the rows by comes back magnified.
    """
    now = w.now
    now[LEAST_PIVOT], now[LEAST_INERTIA] = 1.0, 1.0
    for i in range(1, STAGES):
        stage(i, h, w, w.trial[0])
        at = min(now[T] + C[i] * h, clamp)
        if hold:
            engine.project(at, w.trial[0], 2, address)
        now[LEAST_PIVOT] = min(now[LEAST_PIVOT], engine.slope(at, w.trial[0], address, w.k[i]))
    stage(STAGES, h, w, w.trial[1])
    now[EVALUATIONS] += (STAGES - 1) * (2 if hold else 1)
    return error(h, w.trial[1], rtol, w)


@kernel
def settle(
    engine: Engine, h: float, goal: float, rtol: float, clamp: float, far: float, w: MarchState, address: int
) -> float:
    """Project the end of a step and evaluate there; return how far projection moved it beside the tolerance.

    If that is more than `far` the step is not taken.
    """
    now, end, at = w.now, w.trial[1], min(goal, clamp)
    copy(end, w.before)
    least, opened, opening = engine.project(at, end, 2, address)
    now[LEAST_PIVOT] = min(now[LEAST_PIVOT], least)
    moved = distance(end, w.before, rtol, w)
    close = now[LEAST_PIVOT] < CLOSE
    # where rows depend on each other some may stay open; steps that leave them so do not count
    if (close or now[SLACK] > 0.0) and not engine.gap(end, address) <= now[LIMIT]:
        return math.inf
    moved *= max(1.0, rtol / STRICT) if close else 1.0
    if not moved <= far:
        return moved
    copy(w.y, w.before)
    copy(w.k[0], w.first)
    copy(end, w.y)
    now[FROM], now[STEP], now[T] = now[T], h, goal
    engine.arrive(h, address)
    note_gaps(opened, opening, now)
    engine.slope(at, w.y, address, w.k[STAGES])
    tally(engine, w, address)
    now[EVALUATIONS] += 1
    return moved


# -- samples ---------------------------------------------------------------------------------------------------------


@kernel
def densify(engine: Engine, clamp: float, w: MarchState, address: int) -> float:
    """Fill the coefficients of the dense output over the last step; return the least pivot of its three slopes.

    k[0] is the slope where the step began.
    """
    t, h, least = w.now[FROM], w.now[STEP], w.now[LEAST_PIVOT]
    copy(w.y, w.trial[1])
    copy(w.before, w.y)
    for i in range(STAGES + 1, EXTENDED):
        stage(i, h, w, w.trial[0])
        least = min(least, engine.slope(min(t + C[i] * h, clamp), w.trial[0], address, w.k[i]))
    copy(w.trial[1], w.y)
    w.now[EVALUATIONS] += EXTENDED - STAGES - 1
    # slopes beside a singular pose are no good; without them this is Hermite's cubic, which needs the ends only
    coefficients(h, not least < CLOSE, w)
    return least


@kernel
def step_within(engine: Engine, t: float, clamp: float, w: MarchState, address: int) -> None:
    """Fill trial[0] with the state at a time within the last step, by a step from where that began."""
    begin, h = w.now[FROM], t - w.now[FROM]
    copy(w.y, w.trial[1])
    copy(w.before, w.y)
    copy(w.first, w.k[0])
    for i in range(1, STAGES):
        stage(i, h, w, w.trial[0])
        engine.slope(min(begin + C[i] * h, clamp), w.trial[0], address, w.k[i])
    stage(STAGES, h, w, w.trial[0])
    copy(w.trial[1], w.y)
    copy(w.k[STAGES], w.k[0])
    w.now[EVALUATIONS] += STAGES - 1


@kernel
def sample(engine: Engine, t: float, clamp: float, rtol: float, w: MarchState, address: int, out: Array) -> None:
    """Fill out with the sample at a time within the last step, projected; densify comes first."""
    state = w.trial[0]
    if doubtful(rtol, w):
        step_within(engine, t, clamp, w, address)
        if not math.isfinite(distance(state, w.before, rtol, w)):  # a stage of it met the singular pose
            interpolate((t - w.now[FROM]) / w.now[STEP], w, state)
    else:
        interpolate((t - w.now[FROM]) / w.now[STEP], w, state)
    copy(state, w.dense[POWER])
    engine.project(min(t, clamp), state, 2, address)
    # beside a singular pose projection may run away; what it would move farther than a step's end is left alone
    if not distance(state, w.dense[POWER], rtol, w) <= FAR:
        copy(w.dense[POWER], state)
    engine.show(t, state, address, out)


@kernel
def fill(engine: Engine, following: int, clamp: float, rtol: float, w: MarchState, address: int) -> int:
    """Fill the samples up to now, from the one that follows, after densify; return which follows then."""
    while following < len(w.times) and w.times[following] <= w.now[T]:
        if w.times[following] == w.now[T]:
            engine.show(w.now[T], w.y, address, w.samples[following])
        else:
            sample(engine, w.times[following], clamp, rtol, w, address, w.samples[following])
        following += 1
    return following


# -- the loop --------------------------------------------------------------------------------------------------------


@kernel
def march(
    engine: Engine, stop: float, clamp: float, rtol: float, most: int, done: int, w: MarchState, address: int
) -> int:
    """Go on to `stop`, or for `most` steps, and fill the samples in between, `done` of which are filled already.

    Steps that are told are taken as they are, or not at all. Return how it ended, one of the codes of explicit.py.
    """
    now, times, taken, tries, following, hold, landing = w.now, w.times, 0, 0, done, False, False
    free = len(w.told) == 0
    stuck, before = 0, 0.0  # how often in a row smaller steps were moved no less, and how far
    while now[T] < stop:
        if taken == most:
            return PAUSED
        h = toward(stop, w)
        goal = stop if h == stop - now[T] else now[T] + h
        if not free:
            goal = told(stop, w)
            h = now[H] = goal - now[T]
        if landing and following < len(times) and now[T] + h > times[following]:
            h, goal = times[following] - now[T], times[following]
        if now[T] + 0.1 * h == now[T]:
            return SINGULAR if tries else TOO_SMALL
        err = attempt(engine, h, rtol, clamp, hold, w, address)
        close = now[LEAST_PIVOT] < CLOSE
        if close:
            # where branches meet a loose tolerance might take the wrong one
            err *= max(1.0, rtol / STRICT)
            if now[H] * engine.fastest(rtol, address) < CREEP and now[STEPS] > 10:
                return SINGULAR
            if not hold and err >= 1.0:
                # the same step again with its stages held on the rows
                hold = True
                continue
            if free and err < 1.0 and following < len(times) and times[following] < goal:
                # dense output does not see the singular pose: end a step at the sample instead
                landing = True
                continue
        finite = math.isfinite(err)
        moved = 0.0
        # where projection moves states by rounding errors no step is too short for it
        far = FAR if stuck < 3 else FAR * ROUGH
        if finite and err < 1.0:
            inertia = now[LEAST_INERTIA]
            if inertia < NO_INERTIA or (inertia < LITTLE and h < SHORT * (stop - now[T])):
                return SINGULAR
            moved = settle(engine, h, goal, rtol, clamp, far, w, address)
        if not finite or err >= 1.0 or not moved <= far:
            now[REJECTED] += 1
            tries += 1
            if not free:
                return TOO_LONG if finite else NOT_FINITE
            if moved > 0.0:
                stuck = stuck + 1 if math.isfinite(moved) and moved > NO_LESS * before else 0
                before = moved
            if tries > TRIES:
                return SINGULAR if finite else NOT_FINITE
            now[H] = shorter(h, err)
            continue
        stiff = free and is_stiff(h, stop, w)
        dense = following < len(times) and times[following] < now[T]
        if dense and densify(engine, clamp, w, address) < CLOSE and free:
            # back to where the step began
            copy(w.before, w.y)
            engine.withdraw(address)
            now[T] = now[FROM]
            landing = True
            continue
        taken += 1
        now[STEPS] += 1
        if now[NEXT] < len(w.noted):
            w.noted[int(now[NEXT])] = now[T]
        now[NEXT] += 1
        hold = hold and close
        landing = landing and close
        now[USUAL] = max(FORGOTTEN * now[USUAL], now[LEAST_PIVOT])
        if now[LEAST_PIVOT] > SAFE_PIVOT * now[USUAL]:
            keep_safe(engine, w, address)
        following = fill(engine, following, clamp, rtol, w, address)
        copy(w.k[STAGES], w.k[0])
        if stiff:
            return STIFF
        now[H] = longer(h, err, tries > 0, now[H])
        tries, stuck, before = 0, 0, 0.0
    return REACHED


@kernel
def perform(
    engine: Engine, task: int, t: float, stop: float, clamp: float, rtol: float, most: int, done: int, w: MarchState,
    address: int,
) -> float:  # fmt: skip
    """Do one of the tasks of a march; signals keep the values that they have before `clamp`.

    BEGIN    set out from y at time t towards `stop`; return the largest gap left
    MARCH    go on to `stop`; return how it ended
    SAMPLE   the state at time t within the last step into samples[done]; most = 1 if it has been densified
    """
    if task == MARCH:
        return march(engine, stop, clamp, rtol, most, done, w, address)
    if task == BEGIN:
        return begin(engine, t, stop, clamp, rtol, w, address)
    if t == w.now[T]:
        engine.show(t, w.y, address, w.samples[done])
        return 0.0
    if most == 0:
        copy(w.first, w.k[0])  # which is that of the next step already
        densify(engine, clamp, w, address)
        copy(w.k[STAGES], w.k[0])
    sample(engine, t, clamp, rtol, w, address, w.samples[done])
    return 0.0
