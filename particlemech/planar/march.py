"""The compiled loop of the explicit road: eighth-order steps, projection after each, samples by dense output.

The whole loop runs without the interpreter, so threads run side by side. It stops at `stop`, or earlier with a code
that says why; the caller may go on from there, or hand over.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from particlemech import _dop853 as rk
from particlemech._dop853 import EXTENDED, POWER, STAGES
from particlemech._jit import apart, attachment, kernel, woven, written
from particlemech.explicit import NOT_FINITE, PAUSED, REACHED, SINGULAR, STIFF, TOO_SMALL
from particlemech.planar.accelerations import (
    Desk,
    Road,
    body_coordinates,
    copy,
    gaps,
    project,
    slopes,
)
from particlemech.planar.forces.geometry import spin, turn
from particlemech.system import Array

SAFE, LEAST, MOST = 0.8, 1.0 / 3.0, 6.0  # factors of the step, as in DOP853
FAR = 10.0  # times the tolerance: a step that projection must move farther is not to be trusted
STRICT = 1e-8  # tolerance, relative, close to a singular pose, where that of the user is looser
CREEP = 1e-5  # of what is left: steps that are smaller close to a singular pose lead nowhere
CLOSE = 0.01  # least pivot beside its strength: below it a pose is close to a singular one
SAFE_PIVOT = 0.1  # above it a pose is far from singular ones
TRIES = 40  # rejections in a row before a pose counts as singular
STABLE = 6.1  # |h lambda| at the border of stability of the method
LONG = 20_000  # steps still to go at this size: then being held back by stability is called stiff


class Walk(NamedTuple):
    """State of a march; `now` is t, h, then the counters of COUNTERS."""

    now: Annotated[Array, written()]  # (2 + len(COUNTERS),)
    y: Annotated[Array, written()]  # (n_y,) q, v, W
    k: Annotated[Array, written(2)]  # (EXTENDED, n_y) slopes
    trial: Annotated[Array, written(2)]  # (2, n_y) a stage, and the end of the step before it counts
    dense: Annotated[Array, written(2)]  # (POWER + 1, n_y) coefficients of the last step, see interpolate; and a state
    before: Annotated[Array, written()]  # (n_y,) where the last step began
    first: Annotated[Array, written()]  # (n_y,) the slope there
    atol: Annotated[Array, written()]  # (n_y,)
    times: Annotated[Array, written()]  # (K,) of the samples
    samples: Annotated[Array, written(2)]  # (K + 2, n_q + n_q + n_body + 1); then any, then the last far from singular
    pushes: Annotated[Array, written(2)]  # (n, n_q) rows of initial velocities; then what unit impulses along them do


attached = attachment(Road, Desk, Walk)

COUNTERS = ("steps", "rejected", "evaluations", "least", "step_from", "step", "stiff", "safe")
T, H, STEPS, REJECTED, EVALUATIONS, LEAST_PIVOT, FROM, STEP, STIFFNESS, SAFE_TIME = range(2 + len(COUNTERS))


@kernel
def stage(i: int, h: float, w: Walk, out: Array) -> None:
    """Fill out with y + h sum a_ij k_j."""
    copy(w.y, out)
    for e in range(rk.A_FIRST[i], rk.A_FIRST[i + 1]):
        c, slope = h * rk.A_VALUE[e], w.k[rk.A_STAGE[e]]
        for n in range(len(out)):
            out[n] += c * slope[n]


@kernel
def predicted_angles(dt: float, s: Desk) -> None:
    """Fill the angles as far as their rates at the last step tell."""
    for b in range(s.theta.shape[1]):
        s.theta[0, b] = s.theta[1, b] + dt * s.theta[2, b]


@apart
def angles(dt: float, y: Array, address: int, theta: Array, omega: Array) -> None:
    """Fill angles and angular velocities dt after the last step: exact, and on the turn that the rates predict."""
    m, s, _ = attached(address)
    n_q = len(m.weight)
    for b in range(len(m.body)):
        body_coordinates(b, y[:n_q], True, m, s.z[0])
        body_coordinates(b, y[n_q : 2 * n_q], False, m, s.z[1])
        rate = spin(s.z[0], s.z[1], b, m.body[b].length)
        guess = s.theta[1, b] + 0.5 * dt * (s.theta[2, b] + rate)
        theta[b], omega[b] = turn(s.z[0], b, m.body[b].angle, guess), rate


@kernel
def error(h: float, end: Array, rtol: float, w: Walk) -> float:
    """Return the estimated error of a step beside the tolerance, as in DOP853."""
    e5 = e3 = 0.0
    for n in range(len(end)):
        scale = w.atol[n] + rtol * max(abs(w.y[n]), abs(end[n]))
        five = three = 0.0
        for e in range(rk.E_FIRST[0], rk.E_FIRST[1]):
            five += rk.E_VALUE[e] * w.k[rk.E_STAGE[e], n]
        for e in range(rk.E_FIRST[1], rk.E_FIRST[2]):
            three += rk.E_VALUE[e] * w.k[rk.E_STAGE[e], n]
        e5 += (five / scale) ** 2
        e3 += (three / scale) ** 2
    if e5 == 0.0 and e3 == 0.0:
        return 0.0
    return h * e5 / math.sqrt((e5 + 0.01 * e3) * len(end))


@kernel
def distance(one: Array, other: Array, rtol: float, w: Walk) -> float:
    """Return the distance of two states beside the tolerance."""
    total = 0.0
    for n in range(len(one)):
        total += ((one[n] - other[n]) / (w.atol[n] + rtol * abs(one[n]))) ** 2
    return math.sqrt(total / len(one))


@woven
def first_step(span: float, rtol: float, clamp: float, address: int) -> float:
    """Return a step to begin with (Hairer, Norsett, Wanner, II.4)."""
    _, s, w = attached(address)
    d0 = d1 = d2 = 0.0
    n_y = len(w.y)
    for n in range(n_y):
        scale = w.atol[n] + rtol * abs(w.y[n])
        d0 += (w.y[n] / scale) ** 2
        d1 += (w.k[0, n] / scale) ** 2
    h = 1e-6 * span if d0 < 1e-10 or d1 < 1e-10 else 0.01 * math.sqrt(d0 / d1)
    h = min(h, span)
    for n in range(n_y):
        w.trial[0, n] = w.y[n] + h * w.k[0, n]
    predicted_angles(h, s)
    slopes(min(w.now[T] + h, clamp), w.trial[0], address, w.k[1])
    for n in range(n_y):
        scale = w.atol[n] + rtol * abs(w.y[n])
        d2 += ((w.k[1, n] - w.k[0, n]) / scale) ** 2
    steepest = max(math.sqrt(d1 / n_y), math.sqrt(d2 / n_y) / h)
    other = max(1e-6 * span, 1e-3 * h) if steepest < 1e-15 else (0.01 / steepest) ** 0.125
    return min(100.0 * h, other, span)


@woven
def densify(clamp: float, address: int) -> float:
    """Fill the coefficients of the dense output over the last step; return the least pivot of its three slopes."""
    _, s, w = attached(address)
    t, h, least = w.now[FROM], w.now[STEP], w.now[LEAST_PIVOT]
    n_y = len(w.y)
    copy(w.y, w.trial[1])
    copy(w.before, w.y)
    for i in range(STAGES + 1, EXTENDED):
        stage(i, h, w, w.trial[0])
        predicted_angles(rk.C[i] * h - h, s)  # the angles are those at the end of the step
        least = min(least, slopes(min(t + rk.C[i] * h, clamp), w.trial[0], address, w.k[i]))
    copy(w.trial[1], w.y)
    w.now[EVALUATIONS] += EXTENDED - STAGES - 1
    for n in range(n_y):
        rise = w.y[n] - w.before[n]
        w.dense[0, n] = rise
        w.dense[1, n] = h * w.k[0, n] - rise
        w.dense[2, n] = 2.0 * rise - h * (w.k[STAGES, n] + w.k[0, n])
    for r in range(4):
        row = w.dense[3 + r]
        row[:] = 0.0
        # slopes beside a singular pose are no good; without them this is Hermite's cubic, which needs the ends only
        if least < CLOSE:
            continue
        for e in range(rk.D_FIRST[r], rk.D_FIRST[r + 1]):
            c, slope = h * rk.D_VALUE[e], w.k[rk.D_STAGE[e]]
            for n in range(n_y):
                row[n] += c * slope[n]
    return least


@kernel
def interpolate(at: float, w: Walk, out: Array) -> None:
    """Fill out with the state at a fraction of the last step, by its dense output of order seven."""
    out[:] = 0.0
    for i in range(POWER - 1, -1, -1):
        f = at if (POWER - 1 - i) % 2 == 0 else 1.0 - at
        for n in range(len(out)):
            out[n] = (out[n] + w.dense[i, n]) * f
    for n in range(len(out)):
        out[n] += w.before[n]


@woven
def attempt(h: float, rtol: float, clamp: float, hold: bool, address: int) -> float:
    """Try a step: fill the slopes and trial[1] with its end; return the error beside the tolerance.

    With `hold` every stage is projected: beside a singular pose what a stage misses the rows by comes back magnified.
    """
    m, s, w = attached(address)
    t = w.now[T]
    w.now[LEAST_PIVOT] = 1.0
    for i in range(1, STAGES):
        stage(i, h, w, w.trial[0])
        if len(m.torsions):
            predicted_angles(rk.C[i] * h, s)
        at = min(t + rk.C[i] * h, clamp)
        if hold:
            project(at, w.trial[0], address, 2)
        w.now[LEAST_PIVOT] = min(w.now[LEAST_PIVOT], slopes(at, w.trial[0], address, w.k[i]))
    stage(STAGES, h, w, w.trial[1])
    w.now[EVALUATIONS] += (STAGES - 1) * (2 if hold else 1)
    return error(h, w.trial[1], rtol, w)


@woven
def settle(h: float, rtol: float, clamp: float, address: int) -> float:
    """Project the end of a step and evaluate there; return how far projection moved it beside the tolerance."""
    _, s, w = attached(address)
    t, end = w.now[T] + h, w.trial[1]
    copy(end, w.before)
    w.now[LEAST_PIVOT] = min(w.now[LEAST_PIVOT], project(min(t, clamp), end, address, 2))
    moved = distance(end, w.before, rtol, w)
    if not moved * (max(1.0, rtol / STRICT) if w.now[LEAST_PIVOT] < CLOSE else 1.0) <= FAR:
        return moved
    copy(w.y, w.before)
    copy(w.k[0], w.first)
    copy(end, w.y)
    copy(s.theta[1], s.theta[3])
    copy(s.theta[2], s.theta[4])
    angles(h, end, address, s.theta[1], s.theta[2])
    copy(s.theta[1], s.theta[0])
    slopes(min(t, clamp), w.y, address, w.k[STAGES])
    w.now[EVALUATIONS] += 1
    w.now[FROM], w.now[STEP], w.now[T] = w.now[T], h, t
    return moved


@woven
def begin(t: float, stop: float, clamp: float, rtol: float, address: int) -> float:
    """Set out from w.y at time t, projected: slopes, angular velocities, first step; the angles s.theta[1] are given.

    Return the largest gap that is left, m: not zero where a signal jumps farther than the joints can follow.
    """
    _, s, w = attached(address)
    w.now[T], w.now[FROM], w.now[STEP] = t, t, 0.0
    for _ in range(8):
        project(min(t, clamp), w.y, address, 1)
    gap = largest_gap(w.y, 0, address)
    angles(0.0, w.y, address, s.theta[1], s.theta[2])
    copy(s.theta[1], s.theta[0])
    slopes(min(t, clamp), w.y, address, w.k[0])
    copy(w.k[0], w.k[STAGES])
    w.now[H] = first_step(stop - t, rtol, clamp, address)
    w.now[EVALUATIONS] += 2
    present(address, w.samples[len(w.times) + 1])
    w.now[SAFE_TIME] = t
    return gap


@kernel
def largest_gap(y: Array, level: int, address: int) -> float:
    """Return the largest |phi| (level 0) or |phi_dot| (1) of a state; signals are those of the last evaluation."""
    m, s, _ = attached(address)
    n_q = len(m.weight)
    for k in range(len(s.x)):
        s.x[k] = 0.0
    gaps(y[:n_q], y[n_q : 2 * n_q], level, m, s)
    largest = 0.0
    for k in range(len(s.x)):
        largest = max(largest, abs(s.x[k]))
    return largest


@woven
def densified(clamp: float, address: int) -> None:
    """Fill the dense output of the last step after the march has paused, when stage 0 already is that of the next."""
    _, _, w = attached(address)
    copy(w.first, w.k[0])
    densify(clamp, address)
    copy(w.k[STAGES], w.k[0])


@woven
def sample(t: float, clamp: float, rtol: float, address: int, out: Array) -> None:
    """Fill out with (q, v, theta, W) at a time within the last step, projected; densify comes first."""
    m, s, w = attached(address)
    n_q, n_body = len(m.weight), len(m.body)
    state = w.trial[0]
    at = (t - w.now[FROM]) / w.now[STEP]
    interpolate(at, w, state)
    copy(state, w.dense[POWER])
    project(min(t, clamp), state, address, 2)
    # beside a singular pose projection may run away; what it would move farther than a step's end is left alone
    if not distance(state, w.dense[POWER], rtol, w) <= FAR:
        copy(w.dense[POWER], state)
    copy(state[: 2 * n_q], out)
    angles(t - w.now[T], state, address, out[2 * n_q : 2 * n_q + n_body], s.theta[0])
    out[2 * n_q + n_body] = state[2 * n_q]


@kernel
def take_back(address: int) -> None:
    """Return to where the last step began."""
    _, s, w = attached(address)
    copy(w.before, w.y)
    copy(s.theta[3], s.theta[1])
    copy(s.theta[4], s.theta[2])
    w.now[T] = w.now[FROM]


@kernel
def present(address: int, out: Array) -> None:
    """Fill out with the present state (q, v, theta, W)."""
    m, s, w = attached(address)
    n, n_body = 2 * len(m.weight), len(m.body)
    copy(w.y[:n], out)
    copy(s.theta[1], out[n:])
    out[n + n_body] = w.y[n]


@woven
def fill(next_sample: int, clamp: float, rtol: float, address: int) -> int:
    """Fill the samples up to now, after densify; return which is next."""
    _, _, w = attached(address)
    while next_sample < len(w.times) and w.times[next_sample] <= w.now[T]:
        if w.times[next_sample] == w.now[T]:
            present(address, w.samples[next_sample])
        else:
            sample(w.times[next_sample], clamp, rtol, address, w.samples[next_sample])
        next_sample += 1
    return next_sample


@kernel
def longer(h: float, err: float, after_trouble: bool, wanted: float) -> float:
    """Return the step to try after one of size h that had an error `err`, when `wanted` had been hoped for."""
    grow = max(LEAST, min(MOST, SAFE * err**-0.125)) if err > 0.0 else MOST
    if after_trouble:
        grow = min(grow, 1.0)
    return max(h * grow, wanted) if h < wanted else h * grow  # a step that was cut short tells nothing


@woven
def march(stop: float, clamp: float, rtol: float, most: int, done: int, address: int) -> int:
    """Go on to `stop`, or for `most` steps, and fill the samples in between, `done` of which are filled already.

    Return how it ended, one of the codes of explicit.py.
    """
    _, _, w = attached(address)
    now, times, taken, tries, next_sample, hold, landing = w.now, w.times, 0, 0, done, False, False
    while now[T] < stop:
        if taken == most:
            return PAUSED
        h = min(now[H], stop - now[T])
        # no crumb at the end
        if stop - now[T] < 1.01 * h or stop - now[T] - h < 1e-12 * abs(stop):
            h = stop - now[T]
        goal = stop if h == stop - now[T] else now[T] + h
        if landing and next_sample < len(times) and now[T] + h > times[next_sample]:
            h, goal = times[next_sample] - now[T], times[next_sample]
        if now[T] + 0.1 * h == now[T]:
            return SINGULAR if tries else TOO_SMALL
        err = attempt(h, rtol, clamp, hold, address)
        close = now[LEAST_PIVOT] < CLOSE
        if close:
            # where branches meet a loose tolerance might take the wrong one
            err *= max(1.0, rtol / STRICT)
            if now[H] < CREEP * (stop - now[T]) and now[STEPS] > 10:
                return SINGULAR
            if not hold and err >= 1.0:
                # the same step again with its stages held on the rows
                hold = True
                continue
            if err < 1.0 and next_sample < len(times) and times[next_sample] < goal:
                # dense output does not see the singular pose: end a step at the sample instead
                landing = True
                continue
        finite = math.isfinite(err)
        moved = settle(h, rtol, clamp, address) if finite and err < 1.0 else 0.0
        if not finite or err >= 1.0 or not moved * (max(1.0, rtol / STRICT) if close else 1.0) <= FAR:
            now[REJECTED] += 1
            tries += 1
            if tries > TRIES:
                return SINGULAR if finite else NOT_FINITE
            now[H] = h * (max(LEAST, SAFE * err**-0.125) if finite and err >= 1.0 else 0.5 if finite else 0.1)
            continue
        now[T] = goal  # without a rounding error
        if next_sample < len(times) and times[next_sample] < now[T] and densify(clamp, address) < CLOSE:
            take_back(address)
            landing = True
            continue
        taken += 1
        now[STEPS] += 1
        hold = hold and close
        landing = landing and close
        if now[LEAST_PIVOT] > SAFE_PIVOT:
            present(address, w.samples[len(times) + 1])
            now[SAFE_TIME] = now[T]
        if is_stiff(h, stop, w):
            copy(w.k[STAGES], w.k[0])
            return STIFF
        next_sample = fill(next_sample, clamp, rtol, address)
        copy(w.k[STAGES], w.k[0])
        now[H] = longer(h, err, tries > 0, now[H])
        tries = 0
    return REACHED


@woven
def is_stiff(h: float, stop: float, w: Walk) -> bool:
    """Return whether stability holds the steps back for long (Hairer and Wanner, IV.2), and many are still to come."""
    if (stop - w.now[T]) < LONG * h:
        return False
    above = below = 0.0
    for n in range(len(w.y)):
        above += (w.k[STAGES, n] - w.k[STAGES - 1, n]) ** 2
        below += (w.y[n] - w.trial[0, n]) ** 2
    if below > 0.0 and h * math.sqrt(above / below) > STABLE:
        w.now[STIFFNESS] += 1.0
    else:
        w.now[STIFFNESS] = max(0.0, w.now[STIFFNESS] - 0.5)
    return w.now[STIFFNESS] > 15.0
