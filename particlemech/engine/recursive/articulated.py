"""Accelerations of a tree in a number of operations that grows with the number of bodies, not with its cube.

What a joint must transmit to its child so that everything outboard moves as it should is, about the joint's point O,

    f = I a + p        a = (angular acceleration, acceleration of O)                                     (1)

with the articulated inertia I and the bias p of the outboard part. A stage with direction s lets go of one component:

    s.f = tau   =>   x_ddot = (tau - s.p - U.a)/D,   U = I s,   D = s.U                                  (2)
    I <- I - U U^T/D,   p <- p + U (tau - s.p)/D          what the frame before the stage feels          (3)
    p <- p + U x_ddot                                     where x_ddot is prescribed instead             (4)

Applied from the last stage of the last body inward, then (2) outward. These are Kane's equations [P72] (3.27), (3.30),
eliminated in the order of the tree; kane.py writes them out and solves them as a whole.

I is stored as J (6), H (9), M (6): moment = J alpha + H a, force = H^T alpha + M a.
"""

from __future__ import annotations

import math

from particlemech._jit import kernel, noinline
from particlemech.engine.recursive.bending import bending_needs, own_bending_inertia
from particlemech.engine.recursive.closing import (
    JOINT,
    MODES,
    close,
    effort_of_rows,
    open_again,
    pass_mode,
    pass_on,
    pass_stage,
    set_out,
)
from particlemech.engine.recursive.tables import MODE, TRAVEL, Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import cross, inertia_times, part_of, put, six


@kernel
def own_inertia(i: int, m: Tables, s: WorkArrays) -> None:
    """Fill the inertia of one body about O."""
    I, S, mass = s.inertia[i], s.S[i], m.body[i].mass
    x, y, z = s.r[i, 0], s.r[i, 1], s.r[i, 2]
    tensor = m.body[i].inertia
    ax, ay, az = inertia_times(S, tensor, 1.0, 0.0, 0.0)
    _, by, bz = inertia_times(S, tensor, 0.0, 1.0, 0.0)
    _, _, cz = inertia_times(S, tensor, 0.0, 0.0, 1.0)
    I[0], I[1], I[2] = ax + mass * (y * y + z * z), by + mass * (x * x + z * z), cz + mass * (x * x + y * y)
    I[3], I[4], I[5] = ay - mass * x * y, az - mass * x * z, bz - mass * y * z
    I[6], I[7], I[8] = 0.0, -mass * z, mass * y
    I[9], I[10], I[11] = mass * z, 0.0, -mass * x
    I[12], I[13], I[14] = -mass * y, mass * x, 0.0
    I[15] = I[16] = I[17] = mass
    I[18] = I[19] = I[20] = 0.0


@kernel
def own_bias(i: int, m: Tables, s: WorkArrays) -> None:
    """Fill p of one body: velocity products minus applied loads."""
    mass, p = m.body[i].mass, s.p[i]
    wx, wy, wz = s.omega[i, 0], s.omega[i, 1], s.omega[i, 2]
    rx, ry, rz = s.r[i, 0], s.r[i, 1], s.r[i, 2]
    vx, vy, vz = cross(wx, wy, wz, rx, ry, rz)
    fx, fy, fz = cross(wx, wy, wz, vx, vy, vz)
    fx, fy, fz = mass * fx, mass * fy, mass * fz
    hx, hy, hz = inertia_times(s.S[i], m.body[i].inertia, wx, wy, wz)
    nx, ny, nz = cross(wx, wy, wz, hx, hy, hz)
    gx, gy, gz = cross(rx, ry, rz, fx, fy, fz)
    put(p, nx + gx - s.load[i, 0], ny + gy - s.load[i, 1], nz + gz - s.load[i, 2])
    p[3], p[4], p[5] = fx - s.load[i, 3], fy - s.load[i, 4], fz - s.load[i, 5]


