"""Rows: what closes loops, couples joints and drives what is no coordinate of a joint; and what they do to the motion.

A row is one of four forms in places P1, P2 and directions a1, b2 of two frames, or in two coordinates:

    GAP       a1.(P2 - P1) - s(t)             a fixed in the first frame, or in the ground                        (1)
    ACROSS    a1.b2 - c                                                                                          (2)
    SPAN      |P2 - P1| - c - s(t)                                                                               (3)
    TIED      x2 - c x1                       coordinates of stages                                              (4)

Its rate is W1.(omega1, v1) + W2.(omega2, v2) with wrenches W about O of both frames, so that its multiplier lam does
lam W to them, and its second rate W.a + what velocities alone make of it. Nothing else is written per form.

What they do along the elimination is in closing.py.
"""

from __future__ import annotations

import math

from particlemech._jit import kernel, noinline
from particlemech.engine.recursive.articulated import accelerations, add_shifted_wrench, on_modes
from particlemech.engine.recursive.closing import JOINT, MODES, close_again, pass_again
from particlemech.engine.recursive.forms import ACROSS, SPAN, TIED
from particlemech.engine.recursive.tables import TRAVEL, Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import Triple, cross, dot, part_of, put, shifted, six

VALUE, RATE, SECOND = range(3)


@kernel
def apart(r: int, m: Tables, s: WorkArrays) -> None:
    """Fill arms, P2 - P1 and its rate of a row: arms[r] from 0, 3, 6, 9."""
    p, out = m.row[r], s.arms[r]
    x, y, z = shifted(s.S[p.first], p.at1[0], p.at1[1], p.at1[2])
    put(out[0:3], x, y, z)
    u, v, w = shifted(s.S[p.second], p.at2[0], p.at2[1], p.at2[2])
    put(out[3:6], u, v, w)
    a, b = s.O[p.first], s.O[p.second]
    put(out[6:9], b[0] + u - a[0] - x, b[1] + v - a[1] - y, b[2] + w - a[2] - z)
    a, b, j, k = s.v[p.first], s.v[p.second], s.omega[p.first], s.omega[p.second]
    x, y, z = cross(j[0], j[1], j[2], x, y, z)
    u, v, w = cross(k[0], k[1], k[2], u, v, w)
    put(out[9:12], b[0] + u - a[0] - x, b[1] + v - a[1] - y, b[2] + w - a[2] - z)


@kernel
def pull(r: int, ax: float, ay: float, az: float, s: WorkArrays) -> None:
    """Fill W with a unit force a on P2 and -a on P1."""
    W, arms = s.W[r], s.arms[r]
    x, y, z = cross(arms[0], arms[1], arms[2], ax, ay, az)
    put(W[0:3], -x, -y, -z)
    put(W[3:6], -ax, -ay, -az)
    x, y, z = cross(arms[3], arms[4], arms[5], ax, ay, az)
    put(W[6:9], x, y, z)
    put(W[9:12], ax, ay, az)


@noinline
def place_row(r: int, m: Tables, s: WorkArrays) -> None:
    """Fill W, value and rate of a row, after outward: (1) to (4)."""
    p, W, out = m.row[r], s.W[r], s.phi[r]
    value = rate = 0.0
    if p.signal >= 0:
        value, rate = -s.sig[p.signal, 0], -s.sig[p.signal, 1]
    if p.form == TIED:
        out[VALUE] = value + s.x[p.stage2, 0] - p.c * s.x[p.stage1, 0]
        out[RATE] = rate + s.x[p.stage2, 1] - p.c * s.x[p.stage1, 1]
        return
    if p.form == ACROSS:
        ax, ay, az = shifted(s.S[p.first], p.a[0], p.a[1], p.a[2])
        bx, by, bz = shifted(s.S[p.second], p.b[0], p.b[1], p.b[2])
        x, y, z = cross(ax, ay, az, bx, by, bz)
        W[:] = 0.0
        put(W[0:3], x, y, z)
        put(W[6:9], -x, -y, -z)
        value += dot(ax, ay, az, bx, by, bz) - p.c
    else:
        apart(r, m, s)
        g = s.arms[r, 6:9]
        if p.form == SPAN:
            length = math.sqrt(dot(g[0], g[1], g[2], g[0], g[1], g[2]))
            ax, ay, az = g[0] / length, g[1] / length, g[2] / length
            value += length - p.c
            pull(r, ax, ay, az, s)
        else:
            ax, ay, az = shifted(s.S[p.of], p.a[0], p.a[1], p.a[2])
            value += dot(ax, ay, az, g[0], g[1], g[2])
            pull(r, ax, ay, az, s)
            if p.of > 0:
                x, y, z = cross(ax, ay, az, g[0], g[1], g[2])
                put(W[0:3], W[0] + x, W[1] + y, W[2] + z)
    a, b, j, k = s.v[p.first], s.v[p.second], s.omega[p.first], s.omega[p.second]
    rate += dot(W[0], W[1], W[2], j[0], j[1], j[2]) + dot(W[3], W[4], W[5], a[0], a[1], a[2])
    rate += dot(W[6], W[7], W[8], k[0], k[1], k[2]) + dot(W[9], W[10], W[11], b[0], b[1], b[2])
    out[VALUE], out[RATE] = value, rate


