"""The compiled loop of the explicit road: eighth-order steps, projection after each, samples by dense output.

The whole loop runs without the interpreter, so threads run side by side. It stops at `stop`, or earlier with a code
that says why; the caller may go on from there, or hand over.
"""

from __future__ import annotations

import math

from particlemech._dop853 import EXTENDED, POWER, STAGES, C
from particlemech._jit import apart, attachment, kernel
from particlemech.explicit import NOT_FINITE, PAUSED, REACHED, SINGULAR, STIFF, TOO_SMALL
from particlemech.planar.accelerations import (
    Desk,
    Road,
    body_coordinates,
    gaps,
    project,
    slopes,
)
from particlemech.planar.forces.geometry import spin, turn
from particlemech.planar.forces.motor import stored as stored_in_motors
from particlemech.planar.forces.spring import stored as stored_in_springs
from particlemech.planar.forces.torsion import stored as stored_in_torsions
from particlemech.steps import (
    COUNTERS,
    EVALUATIONS,
    FROM,
    OPEN,
    OPEN_AT,
    OPENING,
    OPENING_AT,
    REJECTED,
    STEP,
    STEPS,
    TRIES,
    H,
    T,
    Walk,
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
    note_safe,
    probe,
    shorter,
    stage,
    toward,
)
from particlemech.system import Array

FAR = 10.0  # times the tolerance: a step that projection must move farther is not to be trusted
ROUGH = 1e3  # times FAR: what rounding may make of it
NO_LESS = 0.7  # of the move before: where half a step is moved no less than this, rounding moves it
STRICT = 1e-8  # tolerance, relative, close to a singular pose, where that of the user is looser
CREEP = 1e-9  # of the mechanism's length: steps that move it less close to a singular pose lead nowhere
CLOSE = 0.01  # least pivot beside its strength: below it a pose is close to a singular one
SAFE_PIVOT = 0.1  # of what it usually is: with a least pivot above a pose is far from singular ones
FORGOTTEN = 0.999  # what a pivot counts a step later when that is looked for

# what `now` notes besides: the least pivot of a multiplier beside its strength, what that usually is, and how far rows
# may be open after projection where some are slack, m (there may be no coordinates, whose tolerance would tell), else 0
LEAST_PIVOT, USUAL, SLACK = range(COUNTERS, COUNTERS + 3)
NOTES = 3


attached = attachment(Road, Desk, Walk)


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


@apart
def tally(address: int) -> None:
    """Note the energies at y, when `angles` was there last: z and theta[1] are those of y, observed.py (3)."""
    m, s, w = attached(address)
    z, u = s.z[0], s.z[1]
    kinetic, potential = 0.0, stored_in_springs(m.springs, z) + stored_in_torsions(m.torsions, s.theta[1])
    potential += stored_in_motors(m.motors, s.theta[1], z)
    for b in range(len(m.body)):
        p, k = m.body[b], 4 * b
        dx, dy, ux, uy = z[k + 2] - z[k], z[k + 3] - z[k + 1], u[k + 2] - u[k], u[k + 3] - u[k + 1]
        kinetic += 0.5 * p.m * (u[k] * u[k] + u[k + 1] * u[k + 1]) + 0.5 * p.j * (ux * ux + uy * uy)
        kinetic += u[k] * (p.mu * ux - p.ka * uy) + u[k + 1] * (p.mu * uy + p.ka * ux)
        potential -= m.gravity[0] * (p.m * z[k] + p.mu * dx - p.ka * dy)
        potential -= m.gravity[1] * (p.m * z[k + 1] + p.mu * dy + p.ka * dx)
    note_energies(kinetic, potential, w.y[2 * len(m.weight)], w.now)


@kernel
def note_gaps(position: float, velocity: float, address: int) -> None:
    """Note how far rows were open, m and m/s, at the present time."""
    now = attached(address)[2].now
    if not position <= now[OPEN]:
        now[OPEN], now[OPEN_AT] = position, now[T]
    if not velocity <= now[OPENING]:
        now[OPENING], now[OPENING_AT] = velocity, now[T]


@kernel
def densify(clamp: float, address: int) -> float:
    """Fill the coefficients of the dense output over the last step; return the least pivot of its three slopes."""
    _, s, w = attached(address)
    t, h, least = w.now[FROM], w.now[STEP], w.now[LEAST_PIVOT]
    copy(w.y, w.trial[1])
    copy(w.before, w.y)
    for i in range(STAGES + 1, EXTENDED):
        stage(i, h, w, w.trial[0])
        predicted_angles(C[i] * h - h, s)  # the angles are those at the end of the step
        least = min(least, slopes(min(t + C[i] * h, clamp), w.trial[0], address, w.k[i]))
    copy(w.trial[1], w.y)
    w.now[EVALUATIONS] += EXTENDED - STAGES - 1
    # slopes beside a singular pose are no good; without them this is Hermite's cubic, which needs the ends only
    coefficients(h, not least < CLOSE, w)
    return least


