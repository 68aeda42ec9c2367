"""What Python asks of the kernels of a tree, each through one entry."""

from __future__ import annotations

import math

from particlemech._jit import attachment, entry, kernel, noinline, released
from particlemech.engine.free_system import differences
from particlemech.engine.recursive.articulated import accelerations, carried, inward, transmitted, transmitted_along
from particlemech.engine.recursive.bending import bend, bending_energies
from particlemech.engine.recursive.closing import CHOOSING, EARLY, LATE, LEAST, LEFT_OUT, settle_choice
from particlemech.engine.recursive.laws import applied, potential, strained
from particlemech.engine.recursive.motion import move, outward, rates
from particlemech.engine.recursive.partials import equations, partials
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
from particlemech.engine.recursive.tables import Paths, SampledMotion, Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import cross, dot, inertia_times
from particlemech.run.steps import copy

attached = attachment(Tables, WorkArrays)
attached_to_paths = attachment(Tables, WorkArrays, Paths)
attached_to_record = attachment(Tables, WorkArrays, SampledMotion)


@kernel
def forward(t: float, q: Array, u: Array, m: Tables, s: WorkArrays) -> tuple[float, float, float]:
    """Fill the work arrays with the motion that the forces cause.

    Return the least pivots of the mass matrix and of the rows that are kept, and the power of W.
    """
    outward(t, q, u, m, s)
    power, pivot = applied(m, s), 1.0
    if len(m.row) > 0:
        place_rows(m, s)
    least = inward(m, s)
    accelerations(m, s)
    if len(m.row) > 0:
        pivot = s.tally[LEAST]
        power += power_of_rows(m, s)
    for e in range(len(m.stage)):
        if m.stage[e].u < 0:
            power += s.tau[e, 1] * s.x[e, 1]
    return least, pivot, power


@noinline
def slopes(t: float, y: Array, m: Tables, s: WorkArrays, out: Array) -> tuple[float, float]:
    """Fill y' for y = (q, v, W); return the least pivots of the mass matrix and of the rows."""
    n_v = speeds(m)
    n_q = len(y) - n_v - 1
    q, u = y[:n_q], y[n_q : n_q + n_v]
    least, pivot, power = forward(t, q, u, m, s)
    rates(q, u, m, out)
    for e in range(len(m.stage)):
        if m.stage[e].u >= 0:
            out[n_q + m.stage[e].u] = s.x[e, 2]
    out[n_q + n_v] = power
    return least, pivot


@entry
def slopes_at(t: float, y: Array, out: Array, address: int) -> float:
    """Fill y' of y = (q, v, W); return the least pivot of the mass matrix."""
    m, s = attached(address)
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


@entry
def residual(t: float, y: Array, yp: Array, res: Array, address: int) -> bool:
    """Fill the residual for IDA; return if finite."""
    m, s = attached(address)
    return balance(t, y, yp, res, m, s)


@noinline
def balance(t: float, y: Array, yp: Array, res: Array, m: Tables, s: WorkArrays) -> bool:
    """Fill the residual of y = (q, v, lam, mu, W), equations.py (1) to (5)."""
    n_v, n_row = speeds(m), len(m.row)
    n_q = len(y) - n_v - 2 * n_row - 1
    at_lam, at_mu, at_W = n_q + n_v, n_q + n_v + n_row, len(y) - 1
    q, u = y[:n_q], y[n_q:at_lam]
    outward(t, q, u, m, s)
    power = applied(m, s)
    if n_row > 0:
        power += tied(y[at_lam:at_mu], y[at_mu:at_W], res[at_lam:at_mu], res[at_mu:at_W], m, s)
    for e in range(len(m.stage)):
        if m.stage[e].u >= 0:
            s.x[e, 2] = yp[n_q + m.stage[e].u]
    transmitted(m, s)
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


