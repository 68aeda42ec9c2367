"""Influence coefficients of a chain, and its equations after Lagrange: no sweeps, every motion by itself.

A motion k of the chain (travel or turn of the base, phi or dphi of a joint, a modal coordinate) turns all that is
outboard of it about S_k through the point A_k, and shifts it by t_k; global axes. For a frame O outboard of k and l:

    g_k = (S_k, t_k + S_k x (O - A_k))                             [G88] (2.2-3..5)                           (1)
    h_kl = d g_l/d phi_k = S_k x g_l            k inboard of l      (2.2-11a, 12a)                             (2)
         = (0, S_l x g_k)                       l inboard of k      (2.2-11c, 12c)                             (3)
         = (c, -e S_kl + c x d + S_l x (S_k x d)),  d = O - A       both of one link, c = d turn_l/dq_k        (4)

(4) is what finite rotations E(theta) and foreshortening add; in the report it is zero. In axes of link i, with the
inertia I_i(q) of the link for (omega, v, q'), [G88] (A-76),

    I*   = sum G_i^T I_i G_i                                                         (2.3-26)                 (5)
    dI*_k = sum H_k^T I_i G + G^T (dI_i/dphi_k) G + G^T I_i H_k                      (2.3-37)                 (6)
    P*_l;kc = dI*_k;lc - 1/2 dI*_l;kc                                                (2.3-24)                 (7)
    I* phi'' + phi'^T P* phi' + K* phi + C phi' = tau                                (2.3-25)                 (8)

Turns of the base are no coordinates: their speeds are components of its angular velocity, and (7) gains eps_kls I*_sc
(Hamel). Motions stand outward in the list, so those that move a link are the first ones: no loop meets a zero that the
structure has. Drives of joints are links of their own, with an inertia about z, or a mass.
"""

from __future__ import annotations

from particlemech._jit import attachment, entry, kernel, noinline
from particlemech.analyses.influence.sheet import Sheet
from particlemech.engine.bending.links import FLOATS
from particlemech.engine.bending.motion import outward
from particlemech.engine.bending.sections import coefficients, place, section
from particlemech.engine.bending.springs import stretched
from particlemech.engine.bending.tables import Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import Triple, back, cross, dot, put, shifted

attached = attachment(Tables, WorkArrays, Sheet)
EACH = 6  # numbers of a frame: omega, v


@kernel
def before(i: int, m: Tables) -> int:
    """Return how many motions move the frame of link i."""
    return m.link[i].u


@noinline
def screws(m: Tables, s: WorkArrays, f: Sheet) -> None:
    """Fill S, A, t of all motions, and c of modal coordinates."""
    b = m.base[0].state
    f.S[:, :] = 0.0
    f.A[:, :] = 0.0
    f.t[:, :] = 0.0
    for k in range(3):
        if b > 0:
            f.t[k, k] = 1.0
        if b == FLOATS:
            f.S[3 + k, k] = 1.0
            put(f.A[3 + k], s.O[0, 0], s.O[0, 1], s.O[0, 2])
    for i in range(1, len(m.link)):
        g, R, link = m.joint[i], s.R[i], m.link[i]
        for u in (g.u, g.du):
            if u >= 0:
                put(f.t[u] if g.slides else f.S[u], R[2], R[5], R[8])
                put(f.A[u], s.O[i, 0], s.O[i, 1], s.O[i, 2])
        r, at = s.r[link.end], m.place[link.end].at
        x, y, z = shifted(R, r[0], r[1], r[2])
        for j in range(link.modes):
            u, turn, shift = link.u + j, s.turn[at + j], s.shift[at + j]
            put(f.A[u], s.O[i, 0] + x, s.O[i, 1] + y, s.O[i, 2] + z)
            tx, ty, tz = shifted(R, turn[0], turn[1], turn[2])
            put(f.S[u], tx, ty, tz)
            tx, ty, tz = shifted(R, shift[0], shift[1], shift[2])
            put(f.t[u], tx, ty, tz)
            for k in range(link.modes):
                tx, ty, tz = turning(i, k, j, m, s)
                tx, ty, tz = shifted(R, tx, ty, tz)
                put(f.turn[u, k], tx, ty, tz)


