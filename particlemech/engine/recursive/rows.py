"""Rows: what closes loops, couples joints and drives what is no coordinate of a joint; and what they do to the motion.

A row is one of four forms in places P1, P2 and directions a1, b2 of two frames, or in two coordinates:

    GAP       a1.(P2 - P1) - s(t)             a fixed in the first frame, or in the ground                        (1)
    ACROSS    a1.b2 - c                                                                                          (2)
    SPAN      |P2 - P1| - c - s(t)                                                                               (3)
    TIED      x2 - c x1                       coordinates of stages                                              (4)

Its rate is W1.(omega1, v1) + W2.(omega2, v2) with wrenches W about O of both frames, so that its multiplier lam does
lam W to them, and its second rate W.a + what velocities alone make of it. Nothing else is written per form.

Passed inward by the elimination of articulated.py, a unit multiplier of row r leaves an effort e_rk at each stage k:

    H_rk = e_rk/sqrt(D_k),    H H^T lam = -(second rates of rows in the motion without them)                     (5)
    D_k x_ddot_k = tau_k - s.p + sum lam_r e_rk - U.a          articulated.py (2) with the rows                  (6)

H H^T = G M^-1 G^T, and H is all that is ever formed of it. Rows that follow from others (over-constrained linkages) are
left out: which, is found once per step at the projected state, by the pivots of H H^T, and kept for all its stages and
its dense output. Bennett's linkage at 1e-11: 124 steps. Not used: to decide it at each stage, which leaves the rows a
little, so that what is redundant looks independent (1200 steps); rows softened instead (214 steps, 1e4 times the
error).
"""

from __future__ import annotations

import math

from particlemech._jit import kernel, noinline
from particlemech.engine.recursive.articulated import (
    accelerate_modes,
    accelerations,
    add_along,
    add_modes,
    on_modes,
    part_of,
)
from particlemech.engine.recursive.forms import ACROSS, SPAN, TIED
from particlemech.engine.recursive.tables import TRAVEL, Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import Triple, cross, dot, put, shifted

VALUE, RATE, SECOND = range(3)
# pivot of H H^T beside its diagonal, below which a row follows from others: those of exact linkages are 1e-26 to 1e-15,
# of one whose axes are off by 1e-6 1e-12, and a four-bar 1 degree beside a dead centre has 3e-4
DEPENDENT = 1e-10
NOTHING = 1e-20  # of the largest diagonal of H H^T, rows as lengths: what is smaller is rounding


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


@noinline
def second_rate(r: int, m: Tables, s: WorkArrays) -> float:
    """Return the second rate of a row at the accelerations of the frames, or of the stages."""
    p, W = m.row[r], s.W[r]
    total = -s.sig[p.signal, 2] if p.signal >= 0 else 0.0
    if p.form == TIED:
        return total + s.x[p.stage2, 2] - p.c * s.x[p.stage1, 2]
    j, k, a, b = s.omega[p.first], s.omega[p.second], s.a[p.first], s.a[p.second]
    for i in range(6):
        total += W[i] * a[i] + W[6 + i] * b[i]
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


# -- inward ------------------------------------------------------------------------------------------------------------


@kernel
def own_effort(r: int, e: int, m: Tables) -> float:
    """Return what a unit multiplier does to a stage by itself, (4)."""
    p = m.row[r]
    return (1.0 if e == p.stage2 else 0.0) - (p.c if e == p.stage1 else 0.0)


@noinline
def passed(r: int, i: int, tied: bool, f: Array, m: Tables, s: WorkArrays) -> int:
    """Pass the wrench f (6,) of row r on from frame i to its parent, and note H; return the parent."""
    b, H = m.body[i], s.H[r]
    if b.place >= 0:
        on_modes(i, f, m, s, s.need)
    if b.link >= 0:
        pass_modes(r, i, f, m, s)
    for e in range(b.last - 1, b.first - 1, -1):
        effort = part_of(f, m.stage[e].does == TRAVEL, s.axis[e])
        if tied:
            effort += own_effort(r, e, m)
        if m.stage[e].u < 0:
            s.held[r, e] += effort
            continue
        U, c = s.U[e], effort / s.D[e, 0]
        H[e] += c * s.D[e, 2]
        for k in range(6):
            f[k] -= U[k] * c
    x, y, z = cross(s.d[i, 0], s.d[i, 1], s.d[i, 2], f[3], f[4], f[5])
    put(f[0:3], f[0] + x, f[1] + y, f[2] + z)
    return b.parent


