"""What the explicit march asks of a mechanism in space: march.py gives the list and its meaning.

Quaternions have length 1 after each step. Which rows are independent is looked for once per step, at its end, for the
steps that follow: where others were taken within a step, its slopes would not fit together, and its dense output be
wrong (Bennett's linkage: by 1e-3 at 1e-9). Angles at gimbal lock, and motions that meet no inertia, end the march;
quaternions know no such pose.
"""

from __future__ import annotations

from particlemech._jit import attachment, kernel, noinline, released
from particlemech.engine.recursive.articulated import inward
from particlemech.engine.recursive.closing import LEAST, list_rows
from particlemech.engine.recursive.instants import look, quantities, slopes, speeds
from particlemech.engine.recursive.laws import potential
from particlemech.engine.recursive.motion import move, normalise, outward, steepest
from particlemech.engine.recursive.rows import RATE, VALUE, place_row, rows_alone
from particlemech.engine.recursive.samples import height, kinetic
from particlemech.engine.recursive.tables import Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.run.march import Engine, perform
from particlemech.run.steps import FROM, LEAST_INERTIA, LIMIT, MarchState, T, copy

PLAIN = 0.02  # least pivot of all rows above which none of them is looked at
CLOSED = 1e-6  # of what rows may be open by after a step: gaps below are closed

attached = attachment(Tables, WorkArrays, MarchState)


@noinline
def slope(t: float, y: Array, address: int, out: Array) -> float:
    """Fill y' at time t; note the least pivot of the mass matrix, see articulated.inward, and return that of rows."""
    m, s, w = attached(address)
    if s.pivot[2] > 0.0 and t > w.now[T]:  # the next step begins
        copy(s.ahead, s.kept)
        list_rows(m, s)
        s.pivot[2] = 0.0
    least, pivot = slopes(t, y, m, s, out)
    w.now[LEAST_INERTIA] = min(w.now[LEAST_INERTIA], least)
    s.pivot[3] = pivot
    return min(pivot, s.pivot[0])


@noinline
def widest(level: int, m: Tables, s: WorkArrays) -> float:
    """Return the largest value or rate of all rows, as a length; after outward."""
    largest = 0.0
    for r in range(len(m.row)):
        place_row(r, m, s)
        gap = s.span[r] * abs(s.phi[r, level])
        if not gap <= largest:
            largest = gap
    return largest


@noinline
def project(t: float, y: Array, rounds: int, address: int) -> tuple[float, float, float]:
    """Move y to the nearest state that satisfies all rows, in the metric of the mass matrix.

    One factorisation serves all rounds: the state is close to the rows, so Newton's matrix hardly changes.
    """
    m, s, w = attached(address)
    if len(m.row) == 0:
        return 1.0, 0.0, 0.0
    n_q, n_v = quantities(m), speeds(m)
    q, u = y[:n_q], y[n_q : n_q + n_v]
    normalise(q, m)
    if s.kept[len(m.row) + 1] == 0.0:  # the first time
        look(t, y, m, s)
    outward(t, q, u, m, s)
    s.load[:, :] = 0.0
    s.pivot[1] = t
    inward(m, s)
    s.gap[0] = widest(VALUE, m, s)
    s.gap[1] = widest(RATE, m, s)
    least = s.tally[LEAST]
    for level in range(2):
        for i in range(rounds if level == VALUE else 1):  # velocities are linear, and the factors new
            if i > 0 or level > 0:
                outward(t, q, u, m, s)
                opened = widest(level, m, s)
                if level == VALUE and opened <= CLOSED * w.now[LIMIT]:
                    break
            rows_alone(level, m, s)
            for e in range(len(m.stage)):
                if m.stage[e].u >= 0:
                    s.speed[m.stage[e].u] = s.x[e, 2]
            if level == VALUE:
                move(q, s.speed, m)
            else:
                for k in range(n_v):
                    u[k] += s.speed[k]
    return least, s.gap[0], s.gap[1]


@released
def project_all(times: Array, y: Array, held: Array, address: int) -> None:
    """Project K states (K, n_y), each by itself, with so much inertia (n_stage,) added to modes for their places.

    By their own inertia alone stiff modes would deflect by as much as a run leaves open, many times what they do.
    """
    m, s, _ = attached(address)
    for k in range(len(times)):
        look(times[k], y[k], m, s)
        copy(held, s.held)
        project(times[k], y[k], 3, address)
        s.held[:] = 0.0
        project(times[k], y[k], 0, address)


@kernel
def gap(y: Array, address: int) -> float:
    """Return the largest gap of a state, as a length; signals are those met last."""
    m, s, _ = attached(address)
    if len(m.row) == 0:
        return 0.0
    n_q, n_v = quantities(m), speeds(m)
    outward(s.pivot[1], y[:n_q], y[n_q : n_q + n_v], m, s)
    return widest(VALUE, m, s)


@kernel
def fastest(rtol: float, address: int) -> float:
    """Return the largest speed beside its size, 1/s, no less than one in the mechanism's time."""
    m, _, w = attached(address)
    n_q, most = quantities(m), 0.0
    for e in range(len(m.stage)):
        g = m.stage[e]
        if g.u >= 0:
            most = max(most, max(w.atol[n_q + g.u] / rtol, abs(w.y[n_q + g.u])) / g.size)
    return most


@noinline
def arrive(h: float, address: int) -> None:
    """Bring quaternions back to length 1, and look which rows are independent."""
    m, s, w = attached(address)
    normalise(w.y, m)
    s.pivot[0] = 1.0
    if h > 0.0 and s.kept[0] == len(m.row) and s.pivot[3] > PLAIN:
        return  # all are, by far
    if len(m.row) > 0:
        copy(s.kept, s.before)
        s.pivot[0], s.pivot[2] = look(w.now[T], w.y, m, s), 1.0
        copy(s.kept, s.ahead)
        copy(s.before, s.kept)
        list_rows(m, s)


@kernel
def withdraw(address: int) -> None:
    """Look again which rows are independent where the step began."""
    m, s, w = attached(address)
    if len(m.row) > 0:
        s.pivot[0], s.pivot[2] = look(w.now[FROM], w.y, m, s), 0.0


@kernel
def energies(address: int) -> tuple[float, float]:
    """Return kinetic and potential energy at y, where `slope` was last."""
    m, s, w = attached(address)
    slope = steepest(m, s)
    if slope > s.steep[0]:
        s.steep[0], s.steep[1] = slope, w.now[T]
    return kinetic(m, s), potential(m, s) + height(m, s)


@kernel
def show(t: float, y: Array, address: int, out: Array) -> None:
    """Fill out with a state."""
    m, _, w = attached(address)
    copy(y, out)
    if t != w.now[T]:
        normalise(out, m)


ENGINE = Engine(slope, project, gap, fastest, arrive, withdraw, energies, show)


@released
def do(task: int, t: float, stop: float, clamp: float, rtol: float, most: int, done: int, address: int) -> float:
    """Do a task of a march; see march.perform."""
    return perform(ENGINE, task, t, stop, clamp, rtol, most, done, attached(address)[2], address)