@kernel
def times(I: Array, a: Array, out: Array) -> None:
    """Add I a to out, (6,) each."""
    out[0] += I[0] * a[0] + I[3] * a[1] + I[4] * a[2] + I[6] * a[3] + I[7] * a[4] + I[8] * a[5]
    out[1] += I[3] * a[0] + I[1] * a[1] + I[5] * a[2] + I[9] * a[3] + I[10] * a[4] + I[11] * a[5]
    out[2] += I[4] * a[0] + I[5] * a[1] + I[2] * a[2] + I[12] * a[3] + I[13] * a[4] + I[14] * a[5]
    out[3] += I[6] * a[0] + I[9] * a[1] + I[12] * a[2] + I[15] * a[3] + I[18] * a[4] + I[19] * a[5]
    out[4] += I[7] * a[0] + I[10] * a[1] + I[13] * a[2] + I[18] * a[3] + I[16] * a[4] + I[20] * a[5]
    out[5] += I[8] * a[0] + I[11] * a[1] + I[14] * a[2] + I[19] * a[3] + I[20] * a[4] + I[17] * a[5]


@kernel
def along(I: Array, travel: bool, ax: float, ay: float, az: float, U: Array) -> None:
    """Fill U = I s, s a rotation about or a translation along a."""
    if travel:
        U[0] = I[6] * ax + I[7] * ay + I[8] * az
        U[1] = I[9] * ax + I[10] * ay + I[11] * az
        U[2] = I[12] * ax + I[13] * ay + I[14] * az
        U[3] = I[15] * ax + I[18] * ay + I[19] * az
        U[4] = I[18] * ax + I[16] * ay + I[20] * az
        U[5] = I[19] * ax + I[20] * ay + I[17] * az
    else:
        U[0] = I[0] * ax + I[3] * ay + I[4] * az
        U[1] = I[3] * ax + I[1] * ay + I[5] * az
        U[2] = I[4] * ax + I[5] * ay + I[2] * az
        U[3] = I[6] * ax + I[9] * ay + I[12] * az
        U[4] = I[7] * ax + I[10] * ay + I[13] * az
        U[5] = I[8] * ax + I[11] * ay + I[14] * az


@kernel
def let_go(I: Array, U: Array, D: float) -> None:
    """Take U U^T/D from I, (3)."""
    c = 1.0 / D
    x, y, z = c * U[0], c * U[1], c * U[2]
    I[0] -= x * U[0]
    I[1] -= y * U[1]
    I[2] -= z * U[2]
    I[3] -= x * U[1]
    I[4] -= x * U[2]
    I[5] -= y * U[2]
    for k in range(3):
        I[6 + k] -= x * U[3 + k]
        I[9 + k] -= y * U[3 + k]
        I[12 + k] -= z * U[3 + k]
    x, y, z = c * U[3], c * U[4], c * U[5]
    I[15] -= x * U[3]
    I[16] -= y * U[4]
    I[17] -= z * U[5]
    I[18] -= x * U[4]
    I[19] -= x * U[5]
    I[20] -= y * U[5]


@kernel
def add_shifted_inertia(I: Array, dx: float, dy: float, dz: float, K: Array) -> None:
    """Add I, moved from a point to another one that lies at -d from it, to K.

    With G = [d] M:  M' = M,  H' = H + G,  J' = J + X + X^T,  X = [d] (H + G/2)^T.
    """
    # G, column by column: d x (column of M)
    g0, g3, g6 = cross(dx, dy, dz, I[15], I[18], I[19])
    g1, g4, g7 = cross(dx, dy, dz, I[18], I[16], I[20])
    g2, g5, g8 = cross(dx, dy, dz, I[19], I[20], I[17])
    # X, column by column: d x (row of H + G/2)
    x0, x3, x6 = cross(dx, dy, dz, I[6] + 0.5 * g0, I[7] + 0.5 * g1, I[8] + 0.5 * g2)
    x1, x4, x7 = cross(dx, dy, dz, I[9] + 0.5 * g3, I[10] + 0.5 * g4, I[11] + 0.5 * g5)
    x2, x5, x8 = cross(dx, dy, dz, I[12] + 0.5 * g6, I[13] + 0.5 * g7, I[14] + 0.5 * g8)
    K[0] += I[0] + 2.0 * x0
    K[1] += I[1] + 2.0 * x4
    K[2] += I[2] + 2.0 * x8
    K[3] += I[3] + x1 + x3
    K[4] += I[4] + x2 + x6
    K[5] += I[5] + x5 + x7
    K[6] += I[6] + g0
    K[7] += I[7] + g1
    K[8] += I[8] + g2
    K[9] += I[9] + g3
    K[10] += I[10] + g4
    K[11] += I[11] + g5
    K[12] += I[12] + g6
    K[13] += I[13] + g7
    K[14] += I[14] + g8
    for k in range(15, 21):
        K[k] += I[k]