@entry
def levels(t: float, q: Array, u: Array, G: Array, address: int) -> None:
    """Fill G (n_row, n_v), and phi of the work arrays with values, rates, and second rates where no speed changes."""
    m, s = attached(address)
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
                G[r, m.stage[e].u] = s.share[e]


@entry
def jacobian(t: float, y: Array, yp: Array, cj: float, size: Array, work: Array, J: Array, address: int) -> None:
    """Fill J = dF/dy + cj dF/dy'; see free_system.differences."""
    m, s = attached(address)
    differences(balance, t, y, yp, cj, size, work, J, m, s)


@entry
def efforts_of(t: float, q: Array, lam: Array, out: Array, address: int) -> None:
    """Fill out (n_stage,) with G^T lam at coordinates q."""
    m, s = attached(address)
    s.speed[:] = 0.0
    outward(t, q, s.speed, m, s)
    for r in range(len(m.row)):
        place_row(r, m, s)
    along_stages(lam, m, s, out)


@entry
def pushes(t: float, q: Array, out: Array, address: int) -> None:
    """Fill out (n_stage,) with what the wrenches in `load` do along all stages."""
    m, s = attached(address)
    s.speed[:] = 0.0
    outward(t, q, s.speed, m, s)
    for i in range(len(m.body)):
        copy(s.load[i], s.p[i])
    swept_along(m, s, out)


@entry
def places(t: float, y: Array, address: int) -> None:
    """Fill the work arrays with the motion of a state (q, v, W) in which no free speed changes; solve nothing."""
    m, s = attached(address)
    settled(t, y, m, s)


@kernel
def settled(t: float, y: Array, m: Tables, s: WorkArrays) -> None:
    """Fill the work arrays as `places` does."""
    n_q, n_v = quantities(m), speeds(m)
    outward(t, y[:n_q], y[n_q : n_q + n_v], m, s)
    applied(m, s)
    for e in range(len(m.stage)):
        if m.stage[e].u >= 0:
            s.x[e, 2] = 0.0
    for r in range(len(m.row)):
        place_row(r, m, s)
    transmitted(m, s)


@entry
def unmet(t: float, y: Array, out: Array, address: int) -> None:
    """Fill out (n_v,) with what acts along the free speeds and is not needed while none of them changes."""
    m, s = attached(address)
    settled(t, y, m, s)
    for e in range(len(m.stage)):
        if m.stage[e].u >= 0:
            out[m.stage[e].u] = s.tau[e, 0] - transmitted_along(e, m, s)


@entry
def power(t: float, y: Array, lam: Array, address: int) -> float:
    """Return the power of W in a state (q, v, W), by the accelerations of the motion."""
    m, s = attached(address)
    n_q, n_v = quantities(m), speeds(m)
    if len(m.row) > 0:
        look(t, y, m, s)
    return forward(t, y[:n_q], y[n_q : n_q + n_v], m, s)[2]


@entry
def coordinate_rates(q: Array, u: Array, out: Array, address: int) -> None:
    """Fill the rates of the coordinates, (n_q,)."""
    m, _ = attached(address)
    rates(q, u, m, out)


@entry
def step(q: Array, u: Array, address: int) -> None:
    """Move coordinates (n_q,) by a step along the speeds, (n_v,)."""
    m, _ = attached(address)
    move(q, u, m)


@entry
def strike(t: float, q: Array, u: Array, address: int) -> float:
    """Fill x[:, 2] with jumps of speeds, tau[:, 1] with impulses of drivers, a with jumps of the bodies' velocities.

    `load` holds the impulses. They are to speeds what loads are to accelerations of a tree at rest, without gravity and
    other forces; driven speeds do not jump. Return the least pivot.
    """
    m, s = attached(address)
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


@entry
def masses(t: float, q: Array, A: Array, address: int) -> None:
    """Fill A (n_stage, n_stage), the mass matrix of all stages: what unit accelerations from rest need."""
    m, s = attached(address)
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
        for k in range(len(m.stage)):
            A[k, e] = transmitted_along(k, m, s)


