"""The compiled loop of the explicit road of a tree: eighth-order steps, quaternions of length 1 after each.

Without constraints there is nothing to project. Angles at gimbal lock, and motions that meet no inertia, end the march;
quaternions know no such pose.
"""

from __future__ import annotations

import math

from particlemech._dop853 import EXTENDED, STAGES, C
from particlemech._jit import apart, attachment, kernel, released
from particlemech.explicit import NOT_FINITE, PAUSED, REACHED, SINGULAR, STIFF, TOO_SMALL
from particlemech.free_march import BEGIN, MARCH, SAMPLE
from particlemech.steps import (
    COUNTERS,
    EVALUATIONS,
    FROM,
    REJECTED,
    STEP,
    STEPS,
    TRIES,
    H,
    T,
    Walk,
    coefficients,
    copy,
    doubtful,
    error,
    first_step,
    interpolate,
    is_stiff,
    longer,
    note_energies,
    note_safe,
    probe,
    shorter,
    stage,
    toward,
)
from particlemech.system import Array
from particlemech.tree.laws import potential
from particlemech.tree.motion import normalise
from particlemech.tree.tables import Desk, Tables
from particlemech.tree.tasks import height, kinetic, slopes

LEAST_PIVOT = COUNTERS  # noted besides: the least D of a step, see articulated.inward
LOST = 1e-12  # below it a motion meets no inertia
CLOSE, CREEP = 1e-8, 1e-6  # pivot below which steps shorter than this part of what is left lead nowhere

attached = attachment(Tables, Desk, Walk)


@apart
def slope(t: float, clamp: float, y: Array, address: int, out: Array) -> None:
    """Fill y' at time t, and note the least pivot."""
    m, s, w = attached(address)
    w.now[LEAST_PIVOT] = min(w.now[LEAST_PIVOT], slopes(min(t, clamp), y, m, s, out))
    w.now[EVALUATIONS] += 1


@kernel
def tally(address: int) -> None:
    """Note the energies at y, when `slope` was there last."""
    m, s, w = attached(address)
    note_energies(kinetic(m, s), potential(m, s) + height(m, s), w.y[len(w.y) - 1], w.now)


@apart
def begin(t: float, stop: float, clamp: float, rtol: float, address: int) -> None:
    """Set out from w.y at time t: slope and first step."""
    _, _, w = attached(address)
    w.now[T], w.now[FROM], w.now[STEP], w.now[LEAST_PIVOT] = t, t, 0.0, 1.0
    slope(t, clamp, w.y, address, w.k[0])
    tally(address)
    copy(w.k[0], w.k[STAGES])
    h = probe(stop - t, rtol, w)
    slope(t + h, clamp, w.trial[0], address, w.k[1])
    w.now[H] = first_step(h, stop - t, rtol, w)
    keep(w)


@kernel
def keep(w: Walk) -> None:
    """Note the present state as one from which another integrator can go on."""
    copy(w.y, w.samples[len(w.times) + 1])
    note_safe(w.now)


@apart
def attempt(h: float, rtol: float, clamp: float, address: int) -> float:
    """Try a step: fill the slopes and trial[1] with its end; return the error beside the tolerance."""
    _, _, w = attached(address)
    w.now[LEAST_PIVOT] = 1.0
    for i in range(1, STAGES):
        stage(i, h, w, w.trial[0])
        slope(w.now[T] + C[i] * h, clamp, w.trial[0], address, w.k[i])
    stage(STAGES, h, w, w.trial[1])
    return error(h, w.trial[1], rtol, w)


@apart
def settle(h: float, goal: float, clamp: float, address: int) -> None:
    """Take the step: its end becomes the present state."""
    m, _, w = attached(address)
    copy(w.y, w.before)
    copy(w.k[0], w.first)
    copy(w.trial[1], w.y)
    normalise(w.y, m)
    w.now[FROM], w.now[STEP], w.now[T] = w.now[T], h, goal
    slope(goal, clamp, w.y, address, w.k[STAGES])
    tally(address)