@kernel
def turning(i: int, k: int, l: int, m: Tables, s: WorkArrays) -> Triple:
    """Return d turn_l/d q_k at the end of link i, link axes: (4)."""
    f, at = m.link[i], m.place[m.link[i].end].at
    x = y = z = 0.0
    for j in range(f.modes):
        psi, q = m.psi[at + j], s.q[f.modal + j, 0]
        x, y, z = x + psi[0] * q, y + psi[1] * q, z + psi[2] * q
    a, b = m.psi[at + k], m.psi[at + l]
    _, A, B, A_x, B_x = coefficients(x * x + y * y + z * z)
    along = x * a[0] + y * a[1] + z * a[2]
    tx, ty, tz = cross(x, y, z, b[0], b[1], b[2])
    ux, uy, uz = cross(x, y, z, tx, ty, tz)
    vx, vy, vz = cross(a[0], a[1], a[2], b[0], b[1], b[2])
    wx, wy, wz = cross(a[0], a[1], a[2], tx, ty, tz)
    px, py, pz = cross(x, y, z, vx, vy, vz)
    cx = A_x * along * tx + B_x * along * ux + A * vx + B * (wx + px)
    cy = A_x * along * ty + B_x * along * uy + A * vy + B * (wy + py)
    cz = A_x * along * tz + B_x * along * uz + A * vz + B * (wz + pz)
    return cx, cy, cz


@kernel
def moves(k: int, x: float, y: float, z: float, f: Sheet) -> Triple:
    """Return how motion k moves a point outboard of it: (1)."""
    S, A, t = f.S[k], f.A[k], f.t[k]
    a, b, c = cross(S[0], S[1], S[2], x - A[0], y - A[1], z - A[2])
    return t[0] + a, t[1] + b, t[2] + c


@kernel
def owner(k: int, m: Tables) -> int:
    """Return the link whose modal coordinate motion k is, 0 for the turns of the base, or -1."""
    if k < 6 and m.base[0].state == FLOATS:
        return 0 if k >= 3 else -1
    for i in range(1, len(m.link)):
        if m.link[i].u <= k < m.link[i].u + m.link[i].modes:
            return i
    return -1


@noinline
def second(k: int, l: int, x: float, y: float, z: float, m: Tables, s: WorkArrays, f: Sheet, out: Array) -> None:
    """Fill h_kl (6,) of a point and its frame outboard of both: (2) to (4), global axes."""
    Sk, Sl = f.S[k], f.S[l]
    of = owner(l, m)
    together = of >= 0 and of == owner(k, m)
    put(out[0:3], 0.0, 0.0, 0.0)
    if together and of > 0:
        g, A = m.link[of], f.A[l]
        i, j = k - g.u, l - g.u
        e, c = g.along, f.turn[l, i]
        S = m.short[m.place[g.end].pairs + j * g.modes + i]
        ex, ey, ez = shifted(s.R[of], e[0], e[1], e[2])
        dx, dy, dz = x - A[0], y - A[1], z - A[2]
        ax, ay, az = cross(c[0], c[1], c[2], dx, dy, dz)
        bx, by, bz = cross(Sk[0], Sk[1], Sk[2], dx, dy, dz)
        bx, by, bz = cross(Sl[0], Sl[1], Sl[2], bx, by, bz)
        put(out[0:3], c[0], c[1], c[2])
        put(out[3:6], ax + bx - S * ex, ay + by - S * ey, az + bz - S * ez)  # (4)
    elif k < l and not together:
        a, b, c = cross(Sk[0], Sk[1], Sk[2], Sl[0], Sl[1], Sl[2])
        put(out[0:3], a, b, c)
        a, b, c = moves(l, x, y, z, f)
        a, b, c = cross(Sk[0], Sk[1], Sk[2], a, b, c)
        put(out[3:6], a, b, c)  # (2)
    else:
        a, b, c = moves(k, x, y, z, f)
        a, b, c = cross(Sl[0], Sl[1], Sl[2], a, b, c)
        put(out[3:6], a, b, c)  # (3)