@kernel
def twice(w: Array, x: float, y: float, z: float) -> Triple:
    """Return w x (w x r)."""
    x, y, z = cross(w[0], w[1], w[2], x, y, z)
    return cross(w[0], w[1], w[2], x, y, z)


@kernel
def second_rate(r: int, m: Tables, s: WorkArrays) -> float:
    """Return the second rate of a row at the accelerations of the frames, or of the stages."""
    p, W = m.row[r], s.W[r]
    total = steady_rate(r, m, s)
    if p.form == TIED:
        return total + s.x[p.stage2, 2] - p.c * s.x[p.stage1, 2]
    return total + six(W[0:6], s.a[p.first]) + six(W[6:12], s.a[p.second])


@noinline
def steady_rate(r: int, m: Tables, s: WorkArrays) -> float:
    """Return what velocities alone make of the second rate of a row."""
    p, W = m.row[r], s.W[r]
    total = -s.sig[p.signal, 2] if p.signal >= 0 else 0.0
    if p.form == TIED:
        return total
    j, k = s.omega[p.first], s.omega[p.second]
    if p.form == ACROSS:
        ax, ay, az = shifted(s.S[p.first], p.a[0], p.a[1], p.a[2])
        bx, by, bz = shifted(s.S[p.second], p.b[0], p.b[1], p.b[2])
        x, y, z = twice(j, ax, ay, az)
        total += dot(x, y, z, bx, by, bz)
        x, y, z = twice(k, bx, by, bz)
        total += dot(x, y, z, ax, ay, az)
        x, y, z = cross(j[0], j[1], j[2], ax, ay, az)
        u, v, w = cross(k[0], k[1], k[2], bx, by, bz)
        return total + 2.0 * dot(x, y, z, u, v, w)
    e = s.arms[r]
    g, g_dot, n = e[6:9], e[9:12], W[9:12]
    x, y, z = twice(k, e[3], e[4], e[5])
    u, v, w = twice(j, e[0], e[1], e[2])
    total += dot(n[0], n[1], n[2], x - u, y - v, z - w)
    if p.form == SPAN:
        along = dot(n[0], n[1], n[2], g_dot[0], g_dot[1], g_dot[2])
        square = dot(g_dot[0], g_dot[1], g_dot[2], g_dot[0], g_dot[1], g_dot[2])
        return total + (square - along * along) / dot(n[0], n[1], n[2], g[0], g[1], g[2])
    if p.of > 0:
        x, y, z = twice(j, n[0], n[1], n[2])
        total += dot(x, y, z, g[0], g[1], g[2])
        x, y, z = cross(j[0], j[1], j[2], n[0], n[1], n[2])
        total += 2.0 * dot(x, y, z, g_dot[0], g_dot[1], g_dot[2])
    return total


@noinline
def place_rows(m: Tables, s: WorkArrays) -> None:
    """Fill W, value and rate of the rows that are kept, and gamma."""
    for r in range(len(m.row)):
        if s.kept[1 + r] > 0.0:
            place_row(r, m, s)
            s.gamma[r] = steady_rate(r, m, s)


@kernel
def power_of_rows(m: Tables, s: WorkArrays) -> float:
    """Return the power of the drivers whose rows these are."""
    power = 0.0
    for r in range(len(m.row)):
        if m.row[r].signal >= 0:
            power += s.lam[r] * s.sig[m.row[r].signal, 1]
    return power


@noinline
def rows_alone(level: int, m: Tables, s: WorkArrays) -> None:
    """Fill x_ddot of all stages with M^-1 G^T lam that takes a level of the rows that are kept away; after inward.

    Velocities, forces and what drivers do count for nothing here; `c`, `tau` and `a` are spent.
    """
    forget(m, s)
    for r in range(len(m.row)):
        s.gamma[r] = s.phi[r, level]
    respond(m, s)


@noinline
def forget(m: Tables, s: WorkArrays) -> None:
    """Take velocities, forces, gravity and what rows ask for away."""
    s.c[:, :] = 0.0
    s.tau[:, :] = 0.0
    s.p[:, :] = 0.0
    s.need[:] = 0.0
    s.a[0, :] = 0.0
    s.gamma[:] = 0.0


