"""A mechanism in space at one instant: its motion, its rows, and the residual of its equations."""

from __future__ import annotations

import math

from particlemech._jit import kernel, noinline
from particlemech.engine.recursive.articulated import accelerations, carried, inward, transmitted, transmitted_along
from particlemech.engine.recursive.bending import bend
from particlemech.engine.recursive.closing import CHOOSING, EARLY, LATE, LEAST, LEFT_OUT, list_rows, settle_choice
from particlemech.engine.recursive.friction import drag, known, press, rub
from particlemech.engine.recursive.laws import applied
from particlemech.engine.recursive.laws.governed import govern
from particlemech.engine.recursive.motion import outward, rates
from particlemech.engine.recursive.rows import (
    RATE,
    SECOND,
    VALUE,
    add_multipliers,
    along_stages,
    place_row,
    place_rows,
    power_of_rows,
    second_rate,
    swept_along,
)
from particlemech.engine.recursive.tables import Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.run.steps import copy


@kernel
def caused(m: Tables, s: WorkArrays) -> tuple[float, float, float]:
    """Fill the work arrays with the motion that the forces cause, after outward.

    Return the least pivots of the mass matrix and of the rows that are kept, and the power of W.
    """
    power, pivot = applied(m, s), 1.0
    if len(m.row) > 0:
        place_rows(m, s)
    least = inward(m, s)
    accelerations(m, s)
    if len(m.friction) > 0:
        power += rub(m, s)
    if len(m.row) > 0:
        pivot = s.tally[LEAST]
        power += power_of_rows(m, s)
    for e in range(len(m.stage)):
        if m.stage[e].u < 0:
            power += s.tau[e, 1] * s.x[e, 1]
    return least, pivot, power


@noinline
def slopes(t: float, y: Array, m: Tables, s: WorkArrays, out: Array) -> tuple[float, float]:
    """Fill y' for y = (q, v, z, W); return the least pivots of the mass matrix and of the rows."""
    n_v, n_z = speeds(m), s.own.shape[1]
    n_q = len(y) - n_v - n_z - 1
    q, u = y[:n_q], y[n_q : n_q + n_v]
    outward(t, q, u, m, s)
    if len(m.element):
        govern(y, m, s)
    least, pivot, power = caused(m, s)
    for k in range(n_z):
        out[n_q + n_v + k] = s.own[1, k]
    rates(q, u, m, out)
    for e in range(len(m.stage)):
        if m.stage[e].u >= 0:
            out[n_q + m.stage[e].u] = s.x[e, 2]
    out[len(out) - 1] = power
    return least, pivot


@noinline
def slopes_at(t: float, y: Array, out: Array, m: Tables, s: WorkArrays) -> float:
    """Fill y' of y = (q, v, W); return the least pivot of the mass matrix."""
    if len(m.row) > 0:
        look(t, y, m, s)
    least, _ = slopes(t, y, m, s, out)
    return least


@noinline
def look(t: float, y: Array, m: Tables, s: WorkArrays) -> float:
    """Fill `kept` with the rows that are independent at a state (q, v, ...); return the least pivot among them."""
    n_v = speeds(m)
    n_q = quantities(m)
    outward(t, y[:n_q], y[n_q : n_q + n_v], m, s)
    for r in range(len(m.row)):
        place_row(r, m, s)
        s.kept[1 + r] = LATE
    for k in range(len(m.closing)):
        if m.closing[k].early:
            s.kept[1 + m.closing[k].row] = EARLY
    list_rows(m, s)
    s.tally[CHOOSING], s.tally[LEFT_OUT] = 1.0, -1.0
    inward(m, s)
    s.tally[CHOOSING] = 0.0
    return settle_choice(m, s)


@kernel
def speeds(m: Tables) -> int:
    """Return the number of free speeds."""
    n = 0
    for e in range(len(m.stage)):
        n = max(n, m.stage[e].u + 1)
    return n


@kernel
def quantities(m: Tables) -> int:
    """Return the number of coordinates."""
    n = 0
    for e in range(len(m.stage)):
        n = max(n, m.stage[e].q + 1)
    for i in range(len(m.body)):
        n = max(n, m.body[i].quaternion + 4 if m.body[i].quaternion >= 0 else 0)
    return n