@noinline
def seen(R: Array, x: float, y: float, z: float, n: int, m: Tables, s: WorkArrays, f: Sheet) -> None:
    """Fill g and h of a point and its frame with axes R, moved by the first n motions, in its axes."""
    for k in range(n):
        S = f.S[k]
        a, b, c = back(R, S[0], S[1], S[2])
        f.g[0, k], f.g[1, k], f.g[2, k] = a, b, c
        a, b, c = moves(k, x, y, z, f)
        a, b, c = back(R, a, b, c)
        f.g[3, k], f.g[4, k], f.g[5, k] = a, b, c
    for k in range(n):
        S = f.S[k]
        for l in range(n):
            h = f.h[k, l]
            second(k, l, x, y, z, m, s, f, h)
            # the axes turn with k
            a, b, c = cross(S[0], S[1], S[2], f.S[l, 0], f.S[l, 1], f.S[l, 2])
            a, b, c = back(R, h[0] - a, h[1] - b, h[2] - c)
            put(h[0:3], a, b, c)
            a, b, c = moves(l, x, y, z, f)
            a, b, c = cross(S[0], S[1], S[2], a, b, c)
            a, b, c = back(R, h[3] - a, h[4] - b, h[5] - c)
            put(h[3:6], a, b, c)


@noinline
def own(i: int, m: Tables, s: WorkArrays, f: Sheet) -> None:
    """Fill the inertia of link i for (omega, v, q') in its axes, and its derivatives by q."""
    g = m.link[i]
    f.local[:, :, :] = 0.0
    I = f.local[0]
    c = g.moment
    for j in range(3):
        I[3 + j, 3 + j] = g.mass
        for k in range(3):
            I[j, k] = g.inertia[3 * j + k]
    skew(I, c[0], c[1], c[2])
    for e in range(g.first, g.last):
        station(i, e, m, s, f)
    for d in range(1 + g.modes):
        for j in range(EACH + g.modes):
            for k in range(j):
                f.local[d, k, j] = f.local[d, j, k]


@kernel
def skew(I: Array, x: float, y: float, z: float) -> None:
    """Add first moments (x, y, z) to the lower half of an inertia: rows v, columns omega."""
    I[3, 1] += z
    I[3, 2] -= y
    I[4, 0] -= z
    I[4, 2] += x
    I[5, 0] += y
    I[5, 1] -= x


@kernel
def station(i: int, e: int, m: Tables, s: WorkArrays, f: Sheet) -> None:
    """Add a station to the lower half of the inertia of link i and of its derivatives."""
    g, p, r = m.link[i], m.place[e], s.r[e]
    mass, J, n, along = p.mass, p.inertia, g.modes, m.link[i].along
    for d in range(1 + n):
        # d = 0: the inertia itself; else by q of mode d - 1, r -> dr, shift_j -> -e S
        I, a = f.local[d], r if d == 0 else s.shift[p.at + d - 1]
        twice = 1.0 if d == 0 else 2.0
        ra = dot(r[0], r[1], r[2], a[0], a[1], a[2])
        skew(I, mass * a[0], mass * a[1], mass * a[2])
        for j in range(3):
            I[j, j] += twice * mass * ra
            for k in range(j + 1):
                I[j, k] -= mass * (r[j] * a[k] if d == 0 else r[j] * a[k] + a[j] * r[k])
                if d == 0:
                    I[j, k] += J[3 * j + k]
            if d == 0:
                I[3 + j, 3 + j] += mass
        for j in range(n):
            u = s.shift[p.at + j]
            S = 0.0 if d == 0 else m.short[p.pairs + j * n + d - 1]
            vx, vy, vz = (u[0], u[1], u[2]) if d == 0 else (-S * along[0], -S * along[1], -S * along[2])
            tx, ty, tz = cross(r[0], r[1], r[2], vx, vy, vz)
            if d > 0:
                ax, ay, az = cross(a[0], a[1], a[2], u[0], u[1], u[2])
                tx, ty, tz = tx + ax, ty + ay, tz + az
            row = I[EACH + j]
            put(row[0:3], row[0] + mass * tx, row[1] + mass * ty, row[2] + mass * tz)
            put(row[3:6], row[3] + mass * vx, row[4] + mass * vy, row[5] + mass * vz)
            psi = m.psi[p.at + j]
            hx, hy, hz = shifted(J, psi[0], psi[1], psi[2])
            if d == 0:
                put(row[0:3], row[0] + hx, row[1] + hy, row[2] + hz)
            for k in range(j + 1):
                w, t = s.shift[p.at + k], m.psi[p.at + k]
                row[EACH + k] += mass * dot(vx, vy, vz, w[0], w[1], w[2])
                if d == 0:
                    row[EACH + k] += dot(hx, hy, hz, t[0], t[1], t[2])
                else:
                    other = m.short[p.pairs + k * n + d - 1]
                    row[EACH + k] -= mass * other * dot(u[0], u[1], u[2], along[0], along[1], along[2])