@apart
def densify(clamp: float, address: int) -> None:
    """Fill the coefficients of the dense output over the last step; k[0] is the slope where it began."""
    _, _, w = attached(address)
    t, h = w.now[FROM], w.now[STEP]
    copy(w.y, w.trial[1])
    copy(w.before, w.y)
    for i in range(STAGES + 1, EXTENDED):
        stage(i, h, w, w.trial[0])
        slope(t + C[i] * h, clamp, w.trial[0], address, w.k[i])
    copy(w.trial[1], w.y)
    coefficients(h, True, w)


@apart
def stepped(t: float, clamp: float, address: int, out: Array) -> None:
    """Fill out with the state at a time within the last step, by a step from where that began."""
    _, _, w = attached(address)
    begin, h = w.now[FROM], t - w.now[FROM]
    copy(w.y, w.trial[1])
    copy(w.before, w.y)
    copy(w.first, w.k[0])
    for i in range(1, STAGES):
        stage(i, h, w, w.trial[0])
        slope(begin + C[i] * h, clamp, w.trial[0], address, w.k[i])
    stage(STAGES, h, w, out)
    copy(w.trial[1], w.y)
    copy(w.k[STAGES], w.k[0])


@apart
def sample(t: float, clamp: float, rtol: float, address: int, out: Array) -> None:
    """Fill out with the state at a time within the last step; densify comes first."""
    m, _, w = attached(address)
    if t == w.now[T]:
        copy(w.y, out)
        return
    if doubtful(rtol, w):
        stepped(t, clamp, address, out)
    else:
        interpolate((t - w.now[FROM]) / w.now[STEP], w, out)
    normalise(out, m)


@kernel
def march(stop: float, clamp: float, rtol: float, most: int, done: int, address: int) -> int:
    """Go on to `stop`, or for `most` steps, and fill the samples in between, `done` of which are filled already.

    Return how it ended, one of the codes of explicit.py.
    """
    _, _, w = attached(address)
    now, times, taken, tries, following = w.now, w.times, 0, 0, done
    while now[T] < stop:
        if taken == most:
            return PAUSED
        h = toward(stop, w)
        goal = stop if h == stop - now[T] else now[T] + h
        if now[T] + 0.1 * h == now[T]:
            return TOO_SMALL
        err = attempt(h, rtol, clamp, address)
        if not err < 1.0:
            now[REJECTED] += 1
            tries += 1
            if tries > TRIES:
                return NOT_FINITE if not math.isfinite(err) else SINGULAR
            now[H] = shorter(h, err)
            continue
        if now[LEAST_PIVOT] < LOST or (now[LEAST_PIVOT] < CLOSE and h < CREEP * (stop - now[T])):
            return SINGULAR
        settle(h, goal, clamp, address)
        taken += 1
        now[STEPS] += 1
        if is_stiff(h, stop, w):
            copy(w.k[STAGES], w.k[0])
            return STIFF
        keep(w)
        if following < len(times) and times[following] <= now[T]:
            densify(clamp, address)
            while following < len(times) and times[following] <= now[T]:
                sample(times[following], clamp, rtol, address, w.samples[following])
                following += 1
        copy(w.k[STAGES], w.k[0])
        now[H] = longer(h, err, tries > 0, now[H])
        tries = 0
    return REACHED


@released
def do(task: int, t: float, stop: float, clamp: float, rtol: float, most: int, done: int, address: int) -> int:
    """Do one of the tasks above.

    BEGIN    set out from y at time t
    MARCH    go on to `stop`; return how it ended
    SAMPLE   the state at time t within the last step into samples[done]; most = 1 if it has been densified
    """
    _, _, w = attached(address)
    if task == MARCH:
        return march(stop, clamp, rtol, most, done, address)
    if task == BEGIN:
        begin(t, stop, clamp, rtol, address)
    elif task == SAMPLE:
        if most == 0:
            # stage 0 already is that of the next step
            copy(w.first, w.k[0])
            densify(clamp, address)
            copy(w.k[STAGES], w.k[0])
        sample(t, clamp, rtol, address, w.samples[done])
    return 0
