"""What Python asks of the explicit kernels, through one entry: starts, slopes, wrenches, the march and its samples."""

from __future__ import annotations

from particlemech._jit import released
from particlemech.planar.accelerations import slopes, wrenches
from particlemech.planar.departure import respond, set_out, spin_up, steady
from particlemech.planar.march import attached, begin, densified, march, sample

SET_OUT, RESPOND, STEADY, SPIN, SLOPES, WRENCHES, BEGIN, MARCH, SAMPLE = range(9)  # tasks


@released
def do(task: int, t: float, stop: float, clamp: float, rtol: float, most: int, done: int, address: int) -> float:
    """Do one of the tasks above; the only kernel that Python calls, because each costs time to load.

    SET_OUT     y from the drawing onto the rows; return the largest gap before
    RESPOND     what unit impulses do
    STEADY      velocities onto the rows; return the largest |phi_dot| before
    SPIN        give body `most` the angular velocity `t`, rad/s; return 1 if it could be
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
    if task == SPIN:
        return 1.0 if spin_up(most, t, address) else 0.0
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