@kernel
def add_shifted_wrench(f: Array, dx: float, dy: float, dz: float, out: Array) -> None:
    """Add a wrench (moment, force), moved from a point to another one that lies at -d from it, to out."""
    x, y, z = cross(dx, dy, dz, f[3], f[4], f[5])
    out[0] += f[0] + x
    out[1] += f[1] + y
    out[2] += f[2] + z
    out[3] += f[3]
    out[4] += f[4]
    out[5] += f[5]


@kernel
def arrive(i: int, m: Tables, s: WorkArrays) -> None:
    """Fill a of body i as far as its parent moves it, with the velocity products of the joint."""
    k, a, c = m.body[i].parent, s.a[i], s.c[i]
    x, y, z = cross(s.a[k, 0], s.a[k, 1], s.a[k, 2], s.d[i, 0], s.d[i, 1], s.d[i, 2])
    put(a, s.a[k, 0] + c[0], s.a[k, 1] + c[1], s.a[k, 2] + c[2])
    a[3], a[4], a[5] = s.a[k, 3] + x + c[3], s.a[k, 4] + y + c[4], s.a[k, 5] + z + c[5]


@kernel
def transmitted_along(e: int, m: Tables, s: WorkArrays) -> float:
    """Return what is needed along a stage: of the wrench that its joint transmits, or of the modal forces."""
    if m.stage[e].does == MODE:
        return s.need[e]
    return part_of(s.p[m.stage[e].body], m.stage[e].does == TRAVEL, s.axis[e])


@kernel
def add_along(a: Array, travel: bool, axis: Array, rate: float) -> None:
    """Add a stage's own acceleration to a."""
    at = 3 if travel else 0
    for k in range(3):
        a[at + k] += rate * axis[k]


# -- modes: bending.py (11) to (14) ------------------------------------------------------------------------------------


@noinline
def hand_over(i: int, m: Tables, s: WorkArrays) -> None:
    """Hand what hangs on section i over to its part, and to the modes of that: (11)."""
    b, I, p, W = m.body[i], s.inertia[i], s.p[i], s.wrench
    k, n, at = b.parent, b.modes, m.place[b.place].at
    pairs = m.link[m.body[k].link].pairs
    dx, dy, dz = s.d[i, 0], s.d[i, 1], s.d[i, 2]
    times(I, s.c[i], p)
    add_shifted_inertia(I, dx, dy, dz, s.inertia[k])
    add_shifted_wrench(p, dx, dy, dz, s.p[k])
    on_modes(i, p, m, s, s.need)
    for j in range(n):
        W[:] = 0.0
        times(I, s.twist[at + j], W)
        for l in range(n):
            s.coupling[pairs + j * n + l] += six(s.twist[at + l], W)
        add_shifted_wrench(W, dx, dy, dz, s.U[b.mode + j])


@noinline
def on_modes(i: int, f: Array, m: Tables, s: WorkArrays, out: Array) -> None:
    """Add what a wrench f (6,) at section i does along the modes of its part to out (n_stage,)."""
    b = m.body[i]
    at = m.place[b.place].at
    for j in range(b.modes):
        out[b.mode + j] += six(s.twist[at + j], f)