@kernel
def attempt(h: float, rtol: float, clamp: float, hold: bool, address: int) -> float:
    """Try a step: fill the slopes and trial[1] with its end; return the error beside the tolerance.

    With `hold` every stage is projected: beside a singular pose what a stage misses the rows by comes back magnified.
    """
    m, s, w = attached(address)
    t = w.now[T]
    w.now[LEAST_PIVOT] = 1.0
    for i in range(1, STAGES):
        stage(i, h, w, w.trial[0])
        if len(m.torsions) or len(m.motors) or len(m.turn):
            predicted_angles(C[i] * h, s)
        at = min(t + C[i] * h, clamp)
        if hold:
            project(at, w.trial[0], address, 2)
        w.now[LEAST_PIVOT] = min(w.now[LEAST_PIVOT], slopes(at, w.trial[0], address, w.k[i]))
    stage(STAGES, h, w, w.trial[1])
    w.now[EVALUATIONS] += (STAGES - 1) * (2 if hold else 1)
    return error(h, w.trial[1], rtol, w)


@kernel
def settle(h: float, rtol: float, clamp: float, far: float, address: int) -> float:
    """Project the end of a step and evaluate there; return how far projection moved it beside the tolerance.

    If that is more than `far` the step is not taken.
    """
    _, s, w = attached(address)
    t, end = w.now[T] + h, w.trial[1]
    copy(end, w.before)
    w.now[LEAST_PIVOT] = min(w.now[LEAST_PIVOT], project(min(t, clamp), end, address, 2))
    opened, opening = s.gap[0], s.gap[1]
    moved = distance(end, w.before, rtol, w)
    close = w.now[LEAST_PIVOT] < CLOSE
    # where rows depend on each other some may stay open; steps that leave them so do not count
    limit = w.now[SLACK] if w.now[SLACK] > 0.0 else FAR * w.atol[0]
    if (close or w.now[SLACK] > 0.0) and not largest_gap(end, 0, address) <= limit:
        return math.inf
    moved *= max(1.0, rtol / STRICT) if close else 1.0
    if not moved <= far:
        return moved
    copy(w.y, w.before)
    copy(w.k[0], w.first)
    copy(end, w.y)
    copy(s.theta[1], s.theta[3])
    copy(s.theta[2], s.theta[4])
    angles(h, end, address, s.theta[1], s.theta[2])
    copy(s.theta[1], s.theta[0])
    w.now[FROM], w.now[STEP], w.now[T] = w.now[T], h, t
    note_gaps(opened, opening, address)
    tally(address)
    slopes(min(t, clamp), w.y, address, w.k[STAGES])
    w.now[EVALUATIONS] += 1
    return moved


@kernel
def begin(t: float, stop: float, clamp: float, rtol: float, address: int) -> float:
    """Set out from w.y at time t, projected: slopes, angular velocities, first step; the angles s.theta[1] are given.

    Return the largest gap that is left, m: not zero where a signal jumps farther than the joints can follow.
    """
    _, s, w = attached(address)
    w.now[T], w.now[FROM], w.now[STEP] = t, t, 0.0
    copy(s.theta[1], s.theta[0])
    for i in range(8):
        least = project(min(t, clamp), w.y, address, 1)
        if i == 0 and w.now[STEPS] == 0.0:
            # later legs begin where signals may have jumped
            note_gaps(s.gap[0], s.gap[1], address)
    w.now[USUAL] = max(w.now[USUAL], least)
    gap = largest_gap(w.y, 0, address)
    angles(0.0, w.y, address, s.theta[1], s.theta[2])
    copy(s.theta[1], s.theta[0])
    tally(address)
    slopes(min(t, clamp), w.y, address, w.k[0])
    copy(w.k[0], w.k[STAGES])
    h = probe(stop - t, rtol, w)
    predicted_angles(h, s)
    slopes(min(t + h, clamp), w.trial[0], address, w.k[1])
    w.now[H] = first_step(h, stop - t, rtol, w)
    w.now[EVALUATIONS] += 2
    keep_safe(address)
    return gap


