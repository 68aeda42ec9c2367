"""What Python asks of the kernels of a tree, each through one entry."""

from __future__ import annotations

import math

from particlemech._jit import attachment, entry, kernel, noinline, released
from particlemech.engine.free_system import differences
from particlemech.engine.recursive.articulated import accelerations, inward, part_of, transmitted
from particlemech.engine.recursive.laws import applied, potential
from particlemech.engine.recursive.motion import outward, rates
from particlemech.engine.recursive.partials import equations, partials
from particlemech.engine.recursive.tables import TRAVEL, Paths, SampledMotion, Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import cross, dot, inertia_times
from particlemech.run.steps import copy

attached = attachment(Tables, WorkArrays)
attached_to_paths = attachment(Tables, WorkArrays, Paths)
attached_to_record = attachment(Tables, WorkArrays, SampledMotion)


@kernel
def forward(t: float, q: Array, u: Array, m: Tables, s: WorkArrays) -> tuple[float, float]:
    """Fill the work arrays with the motion that the forces cause; return the least pivot and the power of W."""
    outward(t, q, u, m, s)
    power = applied(m, s)
    least = inward(m, s)
    accelerations(m, s)
    for e in range(len(m.stage)):
        if m.stage[e].u < 0:
            power += s.tau[e, 1] * s.x[e, 1]
    return least, power


@noinline
def slopes(t: float, y: Array, m: Tables, s: WorkArrays, out: Array) -> float:
    """Fill y' for y = (q, v, W); return the least pivot."""
    n_v = speeds(m)
    n_q = len(y) - n_v - 1
    q, u = y[:n_q], y[n_q : n_q + n_v]
    least, power = forward(t, q, u, m, s)
    rates(q, u, m, out)
    for e in range(len(m.stage)):
        if m.stage[e].u >= 0:
            out[n_q + m.stage[e].u] = s.x[e, 2]
    out[n_q + n_v] = power
    return least


@entry
def slopes_at(t: float, y: Array, out: Array, address: int) -> float:
    """Fill y'; return the least pivot."""
    m, s = attached(address)
    return slopes(t, y, m, s, out)


@kernel
def speeds(m: Tables) -> int:
    """Return the number of free speeds."""
    n = 0
    for e in range(len(m.stage)):
        n = max(n, m.stage[e].u + 1)
    return n


@entry
def residual(t: float, y: Array, yp: Array, res: Array, address: int) -> bool:
    """Fill the residual for IDA: kinematics, Kane's equations in their inverse form, the work; return if finite."""
    m, s = attached(address)
    return balance(t, y, yp, res, m, s)


@noinline
def balance(t: float, y: Array, yp: Array, res: Array, m: Tables, s: WorkArrays) -> bool:
    """Fill q' - rates, what the joints transmit along free stages minus their efforts, and W' - power."""
    n_v = speeds(m)
    n_q = len(y) - n_v - 1
    q, u = y[:n_q], y[n_q : n_q + n_v]
    outward(t, q, u, m, s)
    power = applied(m, s)
    for e in range(len(m.stage)):
        if m.stage[e].u >= 0:
            s.x[e, 2] = yp[n_q + m.stage[e].u]
    transmitted(m, s)
    rates(q, u, m, res)
    for k in range(n_q):
        res[k] = yp[k] - res[k]
    for e in range(len(m.stage)):
        effort = part_of(s.p[m.stage[e].body], m.stage[e].does == TRAVEL, s.axis[e]) - s.tau[e, 0]
        if m.stage[e].u >= 0:
            res[n_q + m.stage[e].u] = effort
        else:
            power += effort * s.x[e, 1]
    res[n_q + n_v] = yp[n_q + n_v] - power
    total = 0.0
    for k in range(len(res)):
        total += res[k]
    return math.isfinite(total)


@entry
def jacobian(t: float, y: Array, yp: Array, cj: float, size: Array, work: Array, J: Array, address: int) -> None:
    """Fill J = dF/dy + cj dF/dy'; see free_system.differences."""
    m, s = attached(address)
    differences(balance, t, y, yp, cj, size, work, J, m, s)


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
    s.x[:, :] = 0.0
    least = inward(m, s)
    accelerations(m, s)
    return least


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
            forward(t, q, u, m, s)
        transmitted(m, s)
        for e in range(len(m.stage)):
            effort = part_of(s.p[m.stage[e].body], m.stage[e].does == TRAVEL, s.axis[e]) - s.tau[e, 0]
            s.tau[e, 1] = effort if given or m.stage[e].u < 0 else 0.0
        keep.energy[k, 0] = kinetic(m, s)
        keep.energy[k, 1] = potential(m, s) + height(m, s)
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
        at, r = s.O[i], s.r[i]
        total -= m.body[i].mass * dot(g[0], g[1], g[2], at[0] + r[0], at[1] + r[1], at[2] + r[2])
    return total