@noinline
def eliminate_modes(i: int, m: Tables, s: WorkArrays) -> float:
    """Eliminate the modes of a part, the last first: (12) to (14); return the least D beside what it was."""
    b, I, p, least = m.body[i], s.inertia[i], s.p[i], 1.0
    n, C = b.modes, s.coupling[m.link[b.link].pairs :]
    for j in range(n):
        s.D[b.mode + j, 2] = C[j * n + j]
    for j in range(n - 1, -1, -1):
        e = b.mode + j
        U, D = s.U[e], C[j * n + j]
        least = min(least, D / s.D[e, 2]) if s.D[e, 2] > 0.0 else 0.0
        s.D[e, 0], s.D[e, 1], s.D[e, 2], s.D[e, 3] = D, s.need[e], math.sqrt(D), 0.0
        let_go(I, U, D)
        c = (s.tau[e, 0] - s.need[e]) / D
        for k in range(6):
            p[k] += U[k] * c  # (13)
        if s.many[i, MODES] > 0:
            pass_mode(i, j, c, C, m, s)
        for k in range(j):
            f, K = C[k * n + j] / D, s.U[b.mode + k]
            s.need[b.mode + k] += C[k * n + j] * c
            for l in range(6):
                K[l] -= f * U[l]  # (14)
            for l in range(j):
                C[k * n + l] -= f * C[j * n + l]
    return least


@noinline
def accelerate_modes(i: int, m: Tables, s: WorkArrays) -> None:
    """Fill x_ddot of the modes of a part, (12)."""
    b, a = m.body[i], s.a[i]
    n, C = b.modes, s.coupling[m.link[b.link].pairs :]
    for j in range(n):
        e = b.mode + j
        rate = s.tau[e, 0] - s.D[e, 1] - six(s.U[e], a)
        rate += effort_of_rows(m.course[i].bending, s.many[i, MODES], e, s)
        for k in range(j):
            rate -= C[j * n + k] * s.x[b.mode + k, 2]
        s.x[e, 2] = rate / s.D[e, 0]
        s.tau[e, 1] = 0.0


@noinline
def add_modes(i: int, m: Tables, s: WorkArrays) -> None:
    """Add what the modes of its part do to the acceleration of section i."""
    b, a = m.body[i], s.a[i]
    at = m.place[b.place].at
    for j in range(b.modes):
        rate, t = s.x[b.mode + j, 2], s.twist[at + j]
        for k in range(6):
            a[k] += t[k] * rate


# -- sweeps ------------------------------------------------------------------------------------------------------------


@noinline
def inward(m: Tables, s: WorkArrays) -> float:
    """Reduce the tree to its root: fill inertia, p, U, D, (2) to (4), after outward and the forces; rows by closing.py.

    Return the least D of a free stage beside the inertia that its joint carries: 0 where a motion meets none.
    """
    least = 1.0
    n = len(m.body)
    tied = len(m.row) > 0
    if tied:
        set_out(m, s)
    for i in range(n):
        if m.body[i].link >= 0:
            own_bending_inertia(i, m, s)
            bending_needs(i, False, m, s, s.need)
            continue
        own_inertia(i, m, s)
        own_bias(i, m, s)
    for nth in range(n - 1):
        i = m.course[nth].nth
        b, I, p = m.body[i], s.inertia[i], s.p[i]
        if b.place >= 0:
            if tied:
                close(i, m, s)
                pass_on(i, m, s)
            hand_over(i, m, s)
            continue
        if b.link >= 0:
            least = min(least, eliminate_modes(i, m, s))
        turning, moving = I[0] + I[1] + I[2], I[15] + I[16] + I[17]
        if tied:
            close(i, m, s)
        for e in range(b.last - 1, b.first - 1, -1):
            travel, axis, U = m.stage[e].does == TRAVEL, s.axis[e], s.U[e]
            along(I, travel, axis[0], axis[1], axis[2], U)
            D, bias = part_of(U, travel, axis), part_of(p, travel, axis)
            s.D[e, 0], s.D[e, 1] = D, bias
            if m.stage[e].u < 0:
                if tied:
                    pass_stage(i, e, s.x[e, 2], m, s)
                for k in range(6):
                    p[k] += U[k] * s.x[e, 2]  # (4)
                continue
            size = moving if travel else turning
            least = min(least, D / size) if size > 0.0 else 0.0
            let_go(I, U, D)
            c = (s.tau[e, 0] - bias) / D
            if tied:
                pass_stage(i, e, c, m, s)
            for k in range(6):
                p[k] += U[k] * c  # (3)
        if tied:
            pass_on(i, m, s)
        dx, dy, dz = s.d[i, 0], s.d[i, 1], s.d[i, 2]
        if b.parent > 0:
            add_shifted_inertia(I, dx, dy, dz, s.inertia[b.parent])
            times(I, s.c[i], p)
            add_shifted_wrench(p, dx, dy, dz, s.p[b.parent])
    if tied:
        close(0, m, s)
    return least