@kernel
def largest_gap(y: Array, level: int, address: int) -> float:
    """Return the largest |phi| (level 0) or |phi_dot| (1) of a state, as lengths; signals are those met last."""
    m, s, _ = attached(address)
    n_q = len(m.weight)
    for k in range(len(s.x)):
        s.x[k] = 0.0
    gaps(y[:n_q], y[n_q : 2 * n_q], level, m, s)
    largest = 0.0
    for k in range(len(s.x)):
        largest = max(largest, s.span[k] * abs(s.x[k]))
    return largest


@kernel
def densified(clamp: float, address: int) -> None:
    """Fill the dense output of the last step after the march has paused, when stage 0 already is that of the next."""
    _, _, w = attached(address)
    copy(w.first, w.k[0])
    densify(clamp, address)
    copy(w.k[STAGES], w.k[0])


@kernel
def stepped(t: float, clamp: float, address: int) -> None:
    """Fill trial[0] with the state at a time within the last step, by a step from where that began."""
    _, s, w = attached(address)
    begin, h = w.now[FROM], t - w.now[FROM]
    copy(w.y, w.trial[1])
    copy(w.before, w.y)
    copy(w.first, w.k[0])
    for i in range(1, STAGES):
        stage(i, h, w, w.trial[0])
        predicted_angles(C[i] * h - w.now[STEP], s)  # the angles are those at the end of the last step
        slopes(min(begin + C[i] * h, clamp), w.trial[0], address, w.k[i])
    stage(STAGES, h, w, w.trial[0])
    copy(w.trial[1], w.y)
    copy(w.k[STAGES], w.k[0])
    w.now[EVALUATIONS] += STAGES - 1


@kernel
def sample(t: float, clamp: float, rtol: float, address: int, out: Array) -> None:
    """Fill out with (q, v, theta, W) at a time within the last step, projected; densify comes first."""
    m, s, w = attached(address)
    n_q, n_body = len(m.weight), len(m.body)
    state = w.trial[0]
    if doubtful(rtol, w):
        stepped(t, clamp, address)
    else:
        interpolate((t - w.now[FROM]) / w.now[STEP], w, state)
    copy(state, w.dense[POWER])
    if len(m.turn):
        predicted_angles(t - w.now[T], s)
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


@kernel
def keep_safe(address: int) -> None:
    """Keep the present state as one from which another integrator may go on, with what was measured up to it."""
    w = attached(address)[2]
    present(address, w.samples[len(w.times) + 1])
    note_safe(w.now)


@kernel
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
def fastest(rtol: float, address: int) -> float:
    """Return the largest speed beside the mechanism's length, 1/s, no less than one in the mechanism's time."""
    m, _, w = attached(address)
    n_q = len(m.weight)
    most = w.atol[n_q]
    for k in range(n_q):
        most = max(most, rtol * abs(w.y[n_q + k]))
    return most / w.atol[0]


@kernel
def march(stop: float, clamp: float, rtol: float, most: int, done: int, address: int) -> int:
    """Go on to `stop`, or for `most` steps, and fill the samples in between, `done` of which are filled already.

    Return how it ended, one of the codes of explicit.py.
    """
    _, _, w = attached(address)
    now, times, taken, tries, next_sample, hold, landing = w.now, w.times, 0, 0, done, False, False
    stuck, before = 0, 0.0  # how often in a row smaller steps were moved no less, and how far
    while now[T] < stop:
        if taken == most:
            return PAUSED
        h = toward(stop, w)
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
            if now[H] * fastest(rtol, address) < CREEP and now[STEPS] > 10:
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
        # where projection moves states by rounding errors no step is too short for it
        far = FAR if stuck < 3 else FAR * ROUGH
        moved = settle(h, rtol, clamp, far, address) if finite and err < 1.0 else 0.0
        if not finite or err >= 1.0 or not moved <= far:
            now[REJECTED] += 1
            tries += 1
            if moved > 0.0:
                stuck = stuck + 1 if math.isfinite(moved) and moved > NO_LESS * before else 0
                before = moved
            if tries > TRIES:
                return SINGULAR if finite else NOT_FINITE
            now[H] = shorter(h, err)
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
        now[USUAL] = max(FORGOTTEN * now[USUAL], now[LEAST_PIVOT])
        if now[LEAST_PIVOT] > SAFE_PIVOT * now[USUAL]:
            keep_safe(address)
        if is_stiff(h, stop, w):
            copy(w.k[STAGES], w.k[0])
            return STIFF
        next_sample = fill(next_sample, clamp, rtol, address)
        copy(w.k[STAGES], w.k[0])
        now[H] = longer(h, err, tries > 0, now[H])
        tries, stuck, before = 0, 0, 0.0
    return REACHED
