"""What Python asks of the explicit kernels, through one entry: starts, slopes, wrenches, the march and its samples."""

from __future__ import annotations

from particlemech._jit import kernel, released, woven
from particlemech.planar.accelerations import correct, entries, factor, slopes, solve, stiffen, wrenches
from particlemech.planar.march import LEAST_PIVOT, attached, begin, densified, largest_gap, march, sample
from particlemech.signal_tables import signals
from particlemech.system import Array


@woven
def set_out(y: Array, address: int) -> float:
    """Bring the positions of a drawing onto the rows at t = 0, with the velocities that drivers ask for.

    Return the largest gap before, m; the least pivot is in `now`.
    """
    m, s, w = attached(address)
    signals(0.0, m.segment, m.signal, s.sig)
    gap = largest_gap(y, 0, address)
    q, v = y[: len(m.weight)], y[len(m.weight) : 2 * len(m.weight)]
    for _ in range(3):
        entries(0.0, q, m, s)
        w.now[LEAST_PIVOT] = factor(m, s)
        correct(q, v, 0, q, m, s)
    steady(y, address)
    return gap


@kernel
def steady(y: Array, address: int) -> float:
    """Bring velocities onto the rows, with the factors of set_out.

    Return the largest |phi_dot| before; what is left is in `gap`.
    """
    m, s, _ = attached(address)
    n_q = len(m.weight)
    before = largest_gap(y, 1, address)
    for _ in range(2):
        correct(y[:n_q], y[n_q : 2 * n_q], 1, y[n_q : 2 * n_q], m, s)
    s.gap[1] = largest_gap(y, 1, address)
    return before


@woven
def respond(address: int) -> None:
    """Turn each row of `pushes` into the velocities after a unit impulse along it, with the factors of set_out."""
    m, s, _ = attached(address)
    for r in range(len(s.pushes)):
        row = s.pushes[r]
        for k in range(len(s.x)):
            s.x[k] = 0.0
        for k in range(len(row)):
            s.x[m.place[k]] = row[k]
        solve(m, s)
        for k in range(len(row)):
            row[k] = s.x[m.place[k]]
        stiffen(m, s)
        for k in range(len(row)):
            row[k] += s.x[m.place[k]]


SET_OUT, RESPOND, STEADY, SLOPES, WRENCHES, BEGIN, MARCH, SAMPLE = range(8)  # tasks


@released
def do(task: int, t: float, stop: float, clamp: float, rtol: float, most: int, done: int, address: int) -> float:
    """Do one of the tasks above; the only kernel that Python calls, because each costs time to load.

    SET_OUT     y from the drawing onto the rows; return the largest gap before
    RESPOND     what unit impulses do
    STEADY      velocities onto the rows; return the largest |phi_dot| before
    SLOPES      y' at time t into k[0], multipliers into x
    WRENCHES    of all bodies into w; accelerations are in `first`
    BEGIN       set out from y at time t; return the largest gap left
    MARCH       go on to `stop`; return how it ended
    SAMPLE      the state at time t within the last step into samples[done]; most = 1 if it has been densified
    """
    m, _, w = attached(address)
    if task == MARCH:
        return march(stop, clamp, rtol, most, done, address)
    if task == BEGIN:
        return begin(t, stop, clamp, rtol, address)
    if task == SET_OUT:
        return set_out(w.y, address)
    if task == STEADY:
        return steady(w.y, address)
    if task == RESPOND:
        respond(address)
    elif task == SLOPES:
        slopes(t, w.y, address, w.k[0])
    elif task == WRENCHES:
        n_q = len(m.weight)
        wrenches(t, w.y, w.first[n_q : 2 * n_q], address)
    elif task == SAMPLE:
        if most == 0:
            densified(clamp, address)
        sample(t, clamp, rtol, address, w.samples[done])
    return 0.0