@noinline
def balance(t: float, y: Array, yp: Array, res: Array, m: Tables, s: WorkArrays) -> bool:
    """Fill the residual of y = (q, v, lam, mu, z, W), equations.py (1) to (5); z' - its rates = 0 as well."""
    n_v, n_row, n_z = speeds(m), len(m.row), s.own.shape[1]
    n_q = len(y) - n_v - 2 * n_row - n_z - 1
    at_lam, at_mu, at_z, at_W = n_q + n_v, n_q + n_v + n_row, n_q + n_v + 2 * n_row, len(y) - 1
    q, u = y[:n_q], y[n_q:at_lam]
    outward(t, q, u, m, s)
    if len(m.element):
        govern(y, m, s)
    for k in range(n_z):
        res[at_z + k] = yp[at_z + k] - s.own[1, k]
    power = applied(m, s)
    if n_row > 0:
        power += tied(y[at_lam:at_mu], y[at_mu:at_z], res[at_lam:at_mu], res[at_mu:at_z], m, s)
    for e in range(len(m.stage)):
        if m.stage[e].u >= 0:
            s.x[e, 2] = yp[n_q + m.stage[e].u]
    transmitted(m, s)
    if len(m.friction) > 0:
        copy(y[at_lam:at_mu], s.lam)
        power += known(m, s)
    for e in range(len(m.stage)):
        effort = transmitted_along(e, m, s) - s.tau[e, 0]
        if m.stage[e].u >= 0:
            res[n_q + m.stage[e].u] = effort  # (2)
        else:
            power += effort * s.x[e, 1]
    if n_row > 0:
        for e in range(len(m.stage)):  # (1)
            if m.stage[e].u >= 0:
                s.share[e] = u[m.stage[e].u] - m.stage[e].size * m.stage[e].size * s.D[e, 3]
        for e in range(len(m.stage)):
            if m.stage[e].u >= 0:
                s.speed[m.stage[e].u] = s.share[e]
        rates(q, s.speed, m, res)
    else:
        rates(q, u, m, res)
    for k in range(n_q):
        res[k] = yp[k] - res[k]
    res[at_W] = yp[at_W] - power
    total = 0.0
    for k in range(len(res)):
        total += res[k]
    return math.isfinite(total)


@noinline
def tied(lam: Array, mu: Array, velocity: Array, position: Array, m: Tables, s: WorkArrays) -> float:
    """Fill (3) and (4), add the multipliers to loads and efforts, and G^T mu to D[:, 3]; return the drivers' power."""
    power = 0.0
    for r in range(len(m.row)):
        place_row(r, m, s)
        velocity[r] = s.phi[r, RATE] + m.soft[r].v * lam[r]  # (3)
        position[r] = s.phi[r, VALUE] - m.soft[r].p * mu[r]  # (4)
        if m.row[r].signal >= 0:
            power += lam[r] * s.sig[m.row[r].signal, 1]
    along_stages(mu, m, s, s.share)
    for e in range(len(m.stage)):
        s.D[e, 3] = s.share[e]
    add_multipliers(lam, m, s)
    return power


@noinline
def levels(t: float, q: Array, u: Array, G: Array, m: Tables, s: WorkArrays) -> None:
    """Fill G, the rows of (n_row, n_v) one after the other, and phi of the work arrays.

    The second rates in phi are those where no speed changes.
    """
    n_v = speeds(m)
    outward(t, q, u, m, s)
    for e in range(len(m.stage)):
        if m.stage[e].u >= 0:
            s.x[e, 2] = 0.0
    carried(m, s)
    unit = s.lam
    unit[:] = 0.0
    for r in range(len(m.row)):
        place_row(r, m, s)
        s.phi[r, SECOND] = second_rate(r, m, s)
    for r in range(len(m.row)):
        unit[r] = 1.0
        along_stages(unit, m, s, s.share)
        unit[r] = 0.0
        for e in range(len(m.stage)):
            if m.stage[e].u >= 0:
                G[r * n_v + m.stage[e].u] = s.share[e]


@noinline
def efforts_of(t: float, q: Array, lam: Array, out: Array, m: Tables, s: WorkArrays) -> None:
    """Fill out (n_stage,) with G^T lam at coordinates q."""
    s.speed[:] = 0.0
    outward(t, q, s.speed, m, s)
    for r in range(len(m.row)):
        place_row(r, m, s)
    along_stages(lam, m, s, out)


@noinline
def pushes(t: float, q: Array, out: Array, m: Tables, s: WorkArrays) -> None:
    """Fill out (n_stage,) with what the wrenches in `load` do along all stages."""
    s.speed[:] = 0.0
    outward(t, q, s.speed, m, s)
    for i in range(len(m.body)):
        copy(s.load[i], s.p[i])
    swept_along(m, s, out)


