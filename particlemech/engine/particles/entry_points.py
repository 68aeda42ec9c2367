"""What Python asks of the explicit kernels, through one entry: starts, slopes, wrenches, the march and its samples."""

from __future__ import annotations

from particlemech._jit import released
from particlemech.engine.friction import EXACT
from particlemech.engine.particles.accelerations import slopes, wrenches
from particlemech.engine.particles.departure import respond, set_out, spin_up, steady
from particlemech.engine.particles.march import ENGINE, attached
from particlemech.run.march import SAMPLE, perform

SET_OUT, RESPOND, STEADY, SPIN, SLOPES, WRENCHES = range(SAMPLE + 1, SAMPLE + 7)  # tasks besides those of a march


@released
def do(task: int, t: float, stop: float, clamp: float, rtol: float, most: int, done: int, address: int) -> float:
    """Do a task of a march or one of those above; the only kernel that Python calls, because each costs time to load.

    SET_OUT     y from the drawing onto the rows; return the largest gap before
    RESPOND     what unit impulses do
    STEADY      velocities onto the rows; return the largest |phi_dot| before
    SPIN        give body `most` the angular velocity `t`, rad/s; return 1 if it could be
    SLOPES      y' at time t into k[0], multipliers into x
    WRENCHES    of all bodies into w; accelerations are in `first`
    """
    m, _, w = attached(address)
    if task <= SAMPLE:
        return perform(ENGINE, task, t, stop, clamp, rtol, most, done, w, address)
    if task == SET_OUT:
        return set_out(w.y, address)
    if task == STEADY:
        return steady(w.y, address)
    if task == SPIN:
        return 1.0 if spin_up(most, t, address) else 0.0
    if task == RESPOND:
        respond(address)
    elif task == SLOPES:
        slopes(t, w.y, EXACT, address, w.k[0])
    elif task == WRENCHES:
        n_q = len(m.weight)
        wrenches(t, w.y, w.first[n_q : 2 * n_q], address)
    return 0.0