@noinline
def pass_modes(r: int, i: int, f: Array, m: Tables, s: WorkArrays) -> None:
    """Pass a wrench through the modes of a part, on which `need` acts by way of its sections; bending.py (13), (14)."""
    b, H = m.body[i], s.H[r]
    n, C = b.modes, s.coupling[m.link[b.link].pairs :]
    for j in range(n - 1, -1, -1):
        e = b.mode + j
        effort = s.need[e]
        s.need[e] = 0.0
        H[e] += effort / s.D[e, 2]
        U, c = s.U[e], effort / s.D[e, 0]
        for k in range(6):
            f[k] -= U[k] * c
        for k in range(j):
            s.need[b.mode + k] -= C[k * n + j] * c


@noinline
def half(r: int, m: Tables, s: WorkArrays) -> None:
    """Fill H[r], (5), after inward and place_row: along both branches of the loop, then together."""
    p = m.row[r]
    for e in range(len(m.stage)):
        s.H[r, e] = s.held[r, e] = s.need[e] = 0.0
    i, k = p.second, p.first
    f, g = s.wrench[0], s.wrench[1]
    for c in range(6):
        f[c] = s.W[r, 6 + c]
        g[c] = s.W[r, c]
    tied = p.form == TIED
    if tied:
        i, k = m.stage[p.stage2].body, m.stage[p.stage1].body
        for c in range(6):
            f[c] = g[c] = 0.0
    while i > 0 or k > 0:
        if i == k:
            for c in range(6):
                f[c] += g[c]
            k = 0
        # the frame with the larger number is not inward of the other, and goes first
        if i > k:
            i = passed(r, i, tied, f, m, s)
        else:
            k = passed(r, k, tied, g, m, s)


@kernel
def product(H: Array, K: Array) -> float:
    """Return H_r.H_q; four sums at a time, which do not wait for each other."""
    a = b = c = d = 0.0
    n = len(H)
    for e in range(0, n - 3, 4):
        a += H[e] * K[e]
        b += H[e + 1] * K[e + 1]
        c += H[e + 2] * K[e + 2]
        d += H[e + 3] * K[e + 3]
    for e in range(n - n % 4, n):
        a += H[e] * K[e]
    return a + b + c + d


@noinline
def choose(m: Tables, s: WorkArrays, kept: Array) -> float:
    """Fill `kept` with the number of independent rows and these rows, best first; return the least pivot among them.

    Gram and Schmidt by pivots of H H^T; rows are scaled to length 1 first. Where fewer rows are independent than once
    before, the least pivot is that of the best row left out: the pose is singular.
    """
    n, A, largest = len(m.row), s.A, 0.0
    for r in range(n):
        place_row(r, m, s)
        half(r, m, s)
        kept[1 + r] = r
    for r in range(n):
        for q in range(r + 1):
            A[r, q] = A[q, r] = product(s.H[r], s.H[q])
        largest = max(largest, s.span[r] * s.span[r] * A[r, r])
    for r in range(n):  # sizes; a row that asks for nothing is a rounding error, not to be scaled up
        s.lam[r] = max(A[r, r], NOTHING * largest / (s.span[r] * s.span[r]))
    count, least = 0, 1.0
    while count < n:
        best, pivot = count, -1.0
        for k in range(count, n):
            r = int(kept[1 + k])
            ratio = A[r, r] / s.lam[r] if s.lam[r] > 0.0 else 0.0
            if ratio > pivot:
                best, pivot = k, ratio
        if pivot < DEPENDENT:
            if count < kept[n + 1]:
                least = max(pivot, 0.0)
            break
        least = min(least, pivot)
        kept[1 + best], kept[1 + count] = kept[1 + count], kept[1 + best]
        p = int(kept[1 + count])
        count += 1
        for k in range(count, n):
            r = int(kept[1 + k])
            c = A[r, p] / A[p, p]
            for i in range(count, n):
                q = int(kept[1 + i])
                A[r, q] -= c * A[p, q]
    kept[0], kept[n + 1] = count, max(kept[n + 1], count)
    return least


