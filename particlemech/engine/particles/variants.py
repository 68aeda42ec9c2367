"""Many variants of one structure, one after the other without the interpreter: start, own time, march and samples.

Each is marched by the kernels of a single run from the same numbers, so its samples are the same to the last bit. What
a single run would treat in another way (a drawing to assemble, a start that contradicts itself, a march that stops
early) is left to it: the code of such a variant is not REACHED.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from particlemech._jit import Member, attachment, kernel, read, released, written
from particlemech.engine.friction import EXACT
from particlemech.engine.particles.accelerations import ExplicitTables, WorkArrays, slopes
from particlemech.engine.particles.departure import fastest_spot, set_out, spin_up
from particlemech.engine.particles.march import ENGINE, show
from particlemech.engine.system import Array
from particlemech.run.explicit import PAUSED, REACHED, STEP_LIMIT
from particlemech.run.march import FAR, GAP, begin, march
from particlemech.run.start import CLOSED
from particlemech.run.steps import LEAST_PIVOT, LIMIT, NEXT, STEPS, MarchState, T

# least pivot beside its strength from which a start counts as regular; one that depends on a row with pivot p keeps
# SOFT/p of itself, so above the root of SOFT none does
REGULAR = 1e-6
UNUSUAL = -1.0  # code of a variant that is left to a single run
LENGTH, MASS, OMEGA, FORCE = range(4)  # of `given`
WORD = np.dtype("i8")


class VariantArrays(NamedTuple):
    """Variants of one structure: their numbers, and what comes out."""

    table: Annotated[Any, Member(WORD, 2, False)]  # (N, n_word) the arrays of the explicit tables, all of them
    work_arrays: Annotated[Any, Member(WORD, 1, True)]  # (n_word,) where those of the present variant lie
    drawn: Annotated[Array, read("f8", 2)]  # (N, n_q) m
    given: Annotated[
        Array, read("f8", 2)
    ]  # (N, 4) length, mass, omega of the body that spins, force that is prescribed
    share: Annotated[Array, read("f8", 3)]  # (N, n_spot, 2) a, b of points and centres of mass
    at: Annotated[Any, read("i8")]  # (n_spot,) their bodies, -1 for the ground
    body: Annotated[Any, read("i8")]  # (0 or 1,) which body spins at the start
    lam: Annotated[Any, read("i8")]  # (n_row,) place of the multipliers
    angle: Annotated[Any, read("i8")]  # (n_row,) 1 where a row is an angle
    stop: Annotated[Array, read("f8", 2)]  # (N, n_leg) s
    clamp: Annotated[Array, read("f8", 2)]  # (N, n_leg) s
    part: Annotated[Array, read("f8", 2)]  # (n_leg, n_told) of each leg: where steps end, 1 at its end; none: chosen
    samples: Annotated[Array, written(3)]  # (N, K, n)
    notes: Annotated[Array, written(2)]  # (N, n_now) what the march notes
    own_time: Annotated[Array, written()]  # (N,) s
    code: Annotated[Array, written()]  # (N,) how it ended, one of the codes of explicit.py, or UNUSUAL; so: left out


attached = attachment(ExplicitTables, WorkArrays, MarchState, VariantArrays)


@kernel
def blank(array: Array) -> None:
    """Fill a matrix with zeros."""
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            array[i, j] = 0.0


@kernel
def wiped(array: Array) -> None:
    """Fill a vector with zeros."""
    for i in range(len(array)):
        array[i] = 0.0


@kernel
def tidy(s: WorkArrays, w: MarchState) -> None:
    """Leave work arrays and the state of the march as they are before a run."""
    wiped(s.val)
    wiped(s.x)
    blank(s.sig)
    blank(s.phi)
    blank(s.g)
    blank(s.z)
    blank(s.w)
    blank(s.theta)
    wiped(s.gap)
    blank(s.efforts)
    wiped(w.now)
    wiped(w.y)
    blank(w.k)
    blank(w.trial)
    blank(w.dense)
    wiped(w.before)
    wiped(w.first)
    s.sig[0, 0] = 1.0  # the constant


@kernel
def depart(k: int, address: int) -> bool:
    """Fill the first sample of variant k and its own time; return whether its start is as usual."""
    m, s, w, f = attached(address)
    n_q, L = len(m.weight), f.given[k, LENGTH]
    for i in range(len(f.work_arrays)):
        f.work_arrays[i] = f.table[k, i]
    tidy(s, w)
    for r in range(len(f.lam)):
        s.span[f.lam[r]] = L if f.angle[r] else 1.0
    for i in range(n_q):
        w.y[i] = f.drawn[k, i]
    gap = set_out(w.y, address)
    if gap > CLOSED * L or not w.now[LEAST_PIVOT] > REGULAR:
        return False
    if len(f.body) and not spin_up(f.body[0], f.given[k, OMEGA], address):
        return False
    fastest = 0.0
    for i in range(n_q):
        fastest = max(fastest, abs(w.y[n_q + i]))
    if not s.gap[1] <= 1e-9 * fastest:
        return False
    slopes(0.0, w.y, EXACT, address, w.k[0])
    wiped(f.samples[k, 0])
    for i in range(2 * n_q):
        f.samples[k, 0, i] = w.y[i]
    force = f.given[k, FORCE]
    for r in range(len(f.lam)):
        force = max(force, abs(s.x[f.lam[r]]) / (L if f.angle[r] else 1.0))
    v = fastest_spot(w.y[n_q : 2 * n_q], f.at, f.share[k], m, s)
    a = max(fastest_spot(w.k[0, n_q : 2 * n_q], f.at, f.share[k], m, s), force / f.given[k, MASS])
    duration = w.times[len(w.times) - 1]
    own = duration if v > 0.0 or a > 0.0 else min(1.0, duration)
    if v > 0.0:
        own = min(own, L / v)
    if a > 0.0:
        own = min(own, math.sqrt(L / a))
    f.own_time[k] = own
    return True


@kernel
def voyage(k: int, rtol: float, address: int) -> float:
    """March variant k from its first sample to the end; return how it ended."""
    m, s, w, f = attached(address)
    n_q, L, own = len(m.weight), f.given[k, LENGTH], f.own_time[k]
    tidy(s, w)
    speed = L / own
    for i in range(n_q):
        w.y[i], w.y[n_q + i] = f.samples[k, 0, i], f.samples[k, 0, n_q + i]
        w.atol[i], w.atol[n_q + i] = rtol * L, rtol * L / own
    w.atol[2 * n_q] = rtol * f.given[k, MASS] * (speed * speed)
    w.now[LIMIT] = FAR * rtol * L
    times, done = w.times, 1
    t, near = times[0], 1e-12 * (times[len(times) - 1] - times[0])
    for leg in range(f.stop.shape[1]):
        stop, clamp, most = f.stop[k, leg], f.clamp[k, leg], 100
        for i in range(f.part.shape[1]):  # paces.py (1)
            w.told[i] = stop if f.part[leg, i] == 1.0 else t + f.part[leg, i] * (stop - t)
        w.now[NEXT] = 1.0
        if not begin(ENGINE, t, stop, clamp, rtol, w, address) <= GAP * L:
            return UNUSUAL
        while done < len(times) and times[done] - t <= near:
            show(t, w.y, address, w.samples[done])
            done += 1
        while True:
            code = march(ENGINE, stop, clamp, rtol, most, done, w, address)
            while done < len(times) and times[done] <= w.now[T]:
                done += 1
            if code == REACHED:
                break
            if code != PAUSED or w.now[STEPS] >= STEP_LIMIT:
                return UNUSUAL
            most *= 2
        t = w.now[T]
    for j in range(1, len(times)):
        for i in range(f.samples.shape[2]):
            f.samples[k, j, i] = w.samples[j, i]
    for i in range(len(w.now)):
        f.notes[k, i] = w.now[i]
    return REACHED


@released
def march_all(rtol: float, address: int) -> None:
    """Work on all variants of a batch; an entry of its own, so that who runs one mechanism need not wait for it."""
    _, _, _, f = attached(address)
    for k in range(len(f.code)):
        if f.code[k] != UNUSUAL:
            f.code[k] = voyage(k, rtol, address) if depart(k, address) else UNUSUAL