@entry
def kane(t: float, q: Array, u: Array, address: int) -> None:
    """Fill the slots of all paths, A, f and F at one instant."""
    m, s, ways = attached_to_paths(address)
    outward(t, q, u, m, s)
    applied(m, s)
    partials(m, s, ways)
    equations(m, s, ways)


@released
def observe(given: bool, address: int) -> None:
    """Fill a record from its times and states; `given`: x_ddot of the stages are given in x[:, :, 2]."""
    m, s, keep = attached_to_record(address)
    n_v = speeds(m)
    n_q = keep.y.shape[1] - n_v - 1
    for k in range(len(keep.t)):
        t, q, u = keep.t[k], keep.y[k, :n_q], keep.y[k, n_q : n_q + n_v]
        for e in range(s.given.shape[0]):
            copy(keep.given[k, e], s.given[e])
        if given:
            outward(t, q, u, m, s)
            applied(m, s)
            for e in range(len(m.stage)):
                s.x[e, 2] = keep.x[k, e, 2]
        else:
            if len(m.row) > 0:
                look(t, keep.y[k], m, s)
            forward(t, q, u, m, s)
            if len(m.row) > 0:
                add_multipliers(s.lam, m, s)
                copy(s.lam, keep.lam[k])
                for r in range(len(m.row)):
                    copy(s.W[r], keep.W[k, r])
        transmitted(m, s)
        for e in range(len(m.stage)):
            effort = transmitted_along(e, m, s) - s.tau[e, 0]
            s.tau[e, 1] = effort if given or m.stage[e].u < 0 else 0.0
        keep.energy[k, 0], keep.energy[k, 1] = kinetic(m, s), height(m, s)
        keep.energy[k, 2] = strained(m, s)
        keep.energy[k, 3] = potential(m, s) - keep.energy[k, 2]
        noted(k, s, keep)


@kernel
def noted(k: int, s: WorkArrays, keep: SampledMotion) -> None:
    """Copy the work arrays into sample k."""
    for i in range(s.S.shape[0]):
        copy(s.S[i], keep.S[k, i])
        copy(s.O[i], keep.O[k, i])
        copy(s.omega[i], keep.omega[k, i])
        copy(s.v[i], keep.v[k, i])
        copy(s.a[i], keep.a[k, i])
        copy(s.p[i], keep.p[k, i])
    for e in range(s.x.shape[0]):
        copy(s.x[e], keep.x[k, e])
        copy(s.tau[e], keep.tau[k, e])
        copy(s.axis[e], keep.axis[k, e])


@kernel
def kinetic(m: Tables, s: WorkArrays) -> float:
    """Return the kinetic energy."""
    total = 0.0
    for i in range(1, len(m.body)):
        if m.body[i].link >= 0:
            total += bending_energies(i, m, s)[0]
            continue
        w, r, v = s.omega[i], s.r[i], s.v[i]
        x, y, z = cross(w[0], w[1], w[2], r[0], r[1], r[2])
        x, y, z = x + v[0], y + v[1], z + v[2]
        hx, hy, hz = inertia_times(s.S[i], m.body[i].inertia, w[0], w[1], w[2])
        total += 0.5 * (m.body[i].mass * dot(x, y, z, x, y, z) + dot(w[0], w[1], w[2], hx, hy, hz))
    return total


@kernel
def height(m: Tables, s: WorkArrays) -> float:
    """Return the potential of gravity."""
    total = 0.0
    g = m.gravity
    for i in range(1, len(m.body)):
        if m.body[i].rests:
            continue
        if m.body[i].link >= 0:
            total += bending_energies(i, m, s)[1]
            continue
        at, r = s.O[i], s.r[i]
        total -= m.body[i].mass * dot(g[0], g[1], g[2], at[0] + r[0], at[1] + r[1], at[2] + r[2])
    return total