@noinline
def factor_rows(m: Tables, s: WorkArrays) -> float:
    """Fill A with Cholesky's factor of H H^T over the rows that are kept, H first; return the least pivot."""
    n, A, least = int(s.kept[0]), s.A, 1.0
    for j in range(n):
        half(int(s.kept[1 + j]), m, s)
    for j in range(n):
        H = s.H[int(s.kept[1 + j])]
        for i in range(j, n):
            A[i, j] = product(s.H[int(s.kept[1 + i])], H)
    for j in range(n):
        whole = A[j, j]
        for k in range(j):
            A[j, j] -= A[j, k] * A[j, k]
        if not A[j, j] > 1e-14 * whole:
            A[j, j] = 1e-14 * whole if whole > 0.0 else 1.0
        least = min(least, A[j, j] / whole) if whole > 0.0 else 0.0
        A[j, j] = math.sqrt(A[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
    return least


@noinline
def multipliers(level: int, m: Tables, s: WorkArrays) -> None:
    """Solve for the multipliers that take value, rate or second rate of the rows that are kept away, A factored."""
    n, A, lam = int(s.kept[0]), s.A, s.lam
    b = s.b
    for i in range(n):
        b[i] = -s.phi[int(s.kept[1 + i]), level]
        for k in range(i):
            b[i] -= A[i, k] * b[k]
        b[i] /= A[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            b[i] -= A[k, i] * b[k]
        b[i] /= A[i, i]
    lam[:] = 0.0
    for i in range(n):
        lam[int(s.kept[1 + i])] = b[i]


@noinline
def efforts(m: Tables, s: WorkArrays) -> None:
    """Fill D[:, 3] with what the multipliers do at each stage: sum lam_r e_rk of (6)."""
    n = int(s.kept[0])
    for e in range(len(m.stage)):
        total = held = 0.0
        for i in range(n):
            r = int(s.kept[1 + i])
            total += s.lam[r] * s.H[r, e]
            held += s.lam[r] * s.held[r, e]
        s.D[e, 3] = total * s.D[e, 2] if m.stage[e].u >= 0 else held


@noinline
def response(m: Tables, s: WorkArrays) -> None:
    """Fill x[:, 2] with what the multipliers alone do: M^-1 G^T lam; after `efforts`. The work arrays a are spent."""
    s.a[0, :] = 0.0
    for i in range(1, len(m.body)):
        k, a = m.body[i].parent, s.a[i]
        x, y, z = cross(s.a[k, 0], s.a[k, 1], s.a[k, 2], s.d[i, 0], s.d[i, 1], s.d[i, 2])
        put(a[0:3], s.a[k, 0], s.a[k, 1], s.a[k, 2])
        put(a[3:6], s.a[k, 3] + x, s.a[k, 4] + y, s.a[k, 5] + z)
        if m.body[i].place >= 0:
            add_modes(i, m, s)
            continue
        for e in range(m.body[i].first, m.body[i].last):
            rate = 0.0
            if m.stage[e].u >= 0:
                rate = s.D[e, 3]
                for c in range(6):
                    rate -= s.U[e, c] * a[c]
                rate /= s.D[e, 0]
            s.x[e, 2] = rate
            add_along(a, m.stage[e].does == TRAVEL, s.axis[e], rate)
        if m.body[i].link >= 0:
            accelerate_modes(i, False, m, s)


@noinline
def constrain(m: Tables, s: WorkArrays) -> tuple[float, float]:
    """Take the accelerations without rows, which are in the work arrays, to those with them: (5), (6).

    Return the least pivot of the rows and the power of their drivers.
    """
    for i in range(int(s.kept[0])):
        r = int(s.kept[1 + i])
        place_row(r, m, s)
        s.phi[r, SECOND] = second_rate(r, m, s)
    least = factor_rows(m, s)
    multipliers(SECOND, m, s)
    efforts(m, s)
    accelerations(m, s)
    power = 0.0
    for r in range(len(m.row)):
        if m.row[r].signal >= 0:
            power += s.lam[r] * s.sig[m.row[r].signal, 1]
    return least, power


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