@noinline
def respond(m: Tables, s: WorkArrays) -> None:
    """Fill x_ddot of the free stages, multipliers and efforts of drivers for given `tau` and `gamma`, after forget."""
    for nth in range(len(m.body) - 1):
        i = m.course[nth].nth
        b, p = m.body[i], s.p[i]
        if b.place >= 0:
            close_again(i, m, s)
            on_modes(i, p, m, s, s.need)
            add_shifted_wrench(p, s.d[i, 0], s.d[i, 1], s.d[i, 2], s.p[b.parent])
            continue
        C = s.coupling[m.link[b.link].pairs :] if b.link >= 0 else s.coupling
        for j in range(b.modes - 1, -1, -1):
            e = b.mode + j
            s.D[e, 1] = s.need[e]
            c = (s.tau[e, 0] - s.need[e]) / s.D[e, 0]
            pass_again(m.course[i].bending, s.many[i, MODES], e, c, s)
            for k in range(6):
                p[k] += s.U[e, k] * c
            for k in range(j):
                s.need[b.mode + k] += C[k * b.modes + j] * c
        close_again(i, m, s)
        for e in range(b.last - 1, b.first - 1, -1):
            s.D[e, 1] = part_of(p, m.stage[e].does == TRAVEL, s.axis[e])
            if m.stage[e].u < 0:
                s.x[e, 2] = 0.0
                continue
            c = (s.tau[e, 0] - s.D[e, 1]) / s.D[e, 0]
            pass_again(m.course[i].passing, s.many[i, JOINT], e, c, s)
            for k in range(6):
                p[k] += s.U[e, k] * c
        add_shifted_wrench(p, s.d[i, 0], s.d[i, 1], s.d[i, 2], s.p[b.parent])
    close_again(0, m, s)
    accelerations(m, s)


# -- without elimination -----------------------------------------------------------------------------------------------


@noinline
def add_multipliers(lam: Array, m: Tables, s: WorkArrays) -> None:
    """Add what multipliers (n_row,) do to the loads on frames, and to the efforts on stages."""
    for r in range(len(m.row)):
        p, W = m.row[r], s.W[r]
        if p.form == TIED:
            s.tau[p.stage2, 0] += lam[r]
            s.tau[p.stage1, 0] -= p.c * lam[r]
            continue
        for c in range(6):
            s.load[p.first, c] += lam[r] * W[c]
            s.load[p.second, c] += lam[r] * W[6 + c]


@noinline
def take_off(lam: Array, m: Tables, s: WorkArrays) -> None:
    """Take what multipliers (n_row,) do to frames off the wrenches p."""
    for r in range(len(m.row)):
        if m.row[r].form != TIED:
            for c in range(6):
                s.p[m.row[r].first, c] -= lam[r] * s.W[r, c]
                s.p[m.row[r].second, c] -= lam[r] * s.W[r, 6 + c]


@noinline
def along_stages(lam: Array, m: Tables, s: WorkArrays, out: Array) -> None:
    """Fill out (n_stage,) with G^T lam, driven stages included; `p` of the work arrays is spent."""
    s.p[:, :] = 0.0
    out[:] = 0.0
    for r in range(len(m.row)):
        p, W = m.row[r], s.W[r]
        if p.form == TIED:
            out[p.stage2] += lam[r]
            out[p.stage1] -= p.c * lam[r]
            continue
        for c in range(6):
            s.p[p.first, c] += lam[r] * W[c]
            s.p[p.second, c] += lam[r] * W[6 + c]
    swept_along(m, s, out)


@noinline
def swept_along(m: Tables, s: WorkArrays, out: Array) -> None:
    """Add what wrenches p on all frames do along the stages to out (n_stage,); p is spent."""
    for i in range(len(m.body) - 1, 0, -1):
        f, b = s.p[i], m.body[i]
        if b.place >= 0:
            on_modes(i, f, m, s, out)
        for e in range(b.first, b.last):
            out[e] += part_of(f, m.stage[e].does == TRAVEL, s.axis[e])
        x, y, z = cross(s.d[i, 0], s.d[i, 1], s.d[i, 2], f[3], f[4], f[5])
        put(s.p[b.parent, 0:3], s.p[b.parent, 0] + f[0] + x, s.p[b.parent, 1] + f[1] + y, s.p[b.parent, 2] + f[2] + z)
        put(s.p[b.parent, 3:6], s.p[b.parent, 3] + f[3], s.p[b.parent, 4] + f[4], s.p[b.parent, 5] + f[5])