@noinline
def accelerations(m: Tables, s: WorkArrays) -> None:
    """Fill a of all bodies, x_ddot of the free stages, the efforts of drivers and multipliers, after inward: (2)."""
    n, tied = len(m.body), len(m.row) > 0
    if tied:
        s.lam[:] = 0.0
        open_again(0, m, s)
    for nth in range(n - 2, -1, -1):
        i = m.course[nth].nth
        arrive(i, m, s)
        a = s.a[i]
        if m.body[i].place >= 0:
            add_modes(i, m, s)
        for e in range(m.body[i].first, m.body[i].last):
            U, travel = s.U[e], m.stage[e].does == TRAVEL
            needed = s.D[e, 1]
            if tied:
                needed -= effort_of_rows(m.course[i].passing, s.many[i, JOINT], e, s)
            for k in range(6):
                needed += U[k] * a[k]
            if m.stage[e].u >= 0:
                s.x[e, 2] = (s.tau[e, 0] - needed) / s.D[e, 0]
                s.tau[e, 1] = 0.0
            else:
                s.tau[e, 1] = needed + s.D[e, 0] * s.x[e, 2] - s.tau[e, 0]  # [P72] (3.31) (errata)
            add_along(a, travel, s.axis[e], s.x[e, 2])
        if tied:
            open_again(i, m, s)
        if m.body[i].link >= 0:
            accelerate_modes(i, m, s)


@kernel
def carried(m: Tables, s: WorkArrays) -> None:
    """Fill a of all bodies for given x_ddot."""
    for i in range(1, len(m.body)):
        arrive(i, m, s)
        if m.body[i].place >= 0:
            add_modes(i, m, s)
            continue
        for e in range(m.body[i].first, m.body[i].last):
            add_along(s.a[i], m.stage[e].does == TRAVEL, s.axis[e], s.x[e, 2])


@noinline
def transmitted(m: Tables, s: WorkArrays) -> None:
    """Fill a and p of all bodies for given x_ddot: p becomes what each joint transmits to its child about O.

    Row 0 of p is what the ground gives to the whole tree, about the origin.
    """
    carried(m, s)
    needed_alone(m, s)
    hand_in(m, s)


@noinline
def needed_alone(m: Tables, s: WorkArrays) -> None:
    """Fill p of all bodies with what each needs by itself as it moves, loads taken off."""
    for k in range(6):
        s.p[0, k] = 0.0
    for i in range(1, len(m.body)):
        if m.body[i].link >= 0:
            bending_needs(i, True, m, s, s.need)
            continue
        own_bias(i, m, s)
        add_rate_of_momentum(i, m, s)


@noinline
def hand_in(m: Tables, s: WorkArrays) -> None:
    """Add p of all bodies to their parents, the last first."""
    for i in range(len(m.body) - 1, 0, -1):
        if m.body[i].place >= 0:
            on_modes(i, s.p[i], m, s, s.need)
        add_shifted_wrench(s.p[i], s.d[i, 0], s.d[i, 1], s.d[i, 2], s.p[m.body[i].parent])


@kernel
def add_rate_of_momentum(i: int, m: Tables, s: WorkArrays) -> None:
    """Add what the acceleration of a body asks for to p, velocity products left out."""
    a, mass, p = s.a[i], m.body[i].mass, s.p[i]
    rx, ry, rz = s.r[i, 0], s.r[i, 1], s.r[i, 2]
    x, y, z = cross(a[0], a[1], a[2], rx, ry, rz)
    fx, fy, fz = mass * (a[3] + x), mass * (a[4] + y), mass * (a[5] + z)
    nx, ny, nz = inertia_times(s.S[i], m.body[i].inertia, a[0], a[1], a[2])
    gx, gy, gz = cross(rx, ry, rz, fx, fy, fz)
    p[0] += nx + gx
    p[1] += ny + gy
    p[2] += nz + gz
    p[3] += fx
    p[4] += fy
    p[5] += fz