@kernel
def acted(t: float, y: Array, m: Tables, s: WorkArrays) -> None:
    """Fill the work arrays with a state (q, v, W), what acts on it, and its rows."""
    n_q, n_v = quantities(m), speeds(m)
    outward(t, y[:n_q], y[n_q : n_q + n_v], m, s)
    if len(m.element):
        govern(y, m, s)
    applied(m, s)
    for r in range(len(m.row)):
        place_row(r, m, s)


@noinline
def settled(t: float, y: Array, m: Tables, s: WorkArrays) -> None:
    """Fill the work arrays with the motion of a state (q, v, W) in which no free speed changes; solve nothing."""
    acted(t, y, m, s)
    for e in range(len(m.stage)):
        if m.stage[e].u >= 0:
            s.x[e, 2] = 0.0
    transmitted(m, s)


@noinline
def pressed(t: float, y: Array, z: Array, out: Array, m: Tables, s: WorkArrays) -> None:
    """Fill out (n, 9) with the vectors h of what rubs, in a state (q, v, W) with z: accelerations and multipliers."""
    n_v = speeds(m)
    acted(t, y, m, s)
    add_multipliers(z[n_v:], m, s)
    for e in range(len(m.stage)):
        if m.stage[e].u >= 0:
            s.x[e, 2] = z[m.stage[e].u]
    transmitted(m, s)
    copy(z[n_v:], s.lam)
    for k in range(len(m.friction)):
        press(k, m, s, out[9 * k : 9 * k + 9])


@noinline
def unmet(t: float, y: Array, out: Array, m: Tables, s: WorkArrays) -> None:
    """Fill out (n_v,) with what acts along the free speeds and is not needed while none of them changes.

    Friction is that of the motion which the forces cause.
    """
    if len(m.friction) > 0:
        power(t, y, m, s)
    settled(t, y, m, s)
    if len(m.friction) > 0:
        drag(m, s)
    for e in range(len(m.stage)):
        if m.stage[e].u >= 0:
            out[m.stage[e].u] = s.tau[e, 0] - transmitted_along(e, m, s)


@noinline
def power(t: float, y: Array, m: Tables, s: WorkArrays) -> float:
    """Return the power of W in a state (q, v, W), by the accelerations of the motion."""
    n_q, n_v = quantities(m), speeds(m)
    if len(m.row) > 0:
        look(t, y, m, s)
    outward(t, y[:n_q], y[n_q : n_q + n_v], m, s)
    if len(m.element):
        govern(y, m, s)
    return caused(m, s)[2]


@noinline
def strike(t: float, q: Array, u: Array, m: Tables, s: WorkArrays) -> float:
    """Fill x[:, 2] with jumps of speeds, tau[:, 1] with impulses of drivers, a with jumps of the bodies' velocities.

    `load` holds the impulses. They are to speeds what loads are to accelerations of a tree at rest, without gravity and
    other forces; driven speeds do not jump. Return the least pivot.
    """
    outward(t, q, u, m, s)
    s.omega[:, :] = 0.0
    s.v[:, :] = 0.0
    s.c[:, :] = 0.0
    s.a[:, :] = 0.0
    s.tau[:, :] = 0.0
    s.x[:, 1:] = 0.0
    for i in range(1, len(m.body)):  # places, without the velocity products of modes
        if m.body[i].link >= 0:
            bend(i, m, s)
    least = inward(m, s)
    accelerations(m, s)
    return least


@noinline
def masses(t: float, q: Array, A: Array, m: Tables, s: WorkArrays) -> None:
    """Fill A, the rows of the mass matrix of all stages one after the other: what unit accelerations from rest need."""
    n = len(m.stage)
    s.speed[:] = 0.0
    outward(t, q, s.speed, m, s)
    s.omega[:, :] = 0.0
    s.v[:, :] = 0.0
    s.c[:, :] = 0.0
    s.a[:, :] = 0.0
    s.load[:, :] = 0.0
    s.x[:, 1:] = 0.0
    for i in range(1, len(m.body)):
        if m.body[i].link >= 0:
            bend(i, m, s)
    for e in range(len(m.stage)):
        s.x[e, 2] = 1.0
        transmitted(m, s)
        s.x[e, 2] = 0.0
        for k in range(n):
            A[k * n + e] = transmitted_along(k, m, s)