@noinline
def summed(n: int, modes: int, weight: Triple, deep: bool, f: Sheet) -> None:
    """Add (5), and (6) if `deep`, of a link whose frame n motions move and which has its own `modes` after them.

    A field of gravity acts on it as inertia does in a falling lift: its part of tau is G^T I_i (0, g, 0).
    """
    size, every = EACH + modes, n + modes
    for k in range(modes):
        for c in range(size):
            f.g[c, n + k] = 1.0 if c == EACH + k else 0.0
    for k in range(n):
        for c in range(EACH, size):
            f.g[c, k] = 0.0
    for r in range(size):
        for k in range(every):
            total = 0.0
            for c in range(size):
                total += f.local[0, r, c] * f.g[c, k]
            f.Y[r, k] = total
    for k in range(every):
        f.tau[k] += f.Y[3, k] * weight[0] + f.Y[4, k] * weight[1] + f.Y[5, k] * weight[2]
        for l in range(every):
            for c in range(size):
                f.I[k, l] += f.g[c, k] * f.Y[c, l]
    if not deep:
        return
    for k in range(n):
        for l in range(n):
            h = f.h[k, l]
            for c in range(every):
                value = h[0] * f.Y[0, c] + h[1] * f.Y[1, c] + h[2] * f.Y[2, c]
                value += h[3] * f.Y[3, c] + h[4] * f.Y[4, c] + h[5] * f.Y[5, c]
                f.dI[k, l, c] += value
                f.dI[k, c, l] += value
    for k in range(modes):
        for r in range(size):
            for l in range(every):
                total = 0.0
                for c in range(size):
                    total += f.local[1 + k, r, c] * f.g[c, l]
                f.Y[r, l] = total
        for l in range(every):
            for c in range(every):
                total = 0.0
                for r in range(size):
                    total += f.g[r, l] * f.Y[r, c]
                f.dI[n + k, l, c] += total


@noinline
def drive(i: int, deep: bool, m: Tables, s: WorkArrays, f: Sheet) -> None:
    """Add the drive of joint i: an inertia about its axis, or a mass on it, that phi moves and dphi does not."""
    g, O, R = m.joint[i], s.O[i], s.R[i]
    n = before(i - 1, m) + m.link[i - 1].modes
    d = s.d[i, 0] if g.slides else 0.0
    # a free phi is the motion right after those that move the joint, and its axes are those of the link without turning
    if g.u >= 0:
        n = g.u + 1
    seen(R, O[0] - d * R[2], O[1] - d * R[5], O[2] - d * R[8], n, m, s, f)
    f.local[:, :, :] = 0.0
    if g.slides:
        for c in range(3, 6):
            f.local[0, c, c] = g.rotor
    else:
        f.local[0, 2, 2] = g.rotor
    summed(n, 0, back(R, m.gravity[0], m.gravity[1], m.gravity[2]), deep, f)


@entry
def matrices(t: float, q: Array, deep: bool, address: int) -> None:
    """Fill G, I* and, if `deep`, dI*."""
    m, s, f = attached(address)
    f.u[:] = 0.0
    outward(t, q, f.u, False, m, s)
    screws(m, s, f)
    f.I[:, :] = 0.0
    f.dI[:, :, :] = 0.0
    f.tau[:] = 0.0
    for i in range(len(m.link)):
        O, n = s.O[i], before(i, m)
        for k in range(n):
            put(f.G[i, 0:3, k], f.S[k, 0], f.S[k, 1], f.S[k, 2])
            x, y, z = moves(k, O[0], O[1], O[2], f)
            put(f.G[i, 3:6, k], x, y, z)
        seen(s.R[i], O[0], O[1], O[2], n if deep else 0, m, s, f)
        if not deep:
            first_order(s.R[i], i, n, f)
        own(i, m, s, f)
        summed(n, m.link[i].modes, back(s.R[i], m.gravity[0], m.gravity[1], m.gravity[2]), deep, f)
        if i > 0 and m.joint[i].rotor > 0.0:
            drive(i, deep, m, s, f)


@kernel
def first_order(R: Array, i: int, n: int, f: Sheet) -> None:
    """Fill g of link i from G."""
    for k in range(n):
        G = f.G[i]
        a, b, c = back(R, G[0, k], G[1, k], G[2, k])
        f.g[0, k], f.g[1, k], f.g[2, k] = a, b, c
        a, b, c = back(R, G[3, k], G[4, k], G[5, k])
        f.g[3, k], f.g[4, k], f.g[5, k] = a, b, c


