"""One step of the explicit integrator, whatever moves: the eighth-order method of dop853.py and its control.

march.py calls these, with the slopes of an engine in between. A step goes so:

    h = toward(stop, w)                               how far
    stage(i, h, w, trial[0]), slopes into k[i]        i = 1 ... STAGES - 1
    stage(STAGES, h, w, trial[1])                     its end
    error(h, trial[1], rtol, w)                       below 1: it counts, `longer` says what to try next; else `shorter`
    trial[1] into y, slopes there into k[STAGES]      after y went into `before` and k[0] into `first`
    stage(i, ...) from `before`, slopes into k[i]     i = STAGES + 1 ... EXTENDED - 1; only where samples are wanted
    coefficients(h, True, w), interpolate(at, w, out)
    k[STAGES] into k[0]
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from particlemech._jit import ArgumentGroup, fresh, kernel, written
from particlemech.engine.system import Array
from particlemech.run import dop853 as rk
from particlemech.run.dop853 import EXTENDED, POWER, STAGES

SAFE, LEAST, MOST = 0.8, 1.0 / 3.0, 6.0  # factors of the step, as in DOP853
TRIES = 40  # rejections in a row before a march gives up
STABLE = 6.1  # |h lambda| at the border of stability of the method
PEAK = 0.0084  # largest value of theta^4 (1 - theta)^3, the last term of dense output
ROUGHEST = 100.0  # times the tolerance: the last term of dense output from which samples are not taken from it
LONG = 20_000  # steps still to go at this size: then being held back by stability is called stiff

# what `now` holds: present time and step to try next, counters, where the last step began and its size, how often in a
# row stability seemed to hold steps back, time of the state from which another integrator should go on
T, H, STEPS, REJECTED, EVALUATIONS, FROM, STEP, STIFFNESS, SAFE_TIME = range(9)
# then, along all steps, the worst gaps of rows before projection with their times, the worst energy error and its time,
# the largest kinetic energy, the range of the potential; what energy - work began with, and its last error
OPEN, OPEN_AT, OPENING, OPENING_AT, LOST, LOST_AT, KINETIC, LOW, HIGH, BEGAN, ASTRAY = range(9, 20)
AT_SAFE = 20 - OPEN  # from a note to what it was at SAFE_TIME: OPEN ... HIGH once more
# then the least pivots of a step, of rows and of inertia; what that of rows usually is; how far rows may be open after
# projection, m; and whether some are slack because they follow from others, 1 or 0
LEAST_PIVOT, LEAST_INERTIA, USUAL, LIMIT, SLACK = range(HIGH + AT_SAFE + 1, HIGH + AT_SAFE + 6)
NEXT = SLACK + 1  # which of the steps that are told or noted comes next
CUBIC = NEXT + 1  # 1 where the dense output of the last step is a cubic only
NOTES = CUBIC + 1


class MarchState(NamedTuple):
    """State of a march; y is what the method integrates, samples may hold more."""

    now: Annotated[Array, written()]  # (NOTES,) what is noted, by the numbers above
    y: Annotated[Array, written()]  # (n_y,)
    k: Annotated[Array, written(2)]  # (EXTENDED, n_y) slopes
    trial: Annotated[Array, written(2)]  # (2, n_y) a stage, and the end of the step before it counts
    dense: Annotated[Array, written(2)]  # (POWER + 1, n_y) coefficients of the last step, see interpolate; and a state
    before: Annotated[Array, written()]  # (n_y,) where the last step began
    first: Annotated[Array, written()]  # (n_y,) the slope there
    atol: Annotated[Array, written()]  # (n_y,)
    times: Annotated[Array, written()]  # (K,) of the samples
    samples: Annotated[Array, written(2)]  # (K + 2, n); then any, then the one at SAFE_TIME
    noted: Annotated[Array, written()]  # (n_noted,) where the steps that count end, s, as far as there is room
    told: Annotated[Array, written()]  # (n_told,) where told steps of a leg end, s, after its beginning


def march_state(n_y: int, n: int, times: Array) -> ArgumentGroup:
    """Return the state of a march that integrates n_y numbers, with samples (n,) at `times`, s."""
    each, K = (n_y,), len(times)
    steps = (NOTES,), each, (EXTENDED, n_y), (2, n_y), (POWER + 1, n_y), each, each, each
    group = fresh(MarchState, *steps, (K,), (K + 2, n), (0,), (0,))
    group.part.times[:] = times
    return group


@kernel
def copy(source: Array, target: Array) -> None:
    """Copy an array; written out, because a slice assignment would look for overlaps first."""
    for k in range(len(source)):
        target[k] = source[k]


# -- one step --------------------------------------------------------------------------------------------------------


@kernel
def toward(stop: float, w: MarchState) -> float:
    """Return the next step: as large as hoped for, but no farther than `stop` and without a crumb at the end."""
    left = stop - w.now[T]
    h = min(w.now[H], left)
    return left if left < 1.01 * h or left - h < 1e-12 * abs(stop) else h


@kernel
def told(stop: float, w: MarchState) -> float:
    """Return where the next step that is told ends; after the last they go on with its size, as far as `stop`."""
    k, n = int(w.now[NEXT]), len(w.told)
    return w.told[k] if k < n else min(stop, w.now[T] + w.told[n - 1] - w.told[n - 2])


@kernel
def stage(i: int, h: float, w: MarchState, out: Array) -> None:
    """Fill out with y + h sum a_ij k_j."""
    copy(w.y, out)
    for e in range(rk.A_FIRST[i], rk.A_FIRST[i + 1]):
        c, slope = h * rk.A_VALUE[e], w.k[rk.A_STAGE[e]]
        for n in range(len(out)):
            out[n] += c * slope[n]


@kernel
def error(h: float, end: Array, rtol: float, w: MarchState) -> float:
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
    if e5 == 0.0:  # e3 may be so small that a hundredth of it is nothing: what creeps to rest is no 0/0
        return 0.0
    return h * e5 / math.sqrt((e5 + 0.01 * e3) * len(end))


@kernel
def distance(one: Array, other: Array, rtol: float, w: MarchState) -> float:
    """Return the distance of two states beside the tolerance."""
    total = 0.0
    for n in range(len(one)):
        total += ((one[n] - other[n]) / (w.atol[n] + rtol * abs(one[n]))) ** 2
    return math.sqrt(total / len(one))


@kernel
def longer(h: float, err: float, after_trouble: bool, wanted: float) -> float:
    """Return the step to try after one of size h that had an error `err`, when `wanted` had been hoped for."""
    grow = max(LEAST, min(MOST, SAFE * err**-0.125)) if err > 0.0 else MOST
    if after_trouble:
        grow = min(grow, 1.0)
    return max(h * grow, wanted) if h < wanted else h * grow  # a step that was cut short tells nothing


@kernel
def shorter(h: float, err: float) -> float:
    """Return the step to try after one of size h that was rejected: for its error, or below 1 for another reason."""
    if not math.isfinite(err):
        return h * 0.1
    return h * (max(LEAST, SAFE * err**-0.125) if err >= 1.0 else 0.5)


@kernel
def is_stiff(h: float, stop: float, w: MarchState) -> bool:
    """Return whether stability holds the steps back for long (Hairer and Wanner, IV.2), and many are still to come.

    Asked once after every step, when trial[0] is its last stage, y its end and k[STAGES] the slope there.
    """
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


# -- what is measured along all steps --------------------------------------------------------------------------------


@kernel
def note_energies(kinetic: float, potential: float, work: float, now: Array) -> None:
    """Note the energies of the present state, J; `work`: done since the run began by all that has no potential."""
    left = kinetic + potential - work
    if now[STEP] == 0.0:
        # a leg begins; what signals do to energies when they jump is no error
        now[BEGAN] = left - now[ASTRAY]
        if now[STEPS] == 0.0:
            now[KINETIC], now[LOW], now[HIGH] = kinetic, potential, potential
    now[ASTRAY] = left - now[BEGAN]
    if not abs(now[ASTRAY]) <= now[LOST]:
        now[LOST], now[LOST_AT] = abs(now[ASTRAY]), now[T]
    now[KINETIC] = max(now[KINETIC], kinetic)
    now[LOW], now[HIGH] = min(now[LOW], potential), max(now[HIGH], potential)


@kernel
def note_gaps(position: float, velocity: float, now: Array) -> None:
    """Note how far rows were open, m and m/s, at the present time."""
    if not position <= now[OPEN]:
        now[OPEN], now[OPEN_AT] = position, now[T]
    if not velocity <= now[OPENING]:
        now[OPENING], now[OPENING_AT] = velocity, now[T]


@kernel
def note_safe(now: Array) -> None:
    """Note that another integrator may go on from the present state, with what was measured up to it."""
    now[SAFE_TIME] = now[T]
    for k in range(OPEN, HIGH + 1):
        now[AT_SAFE + k] = now[k]


# -- the first step (Hairer, Norsett, Wanner, II.4) ------------------------------------------------------------------


@kernel
def probe(span: float, rtol: float, w: MarchState) -> float:
    """Return a step h to look ahead from y with its slope k[0], and fill trial[0] with the state there."""
    d0 = d1 = 0.0
    for n in range(len(w.y)):
        scale = w.atol[n] + rtol * abs(w.y[n])
        d0 += (w.y[n] / scale) ** 2
        d1 += (w.k[0, n] / scale) ** 2
    h = 1e-6 * span if d0 < 1e-10 or d1 < 1e-10 else 0.01 * math.sqrt(d0 / d1)
    h = min(h, span)
    for n in range(len(w.y)):
        w.trial[0, n] = w.y[n] + h * w.k[0, n]
    return h


@kernel
def first_step(h: float, span: float, rtol: float, w: MarchState) -> float:
    """Return the step to begin with, no longer than `span`; k[1] is the slope where `probe` looked, h ahead."""
    d1 = d2 = 0.0
    n_y = len(w.y)
    for n in range(n_y):
        scale = w.atol[n] + rtol * abs(w.y[n])
        d1 += (w.k[0, n] / scale) ** 2
        d2 += ((w.k[1, n] - w.k[0, n]) / scale) ** 2
    steepest = max(math.sqrt(d1 / n_y), math.sqrt(d2 / n_y) / h)
    other = max(1e-6 * span, 1e-3 * h) if steepest < 1e-15 else (0.01 / steepest) ** 0.125
    return min(100.0 * h, other, span)


# -- dense output ----------------------------------------------------------------------------------------------------


@kernel
def coefficients(h: float, whole: bool, w: MarchState) -> None:
    """Fill the coefficients of the dense output over the last step; without `whole` those of Hermite's cubic only.

    All slopes are there; k[0] is that at `before`.
    """
    n_y = len(w.y)
    w.now[CUBIC] = 0.0 if whole else 1.0
    for n in range(n_y):
        rise = w.y[n] - w.before[n]
        w.dense[0, n] = rise
        w.dense[1, n] = h * w.k[0, n] - rise
        w.dense[2, n] = 2.0 * rise - h * (w.k[STAGES, n] + w.k[0, n])
    for r in range(4):
        row = w.dense[3 + r]
        row[:] = 0.0
        if not whole:
            continue
        for e in range(rk.D_FIRST[r], rk.D_FIRST[r + 1]):
            c, slope = h * rk.D_VALUE[e], w.k[rk.D_STAGE[e]]
            for n in range(n_y):
                row[n] += c * slope[n]


@kernel
def doubtful(rtol: float, w: MarchState) -> bool:
    """Return whether the dense output of the last step is too rough for samples: a step of its own leads to each then.

    The last term bounds the error. On 70 mechanisms at rtol 1e-6 to 1e-11, three places in each of 14 000 steps, it was
    1 to 1e4 times as large (one place in a thousand: 0.24 of the error, then below the tolerance); 1 % of the steps are
    above ROUGHEST, among them all in which dense output missed by more than 10 times the tolerance (worst: 2400). A
    cubic has no such term: events of two blocks on each other were found 1e-5 to 1e-3 s away by it.
    """
    if w.now[CUBIC] != 0.0:
        return True
    total = 0.0
    for n in range(len(w.y)):
        total += (w.dense[POWER - 1, n] / (w.atol[n] + rtol * abs(w.y[n]))) ** 2
    return not PEAK * math.sqrt(total / len(w.y)) <= ROUGHEST


@kernel
def interpolate(at: float, w: MarchState, out: Array) -> None:
    """Fill out with the state at a fraction of the last step, by its dense output of order seven."""
    out[:] = 0.0
    for i in range(POWER - 1, -1, -1):
        f = at if (POWER - 1 - i) % 2 == 0 else 1.0 - at
        for n in range(len(out)):
            out[n] = (out[n] + w.dense[i, n]) * f
    for n in range(len(out)):
        out[n] += w.before[n]