@entry
def second_order(i: int, address: int) -> None:
    """Fill h of link i, global axes; after `matrices`."""
    m, s, f = attached(address)
    O, n = s.O[i], before(i, m)
    for k in range(n):
        for l in range(n):
            second(k, l, O[0], O[1], O[2], m, s, f, f.h[k, l])


@noinline
def lengthened(e: int, m: Tables, s: WorkArrays, f: Sheet) -> float:
    """Fill u of the sheet with how the length of spring e changes with each motion; return its length."""
    length = 0.0
    stretched(e, m, s)
    dx, dy, dz = s.line[0], s.line[1], s.line[2]
    f.u[:] = 0.0
    if s.line[6] > 0.0:
        length = s.line[6]
        dx, dy, dz = dx / length, dy / length, dz / length
        for n in range(2):
            k, sign = m.spring[e].place[n], 2.0 * n - 1.0
            if k < 0:
                continue
            i, at, r = m.place[k].link, m.place[k].at, s.r[k]
            x, y, z = shifted(s.R[i], r[0], r[1], r[2])
            x, y, z = s.O[i, 0] + x, s.O[i, 1] + y, s.O[i, 2] + z
            before_i = before(i, m)
            for l in range(before_i):
                a, b, c = moves(l, x, y, z, f)
                f.u[l] += sign * dot(dx, dy, dz, a, b, c)
            for j in range(m.link[i].modes):
                a, b, c = shifted(s.R[i], s.shift[at + j, 0], s.shift[at + j, 1], s.shift[at + j, 2])
                f.u[before_i + j] += sign * dot(dx, dy, dz, a, b, c)
    return length


@entry
def sprung(speeds: Array, address: int) -> None:
    """Add springs between places to tau, at speeds of all motions (n,); after `matrices`."""
    m, s, f = attached(address)
    for e in range(len(m.spring)):
        length = lengthened(e, m, s, f)
        rate = 0.0
        for l in range(len(speeds)):
            rate += f.u[l] * speeds[l]
        force = m.spring[e].stiffness * (length - m.spring[e].length) + m.spring[e].damping * rate
        for l in range(len(speeds)):
            f.tau[l] -= force * f.u[l]


@entry
def loaded(address: int) -> None:
    """Add the loads to tau, G(x)^T (F, M) of their places, [G88] (2.3-38), (2.3-39); after `matrices`."""
    m, s, f = attached(address)
    for e in range(len(m.load)):
        g = m.load[e]
        k, w, sig = g.place, g.weight, s.sig
        i, at = m.place[k].link, m.place[k].at
        place(k, m, s)
        section(k, m, s)
        R, r = s.R[i], s.r[k]
        F, M = s.wrench[0:3], s.wrench[3:6]
        put(F, w * sig[g.force[0], 0], w * sig[g.force[1], 0], w * sig[g.force[2], 0])
        put(M, w * sig[g.moment[0], 0], w * sig[g.moment[1], 0], w * sig[g.moment[2], 0])
        if g.follows:
            for vector in (F, M):
                x, y, z = shifted(m.link[i].drawn, vector[0], vector[1], vector[2])
                x, y, z = shifted(s.E[k], x, y, z)
                x, y, z = shifted(R, x, y, z)
                put(vector, x, y, z)
        x, y, z = shifted(R, r[0], r[1], r[2])
        x, y, z = s.O[i, 0] + x, s.O[i, 1] + y, s.O[i, 2] + z
        n = before(i, m)
        for l in range(n):
            S = f.S[l]
            a, b, c = moves(l, x, y, z, f)
            f.tau[l] += dot(F[0], F[1], F[2], a, b, c) + dot(M[0], M[1], M[2], S[0], S[1], S[2])
        for j in range(m.link[i].modes):
            a, b, c = shifted(R, s.shift[at + j, 0], s.shift[at + j, 1], s.shift[at + j, 2])
            f.tau[n + j] += dot(F[0], F[1], F[2], a, b, c)
            a, b, c = shifted(R, s.turn[at + j, 0], s.turn[at + j, 1], s.turn[at + j, 2])
            f.tau[n + j] += dot(M[0], M[1], M[2], a, b, c)
